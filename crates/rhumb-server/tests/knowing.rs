//! How clients are known: tokens of service accounts, ID tokens, proxies, and files that change.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::authority::Authority;
use crate::client::{Client, connect, in_time, start};
use crate::issuer::Issuer;
use bytes::Bytes;
use http::Method;
use http_body_util::Full;
use parking_lot::Mutex;
use rhumb_server::config::{Options, Storage};
use rhumb_server::environment::{Clock, SystemClock};
use rhumb_server::{Server, StartError};
use serde_json::{Value, json};

/// A directory of one test, removed at its end.
pub(crate) struct Directory(pub(crate) PathBuf);

impl Directory {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rhumb-knowing-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Directory(path)
    }

    pub(crate) fn write(&self, name: &str, content: &str) -> String {
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

pub(crate) fn options(settings: &[(&str, &str)]) -> Options {
    let mut options = Options { storage: Storage::InMemory, ..Options::default() };
    for (name, value) in settings {
        options.apply(name, value).unwrap();
    }
    options.listen = ([127, 0, 0, 1], 0).into();
    options
}

pub(crate) fn key(name: &str) -> String {
    format!("{}/tests/keys/{name}", env!("CARGO_MANIFEST_DIR"))
}

pub(crate) async fn ask(client: &mut Client, method: Method, path: &str, body: &Value) -> (u16, Value) {
    let mut request = client.request(method, path, &[("content-type", "application/json")]);
    if !body.is_null() {
        *request.body_mut() = Full::new(Bytes::from(body.to_string()));
    }
    let answered = client.send(request).await.unwrap();
    (answered.code, serde_json::from_str(&answered.body).unwrap_or_default())
}

/// What becomes of a request with a token: 401, or a refusal of what its user may not do.
pub(crate) async fn with_token(server: &Server, token: &str) -> u16 {
    let mut client = Client::http1(server, None).await;
    let bearer = format!("Bearer {token}");
    client.get_with("/api/v1/nodes", &[("authorization", &bearer)]).await.code
}

pub(crate) async fn token(admin: &mut Client, spec: &Value) -> String {
    let path = "/api/v1/namespaces/default/serviceaccounts/robot/token";
    let (code, made) = ask(admin, Method::POST, path, &json!({"spec": spec})).await;
    assert_eq!(code, 201, "{made}");
    made["status"]["token"].as_str().unwrap().to_owned()
}

pub(crate) const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";

#[tokio::test]
async fn tokens_outlive_the_key_that_signed_them_while_it_is_known() {
    let directory = Directory::new("rotation");
    let start = async |settings: &[(&str, &str)]| {
        let options = Options { storage: Storage::Embedded, ..options(settings) };
        Server::builder().options(options).data_directory(directory.0.join("data")).start().await.unwrap()
    };
    let (rsa, ec, rsa_public) = (key("rsa.pem"), key("ec.pem"), key("rsa.pub.pem"));
    let server = start(&[("service-account-signing-key-file", &rsa)]).await;
    let mut admin = Client::http2(&server, Some(server.admin_certificate())).await;
    assert_eq!(ask(&mut admin, Method::POST, ACCOUNTS, &json!({"metadata": {"name": "robot"}})).await.0, 201);
    let old = token(&mut admin, &json!({})).await;
    assert_eq!(with_token(&server, &old).await, 403);
    in_time(server.shutdown()).await.unwrap();

    let rotated = [
        ("service-account-signing-key-file", ec.as_str()),
        ("service-account-key-file", rsa_public.as_str()),
        ("service-account-issuer", "https://new.example.com"),
        ("service-account-issuer", "https://kubernetes.default.svc"),
        ("api-audiences", "https://kubernetes.default.svc,api"),
        ("service-account-jwks-uri", "https://new.example.com/keys"),
    ];
    let server = start(&rotated).await;
    let mut admin = Client::http2(&server, Some(server.admin_certificate())).await;
    let new = token(&mut admin, &json!({})).await;
    assert_eq!((with_token(&server, &old).await, with_token(&server, &new).await), (403, 403));
    let foreign = token(&mut admin, &json!({"audiences": ["vault"]})).await;
    assert_eq!(with_token(&server, &foreign).await, 401);
    let (_, keys) = ask(&mut admin, Method::GET, "/openid/v1/jwks", &Value::Null).await;
    let kinds: Vec<_> = keys["keys"].as_array().unwrap().iter().map(|key| key["kty"].as_str()).collect();
    assert_eq!(kinds, [Some("RSA"), Some("EC")]);
    let (_, about) = ask(&mut admin, Method::GET, "/.well-known/openid-configuration", &Value::Null).await;
    assert_eq!(about["issuer"], "https://new.example.com");
    assert_eq!(about["jwks_uri"], "https://new.example.com/keys");
    assert_eq!(about["id_token_signing_alg_values_supported"], json!(["ES256", "RS256"]));
    in_time(server.shutdown()).await.unwrap();

    let server = start(&[("service-account-signing-key-file", &ec)]).await;
    assert_eq!((with_token(&server, &old).await, with_token(&server, &new).await), (401, 401));
    in_time(server.shutdown()).await.unwrap();
}

#[tokio::test]
async fn tokens_end_with_what_they_are_bound_to() {
    let server = Server::builder().options(options(&[])).start().await.unwrap();
    let mut admin = Client::http2(&server, Some(server.admin_certificate())).await;
    ask(&mut admin, Method::POST, ACCOUNTS, &json!({"metadata": {"name": "robot"}})).await;
    let secrets = "/api/v1/namespaces/default/secrets";
    for path in [secrets, "/api/v1/nodes"] {
        assert_eq!(ask(&mut admin, Method::POST, path, &json!({"metadata": {"name": "b"}})).await.0, 201);
    }
    let pods = "/api/v1/namespaces/default/pods";
    let pod = json!({"metadata": {"name": "b"}, "spec": {
        "serviceAccountName": "robot", "terminationGracePeriodSeconds": 0,
        "containers": [{"name": "c", "image": "i"}]}});
    let (code, made) = ask(&mut admin, Method::POST, pods, &pod).await;
    assert_eq!(code, 201, "{made}");
    let free = token(&mut admin, &json!({})).await;
    for (kind, path) in [("Secret", secrets), ("Node", "/api/v1/nodes"), ("Pod", pods)] {
        let reference = json!({"apiVersion": "v1", "kind": kind, "name": "b"});
        let bound = token(&mut admin, &json!({"boundObjectRef": reference})).await;
        // Twice, because the second time it is known already.
        assert_eq!(
            (with_token(&server, &bound).await, with_token(&server, &bound).await),
            (403, 403),
            "{kind}"
        );
        let object = format!("{path}/b");
        let label = json!({"metadata": {"labels": {"a": "b"}}});
        let mut request =
            admin.request(Method::PATCH, &object, &[("content-type", "application/merge-patch+json")]);
        *request.body_mut() = Full::new(Bytes::from(label.to_string()));
        assert_eq!(admin.send(request).await.unwrap().code, 200);
        assert_eq!(with_token(&server, &bound).await, 403, "{kind}");
        let (code, _) = ask(&mut admin, Method::DELETE, &object, &Value::Null).await;
        assert_eq!(code, 200, "{kind}");
        assert_eq!(with_token(&server, &bound).await, 401, "{kind}");
    }
    assert_eq!(with_token(&server, &free).await, 403);
    // An account of the same name is not the same account.
    ask(&mut admin, Method::DELETE, &format!("{ACCOUNTS}/robot"), &Value::Null).await;
    assert_eq!(with_token(&server, &free).await, 401);
    ask(&mut admin, Method::POST, ACCOUNTS, &json!({"metadata": {"name": "robot"}})).await;
    assert_eq!(with_token(&server, &free).await, 401);
}

#[tokio::test]
async fn users_of_an_issuer_elsewhere_are_known_by_its_tokens() {
    let directory = Directory::new("oidc");
    let authority = Authority::new("issuer-ca");
    let (certificate, private) = authority.server();
    let issuer = Issuer::start(&certificate, &private).await;
    let file = directory.write("ca.crt", &authority.certificate);
    let settings = [
        ("oidc-issuer-url", issuer.url.as_str()),
        ("oidc-client-id", "kubernetes"),
        ("oidc-ca-file", file.as_str()),
        ("oidc-username-claim", "email"),
        ("oidc-groups-claim", "groups"),
        ("oidc-groups-prefix", "oidc:"),
        ("oidc-required-claim", "hd=example.com"),
    ];
    let (server, _) = start(Server::builder().options(options(&settings))).await;
    let mut client = Client::http1(&server, None).await;
    let now = SystemClock::default().now().0;
    let good = json!({"iss": issuer.url, "aud": "kubernetes", "exp": now + 60, "email": "jane@example.com",
                      "email_verified": true, "groups": ["dev", "ops"], "hd": "example.com"});
    let changed = |name: &str, value: Value| {
        let mut claims = good.clone();
        claims[name] = value;
        claims
    };
    let mut send = async |token: String| {
        let bearer = format!("Bearer {token}");
        let answered = client.get_with("/api", &[("authorization", &bearer)]).await;
        if answered.code == 200 { answered.body } else { answered.code.to_string() }
    };
    let jane = "jane@example.com [oidc:dev oidc:ops system:authenticated]";
    for _ in 0..3 {
        assert_eq!(send(issuer.token("one", &good)).await, jane);
    }
    assert_eq!(issuer.asked.load(Ordering::SeqCst), 1);
    for (name, value) in [
        ("iss", json!("https://other")),
        ("aud", json!(["other"])),
        ("aud", Value::Null),
        ("exp", json!(now - 1)),
        ("exp", Value::Null),
        ("nbf", json!(now + 1000)),
        ("email", json!(1)),
        ("email_verified", json!(false)),
        ("groups", json!({"a": 1})),
        ("hd", json!("example.org")),
    ] {
        assert_eq!(send(issuer.token("one", &changed(name, value.clone()))).await, "401", "{name}={value}");
    }
    let (signed, _) = {
        let token = issuer.token("one", &good);
        let (signed, signature) = token.rsplit_once('.').unwrap();
        (signed.to_owned(), signature.to_owned())
    };
    assert_eq!(send(format!("{signed}.AAAA")).await, "401");
    // A key that is not known yet is looked for, but not as often as clients would like.
    let before = issuer.asked.load(Ordering::SeqCst);
    for _ in 0..20 {
        assert_eq!(send(issuer.token("two", &good)).await, "401");
    }
    assert!(issuer.asked.load(Ordering::SeqCst) <= before + 2);
    *issuer.published.lock() = vec!["two".to_owned()];
    in_time(async {
        while send(issuer.token("two", &good)).await != jane {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    assert_eq!(send(issuer.token("one", &changed("jti", json!("new")))).await, "401");
}

#[tokio::test]
async fn settings_that_do_not_fit_together_are_refused() {
    for (settings, expect) in [
        (
            &[("oidc-client-id", "a")][..],
            "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set",
        ),
        (&[("tls-cert-file", "x")], "tls-cert-file and tls-private-key-file belong together"),
        (
            &[("requestheader-username-headers", "X-Remote-User")],
            "requestheader-* flags need requestheader-client-ca-file",
        ),
    ] {
        let error = Server::builder().options(options(settings)).start().await.unwrap_err();
        assert!(matches!(error, StartError::Settings(_)), "{error:?}");
        assert_eq!(error.to_string(), expect);
    }
    let directory = Directory::new("overlap");
    let file = directory.write("ca.crt", &Authority::new("both").certificate);
    let both = [("client-ca-file", file.as_str()), ("requestheader-client-ca-file", file.as_str())];
    let error = Server::builder().options(options(&both)).start().await.unwrap_err().to_string();
    assert!(error.ends_with("cannot set authenticating proxy headers for arbitrary users"), "{error}");
    let mut options = options(&[]);
    for (name, value, expect) in [
        ("oidc-issuer-url", "http://a", "oidc-issuer-url must be an https URL, not \"http://a\""),
        ("oidc-signing-algs", "none", "oidc: unsupported signing alg: \"none\""),
        ("requestheader-group-headers", "a, ", "empty value in \"requestheader-group-headers\""),
        (
            "insecure-bind-address",
            "0.0.0.0",
            "0.0.0.0 is reached from other machines; without TLS the server listens on loopback alone",
        ),
        ("anonymous-auth", "maybe", "\"maybe\" is neither true nor false"),
    ] {
        let told = options.apply(name, value).unwrap_err().to_string();
        assert_eq!(told, format!("--{name}: {expect}"));
    }
}

#[tokio::test]
async fn proxies_are_believed_by_their_certificate_alone() {
    let directory = Directory::new("proxy");
    let (proxies, clients) = (Authority::new("proxies"), Authority::new("clients"));
    let settings = [
        ("requestheader-client-ca-file", directory.write("proxies.crt", &proxies.certificate)),
        ("client-ca-file", directory.write("clients.crt", &clients.certificate)),
        ("requestheader-allowed-names", "front".to_owned()),
        ("requestheader-username-headers", "X-Remote-User,X-Other-User".to_owned()),
        ("requestheader-group-headers", "X-Remote-Group".to_owned()),
        ("requestheader-extra-headers-prefix", "X-Remote-Extra-".to_owned()),
    ];
    let settings: Vec<_> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let (server, _) = start(Server::builder().options(options(&settings))).await;
    let said = [("x-remote-user", "jane"), ("x-remote-group", "dev"), ("x-remote-group", "ops")];
    let answer = async |identity: &(String, String), said: &[(&str, &str)]| {
        let identity = Some((identity.0.as_str(), identity.1.as_str()));
        let answered = Client::http2(&server, identity).await.get_with("/api", said).await;
        if answered.code == 200 { answered.body } else { answered.code.to_string() }
    };
    let front = proxies.client("front", "");
    assert_eq!(answer(&front, &said).await, "jane [dev ops system:authenticated]");
    assert_eq!(answer(&front, &[("x-other-user", "joe")]).await, "joe [system:authenticated]");
    // A proxy that names nobody is nobody, because those who vouch for proxies don't vouch for users.
    assert_eq!(answer(&front, &[]).await, "401");
    assert_eq!(answer(&proxies.client("other", ""), &said).await, "401");
    assert_eq!(answer(&clients.client("front", "c"), &said).await, "front [c system:authenticated]");
    assert_eq!(answer(&Authority::new("proxies").client("front", ""), &said).await, "401");
}

/// A clock that a test moves.
struct Moved(SystemClock, AtomicI64);

impl Clock for Moved {
    fn now(&self) -> (i64, u32) {
        let (seconds, nanoseconds) = self.0.now();
        (seconds + self.1.load(Ordering::SeqCst), nanoseconds)
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Tries until it is so.
pub(crate) async fn until(mut is_so: impl AsyncFnMut() -> bool) {
    in_time(async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn files_are_read_again_when_they_change() {
    let directory = Directory::new("reload");
    let (old, new) = (Authority::new("old"), Authority::new("new"));
    let (certificate, private) = old.server();
    let settings = [
        ("tls-cert-file", directory.write("tls.crt", &certificate)),
        ("tls-private-key-file", directory.write("tls.key", &private)),
        ("client-ca-file", directory.write("clients.crt", &old.certificate)),
        ("token-auth-file", directory.write("tokens.csv", "first,jane,1\n")),
    ];
    let settings: Vec<_> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let builder = Server::builder().options(options(&settings)).look_again_every(Duration::from_millis(10));
    let (server, _) = start(builder).await;
    let address = server.address();
    let seen_by = async |authority: &Authority| {
        connect(address, &authority.certificate, None, b"http/1.1", "localhost").await.is_ok()
    };
    assert!(seen_by(&old).await && !seen_by(&new).await);
    // The administrator's kubeconfig works all the same: it asks for the server's own certificate.
    let name = "rhumb-own-certificate";
    assert!(server.kubeconfig().contains(&format!("tls-server-name: {name}\n")));
    assert!(connect(address, server.ca_certificate(), None, b"h2", name).await.is_ok());

    let (certificate, key) = old.client("joe", "dev");
    let stream =
        connect(address, &old.certificate, Some((&certificate, &key)), b"http/1.1", "localhost").await;
    let mut joe = Client::over_http1(stream.unwrap()).await;
    assert_eq!(joe.get("/api").await.body, "joe [dev system:authenticated]");
    let mut jane =
        Client::over_http1(connect(address, &old.certificate, None, b"http/1.1", "localhost").await.unwrap())
            .await;
    let mut by_token = async |token: &str| {
        jane.get_with("/api", &[("authorization", &format!("Bearer {token}"))]).await.code
    };
    assert_eq!((by_token("first").await, by_token("second").await), (200, 401));

    // Half of a pair is not taken, nor is anything else with it.
    let (certificate, private) = new.server();
    directory.write("tls.crt", &certificate);
    directory.write("tokens.csv", "second,jane,1\n");
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(seen_by(&old).await);
    directory.write("tls.key", &private);
    until(async || seen_by(&new).await).await;
    assert!(!seen_by(&old).await);
    until(async || by_token("second").await == 200).await;
    assert_eq!(by_token("first").await, 401);
    // Whom nobody vouches for any more is refused, also on a connection that is open.
    directory.write("clients.crt", &new.certificate);
    until(async || joe.get("/api").await.code == 401).await;
}

#[tokio::test]
async fn certificates_of_its_own_are_renewed_while_a_server_runs() {
    for keeps in [true, false] {
        let directory = Directory::new(&format!("renewal-{keeps}"));
        // The server believes to be in the past, so that what it makes is good for clients now, and again later.
        let clock = Arc::new(Moved(SystemClock::default(), AtomicI64::new(-200 * 24 * 60 * 60)));
        let mut builder = Server::builder().options(options(&[])).clock(Arc::clone(&clock) as Arc<dyn Clock>);
        builder = builder.look_again_every(Duration::from_millis(10));
        if keeps {
            builder = builder.data_directory(&directory.0);
        }
        let (server, _) = start(builder).await;
        let shown = async || {
            let stream =
                connect(server.address(), server.ca_certificate(), None, b"h2", "localhost").await.unwrap();
            stream.get_ref().1.peer_certificates().unwrap()[0].clone().into_owned()
        };
        let kubeconfig = || std::fs::read_to_string(directory.0.join("admin.kubeconfig")).unwrap_or_default();
        let (first, written) = (shown().await, kubeconfig());
        clock.1.store(0, Ordering::SeqCst);
        until(async || shown().await != first).await;
        assert_eq!(kubeconfig() != written, keeps);
        assert!(kubeconfig().is_empty() || kubeconfig().contains("client-key-data"));
        let mut admin = Client::http2(&server, Some(server.admin_certificate())).await;
        assert_eq!(admin.get("/api").await.code, 200);
    }
}

#[tokio::test]
async fn plain_http_is_for_this_machine_and_needs_credentials_too() {
    let user = rhumb_server::identity::User { name: "jane".to_owned(), ..Default::default() };
    let builder = Server::builder().options(options(&[("insecure-port", "0")])).token("secret", user);
    let (server, _) = start(builder).await;
    let address = server.plain_address().unwrap();
    assert!(address.ip().is_loopback());
    let stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let mut client = Client::over_http1(stream).await;
    assert_eq!(client.get("/livez").await.code, 200);
    assert_eq!(client.get("/api").await.code, 401);
    let answered = client.get_with("/api", &[("authorization", "Bearer secret")]).await;
    assert_eq!(answered.body, "jane [system:authenticated]");
    in_time(server.shutdown()).await.unwrap();
    assert!(tokio::net::TcpStream::connect(address).await.is_err());

    let (server, _) = start(Server::builder().options(options(&[]))).await;
    assert_eq!(server.plain_address(), None);
}

/// What was logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_log_tells_why_and_never_a_token() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    // For the whole process: what other tests cause must not have secrets either.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let user = rhumb_server::identity::User { name: "jane".to_owned(), ..Default::default() };
    let builder = Server::builder().options(options(&[])).token("good-secret", user);
    let server = builder.start().await.unwrap();
    let mut admin = Client::http2(&server, Some(server.admin_certificate())).await;
    ask(&mut admin, Method::POST, ACCOUNTS, &json!({"metadata": {"name": "robot"}})).await;
    let bound = token(&mut admin, &json!({"audiences": ["elsewhere"]})).await;
    let mut client = Client::http1(&server, None).await;
    let socket = "base64url.bearer.authorization.k8s.io.YmFkLXNlY3JldA, x";
    let bearer = format!("Bearer {bound}");
    for headers in [
        &[("authorization", "Bearer bad-secret")][..],
        &[("authorization", "Bearer good-secret")],
        &[("authorization", bearer.as_str())],
        &[("upgrade", "websocket"), ("connection", "Upgrade"), ("sec-websocket-protocol", socket)],
        &[("cookie", "bad-secret")],
    ] {
        let answered = client.get_with("/api/v1/nodes?token=bad-secret", headers).await;
        assert!(matches!(answered.code, 401 | 403), "{answered:?}");
        assert!(answered.code == 403 || answered.body.contains("\"Unauthorized\""), "{answered:?}");
    }
    let logged = String::from_utf8(log.0.lock().clone()).unwrap();
    for told in [
        "WARN rhumb_server::filters: a request was not authenticated",
        "reason=invalid bearer token",
        "reason=token audiences [\"elsewhere\"] is invalid for the target audiences",
        "reason=no credentials",
        "DEBUG rhumb_server::filters: answered method=GET path=\"/api/v1/nodes\" code=403",
    ] {
        assert!(logged.contains(told), "{told:?} is not in\n{logged}");
    }
    for secret in ["bad-secret", "good-secret", "YmFkLXNlY3JldA", bound.as_str(), "PRIVATE KEY"] {
        assert!(!logged.contains(secret), "{secret:?} is in\n{logged}");
    }
}
