//! Overrides of kubeconfig settings, such as command line flags, and the [`Config`] that results.

use std::path::PathBuf;
use std::time::Duration;

use http::Uri;
use rhumb_meta::Duration as GoDuration;
use rhumb_schema::text::quoted;

use super::exec_config::exec_config;
use super::kubeconfig::{AuthInfo, Cluster, Context, Kubeconfig, NamedExtension};
use super::validation::{validate_cluster, validate_user};
use super::{Auth, Config, ConfigError, Environment, Impersonate, ProxyUrl, Secret, Source};

/// Settings that take precedence over the files: kubectl's global flags. Empty values override nothing.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// The context to use.
    pub current_context: String,
    /// The cluster and the user to use, and the namespace.
    pub context: Context,
    /// Settings of the cluster.
    pub cluster: Cluster,
    /// Settings of the user.
    pub user: AuthInfo,
    /// Cluster settings used where files have none.
    pub cluster_defaults: Cluster,
    /// Request timeout: seconds, or a duration with a unit. `0` is unlimited.
    pub timeout: String,
}

impl Overrides {
    /// Sets kubectl's default server: without any file it is `$KUBERNETES_MASTER` or one on this machine.
    pub fn with_default_server(mut self, environment: &Environment) -> Self {
        let server = environment.variable("KUBERNETES_MASTER").unwrap_or("http://localhost:8080");
        self.cluster_defaults = Cluster { server: server.to_owned(), ..Cluster::default() };
        self
    }

    /// Reports whether a configuration is what there is without files and flags.
    pub(super) fn is_default(&self, config: &Config) -> bool {
        !self.cluster_defaults.server.is_empty()
            && server_uri(&self.cluster_defaults.server).is_ok_and(|server| server == config.server)
            && config.impersonate.is_none()
            && config.proxy.is_none()
            && config.timeout.is_none()
            && !config.disable_compression
            && matches!(config.auth, Auth::None)
            && config.tls.identity.is_none()
    }

    /// Returns the name of the context, and whether it must be there.
    fn context_name<'a>(&'a self, kubeconfig: &'a Kubeconfig) -> (&'a str, bool) {
        match self.current_context.as_str() {
            "" => (&kubeconfig.current_context, false),
            name => (name, true),
        }
    }

    fn context(&self, kubeconfig: &Kubeconfig) -> Result<Context, ConfigError> {
        let (name, required) = self.context_name(kubeconfig);
        let mut context = match kubeconfig.contexts.get(name) {
            Some(context) => context.value.clone(),
            None if required => return Err(not_found("context", name)),
            None => Context::default(),
        };
        lay_over(&mut context.cluster, &self.context.cluster);
        lay_over(&mut context.user, &self.context.user);
        lay_over(&mut context.namespace, &self.context.namespace);
        lay_extensions(&mut context.extensions, &self.context.extensions);
        Ok(context)
    }

    fn user(&self, kubeconfig: &Kubeconfig, context: &Context) -> Result<AuthInfo, ConfigError> {
        let mut user = match kubeconfig.users.get(&context.user) {
            Some(user) => user.value.clone(),
            None if !self.context.user.is_empty() => return Err(not_found("auth info", &context.user)),
            None => AuthInfo::default(),
        };
        let over = &self.user;
        lay_over(&mut user.token, &over.token);
        lay_over(&mut user.token_file, &over.token_file);
        lay_over(&mut user.impersonate, &over.impersonate);
        lay_over(&mut user.impersonate_uid, &over.impersonate_uid);
        lay_over(&mut user.impersonate_groups, &over.impersonate_groups);
        user.impersonate_user_extra.extend(over.impersonate_user_extra.clone());
        lay_over(&mut user.username, &over.username);
        lay_over(&mut user.password, &over.password);
        lay_over(&mut user.auth_provider, &over.auth_provider);
        lay_over(&mut user.exec, &over.exec);
        lay_extensions(&mut user.extensions, &over.extensions);
        // A file on the command line goes before data in kubeconfig, so the two forms go together.
        if !over.client_key.is_empty() || !over.client_key_data.0.is_empty() {
            user.client_key.clone_from(&over.client_key);
            user.client_key_data.clone_from(&over.client_key_data);
        }
        if !over.client_certificate.is_empty() || !over.client_certificate_data.0.is_empty() {
            user.client_certificate.clone_from(&over.client_certificate);
            user.client_certificate_data.clone_from(&over.client_certificate_data);
        }
        Ok(user)
    }

    fn cluster(&self, kubeconfig: &Kubeconfig, context: &Context) -> Result<Cluster, ConfigError> {
        let mut cluster = self.cluster_defaults.clone();
        match kubeconfig.clusters.get(&context.cluster) {
            Some(found) => lay_cluster(&mut cluster, found),
            None if !self.context.cluster.is_empty() => return Err(not_found("cluster", &context.cluster)),
            None => {}
        }
        let over = &self.cluster;
        lay_cluster(&mut cluster, over);
        // Whom to trust is said once: a flag takes all of it over.
        if over.insecure_skip_tls_verify
            || !over.certificate_authority.is_empty()
            || !over.certificate_authority_data.0.is_empty()
        {
            cluster.insecure_skip_tls_verify = over.insecure_skip_tls_verify;
            cluster.certificate_authority.clone_from(&over.certificate_authority);
            cluster.certificate_authority_data.clone_from(&over.certificate_authority_data);
        }
        // The name in a file belongs to the server in that file.
        if !over.tls_server_name.is_empty() || !over.server.is_empty() {
            cluster.tls_server_name.clone_from(&over.tls_server_name);
        }
        Ok(cluster)
    }
}

