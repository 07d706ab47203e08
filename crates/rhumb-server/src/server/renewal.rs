//! What is looked at again while a server runs: files that were given, and its own certificates, which are renewed
//! before they end. What can't be used is told in the log, and what was there before stays in force.

use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use tokio::sync::watch;

use super::StartError;
use super::keys::{self, Keys};
use crate::authentication::oidc::Oidc;
use crate::authentication::{CertificateAuthenticator, StaticTokens, TokenFile};
use crate::base::environment::{Clock, Entropy};
use crate::base::pki::Pki;
use crate::base::secret::Secret;
use crate::base::shutdown::Shutdown;
use crate::config::Options;

/// Looks at files and certificates again and again.
pub(super) struct Renewal {
    pub(super) options: Options,
    pub(super) address: SocketAddr,
    pub(super) pki: Arc<Pki>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) entropy: Arc<dyn Entropy>,
    pub(super) tls: Arc<ArcSwap<ServerConfig>>,
    pub(super) certificates: Arc<CertificateAuthenticator>,
    pub(super) tokens: Arc<StaticTokens>,
    pub(super) oidc: Option<Arc<Oidc>>,
    pub(super) account_keys: watch::Sender<Vec<String>>,
    pub(super) kubelet_client: watch::Sender<(String, Secret)>,
}

/// By what a file that changed is told from what it was.
type Stamp = Option<(u64, u64, i64, i64)>;

fn stamp(path: &PathBuf) -> Stamp {
    let found = std::fs::metadata(path).ok()?;
    Some((found.ino(), found.size(), found.mtime(), found.mtime_nsec()))
}

/// What the server shows to kubelets.
pub(super) fn kubelet_client(pki: &Pki) -> (String, Secret) {
    (pki.kubelet_client.certificate.clone(), pki.kubelet_client.key.as_str().into())
}

/// All static tokens that options name.
pub(super) fn static_tokens(options: &Options) -> Result<TokenFile, StartError> {
    let mut tokens = options.tokens.clone();
    if let Some(path) = &options.token_file {
        tokens.extend(TokenFile::open(path).map_err(StartError::Tokens)?);
    }
    Ok(tokens)
}

impl Renewal {
    /// Looks again and again until the server ends.
    pub(super) async fn run(mut self, every: Duration, shutdown: Shutdown) {
        let files = self.files();
        let mut seen: Vec<Stamp> = files.iter().map(stamp).collect();
        let mut renew_at = self.pki.renew_at();
        let mut is_due = false;
        loop {
            tokio::select! {
                () = shutdown.requested() => return,
                () = tokio::time::sleep(every) => {}
            }
            let now: Vec<Stamp> = files.iter().map(stamp).collect();
            let has_changed = now != seen;
            seen = now;
            if self.clock.now().0 >= renew_at {
                match self.renew() {
                    Ok(()) => tracing::info!("the server's own certificates were renewed"),
                    Err(error) => tracing::warn!(%error, "the server's own certificates can't be renewed"),
                }
                // What can't be renewed is tried again in a while.
                renew_at = self.pki.renew_at().max(self.clock.now().0.saturating_add(60));
                is_due = true;
            }
            if !has_changed && !is_due {
                continue;
            }
            let was_due = is_due;
            is_due = false;
            match self.reload() {
                Ok(()) => tracing::info!("certificates and tokens were read again"),
                Err(error) => {
                    // A pair of files is seldom written at once, so it is tried again.
                    is_due = true;
                    if has_changed || !was_due {
                        let cause = std::error::Error::source(&error).map(ToString::to_string);
                        tracing::warn!(%error, cause, "changed files can't be used; the old ones stay in force");
                    }
                }
            }
        }
    }

    /// The files that may change.
    fn files(&self) -> Vec<PathBuf> {
        let options = &self.options;
        let given = [
            &options.serving.certificate_file,
            &options.serving.key_file,
            &options.client_authority_file,
            &options.authentication.proxy.authority_file,
            &options.authentication.oidc.authority_file,
            &options.token_file,
        ];
        let keys = &options.authentication.accounts.key_files;
        given.into_iter().flatten().chain(keys).cloned().collect()
    }

    fn renew(&mut self) -> Result<(), StartError> {
        let (clock, entropy) = (self.clock.as_ref(), self.entropy.as_ref());
        let keys = Keys::prepare(&self.options, self.address, Some(&self.pki), clock, entropy)?;
        self.pki = keys.pki;
        self.kubelet_client.send_replace(kubelet_client(&self.pki));
        Ok(())
    }

    fn reload(&self) -> Result<(), StartError> {
        let tokens = static_tokens(&self.options)?;
        let (config, trusted) = keys::talk(&self.options, &self.pki)?;
        let account_keys = keys::account_keys(&self.options)?;
        if let Some(oidc) = &self.oidc {
            oidc.trust_again().map_err(StartError::Settings)?;
        }
        self.account_keys.send_replace(account_keys);
        self.tokens.replace(tokens);
        self.certificates.trust(trusted);
        self.tls.store(Arc::new(config));
        Ok(())
    }
}
