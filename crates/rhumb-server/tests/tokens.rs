//! Tokens as reviews and requests see them alike: ID tokens, tokens that lie in Secrets, and keys that change.

use std::time::Duration;

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use http::Method;
use rhumb_server::Server;
use rhumb_server::environment::{Clock, SystemClock};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls_pki_types::PrivatePkcs8KeyDer;
use rustls_pki_types::pem::PemObject;
use serde_json::{Value, json};

use crate::authority::Authority;
use crate::client::Client;
use crate::issuer::Issuer;
use crate::knowing::{ACCOUNTS, Directory, ask, key, options, token, until, with_token};

const SECRETS: &str = "/api/v1/namespaces/default/secrets";

/// What a review says of a token.
async fn review(admin: &mut Client, token: &str, audiences: &[&str]) -> Value {
    let body = json!({"spec": {"token": token, "audiences": audiences}});
    let (code, made) = ask(admin, Method::POST, "/apis/authentication.k8s.io/v1/tokenreviews", &body).await;
    assert_eq!(code, 201, "{made}");
    made["status"].clone()
}

#[tokio::test]
async fn reviews_know_whom_requests_are_from() {
    let directory = Directory::new("review");
    let authority = Authority::new("issuer-ca");
    let (certificate, private) = authority.server();
    let issuer = Issuer::start(&certificate, &private).await;
    let file = directory.write("ca.crt", &authority.certificate);
    let settings = [
        ("oidc-issuer-url", issuer.url.as_str()),
        ("oidc-client-id", "kubernetes"),
        ("oidc-ca-file", file.as_str()),
        ("oidc-username-prefix", "-"),
        ("token-auth-file", &directory.write("tokens.csv", "first,joe,7\n")),
    ];
    let server = Server::builder().options(options(&settings)).start().await.unwrap();
    let mut admin = Client::http2(&server, Some(server.admin_certificate())).await;
    let until = SystemClock::default().now().0 + 60;
    let claims = json!({"iss": issuer.url, "aud": "kubernetes", "exp": until, "sub": "jane"});
    let good = issuer.token("one", &claims);
    let own = "https://kubernetes.default.svc";
    assert_eq!(with_token(&server, &good).await, 403);
    for audiences in [&[][..], &[own, "other"]] {
        let said = review(&mut admin, &good, audiences).await;
        let user = json!({"username": "jane", "groups": ["system:authenticated"]});
        assert_eq!(said, json!({"authenticated": true, "user": user, "audiences": [own]}));
    }
    // Such a token is for the server, whatever audience the issuer gave it.
    let unknown = json!({"user": {}, "error": "invalid bearer token"});
    assert_eq!(review(&mut admin, &good, &["other"]).await, unknown);
    assert_eq!(review(&mut admin, "first", &[]).await["user"]["username"], "joe");
    assert_eq!(review(&mut admin, "second", &[]).await, unknown);
    let late = issuer.token("one", &json!({"iss": issuer.url, "aud": "kubernetes", "exp": 1, "sub": "jane"}));
    assert_eq!(with_token(&server, &late).await, 401);
    let said = review(&mut admin, &late, &[]).await;
    let why = said["error"].as_str().unwrap();
    assert!(why.starts_with("[invalid bearer token, oidc: verify token: oidc: token is expired"), "{why}");
}

/// A token as those that lie in Secrets.
fn old_token(claims: &Value) -> String {
    let pkcs8 = PrivatePkcs8KeyDer::from_pem_slice(include_bytes!("keys/rsa.pem")).unwrap();
    let pair = RsaKeyPair::from_pkcs8(pkcs8.secret_pkcs8_der()).unwrap();
    let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let text = format!("{}.{}", part(&json!({"alg": "RS256"})), part(claims));
    let mut signature = vec![0; pair.public().modulus_len()];
    pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature).unwrap();
    format!("{text}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
}

