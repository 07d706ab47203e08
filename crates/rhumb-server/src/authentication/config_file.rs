//! What options and the file of `--authentication-config` say of ID tokens and anonymous requests, and what becomes of
//! it when the file changes.
//!
//! A changed file that can't be used changes nothing. It is told in the log and in metrics once, and looked at again
//! when it changes, or if it could not be read or its issuers did not answer.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rhumb_scheme::validation::{FieldErrors, FieldPath};

use super::configuration::{self, Compiled, ConfigurationError, v1};
use super::oidc::Oidc;
use super::service_accounts::USUAL_ISSUER;
use super::{Anonymous, AuthenticationOptions};
use crate::base::environment::Clock;
use crate::base::metrics::Reloads;
use crate::base::shutdown::Shutdown;

/// What options and their file say.
pub(crate) struct Configured {
    /// What knows clients by ID tokens, if any are taken or may be later.
    pub(crate) oidc: Option<Arc<Oidc>>,
    /// What anonymous requests may reach.
    pub(crate) anonymous: Anonymous,
    /// The file, which may change.
    pub(crate) file: Option<ConfigFile>,
}

/// Why options or their file can't be used.
#[derive(Debug)]
pub(crate) enum ConfiguredError {
    /// The options.
    Options(String),
    /// The file.
    File(PathBuf, ConfigurationError),
}

/// A file that is looked at again and again.
pub(crate) struct ConfigFile {
    path: PathBuf,
    /// The content that was looked at last, unless that is to be tried again.
    seen: Vec<u8>,
    /// What anonymous requests may reach, which can't change.
    anonymous: Option<Anonymous>,
    disallowed: BTreeSet<String>,
    oidc: Arc<Oidc>,
    /// Why it could not be used the last time.
    told: Option<String>,
}

/// What is to be done about the content of a file.
enum Decision {
    /// It is as it was.
    Nothing,
    /// It says something else, which can be used.
    Replace(Compiled),
    /// It can't be used, and never will.
    Refuse(ConfigurationError),
}

impl Configured {
    /// Reads what options and their file say.
    ///
    /// # Errors
    /// If they can't be used, or don't fit together.
    pub(crate) fn read(
        options: &AuthenticationOptions,
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, ConfiguredError> {
        let disallowed: BTreeSet<String> = match options.accounts.issuers.as_slice() {
            [] => [USUAL_ISSUER.to_owned()].into(),
            issuers => issuers.iter().cloned().collect(),
        };
        match &options.config_file {
            Some(path) => Self::of_file(path, disallowed, options, clock),
            None => Self::of_flags(&disallowed, options, clock).map_err(ConfiguredError::Options),
        }
    }

    fn of_flags(
        disallowed: &BTreeSet<String>,
        options: &AuthenticationOptions,
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, String> {
        let anonymous = options.anonymous.clone();
        if options.oidc.issuer.is_empty() {
            return Ok(Configured { oidc: None, anonymous, file: None });
        }
        let configuration = v1::AuthenticationConfiguration {
            jwt: vec![configuration::authenticator(&options.oidc)],
            ..Default::default()
        };
        let compiled = configuration::validate(&configuration, disallowed)
            .map_err(|errors| ConfigurationError::Invalid(errors).to_string())?;
        let oidc = Oidc::of_flags(&options.oidc, compiled.authenticators, Arc::clone(clock))?;
        Ok(Configured { oidc: Some(Arc::new(oidc)), anonymous, file: None })
    }

    fn of_file(
        path: &Path,
        disallowed: BTreeSet<String>,
        options: &AuthenticationOptions,
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, ConfiguredError> {
        let unusable = |error| ConfiguredError::File(path.to_path_buf(), error);
        let seen = configuration::load(path).map_err(unusable)?;
        let compiled = compile(&seen, &disallowed).map_err(unusable)?;
        // Whether the flag was given shows in that something else than usual is let in.
        if compiled.anonymous.is_some() && options.anonymous != Anonymous::default() {
            let mut errors = FieldErrors::default();
            let why = "--anonymous-auth flag cannot be set when anonymous field is configured in authentication \
                       configuration file";
            errors.forbidden(&FieldPath::new("anonymous"), why);
            return Err(ConfiguredError::Options(errors.to_string()));
        }
        let oidc = Oidc::of_file(compiled.authenticators, Arc::clone(clock));
        let oidc = Arc::new(oidc.map_err(ConfiguredError::Options)?);
        let file = ConfigFile {
            path: path.to_path_buf(),
            seen,
            anonymous: compiled.anonymous.clone(),
            disallowed,
            oidc: Arc::clone(&oidc),
            told: None,
        };
        let anonymous = compiled.anonymous.unwrap_or_else(|| options.anonymous.clone());
        Ok(Configured { oidc: Some(oidc), anonymous, file: Some(file) })
    }
}

/// Reads and validates a configuration.
fn compile(text: &[u8], disallowed: &BTreeSet<String>) -> Result<Compiled, ConfigurationError> {
    configuration::validate(&configuration::parse(text)?, disallowed).map_err(ConfigurationError::Invalid)
}

impl ConfigFile {
    /// Looks at the file again and again until the server ends.
    pub(crate) async fn run(
        mut self,
        every: Duration,
        reloads: &Reloads,
        clock: Arc<dyn Clock>,
        shutdown: Shutdown,
    ) {
        reloads.loaded(&self.seen);
        loop {
            tokio::select! {
                () = shutdown.requested() => return,
                () = tokio::time::sleep(every) => {}
            }
            let replaced = tokio::select! {
                () = shutdown.requested() => return,
                replaced = self.look() => replaced,
            };
            match replaced {
                Ok(false) => {}
                Ok(true) => {
                    self.told = None;
                    reloads.succeeded(&self.seen, clock.now().0);
                    tracing::info!(file = %self.path.display(), "reloaded authentication config");
                }
                Err(why) if self.told.as_ref() == Some(&why) => {}
                Err(why) => {
                    reloads.failed(clock.now().0);
                    tracing::warn!(
                        file = %self.path.display(),
                        why,
                        "the changed authentication config can't be used; the old one stays in force"
                    );
                    self.told = Some(why);
                }
            }
        }
    }

    /// Looks at the file once; whether something else is in force now.
    async fn look(&mut self) -> Result<bool, String> {
        let text = configuration::load(&self.path).map_err(|error| error.to_string())?;
        match self.decide(&text) {
            Decision::Nothing => Ok(false),
            Decision::Refuse(error) => {
                self.seen = text;
                Err(error.to_string())
            }
            Decision::Replace(compiled) => {
                self.oidc.replace(compiled.authenticators).await?;
                self.seen = text;
                Ok(true)
            }
        }
    }

    fn decide(&self, text: &[u8]) -> Decision {
        if text == self.seen {
            return Decision::Nothing;
        }
        let compiled = match compile(text, &self.disallowed) {
            Ok(compiled) => compiled,
            Err(error) => return Decision::Refuse(error),
        };
        let errors = configuration::change(self.anonymous.as_ref(), compiled.anonymous.as_ref());
        if errors.is_empty() {
            Decision::Replace(compiled)
        } else {
            Decision::Refuse(ConfigurationError::Invalid(errors))
        }
    }
}
