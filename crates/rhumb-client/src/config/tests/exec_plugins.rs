//! Programs that are asked for credentials.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use super::Dir;
use crate::config::{
    Auth, Config, Credentials, Environment, ExecConfig, ExecEnvVar, ExecVersion, InteractiveMode,
    PluginPolicy,
};

/// A plugin that writes down what it was told and answers with a file.
const SCRIPT: &str = "#!/bin/sh
printf '%s' \"$KUBERNETES_EXEC_INFO\" > told
echo \"$1 $EXTRA\" >> calls
cat answer
";

struct Plugin {
    dir: Dir,
    exec: ExecConfig,
    environment: Environment,
}

impl Plugin {
    fn new(answer: &str) -> Self {
        let dir = Dir::new();
        dir.write("plugin.sh", SCRIPT);
        dir.write("answer", answer);
        let mut exec = ExecConfig::new("/bin/sh");
        exec.args = vec!["plugin.sh".to_owned(), "argument".to_owned()];
        exec.env = vec![ExecEnvVar { name: "EXTRA".to_owned(), value: "value".to_owned() }];
        let environment = dir.environment().with_variable("PATH", "/usr/bin:/bin");
        Plugin { dir, exec, environment }
    }

    fn credentials(&self) -> Credentials {
        let mut config = Config::new("https://1.2.3.4:6443".parse().unwrap());
        config.environment = self.environment.clone();
        config.auth = Auth::Exec(Box::new(self.exec.clone()));
        config.tls.ca = Some(crate::config::Source::Bytes((*b"CA").into()));
        Credentials::new(&config).unwrap()
    }

    fn calls(&self) -> usize {
        self.dir.read("calls").lines().count()
    }

    async fn error(&self) -> String {
        self.credentials().authorize().await.unwrap_err().to_string()
    }
}

fn token(text: &str) -> String {
    format!(
        "{{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{{{text}}}}}"
    )
}

#[tokio::test]
async fn a_plugin_is_told_and_asked_once() {
    let plugin = Plugin::new(&token("\"token\":\"abc\""));
    let credentials = plugin.credentials();
    for _ in 0..3 {
        let header = credentials.authorize().await.unwrap().header.unwrap();
        assert_eq!(header, "Bearer abc");
        assert!(header.is_sensitive());
    }
    assert_eq!(plugin.dir.read("calls"), "argument value\n");
    assert_eq!(
        plugin.dir.read("told"),
        "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\
         \"spec\":{\"interactive\":false}}\n"
    );
    assert!(!format!("{credentials:?}").contains("abc"));
}

#[tokio::test]
async fn the_cluster_is_told_if_it_is_wanted() {
    let mut plugin = Plugin::new(
        "apiVersion: client.authentication.k8s.io/v1beta1\nkind: ExecCredential\nstatus: {token: abc}\n",
    );
    plugin.exec.version = ExecVersion::V1Beta1;
    plugin.exec.provide_cluster_info = true;
    plugin.exec.cluster_config = Some("{\"audience\":\"x\"}".to_owned());
    plugin.credentials().authorize().await.unwrap();
    assert_eq!(
        plugin.dir.read("told"),
        "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1beta1\",\"spec\":{\"cluster\":\
         {\"server\":\"https://1.2.3.4:6443\",\"certificate-authority-data\":\"Q0E=\",\
         \"config\":{\"audience\":\"x\"}},\"interactive\":false}}\n"
    );
}

#[tokio::test]
async fn what_expires_is_asked_for_again() {
    let mut plugin =
        Plugin::new(&token("\"token\":\"abc\",\"expirationTimestamp\":\"1970-01-01T01:00:00Z\""));
    let seconds = Arc::new(AtomicU64::new(0));
    let now = Arc::clone(&seconds);
    plugin.environment = plugin
        .environment
        .with_clock(move || SystemTime::UNIX_EPOCH + Duration::from_secs(now.load(Ordering::Relaxed)));
    let credentials = plugin.credentials();
    for (time, calls) in [(0, 1), (3600, 1), (3601, 2), (3602, 3)] {
        seconds.store(time, Ordering::Relaxed);
        credentials.authorize().await.unwrap();
        assert_eq!(plugin.calls(), calls, "at {time}");
    }
}

#[tokio::test]
async fn what_was_refused_is_asked_for_again_once() {
    let plugin = Plugin::new(&token("\"token\":\"old\""));
    let credentials = plugin.credentials();
    let old = credentials.authorize().await.unwrap();
    plugin.dir.write("answer", &token("\"token\":\"new\""));
    for _ in 0..3 {
        credentials.refused(&old);
        assert_eq!(credentials.authorize().await.unwrap().header.unwrap(), "Bearer new");
    }
    assert_eq!(plugin.calls(), 2);
    credentials.invalidate();
    credentials.authorize().await.unwrap();
    assert_eq!(plugin.calls(), 3);
}

