//! Tokens of service accounts: signing them, and knowing clients by them.
//!
//! A token is a JWT. It is good as long as its signature, its time and its audience are, and as long as the
//! account and the object that it is bound to are still there, with the same UIDs. Tokens that lie in Secrets, as they
//! all once did, are good for as long as their Secret has them (`legacy`).

mod check;
pub(crate) mod legacy;
mod watched;

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use rhumb_schema::text::quoted;
use serde_json::{Value as Json, json};
use tokio::sync::mpsc;

use crate::authentication::jwt::{PublicKey, SigningKey, Token, strings, text};
use crate::authentication::remembered::Remembered;
use crate::base::identity::User;
use crate::base::secret::Secret;
use crate::registry::Registry;
use watched::Watched;

/// How long the look at a token is good for, and how many are kept. Kubernetes keeps them for as long.
const REMEMBERED: Duration = Duration::from_secs(10);
const MOST_REMEMBERED: usize = 4096;
/// How many uses of tokens wait to be noted.
const MOST_NOTED: usize = 1024;

/// Who signs tokens of service accounts, and whose are taken.
#[derive(Clone, Debug, Default)]
pub struct AccountOptions {
    /// The key that tokens are signed and checked with, as PEM. Without one there are no such tokens.
    pub key: Option<Secret>,
    /// Further keys that tokens are checked with, each as PEM: those that signed before, or will.
    pub further_keys: Vec<String>,
    /// Who tokens are from: the first one signs, and those of the others are taken. Without any it is the server's
    /// name within a cluster.
    pub issuers: Vec<String>,
    /// Who the server is, among those that tokens are for; the issuers if there are none.
    pub audiences: Vec<String>,
    /// Where others are told to find the keys; without it, at the server's address.
    pub keys_url: Option<String>,
}

/// Signs tokens and checks them.
pub(crate) struct Accounts {
    signer: SigningKey,
    /// All that tokens are checked with.
    keys: ArcSwap<Vec<PublicKey>>,
    issuers: Vec<String>,
    audiences: Vec<String>,
    keys_url: Option<String>,
    remembered: Remembered<[u8; 32], Watched>,
}

/// A Secret whose token was used, for the labels that tell so.
#[derive(Debug)]
pub(crate) struct UsedSecret {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) uid: String,
    /// The day, as in `2024-02-29`.
    pub(crate) day: String,
}

/// Authenticates clients by tokens of service accounts.
pub(crate) struct ServiceAccounts {
    registry: Arc<Registry>,
    issuer: Option<Accounts>,
    used: mpsc::Sender<UsedSecret>,
}

impl ServiceAccounts {
    /// An authenticator, and the Secrets whose tokens are used from now on.
    ///
    /// # Errors
    /// If a key can't be used.
    pub(crate) fn new(
        registry: &Arc<Registry>,
        options: &AccountOptions,
    ) -> Result<(Self, mpsc::Receiver<UsedSecret>), String> {
        let (used, noted) = mpsc::channel(MOST_NOTED);
        let accounts =
            ServiceAccounts { registry: Arc::clone(registry), issuer: Accounts::new(options)?, used };
        Ok((accounts, noted))
    }

    /// Who signs tokens, if anybody does.
    pub(crate) fn issuer(&self) -> Option<&Accounts> {
        self.issuer.as_ref()
    }
}

/// The name of a server within a cluster.
pub(crate) const USUAL_ISSUER: &str = "https://kubernetes.default.svc";

impl Accounts {
    /// A signer, if there is a key.
    ///
    /// # Errors
    /// If a key can't be used.
    pub(crate) fn new(options: &AccountOptions) -> Result<Option<Self>, String> {
        let Some(key) = &options.key else { return Ok(None) };
        let signer = SigningKey::of_pem(key.expose().as_bytes()).map_err(unusable)?;
        let keys = ArcSwap::from_pointee(all_keys(&signer, &options.further_keys)?);
        let issuers = match options.issuers.as_slice() {
            [] => vec![USUAL_ISSUER.to_owned()],
            issuers => issuers.to_vec(),
        };
        let audiences = match options.audiences.as_slice() {
            [] => issuers.clone(),
            audiences => audiences.to_vec(),
        };
        let remembered = Remembered::new(MOST_REMEMBERED, REMEMBERED);
        let keys_url = options.keys_url.clone();
        Ok(Some(Accounts { signer, keys, issuers, audiences, keys_url, remembered }))
    }

