//! How the server reaches the kubelets of nodes.

use super::{Setting, Takes, duration, path};

pub(super) const AUTHORITY: Setting = Setting {
    name: "kubelet-certificate-authority",
    takes: Takes::Value("FILE"),
    help: "CA bundle for verifying kubelets; without it their certificates are not verified",
    apply: |options, value| {
        options.kubelet.authority_file = Some(path(value)?);
        Ok(())
    },
};

pub(super) const CERTIFICATE: Setting = Setting {
    name: "kubelet-client-certificate",
    takes: Takes::Value("FILE"),
    help: "Client certificate for connections to kubelets [default: issued by the server's own CA]",
    apply: |options, value| {
        options.kubelet.certificate_file = Some(path(value)?);
        Ok(())
    },
};

pub(super) const KEY: Setting = Setting {
    name: "kubelet-client-key",
    takes: Takes::Value("FILE"),
    help: "Private key of --kubelet-client-certificate",
    apply: |options, value| {
        options.kubelet.key_file = Some(path(value)?);
        Ok(())
    },
};

pub(super) const ADDRESS_TYPES: Setting = Setting {
    name: "kubelet-preferred-address-types",
    takes: Takes::Value("TYPE,..."),
    help: "Node address types for connections to kubelets, in order of preference \
           [default: Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP]",
    apply: |options, value| {
        options.kubelet.preferred_address_types =
            value.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        Ok(())
    },
};

pub(super) const TIMEOUT: Setting = Setting {
    name: "kubelet-timeout",
    takes: Takes::Value("DURATION"),
    help: "Timeout for connecting to a kubelet, such as 5s [default: 5s]",
    apply: |options, value| {
        options.kubelet.timeout =
            duration(value).ok_or_else(|| format!("{value:?} is not a duration such as 500ms, 10s or 1m"))?;
        Ok(())
    },
};