#[tokio::test]
async fn many_who_wait_ask_once() {
    let plugin = Plugin::new(&token("\"token\":\"abc\""));
    let credentials = plugin.credentials();
    let waiting: Vec<_> = (0..16)
        .map(|_| {
            let credentials = credentials.clone();
            tokio::spawn(async move { credentials.authorize().await.is_ok() })
        })
        .collect();
    for one in waiting {
        assert!(one.await.unwrap());
    }
    assert_eq!(plugin.calls(), 1);
}

#[tokio::test]
async fn certificates_come_with_their_key() {
    let pair = "\"clientCertificateData\":\"CERT\",\"clientKeyData\":\"KEY\"";
    let identity = Plugin::new(&token(pair)).credentials().authorize().await.unwrap().identity.unwrap();
    assert_eq!((&*identity.certificate, &*identity.key), (&b"CERT"[..], &b"KEY"[..]));
    let half = Plugin::new(&token("\"clientCertificateData\":\"CERT\"")).error().await;
    assert_eq!(half, "getting credentials: exec plugin returned only certificate or key, not both");
}

#[tokio::test]
async fn bad_answers_are_told() {
    let v1 = "\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\"";
    for (answer, error) in [
        (format!("{{{v1}}}"), "exec plugin didn't return a status field"),
        (format!("{{{v1},\"status\":{{}}}}"), "exec plugin didn't return a token or cert/key pair"),
        (
            token("").replace("k8s.io/v1", "k8s.io/v1beta1"),
            "exec plugin is configured to use API version client.authentication.k8s.io/v1, \
             plugin returned version client.authentication.k8s.io/v1beta1",
        ),
        (
            "a-bare-token".to_owned(),
            "decoding stdout: couldn't get version/kind; json parse error: json: cannot unmarshal string into Go \
             value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \
             \"json:\\\"kind,omitempty\\\"\" }",
        ),
        (
            "{}".to_owned(),
            "exec plugin is configured to use API version client.authentication.k8s.io/v1, \
             plugin returned version client.authentication.k8s.io/__internal",
        ),
        (
            "{\"kind\":\"ExecCredential\"".to_owned(),
            "decoding stdout: couldn't get version/kind; json parse error: unexpected end of JSON input",
        ),
        (
            "{kind: ExecCredential}".to_owned(),
            "decoding stdout: couldn't get version/kind; json parse error: invalid character 'k' looking for \
             beginning of object key string",
        ),
        (
            "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}".to_owned(),
            "decoding stdout: no kind \"Pod\" is registered for version \"v1\" in scheme \
             \"pkg/runtime/scheme.go:111\"",
        ),
    ] {
        let found = Plugin::new(&answer).error().await;
        assert_eq!(found, format!("getting credentials: {error}"), "{answer}");
    }
}

#[tokio::test]
async fn a_program_that_fails_or_is_not_there() {
    let mut plugin = Plugin::new("");
    plugin.exec.args = vec!["-c".to_owned(), "exit 3".to_owned()];
    assert_eq!(plugin.error().await, "getting credentials: exec: executable /bin/sh failed with exit code 3");
    plugin.exec.command = "no-such-plugin".to_owned();
    plugin.exec.install_hint = "Get it at the shop.".to_owned();
    let error = plugin.error().await;
    assert!(
        error.starts_with("getting credentials: exec: executable no-such-plugin not found\n\nIt looks"),
        "{error}"
    );
    assert!(error.ends_with("#client-go-credential-plugins\n\nGet it at the shop."), "{error}");
    // The help is not repeated for ever.
    let credentials = plugin.credentials();
    let mut last = String::new();
    for _ in 0..11 {
        last = credentials.authorize().await.unwrap_err().to_string();
    }
    assert_eq!(last, "getting credentials: exec: executable no-such-plugin not found");
    plugin.exec.command = "/no/such/plugin".to_owned();
    let error = plugin.error().await;
    assert_eq!(error, "getting credentials: exec: fork/exec /no/such/plugin: no such file or directory");
}

