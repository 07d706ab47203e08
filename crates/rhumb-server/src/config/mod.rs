//! Configuration: one table of settings, which the command line and the configuration file share, and the
//! options that come of them.

mod admission;
mod audit;
mod authentication;
mod authorization;
mod file;
mod kubelet;
mod runtime;
mod service_range;
mod serving;
mod storage_versions;

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

pub use crate::admission::AdmissionPlugins;
pub use crate::authentication::{AccountFiles, Anonymous, AuthenticationOptions, OidcOptions, ProxyOptions};
pub use crate::authorization::{AuthorizationMode, AuthorizationModes};
pub use crate::controllers::Controllers;
pub use crate::endpoints::proxy::KubeletOptions;
pub use crate::filters::audit::{AuditOptions, Rotation};
pub use file::{FileError, read_file};
pub use runtime::{RuntimeConfig, RuntimeConfigError};
pub use service_range::{AddressRange, ServiceRangeError, ServiceRanges};
pub use serving::ServingOptions;
pub use storage_versions::StorageVersions;

use crate::admission::Chain;
use crate::authentication::TokenFile;

/// Where objects are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// In the data directory.
    #[default]
    Embedded,
    /// Nowhere: they are gone with the server.
    InMemory,
    /// In the etcd that [`Options::etcd`] names.
    Etcd,
}

/// How to reach an etcd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EtcdOptions {
    /// The addresses of its members.
    pub servers: Vec<String>,
    /// The file of those who vouch for it.
    pub authority_file: Option<PathBuf>,
    /// The file of our certificate.
    pub certificate_file: Option<PathBuf>,
    /// The file of our key.
    pub key_file: Option<PathBuf>,
    /// How often what was is forgotten; without it another server on the same etcd has to see to that.
    pub compaction_interval: Option<Duration>,
}

impl Default for EtcdOptions {
    fn default() -> Self {
        EtcdOptions {
            servers: Vec::new(),
            authority_file: None,
            certificate_file: None,
            key_file: None,
            compaction_interval: Some(Duration::from_secs(300)),
        }
    }
}

/// Everything a server can be told.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen on; port 0 picks a free one.
    pub listen: SocketAddr,
    /// Where keys, certificates and, in the embedded store, objects are kept. Without it, keys live as long as the
    /// server.
    pub data_directory: Option<PathBuf>,
    /// Where objects are kept.
    pub storage: Storage,
    /// How to reach the etcd, if they are kept in one.
    pub etcd: EtcdOptions,
    /// What the keys of all objects begin with.
    pub prefix: String,
    /// A further place for the administrator's kubeconfig, and the only one if there is no data directory.
    pub kubeconfig_out: Option<PathBuf>,
    /// A file of static tokens.
    pub token_file: Option<PathBuf>,
    /// Further static tokens.
    pub tokens: TokenFile,
    /// A file of authorities whose client certificates are taken, beside the server's own.
    pub client_authority_file: Option<PathBuf>,
    /// How else clients are known.
    pub authentication: AuthenticationOptions,
    /// Who decides what may be done.
    pub authorization: AuthorizationModes,
    /// How requests are taken.
    pub serving: ServingOptions,
    /// Which APIs are served.
    pub runtime: RuntimeConfig,
    /// Which versions objects are stored in, where they are others than usual.
    pub storage_versions: StorageVersions,
    /// Which addresses services get.
    pub service_ranges: ServiceRanges,
    /// Which controllers run.
    pub controllers: Controllers,
    /// How kubelets are reached.
    pub kubelet: KubeletOptions,
    /// Which of the server's own plugins look at what is written.
    pub admission_plugins: AdmissionPlugins,
    /// Further plugins that look at what is written.
    pub admission: Chain,
    /// What is written about requests.
    pub audit: AuditOptions,
    /// How long requests may go on when the server is to end.
    pub shutdown_timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            listen: SocketAddr::from(([127, 0, 0, 1], 6443)),
            data_directory: None,
            storage: Storage::default(),
            etcd: EtcdOptions::default(),
            prefix: "/registry".to_owned(),
            kubeconfig_out: None,
            token_file: None,
            tokens: TokenFile::default(),
            client_authority_file: None,
            authentication: AuthenticationOptions::default(),
            authorization: AuthorizationModes::default(),
            serving: ServingOptions::default(),
            runtime: RuntimeConfig::default(),
            storage_versions: StorageVersions::default(),
            service_ranges: ServiceRanges::default(),
            controllers: Controllers::default(),
            kubelet: KubeletOptions::default(),
            admission_plugins: AdmissionPlugins::default(),
            admission: Chain::default(),
            audit: AuditOptions::default(),
            shutdown_timeout: Duration::from_secs(10),
        }
    }
}

