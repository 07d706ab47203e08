//! TLS, with servers and clients that prove who they are.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use rhumb_store::etcd::{Config, Etcd, Tls};
use rhumb_store::{Revision, Store, StoreError, Transaction};

use crate::server::{Server, commit, key, patient};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority() -> Authority {
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let pair = KeyPair::generate().expect("a key");
    CertifiedIssuer::self_signed(params, pair).expect("a certificate")
}

/// A certificate and its key, as PEM.
fn certificate(authority: &Authority, purpose: &[ExtendedKeyUsagePurpose]) -> (Vec<u8>, Vec<u8>) {
    let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("an address");
    params.extended_key_usages = purpose.to_vec();
    let pair = KeyPair::generate().expect("a key");
    let certificate = params.signed_by(&pair, authority).expect("a certificate");
    (certificate.pem().into_bytes(), pair.serialize_pem().into_bytes())
}

struct Directory(PathBuf);

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
async fn both_sides_must_prove_who_they_are() {
    use ExtendedKeyUsagePurpose::{ClientAuth, ServerAuth};
    let ours = authority();
    let stranger = authority();
    let directory =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("certificates-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let directory = Directory(directory);
    // etcd also calls itself with its own certificate.
    let (server, server_key) = certificate(&ours, &[ServerAuth, ClientAuth]);
    for (name, content) in
        [("authority.pem", ours.pem().as_bytes()), ("server.pem", &server), ("server.key", &server_key)]
    {
        fs::write(directory.0.join(name), content).unwrap();
    }
    let server = Server::start_with_tls(&directory.0);

    let config = |authority: &Authority, identity: Option<(Vec<u8>, Vec<u8>)>| {
        let tls = Tls { authorities: authority.pem().into_bytes(), identity };
        Config { tls: Some(tls), ..Config::new([format!("127.0.0.1:{}", server.port)]) }
    };
    let known = certificate(&ours, &[ClientAuth]);
    let store = Etcd::connect(patient(config(&ours, Some(known.clone())))).await.unwrap();
    let mut watch = store.watch(key("/"), Revision::ZERO).await.unwrap();
    let made = commit(&store, Transaction::create(key("/a"), Bytes::new())).await;
    assert_eq!(crate::watches::events(&mut watch, 1).await[0].revision, made.revision);

    for (authority, identity, name) in [
        (&ours, None, "a client without a certificate"),
        (&ours, Some(certificate(&stranger, &[ClientAuth])), "a client whom the server doesn't know"),
        (&stranger, Some(known), "a server whom the client doesn't know"),
    ] {
        let config = Config { request_timeout: Duration::from_secs(2), ..config(authority, identity) };
        let error = Etcd::connect(config).await.unwrap_err();
        assert!(matches!(error, StoreError::Unavailable(_)), "{name}: {error:?}");
    }
}
