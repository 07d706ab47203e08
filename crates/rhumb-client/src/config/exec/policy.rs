//! Allowlist of exec plugins.

use std::path::{Path, PathBuf};

use rhumb_schema::text::quoted;

use crate::config::kubeconfig::clean;
use crate::config::{Environment, PluginPolicy};

/// Reports whether a command may be run; if not, why.
pub(super) fn check(policy: &PluginPolicy, command: &str, environment: &Environment) -> Result<(), String> {
    let list = match policy {
        PluginPolicy::AllowAll => return Ok(()),
        PluginPolicy::DenyAll => {
            return Err(format!("plugin {} not allowed: policy set to \"DenyAll\"", quoted(command)));
        }
        PluginPolicy::Allowlist(list) => list,
    };
    if list.iter().any(|entry| entry == command) {
        return Ok(());
    }
    let Some(found) = look_up(command, environment) else {
        let command = quoted(command);
        return Err(format!(
            "plugin path {command} cannot be resolved for credential plugin allowlist check: \
             exec: {command}: executable file not found in $PATH"
        ));
    };
    // A name on the list stands for the program that is found under it.
    let is_same = |entry: &String| {
        Path::new(entry) == found
            || (Path::new(entry).file_name() == found.file_name()
                && look_up(entry, environment).as_ref() == Some(&found))
    };
    if list.iter().any(is_same) {
        return Ok(());
    }
    let found = quoted(found.to_string_lossy().as_bytes());
    Err(format!("plugin path {found} is not permitted by the credential plugin allowlist"))
}

/// Returns the program that a command runs: a path as it is, a name where it is first found in `PATH`.
fn look_up(command: &str, environment: &Environment) -> Option<PathBuf> {
    if command.contains(std::path::is_separator) {
        let path = clean(&environment.working_dir().join(command));
        return is_executable(&path).then(|| PathBuf::from(command));
    }
    std::env::split_paths(environment.variable("PATH")?)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(command))
        .find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    let has_right = |metadata: &std::fs::Metadata| {
        std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0
    };
    #[cfg(not(unix))]
    let has_right = |_: &std::fs::Metadata| true;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && has_right(&metadata))
}
