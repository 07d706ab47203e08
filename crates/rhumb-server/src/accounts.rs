//! Tokens of service accounts: signing them, and knowing clients by them.
//!
//! A token is a JWT. It is good as long as its signature, its time and its audience are, and as long as the account
//! and the object that it is bound to are still there, with the same UIDs.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use rhumb_meta::{Object, ObjectMeta};
use rhumb_schema::text::quoted;
use rhumb_store::cache::At;
use ring::rand::SystemRandom;
use ring::signature::{self, EcdsaKeyPair, KeyPair, RsaKeyPair, UnparsedPublicKey};
use rustls_pki_types::PrivatePkcs8KeyDer;
use rustls_pki_types::pem::PemObject;
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use crate::api::Api;
use crate::failure::Outcome;
use crate::identity::User;
use crate::verbs::deadline;

/// How far clocks may be apart.
const LEEWAY: i64 = 60;
/// What a public EC key on the curve P-256 begins with in DER.
const P256_HEAD: &[u8] = &[
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
    0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];
/// The algorithm of a public RSA key in DER.
const RSA_ALGORITHM: &[u8] =
    &[0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];
/// What the names of all that a token tells about its user begin with.
const EXTRA: &str = "authentication.kubernetes.io/";

/// Signs tokens and checks them.
pub(crate) struct Signer {
    key: Key,
    key_id: String,
    issuer: String,
}

enum Key {
    Ec(Box<EcdsaKeyPair>),
    Rsa(Box<RsaKeyPair>),
}

/// The key can't be used.
#[derive(Debug)]
pub(crate) struct BadKey;

impl std::fmt::Display for BadKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the key of service accounts is no EC key on P-256 and no RSA key in PKCS#8")
    }
}

impl std::error::Error for BadKey {}

/// An element of DER.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    let length = content.len();
    if length < 0x80 {
        out.push(u8::try_from(length).unwrap_or_default());
    } else {
        let bytes: Vec<u8> = length.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect();
        out.push(0x80 | u8::try_from(bytes.len()).unwrap_or_default());
        out.extend(bytes);
    }
    out.extend_from_slice(content);
    out
}