/// Whether a setting takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// One value; the last one counts.
    Value(&'static str),
    /// Values that add up.
    Values(&'static str),
    /// Nothing: to name it is to want it.
    Nothing,
}

/// One thing that a server can be told.
#[derive(Clone, Copy)]
pub struct Setting {
    /// Its name on the command line and in the file.
    pub name: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// What it means.
    pub help: &'static str,
    apply: fn(&mut Options, &str) -> Result<(), String>,
}

impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Setting").field("name", &self.name).field("takes", &self.takes).finish()
    }
}

/// A setting can't be as it was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    name: String,
    why: String,
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--{}: {}", self.name, self.why)
    }
}

impl std::error::Error for SettingError {}

/// All settings.
pub const SETTINGS: &[Setting] = &[
    Setting {
        name: "listen",
        takes: Takes::Value("ADDR:PORT"),
        help: "Address to listen on; port 0 picks a free port [default: 127.0.0.1:6443]",
        apply: |options, value| {
            options.listen = value.parse().map_err(|_| format!("{value:?} is not an address and a port"))?;
            Ok(())
        },
    },
    Setting {
        name: "data-dir",
        takes: Takes::Value("DIR"),
        help: "Directory for objects, keys and certificates [default: rhumb in the user's data directory; none with \
               --in-memory]",
        apply: |options, value| {
            options.data_directory = Some(path(value)?);
            Ok(())
        },
    },
    Setting {
        name: "kubeconfig-out",
        takes: Takes::Value("FILE"),
        help: "File to which an administrator's kubeconfig is written [default with --in-memory: a temporary file, \
               removed on exit]",
        apply: |options, value| {
            options.kubeconfig_out = Some(path(value)?);
            Ok(())
        },
    },
    Setting {
        name: "in-memory",
        takes: Takes::Nothing,
        help: "Store objects in memory only; they are lost on exit",
        apply: |options, value| {
            match (truth(value)?, &options.storage) {
                (true, Storage::Etcd) => return Err("objects can't be in an etcd as well".to_owned()),
                (true, _) => options.storage = Storage::InMemory,
                (false, _) => {}
            }
            Ok(())
        },
    },
    Setting {
        name: "etcd-servers",
        takes: Takes::Value("URL,..."),
        help: "URLs of the etcd members to store objects in",
        apply: |options, value| {
            if options.storage == Storage::InMemory {
                return Err("objects can't be in memory as well".to_owned());
            }
            options.storage = Storage::Etcd;
            options.etcd.servers = value.split(',').map(str::trim).map(str::to_owned).collect();
            Ok(())
        },
    },
    Setting {
        name: "etcd-cafile",
        takes: Takes::Value("FILE"),
        help: "CA bundle for verifying etcd",
        apply: |options, value| {
            options.etcd.authority_file = Some(path(value)?);
            Ok(())
        },
    },
    Setting {
        name: "etcd-certfile",
        takes: Takes::Value("FILE"),
        help: "Client certificate for connections to etcd",
        apply: |options, value| {
            options.etcd.certificate_file = Some(path(value)?);
            Ok(())
        },
    },
    Setting {
        name: "etcd-keyfile",
        takes: Takes::Value("FILE"),
        help: "Private key of --etcd-certfile",
        apply: |options, value| {
            options.etcd.key_file = Some(path(value)?);
            Ok(())
        },
    },
    Setting {
        name: "etcd-prefix",
        takes: Takes::Value("PREFIX"),
        help: "Prefix of all keys in etcd [default: /registry]",
        apply: |options, value| {
            let trimmed = value.trim_matches('/');
            if trimmed.is_empty() {
                return Err("it has to name something".to_owned());
            }
            options.prefix = format!("/{trimmed}");
            Ok(())
        },
    },
    Setting {
        name: "etcd-compaction-interval",
        takes: Takes::Value("DURATION"),
        help: "Interval between etcd compactions; 0 disables them [default: 5m]",
        apply: |options, value| {
            let interval = duration(value)
                .ok_or_else(|| format!("{value:?} is not a duration such as 30s or 5m, nor 0"))?;
            options.etcd.compaction_interval = Some(interval).filter(|interval| !interval.is_zero());
            Ok(())
        },
    },
    Setting {
        name: "token-auth-file",
        takes: Takes::Value("FILE"),
        help: "Static token file with lines of token,user,uid,\"group,...\"",
        apply: |options, value| {
            options.token_file = Some(path(value)?);
            Ok(())
        },
    },
    Setting {
        name: "client-ca-file",
        takes: Takes::Value("FILE"),
        help: "CA bundle for authenticating client certificates, in addition to the server's own CA",
        apply: |options, value| {
            options.client_authority_file = Some(path(value)?);
            Ok(())
        },
    },
    serving::CERTIFICATE,
    serving::KEY,
    serving::INSECURE_PORT,
    serving::INSECURE_ADDRESS,
    serving::ADVERTISED,
    serving::READING,
    serving::MUTATING,
    serving::WATCHES,
    serving::WATCHES_PER_USER,
    authentication::ANONYMOUS,
    authentication::ACCOUNT_KEYS,
    authentication::ACCOUNT_SIGNING_KEY,
    authentication::ACCOUNT_ISSUERS,
    authentication::ACCOUNT_KEYS_URL,
    authentication::AUDIENCES,
    authentication::CONFIG,
    authentication::OIDC_ISSUER,
    authentication::OIDC_CLIENT,
    authentication::OIDC_AUTHORITY,
    authentication::OIDC_USERNAME,
    authentication::OIDC_USERNAME_PREFIX,
    authentication::OIDC_GROUPS,
    authentication::OIDC_GROUPS_PREFIX,
    authentication::OIDC_REQUIRED,
    authentication::OIDC_ALGORITHMS,
    authentication::PROXY_AUTHORITY,
    authentication::PROXY_NAMES,
    authentication::PROXY_USERNAMES,
    authentication::PROXY_UIDS,
    authentication::PROXY_GROUPS,
    authentication::PROXY_EXTRA,
    authorization::MODES,
    Setting {
        name: "runtime-config",
        takes: Takes::Values("KEY=BOOL,..."),
        help: "APIs to enable or disable, as KEY=true|false: GROUP/VERSION, GROUP/VERSION/RESOURCE, api/all, api/ga, \
               api/beta, api/alpha, or api/legacy for versions removed from Kubernetes",
        apply: |options, value| {
            options.runtime.add(value);
            Ok(())
        },
    },
    storage_versions::VERSIONS,
    Setting {
        name: "service-cluster-ip-range",
        takes: Takes::Value("CIDR,..."),
        help: "CIDR range for service cluster IPs; one per IP family for dual stack [default: 10.0.0.0/24]",
        apply: |options, value| {
            options.service_ranges = ServiceRanges::parse(value).map_err(|error| error.to_string())?;
            Ok(())
        },
    },
    Setting {
        name: "controllers",
        takes: Takes::Value("NAME,..."),
        help: "Controllers to run; * for all, -NAME to disable one [default: *]",
        apply: |options, value| {
            options.controllers = Controllers::parse(value)?;
            Ok(())
        },
    },
    admission::ENABLE,
    admission::DISABLE,
    audit::POLICY,
    audit::PATH,
    audit::AGE,
    audit::BACKUPS,
    audit::SIZE,
    audit::FORMAT,
    kubelet::AUTHORITY,
    kubelet::CERTIFICATE,
    kubelet::KEY,
    kubelet::ADDRESS_TYPES,
    kubelet::TIMEOUT,
    Setting {
        name: "shutdown-timeout",
        takes: Takes::Value("DURATION"),
        help: "Grace period for requests in flight on shutdown, such as 10s or 1m [default: 10s]",
        apply: |options, value| {
            options.shutdown_timeout = duration(value)
                .ok_or_else(|| format!("{value:?} is not a duration such as 500ms, 10s or 1m"))?;
            Ok(())
        },
    },
];