/// The texts are those that kube-apiserver v1.36 gave to the same.
#[tokio::test]
async fn tokens_in_secrets_are_good_while_the_secret_has_them() {
    const ABOUT: &str = "kubernetes.io/serviceaccount/";
    let rsa = key("rsa.pem");
    let settings = [("service-account-signing-key-file", rsa.as_str())];
    let server = Server::builder().options(options(&settings)).start().await.unwrap();
    let mut admin = Client::http2(&server, Some(server.admin_certificate())).await;
    let (_, account) = ask(&mut admin, Method::POST, ACCOUNTS, &json!({"metadata": {"name": "robot"}})).await;
    let claim = |name: &str| format!("{ABOUT}{name}");
    let user = "system:serviceaccount:default:robot";
    let claims = json!({
        "iss": "kubernetes/serviceaccount", "sub": user, claim("namespace"): "default",
        claim("secret.name"): "kept", claim("service-account.name"): "robot",
        claim("service-account.uid"): account["metadata"]["uid"],
    });
    let token = old_token(&claims);
    let refused = |why: &str| json!({"user": {}, "error": format!("[invalid bearer token, {why}]")});
    assert_eq!(review(&mut admin, &token, &[]).await, refused("Token has been invalidated"));
    let secret = json!({
        "metadata": {"name": "kept", "annotations": {"kubernetes.io/service-account.name": "robot"}},
        "type": "kubernetes.io/service-account-token", "data": {"token": BASE64_STANDARD.encode(&token)},
    });
    let (code, made) = ask(&mut admin, Method::POST, SECRETS, &secret).await;
    assert_eq!(code, 201, "{made}");
    let said = review(&mut admin, &token, &[]).await;
    assert_eq!((&said["user"]["username"], &said["user"]["extra"]), (&json!(user), &Value::Null), "{said}");
    assert_eq!(said["user"]["uid"], account["metadata"]["uid"]);
    assert_eq!(with_token(&server, &token).await, 403);
    for (name, why) in [
        ("sub".to_owned(), "sub claim is missing"),
        (claim("namespace"), "namespace claim is missing"),
        (claim("secret.name"), "secretName claim is missing"),
        (claim("service-account.name"), "serviceAccountName claim is missing"),
        (claim("service-account.uid"), "serviceAccountUID claim is missing"),
    ] {
        let mut claims = claims.clone();
        claims.as_object_mut().unwrap().remove(&name);
        assert_eq!(review(&mut admin, &old_token(&claims), &[]).await, refused(why), "{name}");
    }
    let changed = |name: String, value: &str| {
        let mut claims = claims.clone();
        claims[name] = json!(value);
        old_token(&claims)
    };
    let other = changed("sub".to_owned(), "system:serviceaccount:default:other");
    assert_eq!(review(&mut admin, &other, &[]).await, refused("sub claim is invalid"));
    // Another one than the Secret has, though it is signed with the same key.
    let copy = changed("more".to_owned(), "x");
    assert_eq!(review(&mut admin, &copy, &[]).await, refused("Token does not match server's copy"));
    // The day of its use is noted; one that is marked is refused.
    let path = format!("{SECRETS}/kept");
    let label = "kubernetes.io~1legacy-token-last-used";
    until(async || {
        let (_, secret) = ask(&mut admin, Method::GET, &path, &Value::Null).await;
        secret
            .pointer(&format!("/metadata/labels/{label}"))
            .is_some_and(|day| day.as_str().unwrap().len() == 10)
    })
    .await;
    let (_, mut secret) = ask(&mut admin, Method::GET, &path, &Value::Null).await;
    secret["metadata"]["labels"]["kubernetes.io/legacy-token-invalid-since"] = json!("2024-01-01");
    assert_eq!(ask(&mut admin, Method::PUT, &path, &secret).await.0, 200);
    until(async || with_token(&server, &token).await == 401).await;
    let said = review(&mut admin, &token, &[]).await;
    let why = said["error"].as_str().unwrap();
    assert!(
        why.contains("default/kept for service account default/robot has been marked invalid. Use"),
        "{why}"
    );
    secret["metadata"]["labels"] = json!({});
    secret["metadata"]["resourceVersion"] = Value::Null;
    assert_eq!(ask(&mut admin, Method::PUT, &path, &secret).await.0, 200);
    until(async || with_token(&server, &token).await == 403).await;
    assert_eq!(ask(&mut admin, Method::DELETE, &path, &Value::Null).await.0, 200);
    until(async || with_token(&server, &token).await == 401).await;
}

#[tokio::test]
async fn keys_of_accounts_and_authorities_of_an_issuer_are_read_again() {
    let directory = Directory::new("keys");
    let (old, new) = (Authority::new("old"), Authority::new("new"));
    let (certificate, private) = new.server();
    let issuer = Issuer::start(&certificate, &private).await;
    let text = |name: &str| std::fs::read_to_string(key(name)).unwrap();
    let (keys, rsa) = (directory.write("keys.pem", &text("rsa.pub.pem")), key("rsa.pem"));
    let first = [("service-account-signing-key-file", rsa.as_str())];
    let made_by = Server::builder().options(options(&first)).start().await.unwrap();
    let mut admin = Client::http2(&made_by, Some(made_by.admin_certificate())).await;
    ask(&mut admin, Method::POST, ACCOUNTS, &json!({"metadata": {"name": "robot"}})).await;
    let foreign = token(&mut admin, &json!({})).await;

    let ec = key("ec.pem");
    let file = directory.write("ca.crt", &old.certificate);
    let settings = [
        ("service-account-signing-key-file", ec.as_str()),
        ("service-account-key-file", keys.as_str()),
        ("oidc-issuer-url", issuer.url.as_str()),
        ("oidc-client-id", "kubernetes"),
        ("oidc-ca-file", file.as_str()),
    ];
    let builder = Server::builder().options(options(&settings)).look_again_every(Duration::from_millis(10));
    let server = builder.start().await.unwrap();
    let mut admin = Client::http2(&server, Some(server.admin_certificate())).await;
    let published = async |admin: &mut Client| {
        let (_, keys) = ask(admin, Method::GET, "/openid/v1/jwks", &Value::Null).await;
        keys["keys"].as_array().unwrap().len()
    };
    assert_eq!(published(&mut admin).await, 2);
    // It is signed with a key that is known, for an account that is not.
    let unknown = review(&mut admin, &foreign, &[]).await;
    assert_eq!(unknown["error"], "[invalid bearer token, serviceaccounts \"robot\" not found]");
    // What can't be used changes nothing.
    directory.write("keys.pem", &text("ec521.pub.pem"));
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(published(&mut admin).await, 2);
    directory.write("keys.pem", &text("ec384.pub.pem"));
    until(async || {
        let said = review(&mut admin, &foreign, &[]).await;
        said["error"] == "[invalid bearer token, invalid signature, no keys found]"
    })
    .await;
    assert_eq!(published(&mut admin).await, 2);

    let until_then = SystemClock::default().now().0 + 60;
    let claims = json!({"iss": issuer.url, "aud": "kubernetes", "exp": until_then, "sub": "jane"});
    let jane = issuer.token("one", &claims);
    assert_eq!(with_token(&server, &jane).await, 401);
    directory.write("ca.crt", &new.certificate);
    until(async || with_token(&server, &jane).await == 403).await;
}
