//! Tokens that lie in Secrets of the type `kubernetes.io/service-account-token`. They have no end of their own: each
//! is good as long as its Secret has it, and the account is there.

use rhumb_api::core::v1::Secret;
use rhumb_meta::{ObjectMeta, Time};
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use super::watched::Grounds;
use super::{ServiceAccounts, UsedSecret, user_name, user_of};
use crate::authentication::jwt::text;
use crate::base::identity::User;

/// Who such tokens are from.
pub(super) const ISSUER: &str = "kubernetes/serviceaccount";
/// The label of a Secret whose token nobody used for long, and is no longer taken.
const INVALID_SINCE: &str = "kubernetes.io/legacy-token-invalid-since";
/// The label of a Secret with the day on which its token was used last.
pub(crate) const LAST_USED: &str = "kubernetes.io/legacy-token-last-used";
/// A day in seconds.
const DAY: i64 = 24 * 60 * 60;
/// Where a Secret has the token.
const TOKEN: &str = "token";

/// The day of a moment, as in `2024-02-29`.
fn day(seconds: i64) -> String {
    let text = Time::from_unix(seconds, 0).to_string();
    text.split('T').next().unwrap_or_default().to_owned()
}

/// What such a token says about itself.
struct Claims<'a> {
    namespace: &'a str,
    secret: &'a str,
    account: &'a str,
    uid: &'a str,
}

impl<'a> Claims<'a> {
    fn read(claims: &'a Json) -> Result<Self, String> {
        let told = |name: &str, called: &str| {
            let found = claims.get(name).and_then(Json::as_str).filter(|found| !found.is_empty());
            found.ok_or_else(|| format!("{called} claim is missing"))
        };
        let of_account =
            |name: &str, called: &str| told(&format!("kubernetes.io/serviceaccount/{name}"), called);
        told("sub", "sub")?;
        let read = Claims {
            namespace: of_account("namespace", "namespace")?,
            secret: of_account("secret.name", "secretName")?,
            account: of_account("service-account.name", "serviceAccountName")?,
            uid: of_account("service-account.uid", "serviceAccountUID")?,
        };
        if text(claims, "/sub") != user_name(read.namespace, read.account) {
            return Err("sub claim is invalid".to_owned());
        }
        Ok(read)
    }
}

impl ServiceAccounts {
    /// Whose token of a Secret it is, and what that depends on.
    pub(super) async fn of_secret(&self, token: &str, claims: &Json) -> Result<(User, Grounds), String> {
        let Claims { namespace, secret: name, account, uid } = Claims::read(claims)?;
        let mut grounds = Grounds::default();
        let found = self.ground_object("secrets", namespace, name, &mut grounds).await?;
        let secret = found.as_ref().and_then(|found| found.downcast_ref::<Secret>());
        let secret = secret.filter(|secret| secret.metadata.deletion_timestamp.is_none());
        let Some(secret) = secret else { return Err("Token has been invalidated".to_owned()) };
        let kept = secret.data.get(TOKEN).map(|kept| kept.0.as_slice()).unwrap_or_default();
        // Digests, so that the time it takes tells nothing about what is kept.
        if Sha256::digest(kept) != Sha256::digest(token) {
            return Err("Token does not match server's copy".to_owned());
        }
        let meta = self.account(namespace, account, &mut grounds).await?;
        if meta.deletion_timestamp.is_some() {
            return Err(format!("ServiceAccount {namespace}/{account} has been deleted"));
        }
        if meta.uid != uid {
            return Err(format!("ServiceAccount UID ({}) does not match claim ({uid})", meta.uid));
        }
        self.note_use(&secret.metadata);
        if secret.metadata.labels.get(INVALID_SINCE).is_some_and(|since| !since.is_empty()) {
            return Err(format!(
                "the token in secret {namespace}/{name} for service account {namespace}/{account} has been marked \
                 invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the \
                 '{INVALID_SINCE}' label from the secret to temporarily allow use of this token"
            ));
        }
        Ok((user_of(namespace, account, uid), grounds))
    }

    /// Has the labels of a Secret say on which day its token was used last.
    fn note_use(&self, secret: &ObjectMeta) {
        let (now, _) = self.registry.environment.now();
        let (today, tomorrow) = (day(now), day(now.saturating_add(DAY)));
        // Another server may be a day ahead.
        if secret.labels.get(LAST_USED).is_some_and(|last| *last == today || *last == tomorrow) {
            return;
        }
        let used = UsedSecret {
            namespace: secret.namespace.clone(),
            name: secret.name.clone(),
            uid: secret.uid.clone(),
            day: today,
        };
        // Who writes it down may be behind; the next use of the token is noted then.
        let _ = self.used.try_send(used);
    }
}
