//! How the kubelets of nodes are reached.

use std::path::PathBuf;
use std::time::Duration;

/// How to reach the kubelets of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubeletOptions {
    /// The file of those who vouch for kubelets. Without it their certificates are not looked at.
    pub authority_file: Option<PathBuf>,
    /// The file of the certificate to show to kubelets. Without it, one of the server's own authority is shown.
    pub certificate_file: Option<PathBuf>,
    /// The file of that certificate's key.
    pub key_file: Option<PathBuf>,
    /// The types of addresses by which nodes are reached, the best one first.
    pub preferred_address_types: Vec<String>,
    /// How long it may take to be connected with a kubelet.
    pub timeout: Duration,
}

impl Default for KubeletOptions {
    fn default() -> Self {
        let preferred = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];
        KubeletOptions {
            authority_file: None,
            certificate_file: None,
            key_file: None,
            preferred_address_types: preferred.map(str::to_owned).to_vec(),
            timeout: Duration::from_secs(5),
        }
    }
}
