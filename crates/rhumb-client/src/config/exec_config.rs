//! Conversion of a kubeconfig's exec section to an [`ExecConfig`](super::ExecConfig).

use rhumb_schema::text::{is_printable, quoted};

use super::kubeconfig::{Cluster, ExecConfig as FileForm};
use super::{ConfigError, ExecConfig, ExecEnvVar, ExecVersion, InteractiveMode};

/// Cluster extension for exec plugins.
const CLUSTER_EXTENSION: &str = "client.authentication.k8s.io/exec";

/// Returns the plugin of a user for a cluster.
pub(super) fn exec_config(exec: &FileForm, cluster: &Cluster) -> Result<ExecConfig, ConfigError> {
    let version = ExecVersion::parse(&exec.api_version).ok_or_else(|| {
        ConfigError::Other(format!("exec plugin: invalid apiVersion {}", quoted(&exec.api_version)))
    })?;
    let interactive_mode = InteractiveMode::parse(&exec.interactive_mode).ok_or_else(|| {
        ConfigError::Other(format!("unknown interactiveMode: {}", quoted(&exec.interactive_mode)))
    })?;
    let extension = cluster.extensions.iter().find(|extension| extension.name == CLUSTER_EXTENSION);
    let mut config = ExecConfig::new(&exec.command);
    config.args.clone_from(&exec.args);
    config.env = exec
        .env
        .iter()
        .map(|variable| ExecEnvVar { name: variable.name.clone(), value: variable.value.expose().to_owned() })
        .collect();
    config.version = version;
    config.install_hint = without_control_characters(&exec.install_hint);
    config.provide_cluster_info = exec.provide_cluster_info;
    config.interactive_mode = interactive_mode;
    config.cluster_config =
        extension.map(|extension| String::from_utf8_lossy(extension.extension.as_bytes()).into_owned());
    Ok(config)
}

/// Escapes control characters, such as `U+001B`, for terminals.
fn without_control_characters(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        let is_harmless = is_printable(character)
            || ('\t'..='\r').contains(&character)
            || (character.is_whitespace() && !character.is_control());
        if is_harmless {
            out.push(character);
        } else {
            out.push_str(&format!("U+{:04X}", u32::from(character)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::without_control_characters;

    #[test]
    fn a_hint_can_not_change_the_terminal() {
        assert_eq!(without_control_characters("a\x1b[1mb\n\tc\u{a0}d"), "aU+001B[1mb\n\tc\u{a0}d");
    }
}
