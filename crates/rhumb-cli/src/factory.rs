//! `Factory`: clients and configuration, created on first use.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use rhumb_client::config::{
    Auth, ConfigError, ContentType, Environment, Kubeconfig, LoadingRules, Overrides, PluginPolicy,
    StandardInput, WarningHandler,
};
use rhumb_client::discovery::{CachedDiscovery, DeferredMapper};
use rhumb_client::{Client, Config};
use rhumb_meta::Time;
use rhumb_scheme::mapper::RestMapping;

use crate::Failure;
use crate::command::Flags;
use crate::request_log::{LEAST, REQUESTS, RequestLog};
use crate::resource::Builder;
use crate::validation::{FieldChecks, FieldValidation, Validator};

/// Provides configuration, client and mapper to commands. Each is created on first use, so that commands without a
/// server read no kubeconfig.
#[derive(Clone)]
pub struct Factory(Rc<Shared>);

struct Shared {
    flags: Flags,
    environment: Environment,
    warnings: Arc<dyn WarningHandler>,
    plugin_policy: PluginPolicy,
    standard_input: StandardInput,
    config: OnceCell<Config>,
    client: OnceCell<Client>,
    mapper: OnceCell<Rc<DeferredMapper>>,
}

impl Factory {
    /// Creates a factory for what the global flags and the environment say. Warnings of the server go to a handler.
    pub fn new(flags: &Flags, environment: Environment, warnings: Arc<dyn WarningHandler>) -> Self {
        Factory(Rc::new(Shared {
            flags: flags.only(crate::global::FLAGS),
            environment,
            warnings,
            plugin_policy: PluginPolicy::default(),
            standard_input: StandardInput::default(),
            config: OnceCell::new(),
            client: OnceCell::new(),
            mapper: OnceCell::new(),
        }))
    }

    /// Asks only programs that a policy allows for credentials. It must be said before the factory is shared.
    pub fn with_plugin_policy(mut self, policy: PluginPolicy) -> Self {
        if let Some(shared) = Rc::get_mut(&mut self.0) {
            shared.plugin_policy = policy;
        }
        self
    }

    /// Keeps programs that are asked for credentials away from standard input, which a command reads itself.
    pub fn occupy_standard_input(&self) {
        self.0.standard_input.occupy("stdin resource manifest reader");
    }

    /// Returns the number of warnings that the server sent.
    pub fn warning_count(&self) -> usize {
        self.0.warnings.count()
    }

    /// Returns the environment of the process.
    pub fn environment(&self) -> &Environment {
        &self.0.environment
    }

    /// Returns the time.
    pub fn now(&self) -> Time {
        let since = self.0.environment.now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Time::from_unix(i64::try_from(since.as_secs()).unwrap_or(i64::MAX), i64::from(since.subsec_nanos()))
    }

    /// Returns which kubeconfig files there are.
    pub fn loading_rules(&self) -> LoadingRules {
        let rules = LoadingRules::new(&self.0.environment);
        match self.0.flags.text("kubeconfig") {
            "" => rules,
            file => rules.with_explicit_file(file),
        }
    }

    /// Returns the overrides that the flags set.
    pub fn overrides(&self) -> Overrides {
        let flags = &self.0.flags;
        let text = |name: &str| flags.text(name).to_owned();
        let mut overrides = Overrides::default().with_default_server(&self.0.environment);
        overrides.current_context = text("context");
        overrides.context.cluster = text("cluster");
        overrides.context.user = text("user");
        overrides.context.namespace = text("namespace");
        overrides.cluster.server = text("server");
        overrides.cluster.tls_server_name = text("tls-server-name");
        overrides.cluster.certificate_authority = text("certificate-authority");
        overrides.cluster.insecure_skip_tls_verify = flags.bool("insecure-skip-tls-verify");
        overrides.cluster.disable_compression = flags.bool("disable-compression");
        overrides.user.client_certificate = text("client-certificate");
        overrides.user.client_key = text("client-key");
        overrides.user.token = text("token").into();
        overrides.user.username = text("username");
        overrides.user.password = text("password").into();
        overrides.user.impersonate = text("as");
        overrides.user.impersonate_uid = text("as-uid");
        overrides.user.impersonate_groups = flags.list("as-group");
        for extra in flags.list("as-user-extra") {
            if let Some((key, value)) = extra.split_once('=') {
                overrides
                    .user
                    .impersonate_user_extra
                    .entry(key.to_owned())
                    .or_default()
                    .push(value.to_owned());
            }
        }
        overrides.timeout = text("request-timeout");
        overrides
    }

    /// Returns the kubeconfig, several files merged.
    ///
    /// # Errors
    /// A file can't be read.
    pub fn kubeconfig(&self) -> Result<Kubeconfig, Failure> {
        Ok(self.loading_rules().load()?)
    }

