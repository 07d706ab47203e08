//! Certificates that are asked for, signed, renewed and shown in connections.
//!
//! The server has no signer, so that the test signs what it approves, as kube-controller-manager does.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use rcgen::{
    BasicConstraints, CertificateParams, CertificateSigningRequestParams, DnType, ExtendedKeyUsagePurpose,
    IsCa, Issuer, KeyPair, date_time_ymd,
};
use rhumb_api::authentication::v1::SelfSubjectReview;
use rhumb_api::certificates::v1::{CertificateSigningRequest, CertificateSigningRequestCondition};
use rhumb_client::certificate::{
    CLIENT_USAGES, CertificateError, CertificatePair, FileStore, Manager, MemoryStore, PrivateKey,
    SERVER_USAGES, SigningRequest, Template, request_certificate, wait_for_certificate,
};
use rhumb_client::config::{Auth, Environment, Source};
use rhumb_client::controller::{Shutdown, WallClock};
use rhumb_client::informer::{Event, SharedInformer};
use rhumb_client::{Client, Config};
use rhumb_meta::v1::{CreateOptions, DeleteOptions, ListOptions, UpdateOptions};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::{TlsAcceptor, TlsConnector};

use crate::server::{Server, Storage, Subject};

const HOUR: i64 = 60 * 60;

/// The Unix second.
fn now() -> u64 {
    Environment::process().now().duration_since(UNIX_EPOCH).expect("it is after 1970").as_secs()
}

/// An authority of a test.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "test-ca");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).expect("an authority").pem();
        Authority { issuer: Issuer::new(params, key), pem }
    }

    /// Signs a request for some time around now, in seconds.
    fn sign(&self, request: &CertificateSigningRequest, (since, until): (i64, i64)) -> Vec<u8> {
        let text = std::str::from_utf8(&request.spec.request.0).expect("PEM");
        let mut signed = CertificateSigningRequestParams::from_pem(text).expect("a request");
        let now = now();
        let at = |offset: i64| {
            date_time_ymd(1970, 1, 1) + Duration::from_secs(now.checked_add_signed(offset).expect("a date"))
        };
        (signed.params.not_before, signed.params.not_after) = (at(since), at(until));
        let has = |usage: &str| request.spec.usages.iter().any(|asked| asked == usage);
        signed.params.extended_key_usages = [
            has("client auth").then_some(ExtendedKeyUsagePurpose::ClientAuth),
            has("server auth").then_some(ExtendedKeyUsagePurpose::ServerAuth),
        ]
        .into_iter()
        .flatten()
        .collect();
        signed.signed_by(&self.issuer).expect("a certificate").pem().into_bytes()
    }
}

fn condition(type_: &str) -> CertificateSigningRequestCondition {
    CertificateSigningRequestCondition {
        type_: type_.to_owned(),
        status: "True".to_owned(),
        reason: "Test".to_owned(),
        message: "the test says so".to_owned(),
        ..Default::default()
    }
}

/// Approves all requests for a signer and signs them, the first one for the first of these times and so on.
pub(crate) async fn sign_all(
    client: Client,
    signer: String,
    authority: Arc<Authority>,
    times: Vec<(i64, i64)>,
) {
    let requests = client.certificates_v1().certificate_signing_requests();
    let ours = ListOptions { field_selector: format!("spec.signerName={signer}"), ..Default::default() };
    let informer = SharedInformer::builder(requests.clone()).select(&ours).build();
    let mut events = informer.events().expect("it has not ended");
    informer.start();
    let mut times = times.into_iter();
    while let Some(event) = events.next().await {
        let mut request = match event {
            Event::Added { object, .. } => (*object).clone(),
            Event::Updated { new, .. } => (*new).clone(),
            Event::Deleted(_) => continue,
        };
        if request.status.conditions.is_empty() {
            request.status.conditions.push(condition("Approved"));
            requests.update_approval(&request, &UpdateOptions::default()).await.expect("it is approved");
        } else if request.status.certificate.0.is_empty() {
            let time = times.next().expect("no more certificates are asked for than expected");
            request.status.certificate = authority.sign(&request, time).into();
            requests.update_status(&request, &UpdateOptions::default()).await.expect("it is signed");
        }
    }
}

/// Renewed at once: more than nine tenths of its life are over. And one that lasts.
pub(crate) const TIMES: [(i64, i64); 2] = [(-20 * HOUR, HOUR), (-HOUR, 20 * HOUR)];

