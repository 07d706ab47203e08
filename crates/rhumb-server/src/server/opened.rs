//! Store of a server: opened at its start, asked how it is, closed at its end.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rhumb_store::etcd::{self, Etcd};
use rhumb_store::{Embedded, Store, StoreError};
use tokio::time::timeout;

use super::StartError;
use crate::base::health::{Check, Concern};
use crate::base::pki::files;
use crate::config::{EtcdOptions, Options, Storage};

/// How long the store may take to say that it is well.
const STORE_CHECK: Duration = Duration::from_secs(2);

/// A store that was opened and has to be closed.
pub(super) enum Opened {
    Embedded(Arc<Embedded>),
    Etcd(Arc<Etcd>),
    /// Somebody else opened it, and will close it.
    Given(Arc<dyn Store>),
}

impl Opened {
    /// Opens the store that options ask for.
    pub(super) async fn open(options: &Options) -> Result<Self, StartError> {
        let store = match options.storage {
            Storage::InMemory => Embedded::in_memory(rhumb_store::Options::default()),
            Storage::Embedded => {
                let directory = options.data_directory.as_ref().ok_or(StartError::NoDataDirectory)?;
                let directory = directory.join("store");
                files::make_directory(&directory)
                    .map_err(|error| StartError::File(directory.clone(), error))?;
                let opening = move || Embedded::open(directory, rhumb_store::Options::default());
                tokio::task::spawn_blocking(opening).await.map_err(StartError::Task)?
            }
            Storage::Etcd => {
                let etcd = Etcd::connect(etcd_config(&options.etcd)?).await.map_err(StartError::Store)?;
                return Ok(Opened::Etcd(Arc::new(etcd)));
            }
        };
        store.map(|store| Opened::Embedded(Arc::new(store))).map_err(StartError::Store)
    }

    /// The store.
    pub(super) fn store(&self) -> Arc<dyn Store> {
        match self {
            Opened::Embedded(store) => Arc::clone(store) as Arc<dyn Store>,
            Opened::Etcd(store) => Arc::clone(store) as Arc<dyn Store>,
            Opened::Given(store) => Arc::clone(store),
        }
    }

    /// Closes it.
    pub(super) async fn close(self) -> Result<(), StoreError> {
        match self {
            Opened::Embedded(store) => tokio::task::spawn_blocking(move || store.close())
                .await
                .unwrap_or_else(|error| Err(StoreError::Failed(error.to_string()))),
            // An etcd keeps what it was given; there is nothing to close on our side.
            Opened::Etcd(_) | Opened::Given(_) => Ok(()),
        }
    }
}

fn etcd_config(options: &EtcdOptions) -> Result<etcd::Config, StartError> {
    let read = |path: &PathBuf| std::fs::read(path).map_err(|error| StartError::File(path.clone(), error));
    let mut config = etcd::Config::new(options.servers.clone());
    if let Some(authorities) = &options.authority_file {
        let identity = match (&options.certificate_file, &options.key_file) {
            (Some(certificate), Some(key)) => Some((read(certificate)?, read(key)?)),
            _ => None,
        };
        config.tls = Some(etcd::Tls { authorities: read(authorities)?, identity });
    }
    Ok(config)
}

/// Whether the store answers. The names are those that kube-apiserver has for the same.
pub(super) fn store_checks(store: &Arc<dyn Store>) -> Vec<Check> {
    [("etcd", Concern::Everything), ("etcd-readiness", Concern::Readiness)]
        .map(|(name, concern)| {
            let store = Arc::clone(store);
            Check::new(name, concern, move || {
                let store = Arc::clone(&store);
                async move {
                    match timeout(STORE_CHECK, store.revision()).await {
                        Ok(Ok(_)) => Ok(()),
                        Ok(Err(error)) => Err(format!("error getting data from etcd: {error}")),
                        Err(_) => Err("error getting data from etcd: context deadline exceeded".to_owned()),
                    }
                }
            })
        })
        .into()
}