#[tokio::test]
async fn a_plugin_that_needs_a_person_is_not_asked_without_a_terminal() {
    let mut plugin = Plugin::new(&token("\"token\":\"abc\""));
    plugin.exec.interactive_mode = InteractiveMode::Always;
    assert_eq!(
        plugin.error().await,
        "getting credentials: exec plugin cannot support interactive mode: standard input is not a terminal"
    );
    for (mode, terminal, interactive) in [
        (InteractiveMode::Never, true, false),
        (InteractiveMode::IfAvailable, true, true),
        (InteractiveMode::IfAvailable, false, false),
        (InteractiveMode::Always, true, true),
    ] {
        plugin.exec.interactive_mode = mode;
        plugin.environment = plugin.environment.with_terminal(terminal);
        plugin.credentials().authorize().await.unwrap();
        let told = plugin.dir.read("told");
        assert!(told.contains(&format!("\"interactive\":{interactive}")), "{mode:?} {terminal}: {told}");
    }
}

#[tokio::test]
async fn a_plugin_does_not_ask_a_person_where_the_program_reads_itself() {
    let mut plugin = Plugin::new(&token("\"token\":\"abc\""));
    plugin.environment = plugin.environment.with_terminal(true);
    // It may become known after the client was made.
    let credentials = plugin.credentials();
    plugin.exec.standard_input.occupy("the reader of manifests");
    plugin.exec.standard_input.occupy("another");
    credentials.authorize().await.unwrap();
    let told = plugin.dir.read("told");
    assert!(told.contains("\"interactive\":false"), "{told}");
    plugin.exec.interactive_mode = InteractiveMode::Always;
    assert_eq!(
        plugin.error().await,
        "getting credentials: exec plugin cannot support interactive mode: standard input is unavailable: \
         used by the reader of manifests"
    );
    plugin.environment = plugin.environment.with_terminal(false);
    assert!(plugin.error().await.ends_with("standard input is not a terminal"));
}

#[tokio::test]
async fn only_allowed_programs_are_run() {
    let mut plugin = Plugin::new(&token("\"token\":\"abc\""));
    let allow = |entry: &str| PluginPolicy::Allowlist(vec!["other".to_owned(), entry.to_owned()]);
    plugin.exec.command = "sh".to_owned();
    plugin.environment = plugin.environment.with_variable("PATH", "/bin");
    for policy in [PluginPolicy::AllowAll, allow("sh"), allow("/bin/sh")] {
        plugin.exec.policy = policy;
        plugin.credentials().authorize().await.unwrap();
    }
    for (policy, error) in [
        (PluginPolicy::DenyAll, "plugin \"sh\" not allowed: policy set to \"DenyAll\""),
        (
            allow("/elsewhere/sh"),
            "plugin path \"/bin/sh\" is not permitted by the credential plugin allowlist",
        ),
    ] {
        plugin.exec.policy = policy;
        assert_eq!(plugin.error().await, format!("getting credentials: {error}"));
    }
    plugin.exec.command = "/bin/sh".to_owned();
    plugin.exec.policy = allow("sh");
    plugin.credentials().authorize().await.unwrap();
    plugin.exec.command = "missing".to_owned();
    assert_eq!(
        plugin.error().await,
        "getting credentials: plugin path \"missing\" cannot be resolved for credential plugin allowlist check: \
         exec: \"missing\": executable file not found in $PATH"
    );
}

#[tokio::test(start_paused = true)]
async fn a_token_file_is_read_again() {
    let dir = Dir::new();
    let path = dir.write("token", "one\n");
    let mut config = Config::new("https://a".parse().unwrap());
    config.auth = Auth::TokenFile(path.clone());
    let credentials = Credentials::new(&config).unwrap();
    let header = async || credentials.authorize().await.unwrap().header.unwrap();
    assert_eq!(header().await, "Bearer one");
    dir.write("token", "two");
    assert_eq!(header().await, "Bearer one");
    tokio::time::advance(Duration::from_secs(51)).await;
    assert_eq!(header().await, "Bearer two");
    // A file that is away for a moment is no reason to stop.
    std::fs::remove_file(&path).unwrap();
    tokio::time::advance(Duration::from_secs(51)).await;
    assert_eq!(header().await, "Bearer two");
    dir.write("token", "three");
    credentials.invalidate();
    assert_eq!(header().await, "Bearer three");
}

#[tokio::test]
async fn a_token_that_no_header_can_have_is_not_shown() {
    let mut config = Config::new("https://a".parse().unwrap());
    config.auth = Auth::Token("a\nb".into());
    let error = Credentials::new(&config).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("a\nb"));
    config.auth = Auth::Basic { username: "u".to_owned(), password: "p".into() };
    let header = Credentials::new(&config).unwrap().authorize().await.unwrap().header.unwrap();
    assert_eq!(header, "Basic dTpw");
}