fn not_found(what: &'static str, name: &str) -> ConfigError {
    ConfigError::NotFound { what, name: name.to_owned() }
}

fn lay_over<T: Clone + Default + PartialEq>(into: &mut T, over: &T) {
    if *over != T::default() {
        into.clone_from(over);
    }
}

fn lay_extensions(into: &mut Vec<NamedExtension>, over: &[NamedExtension]) {
    for extension in over {
        into.retain(|known| known.name != extension.name);
        into.push(extension.clone());
    }
}

fn lay_cluster(into: &mut Cluster, over: &Cluster) {
    lay_over(&mut into.server, &over.server);
    lay_over(&mut into.tls_server_name, &over.tls_server_name);
    lay_over(&mut into.insecure_skip_tls_verify, &over.insecure_skip_tls_verify);
    lay_over(&mut into.certificate_authority, &over.certificate_authority);
    lay_over(&mut into.certificate_authority_data, &over.certificate_authority_data);
    lay_over(&mut into.proxy_url, &over.proxy_url);
    lay_over(&mut into.disable_compression, &over.disable_compression);
    lay_extensions(&mut into.extensions, &over.extensions);
}

/// Reports whether the context that is used says its namespace.
pub(super) fn has_namespace(kubeconfig: &Kubeconfig, overrides: &Overrides) -> bool {
    let (name, _) = overrides.context_name(kubeconfig);
    kubeconfig.contexts.get(name).is_some_and(|context| !context.namespace.is_empty())
}

/// Returns the configuration that files and overrides come to.
pub(super) fn resolve(
    kubeconfig: &Kubeconfig,
    overrides: &Overrides,
    environment: &Environment,
) -> Result<Config, ConfigError> {
    let context = overrides.context(kubeconfig)?;
    let user = overrides.user(kubeconfig, &context)?;
    let cluster = overrides.cluster(kubeconfig, &context)?;
    confirm_usable(kubeconfig, overrides, (&context.user, &user), (&context.cluster, Some(&cluster)))?;

    let mut config = Config::new(server_uri(&cluster.server)?);
    config.environment = environment.clone();
    config.disable_compression = cluster.disable_compression;
    if !context.namespace.is_empty() {
        config.default_namespace = context.namespace;
    }
    if !cluster.proxy_url.is_empty() {
        config.proxy = Some(ProxyUrl::parse(&cluster.proxy_url)?);
    }
    if !overrides.timeout.is_empty() {
        config.timeout = parse_timeout(&overrides.timeout)?;
    }
    if !user.impersonate.is_empty() {
        config.impersonate = Some(Impersonate {
            user: user.impersonate.clone(),
            uid: user.impersonate_uid.clone(),
            groups: user.impersonate_groups.clone(),
            extra: user.impersonate_user_extra.clone(),
        });
    }
    // Credentials are not sent to a server that can't prove who it is.
    if config.server.scheme_str() == Some("https") {
        config.tls.ca = source(&cluster.certificate_authority, &cluster.certificate_authority_data.0);
        config.tls.insecure = cluster.insecure_skip_tls_verify;
        config.tls.server_name = Some(cluster.tls_server_name.clone()).filter(|name| !name.is_empty());
        config.tls.identity = source(&user.client_certificate, &user.client_certificate_data.0)
            .zip(source(&user.client_key, &user.client_key_data.0));
        config.auth = auth(&user, &cluster, config.tls.identity.is_some())?;
    }
    Ok(config)
}

