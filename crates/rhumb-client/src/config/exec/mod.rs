//! Exec plugins: programs that provide credentials.
//!
//! A plugin is asked once at a time, whoever waits, because it may ask a person. What it answers is kept until it
//! expires or a server refuses it.

mod policy;
mod v1;

use std::io;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use rhumb_codec::yaml::ReadOptions;
use rhumb_codec::{Format, Strictness, json, yaml};
use rhumb_meta::{GroupVersion, INTERNAL, Time};
use rhumb_schema::text::quoted;
use tokio::process::Command;
use tokio::time::Instant;

use super::credentials::bearer;
use super::error::os_text;
use super::kubeconfig::{SCHEME, clean};
use super::{
    Authorization, Config, CredentialsError, Environment, ExecConfig, Identity, InteractiveMode, ProxyUrl,
    Secret, Source,
};

const INSTALL_HELP: &str = "\n\nIt looks like you are trying to use a client-go credential plugin that is not \
installed.\n\nTo learn more about this feature, consult the documentation available at:\n      \
https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins";

/// Kind of the plugins' output.
const KIND: &str = "ExecCredential";
const GROUP: &str = "client.authentication.k8s.io";

/// Maximum number of times per hour that the install hint is shown, so that retries don't fill logs.
const HELP_LIMIT: u32 = 10;
const HELP_WINDOW: Duration = Duration::from_secs(60 * 60);

/// A plugin with its latest credentials.
#[derive(Debug)]
pub(super) struct ExecPlugin {
    config: ExecConfig,
    command: String,
    cluster: ClusterInfo,
    environment: Environment,
    /// Held by the one who asks the plugin.
    asking: tokio::sync::Mutex<()>,
    said: Mutex<Option<Said>>,
    helped: Mutex<Option<(Instant, u32)>>,
}

/// Cluster information for plugins that ask for it.
#[derive(Debug)]
struct ClusterInfo {
    server: String,
    server_name: String,
    insecure: bool,
    ca: Option<Source>,
    proxy: Option<ProxyUrl>,
    disable_compression: bool,
}

#[derive(Clone, Debug)]
struct Said {
    authorization: Authorization,
    until: Option<SystemTime>,
}

impl ExecPlugin {
    pub(super) fn new(exec: &ExecConfig, config: &Config) -> Self {
        let server = config.server.to_string();
        // What has no path is printed with one, which it did not have in the file.
        let server = if config.server.path() == "/" { server.trim_end_matches('/') } else { &server };
        ExecPlugin {
            command: clean(exec.command.as_ref()).to_string_lossy().into_owned(),
            cluster: ClusterInfo {
                server: server.to_owned(),
                server_name: config.tls.server_name.clone().unwrap_or_default(),
                insecure: config.tls.insecure,
                ca: config.tls.ca.clone(),
                proxy: config.proxy.clone(),
                disable_compression: config.disable_compression,
            },
            config: exec.clone(),
            environment: config.environment.clone(),
            asking: tokio::sync::Mutex::default(),
            said: Mutex::default(),
            helped: Mutex::default(),
        }
    }

    /// Returns the plugin's credentials, running it if they are no longer valid.
    pub(super) async fn authorize(&self) -> Result<Authorization, CredentialsError> {
        if let Some(authorization) = self.known() {
            return Ok(authorization);
        }
        let _asking = self.asking.lock().await;
        // Someone else may have asked in the meantime.
        if let Some(authorization) = self.known() {
            return Ok(authorization);
        }
        let said = self.ask().await.map_err(|why| CredentialsError(format!("getting credentials: {why}")))?;
        let authorization = said.authorization.clone();
        *self.said.lock() = Some(said);
        Ok(authorization)
    }

    fn known(&self) -> Option<Authorization> {
        let said = self.said.lock();
        let said = said.as_ref()?;
        let is_expired = said.until.is_some_and(|until| self.environment.now() > until);
        (!is_expired).then(|| said.authorization.clone())
    }