/// Waits for the second of them.
async fn the_one_that_lasts(certificates: &mut watch::Receiver<Option<Arc<CertificatePair>>>) {
    let far = i64::try_from(now()).expect("a date") + 10 * HOUR;
    let lasts = |pair: &Option<Arc<CertificatePair>>| {
        pair.as_ref().is_some_and(|pair| pair.not_after().unix_seconds() > far)
    };
    certificates.wait_for(lasts).await.expect("it is renewed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_is_issued_renewed_and_shown_to_new_connections() {
    let subject = Subject::new("certificates").await;
    let (client, authority) = (subject.client(), Arc::new(Authority::new()));
    let signer = format!("example.com/{}", subject.namespace);
    let signing = sign_all(client.clone(), signer.clone(), Arc::clone(&authority), TIMES.to_vec());
    let signing = tokio::spawn(signing);

    let template = Template {
        common_name: "web".to_owned(),
        organizations: vec!["servers".to_owned()],
        dns_names: vec!["web.example.com".to_owned()],
        ip_addresses: vec!["127.0.0.1".parse().expect("an address")],
    };
    let (manager, rotation) =
        Manager::builder(client.clone(), &signer, SERVER_USAGES, MemoryStore::default())
            .template(template)
            .lifetime(Duration::from_secs(86_400))
            .build()
            .expect("a manager");
    let shutdown = Shutdown::new();
    let mut certificates = manager.certificates();
    let rotating = tokio::spawn(rotation.run(shutdown.clone()));

    let server = ServerConfig::builder().with_no_client_auth().with_cert_resolver(manager.resolver());
    let acceptor = TlsAcceptor::from(Arc::new(server));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let serving = tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            // A client that goes away is no affair of ours.
            let _ = acceptor.accept(stream).await;
        }
    });
    let mut roots = RootCertStore::empty();
    let root = CertificateDer::from_pem_slice(authority.pem.as_bytes()).expect("PEM");
    roots.add(root).expect("an authority");
    let connector = TlsConnector::from(Arc::new(
        ClientConfig::builder().with_root_certificates(roots).with_no_client_auth(),
    ));
    let shown = async || {
        let stream = TcpStream::connect(address).await.expect("a connection");
        let name = ServerName::try_from("web.example.com").expect("a name");
        let stream = connector.connect(name, stream).await.expect("a certificate that is trusted");
        let chain = stream.get_ref().1.peer_certificates().expect("a certificate");
        chain.first().expect("a certificate").clone().into_owned()
    };
    let current = || manager.current().expect("a certificate").certified_key().cert[0].clone();

    // The first may be replaced while it is looked at.
    assert_eq!(manager.ready().await.common_name(), "web");
    the_one_that_lasts(&mut certificates).await;
    assert_eq!(shown().await, current());
    assert!(manager.is_server_healthy());

    let all = client.certificates_v1().certificate_signing_requests();
    let ours = ListOptions { field_selector: format!("spec.signerName={signer}"), ..Default::default() };
    let requests = all.list(&ours).await.expect("a list").items;
    assert_eq!(requests.len(), 2);
    for request in &requests {
        assert!(request.metadata.name.starts_with("csr-"), "{}", request.metadata.name);
        assert_eq!(request.spec.expiration_seconds, Some(86_400));
        assert_eq!(request.spec.usages, SERVER_USAGES);
        all.delete(&request.metadata.name, &DeleteOptions::default()).await.expect("it goes");
    }
    shutdown.begin();
    rotating.await.expect("it ends in order");
    for task in [signing, serving] {
        task.abort();
    }
    subject.end().await;
}

/// A directory of a test.
pub(crate) fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).expect("a directory");
    path
}

