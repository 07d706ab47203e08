//! OpenID issuers that are hostile, or broken: what they say is bounded in time and size, leads nowhere else, and
//! harms nobody but those whom they vouch for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use rhumb_server::Server;
use rhumb_server::environment::{Clock, SystemClock};
use rustls::ServerConfig;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::authority::Authority;
use crate::client::{Client, in_time, start};
use crate::issuer::Issuer;
use crate::{options, user};

/// More than any answer of the server takes, but for what an issuer is waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// How much of a document may be on its way before nobody takes any more of it.
const TAKEN: usize = 16 << 20;

/// What a hostile issuer does when a document is asked for.
#[derive(Clone, Debug)]
enum Trick {
    /// Answers with this.
    Say(Vec<u8>),
    /// Answers with this, and then with the same piece again and again.
    Repeat(Vec<u8>, Vec<u8>),
    /// Answers with this, and then with a byte a second.
    Drip(Vec<u8>),
}

fn document(body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn redirect(location: &str) -> Trick {
    let answer = format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
    Trick::Say(answer.into_bytes())
}

/// A hostile issuer.
struct Hostile {
    url: String,
    /// How often it was asked.
    asked: Arc<AtomicUsize>,
    /// How many bytes it has sent.
    sent: Arc<AtomicUsize>,
}

impl Hostile {
    /// Starts one that plays a trick with its first document, or with its keys.
    async fn start(authority: &Authority, with_keys: bool, trick: impl Fn(&str) -> Trick) -> Self {
        let (certificate, key) = authority.server();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap();
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap())
            .unwrap();
        let tls = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        let issuer = Hostile { url: url.clone(), asked: Arc::default(), sent: Arc::default() };
        let (asked, sent) = (Arc::clone(&issuer.asked), Arc::clone(&issuer.sent));
        let trick = trick(&url);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                asked.fetch_add(1, Ordering::SeqCst);
                let (tls, url, sent, trick) = (tls.clone(), url.clone(), Arc::clone(&sent), trick.clone());
                tokio::spawn(async move {
                    let Ok(mut stream) = tls.accept(stream).await else { return };
                    let mut head = Vec::new();
                    while !head.ends_with(b"\r\n\r\n") {
                        let Ok(byte) = stream.read_u8().await else { return };
                        head.push(byte);
                    }
                    let is_first = head.starts_with(b"GET /.well-known/openid-configuration ");
                    let trick = if is_first && with_keys {
                        let about = json!({"issuer": url, "jwks_uri": format!("{url}/keys")});
                        Trick::Say(document(about.to_string().as_bytes()))
                    } else {
                        trick
                    };
                    // Whoever asks may have had enough.
                    let _ = play(&mut stream, &trick, &sent).await;
                    let _ = stream.shutdown().await;
                });
            }
        });
        issuer
    }
}

async fn play(to: &mut (impl AsyncWrite + Unpin), trick: &Trick, sent: &AtomicUsize) -> std::io::Result<()> {
    let (first, next, pause) = match trick {
        Trick::Say(all) => (all, None, Duration::ZERO),
        Trick::Repeat(first, piece) => (first, Some(piece.as_slice()), Duration::ZERO),
        Trick::Drip(first) => (first, Some(&b" "[..]), Duration::from_secs(1)),
    };
    to.write_all(first).await?;
    to.flush().await?;
    while let Some(piece) = next {
        to.write_all(piece).await?;
        to.flush().await?;
        sent.fetch_add(piece.len(), Ordering::SeqCst);
        tokio::time::sleep(pause).await;
    }
    Ok(())
}

/// A token that is right but for its signature, which nobody can check.
fn token(issuer: &str, head: &Value) -> String {
    let until = SystemClock::default().now().0 + 3600;
    let claims = json!({"iss": issuer, "aud": "kubernetes", "exp": until, "sub": "jane"});
    let part = |value: &Value| BASE64.encode(value.to_string());
    format!("{}.{}.{}", part(head), part(&claims), BASE64.encode([1; 256]))
}

async fn code(server: &Server, token: &str) -> u16 {
    let mut client = Client::http1(server, None).await;
    let bearer = format!("Bearer {token}");
    client.get_with("/api", &[("authorization", &bearer)]).await.code
}

/// A file of one test, removed at its end.
struct File(std::path::PathBuf);