    /// Forgets what the plugin said, if that is still what was used.
    pub(super) fn forget(&self, used: Option<&Authorization>) {
        let mut said = self.said.lock();
        let is_used = |said: &Said| {
            used.is_none_or(|used| {
                said.authorization.header == used.header && said.authorization.identity == used.identity
            })
        };
        if said.as_ref().is_some_and(is_used) {
            *said = None;
        }
    }

    async fn ask(&self) -> Result<Said, String> {
        let interactive = self.is_interactive()?;
        let info = self.exec_info(interactive)?;
        policy::check(&self.config.policy, &self.command, &self.environment)?;
        let mut command = Command::new(&self.command);
        command.args(&self.config.args);
        command.env_clear();
        command.envs(self.environment.variables());
        command.envs(self.config.env.iter().map(|variable| (&variable.name, &variable.value)));
        command.env("KUBERNETES_EXEC_INFO", info);
        command.current_dir(self.environment.working_dir());
        command.stdin(if interactive { Stdio::inherit() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::inherit()).kill_on_drop(true);
        let child = command.spawn().map_err(|error| self.explain(&error))?;
        let output = child.wait_with_output().await.map_err(|error| self.explain(&error))?;
        if !output.status.success() {
            let code = output.status.code().unwrap_or(-1);
            return Err(format!("exec: executable {} failed with exit code {code}", self.command));
        }
        self.understand(&output.stdout)
    }

    fn is_interactive(&self) -> Result<bool, String> {
        let occupied_by = self.config.standard_input.occupied_by();
        let problem = match self.config.interactive_mode {
            InteractiveMode::Never => return Ok(false),
            InteractiveMode::IfAvailable => {
                return Ok(self.environment.is_terminal() && occupied_by.is_none());
            }
            InteractiveMode::Always if !self.environment.is_terminal() => "is not a terminal".to_owned(),
            InteractiveMode::Always => match occupied_by {
                None => return Ok(true),
                Some("") => "is unavailable".to_owned(),
                Some(by) => format!("is unavailable: used by {by}"),
            },
        };
        Err(format!("exec plugin cannot support interactive mode: standard input {problem}"))
    }

    /// Encodes the input of the plugin.
    fn exec_info(&self, interactive: bool) -> Result<String, String> {
        let cluster = self.config.provide_cluster_info.then(|| self.cluster_info()).transpose()?;
        let credential = v1::ExecCredential {
            kind: KIND.to_owned(),
            api_version: self.config.version.api_version().to_owned(),
            spec: v1::ExecCredentialSpec { cluster, interactive },
            status: None,
        };
        let mut text = Vec::new();
        json::encode(&credential, &mut text);
        text.push(b'\n');
        String::from_utf8(text).map_err(|error| format!("encode ExecCredentials: {error}"))
    }

    fn cluster_info(&self) -> Result<v1::Cluster, String> {
        let cluster = &self.cluster;
        let ca = cluster
            .ca
            .as_ref()
            .map(Source::read)
            .transpose()
            .map_err(|error| format!("failed to load CA bundle for execProvider: {}", os_text(&error)))?;
        Ok(v1::Cluster {
            server: cluster.server.clone(),
            tls_server_name: cluster.server_name.clone(),
            insecure_skip_tls_verify: cluster.insecure,
            certificate_authority_data: ca.unwrap_or_default().into(),
            proxy_url: cluster.proxy.as_ref().map(|proxy| proxy.uri().to_string()).unwrap_or_default(),
            disable_compression: cluster.disable_compression,
            config: rhumb_schema::RawJson(
                self.config.cluster_config.clone().unwrap_or_default().into_bytes(),
            ),
        })
    }

    fn explain(&self, error: &io::Error) -> String {
        if self.command.contains(std::path::is_separator) || error.kind() != io::ErrorKind::NotFound {
            return format!("exec: fork/exec {}: {}", self.command, os_text(error));
        }
        let mut text = format!("exec: executable {} not found", self.command);
        if self.may_help() {
            text.push_str(INSTALL_HELP);
            if !self.config.install_hint.is_empty() {
                text.push_str("\n\n");
                text.push_str(&self.config.install_hint);
            }
        }
        text
    }

    fn may_help(&self) -> bool {
        let now = Instant::now();
        let mut helped = self.helped.lock();
        let (since, count) = match *helped {
            Some((since, count)) if now.duration_since(since) < HELP_WINDOW => (since, count),
            _ => (now, 0),
        };
        if count >= HELP_LIMIT {
            return false;
        }
        *helped = Some((since, count + 1));
        true
    }

    /// Reads what the plugin answered.
    fn understand(&self, output: &[u8]) -> Result<Said, String> {
        let undecodable = |error: &dyn std::fmt::Display| format!("decoding stdout: {error}");
        let mut text = Vec::new();
        // What begins as JSON is not taken for anything else.
        match Format::recognize(output) {
            Format::Json => text.extend_from_slice(output),
            _ => {
                yaml::to_json(output, &ReadOptions::default(), &mut text)
                    .map_err(|error| undecodable(&error))?;
            }
        }
        let (version, kind) = json::whole_type_meta(&text).map_err(|error| {
            undecodable(&format_args!("couldn't get version/kind; json parse error: {error}"))
        })?;
        let said = GroupVersion::parse(&version).map_err(|error| undecodable(&error))?;
        // What it doesn't say of itself is what it is read into, which has a version of its own.
        let said =
            if said == GroupVersion::default() { GroupVersion::new_static(GROUP, INTERNAL) } else { said };
        let kind = if kind.is_empty() { KIND } else { &kind };
        let version = said.to_string();
        if kind != KIND || (said.version != INTERNAL && super::ExecVersion::parse(&version).is_none()) {
            let (kind, version) = (quoted(kind), quoted(&version));
            return Err(undecodable(&format!(
                "no kind {kind} is registered for version {version} in scheme {:?}",
                SCHEME
            )));
        }
        if version != self.config.version.api_version() {
            return Err(format!(
                "exec plugin is configured to use API version {}, plugin returned version {version}",
                self.config.version.api_version()
            ));
        }
        let mut credential = v1::ExecCredential::default();
        json::decode_into(&text, &mut credential, Strictness::Ignore).map_err(|error| undecodable(&error))?;
        let status = credential.status.ok_or("exec plugin didn't return a status field")?;
        let (certificate, key) = (&status.client_certificate_data, &status.client_key_data);
        match (certificate.is_empty(), key.is_empty()) {
            (true, true) if status.token.is_empty() => {
                return Err("exec plugin didn't return a token or cert/key pair".to_owned());
            }
            (true, false) | (false, true) => {
                return Err("exec plugin returned only certificate or key, not both".to_owned());
            }
            _ => {}
        }
        let header = match status.token.is_empty() {
            true => None,
            false => Some(bearer(&Secret::from(&status.token)).map_err(|error| error.to_string())?),
        };
        let identity = (!key.is_empty()).then(|| Identity {
            certificate: certificate.as_bytes().into(),
            key: key.expose().as_bytes().into(),
        });
        let until = status.expiration_timestamp.map(|time| to_system_time(&time));
        Ok(Said { authorization: Authorization { header, identity }, until })
    }
}

fn to_system_time(time: &Time) -> SystemTime {
    let nanos = Duration::from_nanos(time.nanos().into());
    let seconds = Duration::from_secs(time.unix_seconds().unsigned_abs());
    let base = if time.unix_seconds() < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(seconds)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(seconds)
    };
    base.and_then(|base| base.checked_add(nanos)).unwrap_or(SystemTime::UNIX_EPOCH)
}