/// Who a server takes the client for.
async fn who(config: Config) -> String {
    let client = Client::new(config).expect("a client");
    let reviews = client.resource::<SelfSubjectReview>();
    let review = reviews.create(&SelfSubjectReview::default(), &CreateOptions::default()).await;
    review.expect("an answer").status.user_info.username
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_asks_for_its_next_certificate_with_the_one_it_has() {
    let directory = directory("certificates");
    let authority = Arc::new(Authority::new());
    let ca = directory.join("ca.crt");
    std::fs::write(&ca, &authority.pem).expect("a file");
    let server = Server::start_with(Storage::InMemory, &["--client-ca-file", ca.to_str().expect("a path")]);
    let (admin, signer) = (server.client(), "example.com/clients");
    let times = TIMES.to_vec();
    let signing = tokio::spawn(sign_all(admin.clone(), signer.to_owned(), Arc::clone(&authority), times));

    let store = FileStore::new("jane", &directory, WallClock::of(&admin)).expect("a store");
    let current = store.current_path();
    let mut config = server.config();
    config.auth = Auth::None;
    config.tls.identity = None;
    let template = Template {
        common_name: "jane".to_owned(),
        organizations: vec!["system:masters".to_owned()],
        ..Template::default()
    };
    let anyone = config.clone();
    let bootstrap = admin.clone();
    let (manager, rotation) = Manager::builder(admin.clone(), signer, CLIENT_USAGES, store)
        .template(template)
        .client_from(move |pair| match pair {
            None => Ok(bootstrap.clone()),
            Some(pair) => {
                let mut config = anyone.clone();
                let identity = pair.identity();
                let bytes = |pem: &Arc<[u8]>| Source::Bytes(Arc::clone(pem));
                config.tls.identity = Some((bytes(&identity.certificate), bytes(&identity.key)));
                Client::new(config)
            }
        })
        .build()
        .expect("a manager");
    let shutdown = Shutdown::new();
    let mut certificates = manager.certificates();
    let rotating = tokio::spawn(rotation.run(shutdown.clone()));
    the_one_that_lasts(&mut certificates).await;

    // The file has the key, too.
    config.tls.identity = Some((Source::File(current.clone()), Source::File(current)));
    assert_eq!(who(config).await, "jane");
    let all = admin.certificates_v1().certificate_signing_requests();
    let mut requests = all.list(&ListOptions::default()).await.expect("a list").items;
    requests.sort_by_key(|request| request.spec.username == "jane");
    let names: Vec<&str> = requests.iter().map(|request| request.spec.username.as_str()).collect();
    let admin_name = who(server.config()).await;
    assert_eq!(names, [admin_name.as_str(), "jane"]);
    assert_eq!(requests[1].spec.groups, ["system:masters", "system:authenticated"]);

    shutdown.begin();
    rotating.await.expect("it ends in order");
    signing.abort();
    std::fs::remove_dir_all(directory).expect("it was there");
}

#[tokio::test]
async fn a_request_with_a_name_is_found_again_and_can_be_denied_or_deleted() {
    let subject = Subject::new("requests").await;
    let (client, name) = (subject.client(), subject.namespace.as_str());
    let all = client.certificates_v1().certificate_signing_requests();
    let signer = format!("example.com/{name}");
    let template = Template { common_name: "jane".to_owned(), ..Template::default() };
    let (key, other) = (PrivateKey::generate().expect("a key"), PrivateKey::generate().expect("a key"));
    let request = |key: &PrivateKey| {
        let request = SigningRequest::new(&template, key, &signer).expect("a request");
        request.name(name).usages(CLIENT_USAGES.iter().copied())
    };

    let first = request_certificate(&client, &request(&key)).await.expect("it is made");
    assert_eq!(first.name, name);
    // A process that begins anew, with the key that it has kept, goes on with the request that it has made.
    assert_eq!(request_certificate(&client, &request(&key)).await.expect("it is found"), first);
    let error = request_certificate(&client, &request(&other)).await.expect_err("it is another key's");
    assert_eq!(error.to_string(), "retrieved csr is not compatible: the csr is for another key");
    let invalid = SigningRequest::new(&template, &key, "no signer").expect("a request");
    let error = request_certificate(&client, &invalid).await.expect_err("it is refused");
    assert!(matches!(&error, CertificateError::Request(error) if error.is_invalid()), "{error:?}");

    let mut denied = all.get(name).await.expect("it is there");
    denied.status.conditions.push(condition("Denied"));
    all.update_approval(&denied, &UpdateOptions::default()).await.expect("it is denied");
    let error = wait_for_certificate(&client, &first).await.expect_err("it is denied");
    let text = "certificate signing request is denied, reason: Test, message: the test says so";
    assert_eq!(error.to_string(), text);

    // One that goes while it is waited for, and one of the same name that has come in its place.
    all.delete(name, &DeleteOptions::default()).await.expect("it goes");
    let second = request_certificate(&client, &request(&other)).await.expect("it is made");
    assert_ne!(second.uid, first.uid);
    let error = wait_for_certificate(&client, &first).await.expect_err("it is another one");
    assert!(matches!(error, CertificateError::Deleted { .. }), "{error:?}");
    let waiting = tokio::spawn({
        let (client, second) = (client.clone(), second.clone());
        async move { wait_for_certificate(&client, &second).await }
    });
    all.delete(name, &DeleteOptions::default()).await.expect("it goes");
    let error = waiting.await.expect("no panic").expect_err("it is gone");
    assert_eq!(error.to_string(), format!("csr {name:?} was deleted"));
    subject.end().await;
}
