//! The keys and certificates of a server, as its options say, and how to reach it with them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::{RootCertStore, ServerConfig};

use super::StartError;
use crate::authentication::Trusted;
use crate::base::environment::{Clock, Entropy};
use crate::base::pki::{self, Names, Pair, Pki, Place, files};
use crate::config::Options;
use crate::http::tls;
use crate::server::kubeconfig::{Access, kubeconfig, url};

/// The names that the server is known by within a cluster, and on its own machine.
const HOSTS: [&str; 5] = [
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    "localhost",
];

/// Without names, every client could say that it is somebody else.
const OVERLAP: &str = "--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; \
                       --requestheader-allowed-names must be specified to ensure regular client certificates cannot \
                       set authenticating proxy headers for arbitrary users";

/// The keys of a server and how to reach it with them.
pub(super) struct Keys {
    pub(super) pki: Arc<Pki>,
    pub(super) url: String,
    pub(super) kubeconfig: String,
    /// Where the kubeconfig is: the file that was asked for, or else the one in the data directory.
    pub(super) file: Option<PathBuf>,
}

impl Keys {
    /// Reads what there is, makes what is missing, and renews what comes of age. What was known before is kept if
    /// there is no place where it would lie.
    pub(super) fn prepare(
        options: &Options,
        address: SocketAddr,
        known: Option<&Pki>,
        clock: &dyn Clock,
        entropy: &dyn Entropy,
    ) -> Result<Self, StartError> {
        let directory = options.data_directory.as_ref().map(|directory| directory.join("pki"));
        let place = directory.as_deref().map_or(Place::Memory(known), Place::Directory);
        let pki = Pki::prepare(&place, &names(options, address), clock, entropy)?;
        let url = url(address);
        let text = kubeconfig(Access {
            server: &url,
            // Clients see another certificate unless they ask for the server's own by this name.
            server_name: options.serving.certificate_file.as_ref().map(|_| tls::OWN_NAME),
            authority: &pki.authority,
            certificate: &pki.admin.certificate,
            key: &pki.admin.key,
        });
        let file = options.data_directory.as_ref().map(|directory| directory.join("admin.kubeconfig"));
        for path in file.iter().chain(&options.kubeconfig_out) {
            files::replace(path, &text, entropy).map_err(|error| StartError::File(path.clone(), error))?;
        }
        let file = options.kubeconfig_out.clone().or(file);
        Ok(Keys { pki: Arc::new(pki), url, kubeconfig: text, file })
    }
}

/// How to talk to clients, and which of their certificates to believe.
pub(super) fn talk(options: &Options, pki: &Pki) -> Result<(ServerConfig, Trusted), StartError> {
    let own = Path::new("ca.crt");
    let mut clients = pki::certificates(pki.authority.as_bytes(), own)?;
    if let Some(path) = &options.client_authority_file {
        clients.extend(pki::certificates(&read(path)?, path)?);
    }
    let proxy = &options.authentication.proxy;
    let proxies = match &proxy.authority_file {
        Some(path) => {
            let found = pki::certificates(&read(path)?, path)?;
            if proxy.allowed_names.is_empty() && found.iter().any(|certificate| clients.contains(certificate))
            {
                return Err(StartError::Settings(OVERLAP.to_owned()));
            }
            Some(Arc::new(roots(found)?))
        }
        None => None,
    };
    let clients = Arc::new(roots(clients)?);
    let given = match (&options.serving.certificate_file, &options.serving.key_file) {
        (Some(certificate), Some(key)) => Some(Pair { certificate: text(certificate)?, key: text(key)? }),
        _ => None,
    };
    let mut hints = clients.subjects();
    hints.extend(proxies.iter().flat_map(|proxies| proxies.subjects()));
    let config = tls::server_config(&pki.serving, given.as_ref(), hints).map_err(StartError::Tls)?;
    let trusted = Trusted::new(clients, proxies).map_err(|error| StartError::Tls(error.into()))?;
    Ok((config, trusted))
}

fn read(path: &PathBuf) -> Result<Vec<u8>, StartError> {
    std::fs::read(path).map_err(|error| StartError::File(path.clone(), error))
}

pub(super) fn text(path: &PathBuf) -> Result<String, StartError> {
    std::fs::read_to_string(path).map_err(|error| StartError::File(path.clone(), error))
}

/// The further keys that tokens of service accounts are checked with, all of which can be used.
pub(super) fn account_keys(options: &Options) -> Result<Vec<String>, StartError> {
    let files = &options.authentication.accounts.key_files;
    let keys: Vec<String> = files.iter().map(text).collect::<Result<_, _>>()?;
    crate::authentication::service_accounts::check_keys(&keys).map_err(StartError::Settings)?;
    Ok(keys)
}

fn roots(certificates: Vec<rustls_pki_types::CertificateDer<'static>>) -> Result<RootCertStore, StartError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        roots.add(certificate).map_err(|error| StartError::Tls(error.into()))?;
    }
    Ok(roots)
}

fn names(options: &Options, address: SocketAddr) -> Names {
    let mut addresses = vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    let service = options.service_ranges.primary.first();
    for further in
        [Some(address.ip()), Some(service), options.serving.advertise_address].into_iter().flatten()
    {
        if !further.is_unspecified() && !addresses.contains(&further) {
            addresses.push(further);
        }
    }
    let mut hosts = HOSTS.map(str::to_owned).to_vec();
    if options.serving.certificate_file.is_some() {
        hosts.push(tls::OWN_NAME.to_owned());
    }
    Names { hosts, addresses }
}