impl Signer {
    /// A signer with a private key in PEM.
    pub(crate) fn new(pem: &str, issuer: &str) -> Result<Self, BadKey> {
        let pkcs8 = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| BadKey)?;
        let bytes = pkcs8.secret_pkcs8_der();
        let algorithm = &signature::ECDSA_P256_SHA256_FIXED_SIGNING;
        let (key, public) = match EcdsaKeyPair::from_pkcs8(algorithm, bytes, &SystemRandom::new()) {
            Ok(pair) => {
                let public = [P256_HEAD, pair.public_key().as_ref()].concat();
                (Key::Ec(Box::new(pair)), public)
            }
            Err(_) => {
                let pair = RsaKeyPair::from_pkcs8(bytes).map_err(|_| BadKey)?;
                let bits = [&[0], pair.public_key().as_ref()].concat();
                let public = der(0x30, &[RSA_ALGORITHM, &der(0x03, &bits)].concat());
                (Key::Rsa(Box::new(pair)), public)
            }
        };
        let key_id = BASE64.encode(Sha256::digest(public));
        Ok(Signer { key, key_id, issuer: issuer.to_owned() })
    }

    /// Who tokens are from.
    pub(crate) fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The public key, for those who check tokens themselves.
    pub(crate) fn public_key(&self) -> Json {
        let (algorithm, id) = (self.algorithm(), &self.key_id);
        match &self.key {
            Key::Ec(pair) => {
                // The point is written in full: a mark, then both coordinates.
                let point = pair.public_key().as_ref().get(1..).unwrap_or_default();
                let (x, y) = point.split_at(point.len() / 2);
                let (x, y) = (BASE64.encode(x), BASE64.encode(y));
                json!({ "use": "sig", "kty": "EC", "kid": id, "crv": "P-256", "alg": algorithm, "x": x, "y": y })
            }
            Key::Rsa(pair) => {
                let parts = ring::rsa::PublicKeyComponents::<Vec<u8>>::from(pair.public());
                let (n, e) = (BASE64.encode(parts.n), BASE64.encode(parts.e));
                json!({ "use": "sig", "kty": "RSA", "kid": id, "alg": algorithm, "n": n, "e": e })
            }
        }
    }

    pub(crate) fn algorithm(&self) -> &'static str {
        match self.key {
            Key::Ec(_) => "ES256",
            Key::Rsa(_) => "RS256",
        }
    }

    /// A token that says this.
    pub(crate) fn sign(&self, claims: &Json) -> Result<String, ring::error::Unspecified> {
        let head = json!({"alg": self.algorithm(), "kid": self.key_id});
        let text = format!("{}.{}", BASE64.encode(head.to_string()), BASE64.encode(claims.to_string()));
        let random = SystemRandom::new();
        let signature = match &self.key {
            Key::Ec(pair) => pair.sign(&random, text.as_bytes())?.as_ref().to_vec(),
            Key::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&signature::RSA_PKCS1_SHA256, &random, text.as_bytes(), &mut signature)?;
                signature
            }
        };
        Ok(format!("{text}.{}", BASE64.encode(signature)))
    }

    fn is_signed(&self, text: &str, signature: &[u8]) -> bool {
        match &self.key {
            Key::Ec(pair) => {
                let public = UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, pair.public_key());
                public.verify(text.as_bytes(), signature).is_ok()
            }
            Key::Rsa(pair) => {
                let public =
                    UnparsedPublicKey::new(&signature::RSA_PKCS1_2048_8192_SHA256, pair.public_key());
                public.verify(text.as_bytes(), signature).is_ok()
            }
        }
    }

    /// What a token says, if it is one of ours.
    ///
    /// # Errors
    /// If it says that it is one of ours, and is not, or is not for these audiences.
    fn read(&self, token: &str, audiences: &[String]) -> Result<Option<Json>, String> {
        let mut parts = token.split('.');
        let (Some(head), Some(body), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Ok(None);
        };
        let decoded = |part: &str| BASE64.decode(part).ok();
        let (Some(head_bytes), Some(claims), Some(signature)) =
            (decoded(head), decoded(body), decoded(signature))
        else {
            return Ok(None);
        };
        let Ok(claims) = serde_json::from_slice::<Json>(&claims) else { return Ok(None) };
        if text(&claims, "/iss") != self.issuer {
            return Ok(None);
        }
        let head_claims: Json = serde_json::from_slice(&head_bytes).unwrap_or_default();
        let text_of = format!("{head}.{body}");
        if text(&head_claims, "/alg") != self.algorithm() || !self.is_signed(&text_of, &signature) {
            return Err("go-jose/go-jose: error in cryptographic primitive".to_owned());
        }
        let of_token = strings(claims.get("aud"));
        if !of_token.iter().any(|audience| audiences.contains(audience)) {
            return Err(format!(
                "token audiences {} is invalid for the target audiences {}",
                listed(&of_token),
                listed(audiences)
            ));
        }
        Ok(Some(claims))
    }
}

fn text<'a>(claims: &'a Json, pointer: &str) -> &'a str {
    claims.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
}

fn strings(value: Option<&Json>) -> Vec<String> {
    match value {
        Some(Json::String(one)) => vec![one.clone()],
        Some(Json::Array(all)) => all.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// Texts as Go prints a slice of them.
fn listed(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text).to_string()).collect();
    format!("[{}]", texts.join(" "))
}

/// Whose token it is, and which of the audiences it is for.
pub(crate) struct Known {
    pub(crate) user: User,
    pub(crate) audiences: Vec<String>,
}

/// The user name of an account.
pub(crate) fn user_name(namespace: &str, name: &str) -> String {
    format!("system:serviceaccount:{namespace}:{name}")
}

impl Api {
    /// Whose token it is, if it is a good one of a service account.
    pub async fn authenticate_token(&self, token: &str) -> Option<User> {
        let known = self.review_token(token, &[]).await.ok().flatten()?;
        Some(known.user)
    }

