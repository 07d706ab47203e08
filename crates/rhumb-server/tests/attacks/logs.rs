//! What clients say, in the log and in the audit log: no line is made of it, and nothing that a terminal obeys.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use bytes::Bytes;
use http::header::{HeaderName, HeaderValue};
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose};
use regex::Regex;
use rhumb_server::Server;
use rhumb_server::config::AuditOptions;
use rhumb_server::environment::{Clock, SystemClock};
use rhumb_server::identity::{MASTERS, User};
use serde_json::{Value, json};

use crate::authority::Authority;
use crate::client::{Client, connect, in_time};
use crate::issuer::Issuer;
use crate::options;

/// What would be a line of its own, in each log, if it could.
const LINE: &str = "2026-01-01T00:00:00.000000Z ERROR rhumb_server: FORGED";
const EVENT: &str = "{\"kind\":\"Event\",\"auditID\":\"FORGED\",\"stage\":\"ResponseComplete\"}";
/// What breaks a line, or tells a terminal what to do.
const BREAKS: [&str; 8] = ["\n", "\r\n", "\r", "\x1b[2K\x1b[1A", "\u{9b}2J", "\x08\x08", "\0", "\u{85}"];

/// A directory of one test, removed at its end.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("rhumb-logs-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Directory(path)
    }

    fn write(&self, name: &str, content: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

thread_local! {
    /// What was logged on a thread, if that is wanted.
    static LOGGED: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// The log of the thread that writes to it. What other tests cause meanwhile is theirs.
struct Log;

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        LOGGED.with_borrow_mut(|logged| {
            if let Some(logged) = logged {
                logged.extend_from_slice(bytes);
            }
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A text as it stands in a path, every byte escaped.
fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

/// Sends a request, if it can be sent at all, and sees that nothing in the answer's head was forged.
async fn send(
    client: &mut Client,
    method: &str,
    path: &str,
    headers: &[(&str, Vec<u8>)],
    body: String,
) -> bool {
    let mut request = Request::builder().method(Method::from_bytes(method.as_bytes()).unwrap()).uri(path);
    request = request.header("host", "localhost");
    for (name, value) in headers {
        let (Ok(name), Ok(value)) = (HeaderName::try_from(*name), HeaderValue::from_bytes(value)) else {
            return false;
        };
        request = request.header(name, value);
    }
    let Ok(request) = request.body(Full::new(Bytes::from(body))) else { return false };
    let Client::Http1(sender) = client else { return false };
    if in_time(sender.ready()).await.is_err() {
        return false;
    }
    let answer = in_time(sender.send_request(request)).await.unwrap();
    for (name, value) in answer.headers() {
        assert!(name != "forged" && !value.as_bytes().contains(&b'\n'), "{name}: {value:?}");
    }
    in_time(answer.into_body().collect()).await.unwrap();
    true
}

/// The log of all that a line can be broken with, wherever a client can say something.
async fn said(server: &Server, issuer: &Issuer, authority: &Authority) -> usize {
    let mut sent = 0;
    let known = ("authorization", b"Bearer good".to_vec());
    let json_body = ("content-type", b"application/json".to_vec());
    let until = SystemClock::default().now().0 + 3600;
    for broken in BREAKS {
        let mut client = Client::http1(server, None).await;
        let evil = format!("x{broken}{LINE}{broken}{EVENT}{broken}");
        let header = format!("x{broken}forged: {LINE}");
        let in_path = escaped(&evil);
        let key = format!("impersonate-extra-{}", in_path.to_lowercase());
        let own: [(&str, Vec<u8>); 9] = [
            ("user-agent", evil.clone().into()),
            ("audit-id", evil.clone().into()),
            ("x-forwarded-for", evil.clone().into()),
            ("x-real-ip", evil.clone().into()),
            ("impersonate-user", evil.clone().into()),
            ("impersonate-group", evil.clone().into()),
            (key.as_str(), evil.clone().into()),
            ("accept", evil.clone().into()),
            ("content-type", evil.clone().into()),
        ];
        for (name, value) in own {
            let mut headers = vec![known.clone(), (name, value)];
            if name.starts_with("impersonate") && name != "impersonate-user" {
                headers.push(("impersonate-user", b"tom".to_vec()));
            }
            let done = send(&mut client, "GET", "/api/v1/nodes", &headers, String::new()).await;
            sent += usize::from(done);
        }
        let maps = "/api/v1/namespaces/default/configmaps";
        for path in [
            format!("/{in_path}"),
            format!("/api/v1/namespaces/{in_path}/pods/{in_path}/{in_path}"),
            format!("{maps}/{in_path}?a={in_path}&{in_path}=b"),
            format!("{maps}?labelSelector={in_path}&fieldSelector={in_path}"),
            format!("{maps}?fieldManager={in_path}&dryRun={in_path}"),
            format!("/api/v1/namespaces/default/services/{in_path}/proxy"),
            format!("/api/v1/namespaces/default/pods/{in_path}/proxy?{in_path}"),
            format!("/apis/{in_path}/v1/{in_path}"),
        ] {
            for headers in [vec![], vec![known.clone()]] {
                sent += usize::from(send(&mut client, "GET", &path, &headers, String::new()).await);
                sent += usize::from(send(&mut client, "DELETE", &path, &headers, String::new()).await);
            }
        }
        // Fields that nobody knows stand in headers.
        let mut object = json!({"metadata": {"generateName": "m", "annotations": {"a": evil}}});
        object[&header] = json!(1);
        object[&evil] = json!({"a": evil});
        let path = format!("{maps}?fieldValidation=Warn");
        let headers = [known.clone(), json_body.clone()];
        sent += usize::from(send(&mut client, "POST", &path, &headers, object.to_string()).await);
        let named = json!({"metadata": {"name": evil, "namespace": evil}}).to_string();
        sent += usize::from(send(&mut client, "POST", maps, &headers, named).await);
        let review = json!({"spec": {"token": evil, "audiences": [evil]}}).to_string();
        let reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
        sent += usize::from(send(&mut client, "POST", reviews, &headers, review).await);
        // Tokens: of nobody, and of the issuer, whose words are in the reason for which they are refused.
        let mut claims =
            json!({"iss": issuer.url, "aud": "kubernetes", "exp": until, "sub": evil, "hd": evil});
        let part = |value: &Value| BASE64.encode(value.to_string());
        let mut tokens = vec![evil.clone(), issuer.token("one", &claims)];
        tokens.push(format!("{}.{}.AAAA", part(&json!({"alg": evil, "kid": evil})), part(&claims)));
        claims["aud"] = json!([evil]);
        tokens.push(issuer.token(&evil, &claims));
        claims["iss"] = json!(evil);
        tokens.push(issuer.token("one", &claims));
        for token in tokens {
            let headers = [("authorization", format!("Bearer {token}").into_bytes())];
            sent += usize::from(send(&mut client, "GET", "/api", &headers, String::new()).await);
        }
        // Certificates, whose names may be anything.
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, evil.clone());
        params.distinguished_name.push(DnType::OrganizationName, evil.clone());
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        let (certificate, key) = authority.issued(params);
        let identity = Some((certificate.as_str(), key.as_str()));
        let stream =
            connect(server.address(), server.ca_certificate(), identity, b"http/1.1", "localhost").await;
        if let Ok(stream) = stream {
            let mut proxy = Client::over_http1(stream).await;
            let headers = [("x-remote-user", b"root".to_vec())];
            sent += usize::from(send(&mut proxy, "GET", "/api", &headers, String::new()).await);
        }
    }
    sent
}

#[tokio::test]
async fn no_client_writes_a_line_of_its_own() {
    let directory = Directory::new();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_ansi(false)
        .with_writer(|| Log)
        .finish();
    // For the whole process: one for a thread alone is passed over where another thread was first to log from a place.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    // All of this test is on one thread, and only what happens there is wanted.
    LOGGED.set(Some(Vec::new()));
    let authority = Authority::new("logs");
    let (certificate, key) = authority.server();
    let issuer = Issuer::start(&certificate, &key).await;
    let file = directory.write("ca.crt", &authority.certificate);
    let policy = directory.write(
        "policy.yaml",
        "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n",
    );
    let settings = [
        ("oidc-issuer-url", issuer.url.as_str()),
        ("oidc-client-id", "kubernetes"),
        ("oidc-ca-file", file.as_str()),
        ("oidc-required-claim", "hd=example.com"),
        ("requestheader-client-ca-file", file.as_str()),
        ("requestheader-allowed-names", "front"),
        ("requestheader-username-headers", "X-Remote-User"),
    ];
    let mut options = options(&settings);
    let path = directory.0.join("audit.log");
    options.audit = AuditOptions {
        policy_file: Some(policy.into()),
        log_path: Some(path.clone()),
        ..AuditOptions::default()
    };
    let admin = User { name: "admin".into(), groups: vec![MASTERS.into()], ..User::default() };
    let server = Server::builder().options(options).token("good", admin).start().await.unwrap();
    let sent = said(&server, &issuer, &authority).await;
    assert!(sent > 200, "only {sent} requests could be sent");
    in_time(server.shutdown()).await.unwrap();
    let logged = String::from_utf8(LOGGED.take().unwrap()).unwrap();
    let begins =
        Regex::new(r"^\d{4}-\d\d-\d\dT[0-9:.]+Z +(DEBUG|INFO|WARN|ERROR) [a-z_0-9:]+: [^F]").unwrap();
    assert!(logged.contains("a request was not authenticated") && logged.contains("FORGED"), "{logged}");
    let lines: Vec<&str> = logged.split_terminator('\n').collect();
    assert!(lines.len() > 200, "only {} lines", lines.len());
    for line in lines {
        assert!(begins.is_match(line) && !line.starts_with(LINE), "{line:?}");
        assert!(!line.contains(char::is_control), "{line:?}");
    }

    let audited = std::fs::read_to_string(&path).unwrap();
    assert!(audited.contains("FORGED"));
    let mut stages: BTreeMap<String, usize> = BTreeMap::new();
    for line in audited.split_terminator('\n') {
        let event: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        assert_eq!((&event["kind"], &event["apiVersion"]), (&json!("Event"), &json!("audit.k8s.io/v1")));
        assert!(event["auditID"] != "FORGED", "{line}");
        let below = |char: char| char.is_ascii_control() && char != '\x7f';
        assert!(!line.contains(below), "{line:?}");
        *stages.entry(event["stage"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    assert!(stages.get("ResponseComplete").is_some_and(|count| *count > 100), "{stages:?}");
}
