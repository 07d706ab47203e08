//! `networking.k8s.io/v1`: ingresses, network policies and the addresses of services.

mod addresses;
mod ingress;
mod network_policy;

pub use addresses::{
    IPAddress, IPAddressList, IPAddressSpec, ParentReference, ServiceCIDR, ServiceCIDRList, ServiceCIDRSpec,
    ServiceCIDRStatus,
};
pub use ingress::{
    HTTPIngressPath, HTTPIngressRuleValue, Ingress, IngressBackend, IngressClass, IngressClassList,
    IngressClassParametersReference, IngressClassSpec, IngressList, IngressLoadBalancerIngress,
    IngressLoadBalancerStatus, IngressPortStatus, IngressRule, IngressRuleValue, IngressServiceBackend,
    IngressSpec, IngressStatus, IngressTLS, PATH_TYPES, ServiceBackendPort,
};
pub use network_policy::{
    IPBlock, NetworkPolicy, NetworkPolicyEgressRule, NetworkPolicyIngressRule, NetworkPolicyList,
    NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec, POLICY_TYPES,
};
