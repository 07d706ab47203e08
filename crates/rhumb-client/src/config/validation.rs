//! Validation of configurations, with kubectl's messages.

use std::fs::File;

use rhumb_meta::validation::is_dns1123_label;
use rhumb_schema::text::quoted;

use super::error::os_text;
use super::kubeconfig::{AuthInfo, Cluster, Context, ExecConfig, Kubeconfig};
use super::{ConfigError, InteractiveMode, ProxyUrl};

impl Kubeconfig {
    /// Validates all entries, used or not.
    ///
    /// # Errors
    /// All that is wrong.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if self.is_empty() {
            return Err(ConfigError::Empty);
        }
        let mut problems = Vec::new();
        if !self.current_context.is_empty() && !self.contexts.contains_key(&self.current_context) {
            problems.push(format!("context was not found for specified context: {}", self.current_context));
        }
        for (name, context) in &self.contexts {
            self.validate_context(name, context, &mut problems);
        }
        for (name, user) in &self.users {
            validate_user(name, user, &mut problems);
        }
        for (name, cluster) in &self.clusters {
            validate_cluster(name, cluster, &mut problems);
        }
        ConfigError::unless_none(problems)
    }

    fn validate_context(&self, name: &str, context: &Context, problems: &mut Vec<String>) {
        if name.is_empty() {
            problems.push("empty context name is not allowed".to_owned());
        }
        for (what, entry, is_there) in [
            ("user", &context.user, self.users.contains_key(&context.user)),
            ("cluster", &context.cluster, self.clusters.contains_key(&context.cluster)),
        ] {
            if entry.is_empty() {
                problems.push(format!("{what} was not specified for context {}", quoted(name)));
            } else if !is_there {
                problems.push(format!("{what} {} was not found for context {}", quoted(entry), quoted(name)));
            }
        }
        if !context.namespace.is_empty() && !is_dns1123_label(&context.namespace).is_empty() {
            problems.push(format!(
                "namespace {} for context {} does not conform to the kubernetes DNS_LABEL rules",
                quoted(&context.namespace),
                quoted(name)
            ));
        }
    }
}

/// Looks for what is wrong with a cluster.
pub(super) fn validate_cluster(name: &str, cluster: &Cluster, problems: &mut Vec<String>) {
    if *cluster == Cluster::default() {
        problems.push("cluster has no server defined".to_owned());
        return;
    }
    if cluster.server.is_empty() {
        problems.push(match name {
            "" => "default cluster has no server defined".to_owned(),
            name => format!("no server found for cluster {}", quoted(name)),
        });
    }
    if !cluster.proxy_url.is_empty()
        && let Err(error) = ProxyUrl::parse(&cluster.proxy_url)
    {
        let (url, name) = (quoted(&cluster.proxy_url), quoted(name));
        problems.push(format!("invalid 'proxy-url' {url} for cluster {name}: {error}"));
    }
    if !cluster.certificate_authority.is_empty() {
        if !cluster.certificate_authority_data.0.is_empty() {
            problems.push(format!(
                "certificate-authority-data and certificate-authority are both specified for {name}. \
                 certificate-authority-data will override."
            ));
        }
        check_readable("certificate-authority", &cluster.certificate_authority, name, problems);
    }
}

/// Looks for what is wrong with a user.
pub(super) fn validate_user(name: &str, user: &AuthInfo, problems: &mut Vec<String>) {
    if !user.client_certificate.is_empty() || !user.client_certificate_data.0.is_empty() {
        validate_certificate(name, user, problems);
    }
    if let Some(exec) = &user.exec {
        if user.auth_provider.is_some() {
            problems.push(format!(
                "authProvider cannot be provided in combination with an exec plugin for {name}"
            ));
        }
        validate_exec(name, exec, problems);
    }
    if !user.token.is_empty() && (!user.username.is_empty() || !user.password.is_empty()) {
        problems.push(format!(
            "more than one authentication method found for {name}; found [token basicAuth], only one is allowed"
        ));
    }
    let has_more = !user.impersonate_uid.is_empty()
        || !user.impersonate_groups.is_empty()
        || !user.impersonate_user_extra.is_empty();
    if has_more && user.impersonate.is_empty() {
        problems
            .push(format!("requesting uid, groups or user-extra for {name} without impersonating a user"));
    }
}

fn validate_certificate(name: &str, user: &AuthInfo, problems: &mut Vec<String>) {
    let (has_key, has_key_data) = (!user.client_key.is_empty(), !user.client_key_data.0.is_empty());
    if !user.client_certificate.is_empty() && !user.client_certificate_data.0.is_empty() {
        problems.push(format!(
            "client-cert-data and client-cert are both specified for {name}. client-cert-data will override."
        ));
    }
    match (has_key, has_key_data) {
        (true, true) => problems.push(format!(
            "client-key-data and client-key are both specified for {name}; client-key-data will override"
        )),
        (false, false) => problems.push(format!(
            "client-key-data or client-key must be specified for {name} to use the clientCert authentication method."
        )),
        _ => {}
    }
    if !user.client_certificate.is_empty() {
        check_readable("client-cert", &user.client_certificate, name, problems);
    }
    if has_key {
        check_readable("client-key", &user.client_key, name, problems);
    }
}

fn validate_exec(name: &str, exec: &ExecConfig, problems: &mut Vec<String>) {
    let mut missing = |what: &str| {
        problems.push(format!("{what} must be specified for {name} to use exec authentication plugin"));
    };
    if exec.command.is_empty() {
        missing("command");
    }
    if exec.api_version.is_empty() {
        missing("apiVersion");
    }
    for _ in exec.env.iter().filter(|variable| variable.name.is_empty()) {
        missing("env variable name");
    }
    if exec.interactive_mode.is_empty() {
        missing("interactiveMode");
    } else if InteractiveMode::parse(&exec.interactive_mode).is_none() {
        problems.push(format!("invalid interactiveMode for {name}: {}", quoted(&exec.interactive_mode)));
    }
}

fn check_readable(what: &str, path: &str, name: &str, problems: &mut Vec<String>) {
    if let Err(error) = File::open(path) {
        let error = os_text(&error);
        problems.push(format!("unable to read {what} {path} for {name} due to open {path}: {error}"));
    }
}
