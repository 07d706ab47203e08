//! Ingresses, equal to those of `networking.k8s.io/v1beta1`.

pub use crate::networking::v1beta1::{
    HTTPIngressPath, HTTPIngressRuleValue, Ingress, IngressBackend, IngressList, IngressLoadBalancerIngress,
    IngressLoadBalancerStatus, IngressPortStatus, IngressRule, IngressRuleValue, IngressSpec, IngressStatus,
    IngressTLS,
};