    /// Returns the configuration.
    ///
    /// # Errors
    /// There is none that a client could be made of.
    pub fn config(&self) -> Result<&Config, Failure> {
        if let Some(config) = self.0.config.get() {
            return Ok(config);
        }
        let mut config = self.loading_rules().config_unchecked(&self.overrides())?;
        config.warnings = Arc::clone(&self.0.warnings);
        config.user_agent = user_agent();
        // What kubectl asks for, which also can be read where requests are shown.
        config.content_type = ContentType::Json;
        if let Auth::Exec(exec) = &mut config.auth {
            exec.policy = self.0.plugin_policy.clone();
            exec.standard_input = self.0.standard_input.clone();
        }
        let level = self.0.flags.int("v");
        if level >= LEAST {
            let log = RequestLog::new(level, &self.0.environment);
            let rules = self.loading_rules();
            for file in rules.files().iter().filter(|file| level >= REQUESTS && file.exists()) {
                log.say("loader.go:407", &format!("Config loaded from file:  {}", file.display()));
            }
            config.observer = Some(Arc::new(log));
        }
        Ok(self.0.config.get_or_init(|| config))
    }

    /// Returns the address of the server, as it is said in messages; empty if it is not known.
    pub fn server(&self) -> String {
        let config = self.0.config.get();
        let authority = config.and_then(|config| config.server.authority());
        // A port that is left empty is not told.
        authority.map(|authority| authority.as_str().trim_end_matches(':').to_owned()).unwrap_or_default()
    }

    /// Returns the namespace to work in, and whether a flag asked for it.
    ///
    /// # Errors
    /// There is no configuration.
    pub fn namespace(&self) -> Result<(String, bool), Failure> {
        if self.0.config.get().is_none() {
            // Who asks for the namespace first is told more about what is wrong, as by kubectl.
            self.loading_rules().check(&self.overrides()).map_err(unusable)?;
        }
        Ok((self.config()?.default_namespace.clone(), self.0.flags.is_given("namespace")))
    }

    /// Returns the client.
    ///
    /// # Errors
    /// There is no configuration that one could be made of.
    pub fn client(&self) -> Result<&Client, Failure> {
        if let Some(client) = self.0.client.get() {
            return Ok(client);
        }
        let client = Client::new(self.config()?.clone())?;
        Ok(self.0.client.get_or_init(|| client))
    }

    /// Returns the directory of the discovery cache.
    pub fn cache_dir(&self) -> Option<PathBuf> {
        Some(self.0.flags.text("cache-dir")).filter(|dir| !dir.is_empty()).map(PathBuf::from)
    }

    /// Returns the RESTMapper.
    ///
    /// # Errors
    /// There is no client.
    pub fn mapper(&self) -> Result<&Rc<DeferredMapper>, Failure> {
        if let Some(mapper) = self.0.mapper.get() {
            return Ok(mapper);
        }
        let discovery = CachedDiscovery::on_disk(self.client()?, self.cache_dir());
        Ok(self.0.mapper.get_or_init(|| Rc::new(DeferredMapper::new(discovery))))
    }

    /// Resolves an argument to a resource: `po`, `deployments.apps`, `Deployment.v1.apps`.
    ///
    /// # Errors
    /// Nothing, or the server can't be asked.
    pub async fn mapping(&self, word: &str) -> Result<RestMapping, Failure> {
        Ok(self.mapper()?.mapping_for_arg(word).await?)
    }

    /// Returns the cached discovery.
    ///
    /// # Errors
    /// There is no client.
    pub fn discovery(&self) -> Result<&CachedDiscovery, Failure> {
        Ok(self.mapper()?.discovery())
    }

    /// Returns a validator of objects to send, with the handling of unknown fields and who checks for them.
    pub fn validator(&self, directive: FieldValidation, fields: FieldChecks) -> Validator {
        Validator::new(self.clone(), directive, fields)
    }

    /// Creates a builder of objects from arguments and files.
    pub fn builder(&self) -> Builder {
        Builder::new(self.clone())
    }
}

/// Returns the user agent. Servers use the name before the slash as the field manager, so it is kubectl's.
fn user_agent() -> String {
    let arch = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("kubectl/v1.36.4 ({}/{arch}) rhumb/{}", std::env::consts::OS, env!("CARGO_PKG_VERSION"))
}

/// Describes an invalid configuration as kubectl does where it needs a namespace.
fn unusable(error: ConfigError) -> Failure {
    match error {
        ConfigError::Invalid(problems) => match problems.as_slice() {
            [one] if one.starts_with("context was not found") => {
                Failure::Plain(format!("Error in configuration: {one}"))
            }
            [one] => Failure::message(one.clone()),
            _ => Failure::from(ConfigError::Invalid(problems)),
        },
        // A client that is made later says whether there is a server all the same.
        other => Failure::from(other),
    }
}