impl Options {
    /// How often the store is to be told to forget what was before. The embedded one does that by itself.
    pub(crate) fn compaction(&self) -> Option<Duration> {
        self.etcd.compaction_interval.filter(|_| self.storage == Storage::Etcd)
    }

    /// Applies a setting.
    ///
    /// # Errors
    /// If there is no such setting or its value can't be used.
    pub fn apply(&mut self, name: &str, value: &str) -> Result<(), SettingError> {
        let failed = |why: String| SettingError { name: name.to_owned(), why };
        let setting = SETTINGS.iter().find(|setting| setting.name == name);
        let setting = setting.ok_or_else(|| failed("there is no such setting".to_owned()))?;
        (setting.apply)(self, value).map_err(failed)
    }
}

/// The parts of a list; empty ones are passed over.
fn parts(value: &str) -> Vec<String> {
    value.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn truth(value: &str) -> Result<bool, String> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("{value:?} is neither true nor false")),
    }
}

fn path(value: &str) -> Result<PathBuf, String> {
    if value.is_empty() { Err("the path is empty".to_owned()) } else { Ok(PathBuf::from(value)) }
}

fn duration(text: &str) -> Option<Duration> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(digits)?;
    let number: u64 = number.parse().ok()?;
    match unit {
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        "m" => number.checked_mul(60).map(Duration::from_secs),
        "h" => number.checked_mul(3600).map(Duration::from_secs),
        _ => (number == 0 && unit.is_empty()).then_some(Duration::ZERO),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_become_options() {
        let mut options = Options::default();
        for (name, value) in [
            ("listen", "[::1]:0"),
            ("etcd-servers", "http://a:2379, http://b:2379"),
            ("etcd-prefix", "other/"),
            ("shutdown-timeout", "1m"),
            ("controllers", "*,-namespace"),
            ("kubelet-preferred-address-types", "InternalIP, Hostname"),
            ("kubelet-timeout", "500ms"),
            ("kubelet-client-key", "k"),
        ] {
            options.apply(name, value).unwrap();
        }
        assert_eq!(options.listen, "[::1]:0".parse().unwrap());
        assert!(options.storage == Storage::Etcd && options.etcd.servers.len() == 2);
        assert_eq!((options.prefix.as_str(), options.shutdown_timeout.as_secs()), ("/other", 60));
        assert_eq!(options.kubelet.preferred_address_types, ["InternalIP", "Hostname"]);
        assert_eq!(options.kubelet.timeout, Duration::from_millis(500));
        assert_eq!(options.kubelet.key_file, Some(PathBuf::from("k")));
        for (name, value, expect) in [
            ("listen", "6443", "--listen: \"6443\" is not an address and a port"),
            ("in-memory", "true", "--in-memory: objects can't be in an etcd as well"),
            ("nope", "", "--nope: there is no such setting"),
            ("shutdown-timeout", "5", "--shutdown-timeout: \"5\" is not a duration such as 500ms, 10s or 1m"),
            (
                "service-cluster-ip-range",
                "x",
                "--service-cluster-ip-range: service-cluster-ip-range[0] is not a valid cidr",
            ),
            ("controllers", "*,-x", "--controllers: \"x\" is not in the list of known controllers"),
        ] {
            assert_eq!(options.apply(name, value).map_err(|error| error.to_string()), Err(expect.to_owned()));
        }
    }
}