impl File {
    fn new(name: &str, content: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rhumb-issuers-{}-{name}", std::process::id()));
        std::fs::write(&path, content).unwrap();
        File(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A server that takes tokens of an issuer, and knows a user of its own.
async fn trusting(url: &str, authority: &File, clock: Option<Arc<dyn Clock>>) -> Server {
    let settings = [
        ("oidc-issuer-url", url),
        ("oidc-client-id", "kubernetes"),
        ("oidc-ca-file", authority.0.to_str().unwrap()),
        ("oidc-username-prefix", "-"),
        ("oidc-groups-claim", "groups"),
        ("oidc-signing-algs", "RS256,ES256,ES384"),
    ];
    let mut builder = Server::builder().options(options(&settings)).token("polite", user("polite"));
    if let Some(clock) = clock {
        builder = builder.clock(clock);
    }
    start(builder).await.0
}

/// Sees what becomes of a server whose issuer plays a trick: it knows nobody of that issuer, and everybody else.
async fn check(
    authority: &Authority,
    file: &File,
    with_keys: bool,
    name: &str,
    trick: impl Fn(&str) -> Trick,
) {
    let issuer = Hostile::start(authority, with_keys, trick).await;
    let server = trusting(&issuer.url, file, None).await;
    let refused = async {
        for head in [json!({"alg": "RS256"}), json!({"alg": "ES256"}), json!({"alg": "ES256", "kid": "one"})]
        {
            assert_eq!(code(&server, &token(&issuer.url, &head)).await, 401, "{name}");
        }
    };
    let others = async {
        for _ in 0..3 {
            assert_eq!(in_time(code(&server, "polite")).await, 200, "{name}");
        }
    };
    tokio::time::timeout(PATIENCE, async { tokio::join!(refused, others) }).await.expect(name);
    let sent = issuer.sent.load(Ordering::SeqCst);
    assert!(sent < TAKEN, "{name}: {sent} bytes were taken");
    assert!(issuer.asked.load(Ordering::SeqCst) <= 8, "{name}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn issuers_that_answer_anything_but_their_keys_are_refused() {
    let authority = Authority::new("issuers");
    let file = File::new("odd", &authority.certificate);
    // Where redirects and other documents would lead. Nobody must come here.
    let elsewhere = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = elsewhere.local_addr().unwrap();
    let reached = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&reached);
    tokio::spawn(async move {
        while elsewhere.accept().await.is_ok() {
            seen.store(true, Ordering::SeqCst);
        }
    });
    let endless = || b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    let chunk = [format!("{:x}\r\n", 1 << 16).as_bytes(), &[b' '; 1 << 16], b"\r\n"].concat();
    let numbered = |jwk: &dyn Fn(usize) -> Value, count| {
        let keys: Vec<Value> = (0..count).map(jwk).collect();
        document(json!({"keys": keys}).to_string().as_bytes())
    };
    let small = |number: usize| {
        json!({"kty": "EC", "crv": "P-256", "kid": format!("{number}"),
        "x": BASE64.encode([7; 32]), "y": BASE64.encode([9; 32])})
    };
    let lines = |text: &str| Trick::Say(document(text.as_bytes()));
    for with_keys in [false, true] {
        let all: Vec<(&str, Trick)> = vec![
            ("a hundred megabytes and more", Trick::Repeat(endless(), chunk.clone())),
            (
                "a length of a hundred megabytes",
                Trick::Repeat(
                    b"HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n".to_vec(),
                    chunk.clone(),
                ),
            ),
            ("a head without end", Trick::Repeat(b"HTTP/1.1 200 OK\r\n".to_vec(), b"a: b\r\n".repeat(1000))),
            ("a line without end", Trick::Repeat(b"HTTP/1.1 200 OK\r\na: ".to_vec(), vec![b'a'; 1 << 16])),
            ("no HTTP", Trick::Repeat(b"\xff\xfe".to_vec(), vec![0xff; 4096])),
            ("elsewhere", redirect(&format!("https://{place}/"))),
            ("elsewhere without TLS", redirect(&format!("http://{place}/"))),
            ("to a neighbour", redirect("http://169.254.169.254/latest/meta-data/")),
            ("no JSON", lines("<html>")),
            ("deep JSON", lines(&"[".repeat(1 << 19))),
            ("deep objects", lines(&"{\"keys\":".repeat(1 << 16))),
            ("keys that are none", lines(r#"{"keys": {"a": 1}}"#)),
            (
                "odd keys",
                lines(r#"{"keys": [1, null, [], {"kty": 1}, {"kty": "RSA", "n": "", "e": "AQAB"}]}"#),
            ),
            (
                "a huge number",
                lines(&format!(
                    r#"{{"keys": [{{"kty": "RSA", "n": "{}", "e": "AQAB"}}]}}"#,
                    "f".repeat(900_000)
                )),
            ),
            ("100,000 keys", Trick::Say(numbered(&small, 100_000))),
            ("as many keys as fit", Trick::Say(numbered(&small, 5000))),
            ("nothing", Trick::Say(Vec::new())),
            ("an error", Trick::Say(b"HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n".to_vec())),
        ];
        for (name, trick) in all {
            check(&authority, &file, with_keys, name, |_| trick.clone()).await;
        }
        check(&authority, &file, with_keys, "in circles", |url| redirect(&format!("{url}/again"))).await;
    }
    assert!(!reached.load(Ordering::SeqCst), "a redirect was followed");
    for url in [
        format!("http://{place}/keys"),
        format!("https://{place}/keys"),
        "file:///etc/passwd".to_owned(),
        "https://".to_owned(),
        "\r\n".to_owned(),
        String::new(),
    ] {
        check(&authority, &file, false, &url, |issuer| {
            Trick::Say(document(json!({"issuer": issuer, "jwks_uri": url}).to_string().as_bytes()))
        })
        .await;
    }
    // A set of keys may be elsewhere, but only with those whom the authority vouches for; it gets no request.
    let others =
        |other: &str| Trick::Say(document(json!({"issuer": other, "jwks_uri": "x"}).to_string().as_bytes()));
    check(&authority, &file, false, "another issuer", |_| others("https://other")).await;
    let unknown = Authority::new("unknown");
    check(&unknown, &file, true, "nobody vouches for it", |_| Trick::Say(Vec::new())).await;
}

/// One that says a byte a second is waited for as long as for any other. The time is the runtime's.
#[tokio::test]
async fn issuers_that_are_slow_are_not_waited_for() {
    let authority = Authority::new("slow");
    let file = File::new("slow", &authority.certificate);
    let begun = b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n".to_vec();
    for (with_keys, first) in [(false, begun.clone()), (true, begun), (false, Vec::new()), (true, Vec::new())]
    {
        let issuer = Hostile::start(&authority, with_keys, |_| Trick::Drip(first.clone())).await;
        let server = trusting(&issuer.url, &file, None).await;
        assert_eq!(in_time(code(&server, "polite")).await, 200);
        let (token, mut asked) = (token(&issuer.url, &json!({"alg": "RS256"})), Vec::new());
        for _ in 0..20 {
            asked.push((Client::http1(&server, None).await, format!("Bearer {token}")));
        }
        tokio::time::pause();
        let begun = tokio::time::Instant::now();
        let all = asked.into_iter().map(|(mut client, bearer): (Client, String)| async move {
            client.get_with("/api", &[("authorization", &bearer)]).await.code
        });
        let codes = in_turn(all).await;
        let taken = begun.elapsed();
        tokio::time::resume();
        assert!(codes.iter().all(|code| *code == 401), "{codes:?}");
        assert!(taken < PATIENCE, "they were let wait for {taken:?}");
    }
}

/// Drives all of them at once.
async fn in_turn<T>(all: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut all: Vec<_> = all.map(Box::pin).collect();
    let mut done: Vec<Option<T>> = all.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (one, done) in all.iter_mut().zip(&mut done) {
            if done.is_none()
                && let std::task::Poll::Ready(value) = one.as_mut().poll(context)
            {
                *done = Some(value);
            }
        }
        if done.iter().all(Option::is_some) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}

/// A clock that a test moves.
struct Moved(SystemClock, AtomicI64);

impl Clock for Moved {
    fn now(&self) -> (i64, u32) {
        self.0.now()
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed() + Duration::from_secs(self.1.load(Ordering::SeqCst).unsigned_abs())
    }
}

fn claims(issuer: &Issuer, groups: &Value) -> Value {
    let until = SystemClock::default().now().0 + 3600;
    json!({"iss": issuer.url, "aud": "kubernetes", "exp": until, "sub": "jane", "groups": groups})
}

/// Clients that asked with an unknown key and gave up kept those away who had a token of a new one: what was fetched
/// for them was given up too, and nothing was fetched again for a second.
#[tokio::test]
async fn who_asks_and_gives_up_keeps_nobody_from_new_keys() {
    let authority = Authority::new("rotating");
    let file = File::new("rotating", &authority.certificate);
    let (certificate, key) = authority.server();
    let issuer = Issuer::start(&certificate, &key).await;
    let clock = Arc::new(Moved(SystemClock::default(), AtomicI64::new(0)));
    let server = trusting(&issuer.url, &file, Some(Arc::clone(&clock) as Arc<dyn Clock>)).await;
    let (old, new) = (issuer.token("one", &claims(&issuer, &Value::Null)), claims(&issuer, &json!(["new"])));
    let new = issuer.token("two", &new);
    in_time(async { while code(&server, &old).await != 200 {} }).await;
    let before = issuer.asked.load(Ordering::SeqCst);

    issuer.tells.send_replace(false);
    *issuer.published.lock() = vec!["two".to_owned()];
    clock.1.fetch_add(10, Ordering::SeqCst);
    let mut hostile = Client::http1(&server, None).await;
    let unknown = token(&issuer.url, &json!({"alg": "RS256", "kid": "nobody's"}));
    let bearer = format!("Bearer {unknown}");
    let request = hostile.request(http::Method::GET, "/api", &[("authorization", &bearer)]);
    let giving_up = tokio::spawn(async move { hostile.send(request).await.map(|answered| answered.code) });
    in_time(async {
        while issuer.asked.load(Ordering::SeqCst) == before {
            tokio::task::yield_now().await;
        }
    })
    .await;
    giving_up.abort();
    // Many come meanwhile, and it takes long: they wait for what is being fetched, and nobody fetches it again.
    let mut waiting = Vec::new();
    for _ in 0..20 {
        let mut client = Client::http1(&server, None).await;
        let bearer = format!("Bearer {new}");
        waiting.push(tokio::spawn(async move {
            client.get_with("/api", &[("authorization", &bearer)]).await.code
        }));
    }
    // Whom the server knows already waits for nobody.
    assert_eq!(in_time(code(&server, &old)).await, 200);
    clock.1.fetch_add(5, Ordering::SeqCst);
    issuer.tells.send_replace(true);
    for one in waiting {
        assert_eq!(in_time(one).await.unwrap(), 200);
    }
    assert_eq!(issuer.asked.load(Ordering::SeqCst), before + 1);
}

#[tokio::test]
async fn tokens_that_claim_much_are_bounded() {
    let authority = Authority::new("claims");
    let file = File::new("claims", &authority.certificate);
    let (certificate, key) = authority.server();
    let issuer = Issuer::start(&certificate, &key).await;
    let server = trusting(&issuer.url, &file, None).await;
    let groups = |count: usize| json!((0..count).map(|number| format!("g{number}")).collect::<Vec<_>>());
    let few = issuer.token("one", &claims(&issuer, &groups(10)));
    in_time(async { while code(&server, &few).await != 200 {} }).await;
    // As many as fit into a token that is read, again and again; and one more than that.
    for number in 0..50 {
        let mut many = claims(&issuer, &groups(4000));
        many["jti"] = json!(number);
        assert_eq!(in_time(code(&server, &issuer.token("one", &many))).await, 200);
    }
    assert_eq!(in_time(code(&server, &issuer.token("one", &claims(&issuer, &groups(10_000))))).await, 401);
    // Numbers, depths and types that nobody expects.
    for (name, value) in [
        ("exp", json!(1e300)),
        ("exp", json!("9999999999")),
        ("aud", json!(vec!["x"; 5000])),
        ("aud", json!({"kubernetes": true})),
        ("sub", json!(["jane"])),
        ("groups", json!([["a"]])),
        ("nbf", json!(i64::MAX)),
    ] {
        let mut odd = claims(&issuer, &json!([]));
        odd[name] = value;
        let code = in_time(code(&server, &issuer.token("one", &odd))).await;
        assert!(matches!(code, 200 | 401), "{name}: {code}");
    }
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    let part = |text: &str| BASE64.encode(text);
    let odd = format!("{}.{}.AAAA", part("{\"alg\":\"RS256\"}"), part(&format!("{{\"iss\":{deep}}}")));
    assert_eq!(in_time(code(&server, &odd)).await, 401);
    assert_eq!(in_time(code(&server, &few)).await, 200);
}