/// Returns the source of a value; inline data takes precedence over a file.
fn source(path: &str, bytes: &[u8]) -> Option<Source> {
    match (bytes, path) {
        ([], "") => None,
        ([], path) => Some(Source::File(PathBuf::from(path))),
        (bytes, _) => Some(Source::Bytes(bytes.into())),
    }
}

fn auth(user: &AuthInfo, cluster: &Cluster, has_identity: bool) -> Result<Auth, ConfigError> {
    if let Some(provider) = &user.auth_provider {
        return Err(ConfigError::AuthProvider { name: provider.name.clone() });
    }
    let exec = user.exec.as_ref().map(|exec| exec_config(exec, cluster)).transpose()?;
    Ok(if !user.token_file.is_empty() {
        Auth::TokenFile(PathBuf::from(&user.token_file))
    } else if !user.token.is_empty() {
        Auth::Token(Secret::from(&user.token))
    } else if !user.username.is_empty() || !user.password.is_empty() {
        Auth::Basic { username: user.username.clone(), password: Secret::from(&user.password) }
    } else {
        // A plugin is not asked by those who have a certificate.
        match exec {
            Some(exec) if !has_identity => Auth::Exec(Box::new(exec)),
            _ => Auth::None,
        }
    })
}

/// Checks what will be used, as kubectl does before all else, to know the namespace. Names that are not there are
/// told in other words then than they are later.
pub(super) fn check(kubeconfig: &Kubeconfig, overrides: &Overrides) -> Result<(), ConfigError> {
    if !overrides.context.namespace.is_empty() {
        return Ok(());
    }
    let context = overrides.context(kubeconfig).unwrap_or_else(|_| overrides.context.clone());
    let user = overrides.user(kubeconfig, &context).unwrap_or_default();
    let cluster = overrides.cluster(kubeconfig, &context).ok();
    confirm_usable(kubeconfig, overrides, (&context.user, &user), (&context.cluster, cluster.as_ref()))
}

fn confirm_usable(
    kubeconfig: &Kubeconfig,
    overrides: &Overrides,
    user: (&str, &AuthInfo),
    cluster: (&str, Option<&Cluster>),
) -> Result<(), ConfigError> {
    let mut problems = Vec::new();
    let (name, _) = overrides.context_name(kubeconfig);
    if !name.is_empty() && !kubeconfig.contexts.contains_key(name) {
        problems.push(format!("context was not found for specified context: {name}"));
    }
    validate_user(user.0, user.1, &mut problems);
    match cluster.1 {
        Some(cluster) if problems.is_empty() && *cluster == Cluster::default() => {
            return Err(ConfigError::Empty);
        }
        Some(found) => validate_cluster(cluster.0, found, &mut problems),
        None => problems.push(format!("no server found for cluster {}", quoted(cluster.0))),
    }
    ConfigError::unless_none(problems)
}

/// Returns a server's address: a URL, or a host with or without a port, which is taken for plain HTTP.
pub(super) fn server_uri(server: &str) -> Result<Uri, ConfigError> {
    let bad = || ConfigError::Server(format!("host must be a URL or a host:port pair: {}", quoted(server)));
    let server = if server.is_empty() { "localhost" } else { server };
    let is_url =
        server.split_once("://").is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty());
    let text = if is_url { server.to_owned() } else { format!("http://{server}") };
    // A query or a fragment has no place before the paths of the API.
    let text = text.split(['?', '#']).next().unwrap_or_default();
    let uri: Uri = text.parse().map_err(|_| bad())?;
    if uri.host().is_none_or(str::is_empty) || (!is_url && uri.path() != "/") {
        return Err(bad());
    }
    match uri.scheme_str() {
        Some("http" | "https") => Ok(uri),
        other => {
            let scheme = other.unwrap_or_default();
            Err(ConfigError::Server(format!("unsupported protocol scheme {}", quoted(scheme))))
        }
    }
}

/// Parses a request timeout: whole seconds, or a number with a unit. None is unlimited.
fn parse_timeout(text: &str) -> Result<Option<Duration>, ConfigError> {
    let duration = match text.parse::<u32>() {
        Ok(seconds) => Some(Duration::from_secs(seconds.into())),
        Err(_) => GoDuration::parse(text).ok().and_then(to_std),
    };
    match duration {
        Some(Duration::ZERO) => Ok(None),
        Some(duration) => Ok(Some(duration)),
        None => Err(ConfigError::Other(
            "Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a \
             corresponding time unit (e.g. 1s | 2m | 3h)"
                .to_owned(),
        )),
    }
}

fn to_std(duration: GoDuration) -> Option<Duration> {
    u64::try_from(duration.nanoseconds()).ok().map(Duration::from_nanos)
}
