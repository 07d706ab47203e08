//! In-cluster configuration: two environment variables and three files of the service account.

use std::path::{Path, PathBuf};

use super::overrides::server_uri;
use super::{Auth, Config, ConfigError, Environment, Overrides, Secret, Source};

/// Directory of the service account's token, CA and namespace in pods.
const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

fn file(environment: &Environment, name: &str) -> PathBuf {
    environment.service_account_dir().unwrap_or(Path::new(SERVICE_ACCOUNT)).join(name)
}

/// Reports whether the process runs in a pod that may talk to the API server.
pub(super) fn is_possible(environment: &Environment) -> bool {
    environment.variable("KUBERNETES_SERVICE_HOST").is_some()
        && environment.variable("KUBERNETES_SERVICE_PORT").is_some()
        && file(environment, "token").is_file()
}

/// Returns the pod's configuration; server, token and authority can be overridden.
pub(super) fn config(environment: &Environment, overrides: &Overrides) -> Result<Config, ConfigError> {
    let (Some(host), Some(port)) =
        (environment.variable("KUBERNETES_SERVICE_HOST"), environment.variable("KUBERNETES_SERVICE_PORT"))
    else {
        return Err(ConfigError::NotInCluster);
    };
    let token = file(environment, "token");
    std::fs::read(&token).map_err(|source| ConfigError::reading(&token, source))?;
    let server = match overrides.cluster.server.as_str() {
        "" if host.contains(':') => format!("https://[{host}]:{port}"),
        "" => format!("https://{host}:{port}"),
        server => server.to_owned(),
    };
    let mut config = Config::new(server_uri(&server)?);
    config.environment = environment.clone();
    config.auth = Auth::TokenFile(token);
    if !overrides.user.token_file.is_empty() {
        config.auth = Auth::TokenFile(PathBuf::from(&overrides.user.token_file));
    } else if !overrides.user.token.is_empty() {
        config.auth = Auth::Token(Secret::from(&overrides.user.token));
    }
    let authority = match overrides.cluster.certificate_authority.as_str() {
        "" => file(environment, "ca.crt"),
        path => PathBuf::from(path),
    };
    // Without the file the system's authorities are trusted, which is right for a server with a public certificate.
    config.tls.ca = authority.exists().then_some(Source::File(authority));
    config.default_namespace = match overrides.context.namespace.as_str() {
        "" => namespace(environment),
        given => given.to_owned(),
    };
    Ok(config)
}

/// Returns the pod's namespace.
pub(super) fn namespace(environment: &Environment) -> String {
    if let Some(namespace) = environment.variable("POD_NAMESPACE") {
        return namespace.to_owned();
    }
    let content = std::fs::read_to_string(file(environment, "namespace")).unwrap_or_default();
    match content.trim() {
        "" => "default".to_owned(),
        namespace => namespace.to_owned(),
    }
}
