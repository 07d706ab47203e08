//! The audit log, compared with the one that a real API server wrote about the same requests.

use std::fs;
use std::path::{Path, PathBuf};

use crate::client::{Client, in_time, start};
use bytes::Bytes;
use http::Method;
use http_body_util::Full;
use regex::Regex;
use rhumb_server::Server;
use rhumb_server::config::{AdmissionPlugins, AuditOptions, Options};
use rhumb_server::identity::{MASTERS, User};
use serde_json::{Value as Json, json};

const TOKEN: &str = "nobody-reads-this";

/// A log of one test, removed at its end.
struct Log(PathBuf);

impl Log {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rhumb-audit-log-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Log(path)
    }

    fn path(&self) -> PathBuf {
        self.0.join("audit.log")
    }

    fn options(&self, policy: &Path) -> AuditOptions {
        AuditOptions {
            policy_file: Some(policy.to_owned()),
            log_path: Some(self.path()),
            ..AuditOptions::default()
        }
    }

    fn lines(&self) -> Vec<String> {
        fs::read_to_string(self.path()).unwrap().lines().map(str::to_owned).collect()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn admin() -> User {
    User {
        name: "admin".to_owned(),
        uid: "admin".to_owned(),
        groups: vec![MASTERS.to_owned()],
        ..User::default()
    }
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit").join(name)
}

/// A line without what differs from run to run.
fn masked(line: &str) -> String {
    let masks = [
        (r#""auditID":"[0-9a-f-]{36}""#, r#""auditID":"ID""#),
        (r#"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"#, "TIME"),
        (r#""uid":"[0-9a-f-]{36}""#, r#""uid":"UID""#),
        (r#""resourceVersion":"\d+""#, r#""resourceVersion":"1""#),
    ];
    masks.iter().fold(line.to_owned(), |line, (pattern, mask)| {
        Regex::new(pattern).unwrap().replace_all(&line, *mask).into_owned()
    })
}

#[tokio::test]
async fn the_log_is_that_of_the_real_server() {
    let log = Log::new("session");
    let options = Options {
        audit: log.options(&data("policy.yaml")),
        admission_plugins: AdmissionPlugins::only(&["NamespaceLifecycle", "PodSecurity"]),
        ..Options::default()
    };
    let builder = Server::builder().options(options).in_memory().listen(([127, 0, 0, 1], 0).into());
    let server = builder.token(TOKEN, admin()).start().await.unwrap();
    let mut client = Client::http1(&server, None).await;
    for namespace in ["audit-rr", "audit-r"] {
        let body = format!(r#"{{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{namespace}"}}}}"#);
        send(&mut client, "POST", "/api/v1/namespaces", &body, &Json::Null).await;
    }
    let session: Vec<Json> = serde_json::from_slice(&fs::read(data("session.json")).unwrap()).unwrap();
    let mut expected = Vec::new();
    for step in &session {
        let text = |key: &str| step[key].as_str().unwrap_or_default();
        send(&mut client, text("method"), text("path"), text("body"), &step["headers"]).await;
        expected.extend(step["lines"].as_array().unwrap().iter().map(|line| masked(line.as_str().unwrap())));
    }
    // What waits is written before the end.
    drop(client);
    in_time(server.shutdown()).await.unwrap();
    let ours: Vec<String> = log
        .lines()
        .iter()
        .filter(|line| line.contains(r#""userAgent":"test""#))
        .map(|line| masked(line))
        .collect();
    let pairs = ours.iter().zip(&expected).filter(|(ours, theirs)| ours != theirs);
    let wrong: Vec<String> = pairs.map(|(ours, theirs)| format!("ours   {ours}\ntheirs {theirs}")).collect();
    assert!(wrong.is_empty(), "{} lines differ:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(ours.len(), expected.len());
    assert!(expected.len() > 60, "only {} lines are left", expected.len());
    let all = ours.join("\n");
    assert!(!all.contains(TOKEN) && !all.contains(r#""stringData""#), "a secret is shown");
}

/// Whatever a policy wants, what is secret is not written.
#[tokio::test]
async fn no_policy_writes_secrets_down() {
    let log = Log::new("secrets");
    let policy = log.0.join("policy.yaml");
    fs::write(&policy, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n")
        .unwrap();
    let options = Options { audit: log.options(&policy), ..Options::default() };
    let builder = Server::builder().options(options).in_memory().listen(([127, 0, 0, 1], 0).into());
    let server = builder.token(TOKEN, admin()).start().await.unwrap();
    let mut client = Client::http1(&server, None).await;
    let secrets = "/api/v1/namespaces/default/secrets";
    let merge = json!({"content-type": "application/merge-patch+json"});
    let hidden = "aGlkZGVuLWZyb20tbG9ncw==";
    let secret = format!(r#"{{"metadata":{{"name":"s"}},"data":{{"k":"{hidden}"}}}}"#);
    send(&mut client, "POST", secrets, &secret, &Json::Null).await;
    send(&mut client, "PATCH", &format!("{secrets}/s"), &secret, &merge).await;
    send(&mut client, "GET", secrets, "", &Json::Null).await;
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    send(&mut client, "POST", accounts, r#"{"metadata":{"name":"robot"}}"#, &Json::Null).await;
    send(&mut client, "POST", &format!("{accounts}/robot/token"), "{}", &Json::Null).await;
    let review = format!(r#"{{"spec":{{"token":"{TOKEN}"}}}}"#);
    send(&mut client, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", &review, &Json::Null).await;
    send(&mut client, "GET", "/api/v1/namespaces/default", "", &Json::Null).await;
    drop(client);
    in_time(server.shutdown()).await.unwrap();
    let all = log.lines().join("\n");
    for told in ["/secrets/s\"", "/token\"", "/tokenreviews\"", "\"responseObject\":{\"kind\":\"Namespace\""]
    {
        assert!(all.contains(told), "{told:?} is not in\n{all}");
    }
    for secret in [hidden, TOKEN, "eyJ"] {
        assert!(!all.contains(secret), "{secret:?} is in\n{all}");
    }
}

/// A token in a query is no way to authenticate, but it may be one that somebody else could use.
#[tokio::test]
async fn tokens_in_the_query_of_a_request_are_masked_in_its_events() {
    let log = Log::new("query");
    let policy = log.0.join("policy.yaml");
    fs::write(&policy, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n").unwrap();
    let options = Options { audit: log.options(&policy), ..Options::default() };
    let builder = Server::builder().options(options).in_memory().listen(([127, 0, 0, 1], 0).into());
    let server = builder.token(TOKEN, admin()).start().await.unwrap();
    let mut client = Client::http1(&server, None).await;
    let hidden = "hidden-from-logs";
    let namespaces = "/api/v1/namespaces";
    for query in [format!("?limit=1&access_token={hidden}"), format!("?access%5Ftoken={hidden}&limit=2")] {
        send(&mut client, "GET", &format!("{namespaces}{query}"), "", &Json::Null).await;
    }
    // Nobody knows who this is.
    let unknown = json!({"authorization": "Bearer unknown"});
    send(&mut client, "GET", &format!("{namespaces}?access_token={hidden}"), "", &unknown).await;
    drop(client);
    in_time(server.shutdown()).await.unwrap();
    let events = log.lines();
    let uris = events.iter().map(|line| serde_json::from_str::<Json>(line).unwrap()["requestURI"].clone());
    let told: std::collections::BTreeSet<String> =
        uris.filter_map(|uri| uri.as_str().filter(|uri| uri.contains("token")).map(str::to_owned)).collect();
    let masked = [
        "?access%5Ftoken=<redacted>&limit=2",
        "?access_token=<redacted>",
        "?limit=1&access_token=<redacted>",
    ];
    assert_eq!(told.into_iter().collect::<Vec<_>>(), masked.map(|query| format!("{namespaces}{query}")));
    assert!(!events.join("\n").contains(hidden), "a token is shown");
}

async fn send(client: &mut Client, method: &str, path: &str, body: &str, headers: &Json) {
    let token = format!("Bearer {TOKEN}");
    let mut all = vec![
        ("authorization", token.as_str()),
        ("user-agent", "test"),
        ("accept", "application/json"),
        ("content-type", "application/json"),
    ];
    for (name, value) in headers.as_object().into_iter().flatten() {
        all.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        all.push((name, value.as_str().unwrap()));
    }
    let request = client.request(Method::from_bytes(method.as_bytes()).unwrap(), path, &all);
    let request = request.map(|_| Full::new(Bytes::from(body.to_owned())));
    in_time(client.send(request)).await.unwrap();
}

/// A handler that breaks leaves a trace, and the server goes on.
#[tokio::test]
async fn what_breaks_the_server_is_written_down() {
    let log = Log::new("panic");
    let policy = log.0.join("policy.yaml");
    fs::write(&policy, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n").unwrap();
    let options = Options { audit: log.options(&policy), ..Options::default() };
    let (server, _fake) = start(Server::builder().options(options).in_memory().token(TOKEN, admin())).await;
    let mut client = Client::http1(&server, None).await;
    let token = format!("Bearer {TOKEN}");
    let answer = client.get_with("/panic", &[("authorization", &token)]).await;
    assert_eq!(answer.code, 500);
    assert_eq!(client.get_with("/other", &[("authorization", &token)]).await.code, 200);
    drop(client);
    in_time(server.shutdown()).await.unwrap();
    let stages: Vec<(String, String, i64)> = log
        .lines()
        .iter()
        .map(|line| serde_json::from_str::<Json>(line).unwrap())
        .map(|event| {
            let text = |key: &str| event[key].as_str().unwrap().to_owned();
            (text("requestURI"), text("stage"), event["responseStatus"]["code"].as_i64().unwrap_or_default())
        })
        .collect();
    let expected = [
        ("/panic", "RequestReceived", 0),
        ("/panic", "Panic", 500),
        ("/other", "RequestReceived", 0),
        ("/other", "ResponseComplete", 200),
    ];
    let expected: Vec<_> =
        expected.map(|(path, stage, code)| (path.to_owned(), stage.to_owned(), code)).to_vec();
    assert_eq!(stages, expected);
}

#[tokio::test]
async fn a_policy_that_is_none_keeps_the_server_from_starting() {
    let log = Log::new("policy");
    let policy = log.0.join("policy.yaml");
    fs::write(&policy, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: []\n").unwrap();
    let options = Options { audit: log.options(&policy), ..Options::default() };
    let started =
        Server::builder().options(options).in_memory().listen(([127, 0, 0, 1], 0).into()).start().await;
    let expected = format!(
        "loading audit policy file: loaded illegal policy with 0 rules: from file {}",
        policy.display()
    );
    assert_eq!(started.err().map(|error| error.to_string()), Some(expected));
}

/// Many requests at once leave whole lines, and each leaves its own.
#[tokio::test(flavor = "multi_thread")]
async fn lines_of_requests_at_once_stay_whole() {
    const CLIENTS: usize = 8;
    const REQUESTS: usize = 50;
    let log = Log::new("many");
    let policy = log.0.join("policy.yaml");
    fs::write(&policy, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n").unwrap();
    let options = Options { audit: log.options(&policy), ..Options::default() };
    let (server, _fake) = start(Server::builder().options(options).in_memory().token(TOKEN, admin())).await;
    let mut clients = tokio::task::JoinSet::new();
    for number in 0..CLIENTS {
        let mut client = Client::http2(&server, None).await;
        clients.spawn(async move {
            let token = format!("Bearer {TOKEN}");
            for request in 0..REQUESTS {
                client.get_with(&format!("/{number}/{request}"), &[("authorization", &token)]).await;
            }
        });
    }
    in_time(clients.join_all()).await;
    in_time(server.shutdown()).await.unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for line in log.lines() {
        let event: Json = serde_json::from_str(&line).unwrap();
        seen.insert((event["requestURI"].to_string(), event["stage"].to_string()));
    }
    assert_eq!(seen.len(), CLIENTS * REQUESTS * 2);
}

/// What policies say about a request stands in its event, with the keys and the JSON of Kubernetes.
#[tokio::test]
async fn policies_annotate_events() {
    let log = Log::new("policies");
    let policy = log.0.join("policy.yaml");
    fs::write(&policy, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n").unwrap();
    let options = Options { audit: log.options(&policy), ..Options::default() };
    let builder = Server::builder().options(options).in_memory().listen(([127, 0, 0, 1], 0).into());
    let server = builder.token(TOKEN, admin()).start().await.unwrap();
    let mut client = Client::http1(&server, None).await;
    let group = "/apis/admissionregistration.k8s.io/v1";
    let rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
        "resources": ["configmaps"]});
    let policy = json!({"metadata": {"name": "noting"}, "spec": {
        "matchConstraints": {"resourceRules": [rule]},
        "validations": [
            {"expression": "true"},
            {"expression": "object.data.size() < 1", "message": "data & more"},
            {"expression": "false", "message": "only the first is told"},
        ],
        "auditAnnotations": [
            {"key": "size", "valueExpression": "' ' + string(object.data.size()) + ' '"},
            {"key": "none", "valueExpression": "null"},
        ],
    }});
    send(
        &mut client,
        "POST",
        &format!("{group}/validatingadmissionpolicies"),
        &policy.to_string(),
        &Json::Null,
    )
    .await;
    let binding = json!({"metadata": {"name": "b"},
        "spec": {"policyName": "noting", "validationActions": ["Audit", "Warn"]}});
    let bindings = format!("{group}/validatingadmissionpolicybindings");
    send(&mut client, "POST", &bindings, &binding.to_string(), &Json::Null).await;
    let map = r#"{"metadata":{"name":"m"},"data":{"a":"","b":""}}"#;
    send(&mut client, "POST", "/api/v1/namespaces/default/configmaps", map, &Json::Null).await;
    drop(client);
    in_time(server.shutdown()).await.unwrap();
    let events: Vec<Json> = log.lines().iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let event = events
        .iter()
        .find(|event| event["objectRef"]["resource"] == "configmaps" && event["stage"] == "ResponseComplete")
        .unwrap();
    let told = &event["annotations"];
    assert_eq!((&told["noting/size"], &told["noting/none"]), (&json!("2"), &Json::Null), "{event}");
    let failure = "[{\"message\":\"data \\u0026 more\",\"policy\":\"noting\",\"binding\":\"b\",\"expressionIndex\":1,\
                   \"validationActions\":[\"Audit\",\"Warn\"]}]";
    assert_eq!(told["validation.policy.admission.k8s.io/validation_failure"], failure);
}