    /// Whose token it is, for audiences; for the server's own if there are none. `None` if it is not one of a
    /// service account.
    ///
    /// # Errors
    /// If it is one and not good.
    pub(crate) async fn review_token(
        &self,
        token: &str,
        audiences: &[String],
    ) -> Result<Option<Known>, String> {
        let Some(signer) = &self.accounts else { return Ok(None) };
        let own = [signer.issuer().to_owned()];
        let audiences = if audiences.is_empty() { &own } else { audiences };
        let Some(claims) = signer.read(token, audiences)? else { return Ok(None) };
        self.check_time(&claims)?;
        let namespace = text(&claims, "/kubernetes.io/namespace");
        let name = text(&claims, "/kubernetes.io/serviceaccount/name");
        let uid = text(&claims, "/kubernetes.io/serviceaccount/uid");
        let Some(account) = self.meta_of("serviceaccounts", namespace, name).await? else {
            return Err(format!("serviceaccounts {} not found", quoted(name)));
        };
        if account.uid != uid {
            return Err(format!("service account UID ({}) does not match claim ({uid})", account.uid));
        }
        if self.is_over(&account) {
            return Err(format!("service account {namespace}/{name} has been deleted"));
        }
        let mut extra = BTreeMap::new();
        for (kind, resource) in [("secret", "secrets"), ("pod", "pods"), ("node", "nodes")] {
            self.check_bound(&claims, kind, resource, namespace, &mut extra).await?;
        }
        let id = text(&claims, "/jti");
        if !id.is_empty() {
            extra.insert(format!("{EXTRA}credential-id"), vec![format!("JTI={id}")]);
        }
        let user = User {
            name: user_name(namespace, name),
            uid: uid.to_owned(),
            groups: vec![
                "system:serviceaccounts".to_owned(),
                format!("system:serviceaccounts:{namespace}"),
                "system:authenticated".to_owned(),
            ],
            extra,
        };
        let of_token = strings(claims.get("aud"));
        let audiences = audiences.iter().filter(|audience| of_token.contains(audience));
        Ok(Some(Known { user, audiences: audiences.cloned().collect() }))
    }

    fn check_time(&self, claims: &Json) -> Result<(), String> {
        let (now, _) = self.environment.now();
        let time = |name: &str| claims.get(name).and_then(Json::as_i64);
        if time("nbf").is_some_and(|from| now.saturating_add(LEEWAY) < from) {
            return Err("service account token is not valid yet".to_owned());
        }
        if time("exp").is_none_or(|until| now.saturating_sub(LEEWAY) > until) {
            return Err("service account token has expired".to_owned());
        }
        if time("iat").is_some_and(|from| now.saturating_add(LEEWAY) < from) {
            return Err("service account token is issued in the future".to_owned());
        }
        Ok(())
    }

    /// Checks that what a token is bound to is still there. The node of a pod is only told.
    async fn check_bound(
        &self,
        claims: &Json,
        kind: &str,
        resource: &str,
        namespace: &str,
        extra: &mut BTreeMap<String, Vec<String>>,
    ) -> Result<(), String> {
        let Some(bound) = claims.pointer(&format!("/kubernetes.io/{kind}")) else { return Ok(()) };
        let (name, uid) = (text(bound, "/name"), text(bound, "/uid"));
        let told = kind == "node" && claims.pointer("/kubernetes.io/pod").is_some();
        if !told {
            let namespace = if kind == "node" { "" } else { namespace };
            let Some(found) = self.meta_of(resource, namespace, name).await? else {
                return Err("service account token has been invalidated".to_owned());
            };
            if found.uid != uid {
                return Err(format!(
                    "{kind} UID ({}) does not match service account {kind} ref claim ({uid})",
                    found.uid
                ));
            }
            if self.is_over(&found) {
                return Err("service account token has been invalidated".to_owned());
            }
        }
        if kind != "secret" {
            extra.insert(format!("{EXTRA}{kind}-name"), vec![name.to_owned()]);
            extra.insert(format!("{EXTRA}{kind}-uid"), vec![uid.to_owned()]);
        }
        Ok(())
    }

    fn is_over(&self, meta: &ObjectMeta) -> bool {
        let (now, _) = self.environment.now();
        let deleted = meta.deletion_timestamp.as_ref();
        deleted.is_some_and(|time| time.unix_seconds() < now.saturating_sub(LEEWAY))
    }

    async fn meta_of(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
    ) -> Result<Option<ObjectMeta>, String> {
        let found = self.seen(resource, namespace, name).await.map_err(|failure| failure.to_string())?;
        Ok(found.and_then(|object| object.metadata().map(std::borrow::Cow::into_owned)))
    }

    /// An object of the core group. What was seen a moment ago is good enough, unless nothing was.
    pub(crate) async fn seen(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
    ) -> Outcome<Option<Box<dyn Object>>> {
        let resources = self.resources();
        let storage = resources.find("", "v1", resource).and_then(|found| found.storage.clone());
        let Some(storage) = storage else { return Ok(None) };
        let Ok(key) = storage.key(namespace, name) else { return Ok(None) };
        for at in [At::Any, At::Newest] {
            if let Some(cached) = storage.cache().get(&key, at, deadline()).await? {
                return storage.hub(&cached).map(Some);
            }
        }
        Ok(None)
    }
}