    /// Checks tokens with other keys from now on, beside the one that signs.
    ///
    /// # Errors
    /// If one can't be used; then nothing changes.
    pub(crate) fn replace_further_keys(&self, pems: &[String]) -> Result<(), String> {
        self.keys.store(Arc::new(all_keys(&self.signer, pems)?));
        self.remembered.forget();
        Ok(())
    }

    /// Who tokens are from.
    pub(crate) fn issuer(&self) -> &str {
        self.issuers.first().map_or(USUAL_ISSUER, String::as_str)
    }

    /// Who the server is, among those that tokens are for.
    pub(crate) fn audiences(&self) -> &[String] {
        &self.audiences
    }

    /// Where others are told to find the keys, if it is not here.
    pub(crate) fn keys_url(&self) -> Option<&str> {
        self.keys_url.as_deref()
    }

    /// The public keys, for those who check tokens themselves.
    pub(crate) fn public_keys(&self) -> Json {
        json!({ "keys": self.keys.load().iter().map(PublicKey::jwk).collect::<Vec<_>>() })
    }

    /// The ways in which tokens are signed, each once.
    pub(crate) fn algorithms(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.keys.load().iter().map(|key| key.algorithm().name()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// A token that says this.
    pub(crate) fn sign(&self, claims: &Json) -> Result<String, ring::error::Unspecified> {
        self.signer.sign(claims)
    }

    /// What a token says, if it is one of ours, and which of the audiences it is for.
    ///
    /// # Errors
    /// If it says that it is one of ours, and is not, or is not for these audiences.
    fn read(&self, token: &str, audiences: &[String]) -> Result<Option<(Json, Vec<String>)>, String> {
        let Some(token) = Token::parse(token) else { return Ok(None) };
        let issuer = text(&token.claims, "/iss");
        if issuer != legacy::ISSUER && !self.issuers.iter().any(|known| known == issuer) {
            return Ok(None);
        }
        let (id, known) = (token.key_id(), self.keys.load());
        let mut keys = known.iter().filter(|key| id.is_empty() || key.id() == id).peekable();
        if keys.peek().is_none() {
            return Err("invalid signature, no keys found".to_owned());
        }
        if !keys.any(|key| token.is_signed_with(key)) {
            return Err("go-jose/go-jose: error in cryptographic primitive".to_owned());
        }
        let mut of_token = strings(token.claims.get("aud"));
        if of_token.is_empty() {
            of_token.clone_from(&self.audiences);
        }
        let common: Vec<String> =
            of_token.iter().filter(|audience| audiences.contains(audience)).cloned().collect();
        if common.is_empty() {
            return Err(format!(
                "token audiences {} is invalid for the target audiences {}",
                listed(&of_token),
                listed(audiences)
            ));
        }
        Ok(Some((token.claims, common)))
    }
}

fn unusable(why: String) -> String {
    format!("a key of service accounts can't be used: {why}")
}

/// Checks that keys can be used, each given as PEM.
///
/// # Errors
/// If one can't.
pub(crate) fn check_keys(pems: &[String]) -> Result<(), String> {
    pems.iter().try_for_each(|pem| PublicKey::all_of_pem(pem.as_bytes()).map(drop)).map_err(unusable)
}

/// Keys that were given as PEM and that of the signer, each once.
fn all_keys(signer: &SigningKey, further: &[String]) -> Result<Vec<PublicKey>, String> {
    let mut keys: Vec<PublicKey> = Vec::new();
    for pem in further {
        keys.extend(PublicKey::all_of_pem(pem.as_bytes()).map_err(unusable)?);
    }
    keys.push(signer.public().clone());
    let mut known = Vec::new();
    keys.retain(|key| {
        let is_new = !known.contains(key);
        known.push(key.clone());
        is_new
    });
    Ok(keys)
}

/// Texts as Go prints a slice of them.
fn listed(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text).to_string()).collect();
    format!("[{}]", texts.join(" "))
}

/// Whose token it is, and which of the audiences it is for.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) user: User,
    pub(crate) audiences: Vec<String>,
}

/// The user name of an account.
pub(crate) fn user_name(namespace: &str, name: &str) -> String {
    format!("system:serviceaccount:{namespace}:{name}")
}

/// The user that an account is, as far as its name tells.
fn user_of(namespace: &str, name: &str, uid: &str) -> User {
    User {
        name: user_name(namespace, name),
        uid: uid.to_owned(),
        groups: vec![
            "system:serviceaccounts".to_owned(),
            format!("system:serviceaccounts:{namespace}"),
            "system:authenticated".to_owned(),
        ],
        ..User::default()
    }
}
