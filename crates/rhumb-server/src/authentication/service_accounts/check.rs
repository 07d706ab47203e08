//! Whose token it is: its time, its account, and what it is bound to.

use std::collections::BTreeMap;

use rhumb_meta::ObjectMeta;
use rhumb_schema::text::quoted;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use super::watched::{Grounds, Watched};
use super::{Accounts, Known, ServiceAccounts, legacy, user_of};
use crate::authentication::jwt::{seconds, text};
use crate::base::identity::User;

/// How far clocks may be apart.
const LEEWAY: i64 = 60;
/// What the names of all that a token tells about its user begin with.
const EXTRA: &str = "authentication.kubernetes.io/";

impl ServiceAccounts {
    /// Whose token it is, if it is a good one of a service account.
    pub(crate) async fn authenticate_token(&self, token: &str) -> Option<User> {
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
        let Some(accounts) = &self.issuer else { return Ok(None) };
        if !audiences.is_empty() {
            return Ok(self.look(accounts, token, audiences).await?.map(|watched| watched.known));
        }
        let digest: [u8; 32] = Sha256::digest(token).into();
        let elapsed = self.registry.environment.elapsed();
        if let Some(watched) = accounts.remembered.get(&digest, elapsed)
            && watched.still_holds(self.registry.environment.now().0).await
        {
            return Ok(Some(watched.known));
        }
        let Some(watched) = self.look(accounts, token, accounts.audiences()).await? else { return Ok(None) };
        accounts.remembered.put(digest, watched.clone(), elapsed);
        Ok(Some(watched.known))
    }

    /// Looks at a token and all that it depends on.
    async fn look(
        &self,
        accounts: &Accounts,
        token: &str,
        audiences: &[String],
    ) -> Result<Option<Watched>, String> {
        let Some((claims, audiences)) = accounts.read(token, audiences)? else { return Ok(None) };
        if text(&claims, "/iss") == legacy::ISSUER {
            let (user, grounds) = self.of_secret(token, &claims).await?;
            return Ok(Some(Watched { known: Known { user, audiences }, grounds }));
        }
        let mut grounds = Grounds::default();
        self.check_time(&claims, &mut grounds)?;
        let namespace = text(&claims, "/kubernetes.io/namespace");
        let name = text(&claims, "/kubernetes.io/serviceaccount/name");
        let uid = text(&claims, "/kubernetes.io/serviceaccount/uid");
        let account = self.account(namespace, name, &mut grounds).await?;
        if account.uid != uid {
            return Err(format!("service account UID ({}) does not match claim ({uid})", account.uid));
        }
        if self.is_over(&account, &mut grounds) {
            return Err(format!("service account {namespace}/{name} has been deleted"));
        }
        let mut extra = BTreeMap::new();
        for (kind, resource) in [("secret", "secrets"), ("pod", "pods"), ("node", "nodes")] {
            self.check_bound(&claims, kind, resource, namespace, &mut extra, &mut grounds).await?;
        }
        let id = text(&claims, "/jti");
        if !id.is_empty() {
            extra.insert(format!("{EXTRA}credential-id"), vec![format!("JTI={id}")]);
        }
        let user = User { extra, ..user_of(namespace, name, uid) };
        Ok(Some(Watched { known: Known { user, audiences }, grounds }))
    }

    /// The metadata of the account that a token is of.
    pub(super) async fn account(
        &self,
        namespace: &str,
        name: &str,
        grounds: &mut Grounds,
    ) -> Result<ObjectMeta, String> {
        let found = self.ground("serviceaccounts", namespace, name, grounds).await?;
        found.ok_or_else(|| format!("serviceaccounts {} not found", quoted(name)))
    }

    fn check_time(&self, claims: &Json, grounds: &mut Grounds) -> Result<(), String> {
        let (now, _) = self.registry.environment.now();
        if seconds(claims, "nbf").is_some_and(|from| now.saturating_add(LEEWAY) < from) {
            return Err("service account token is not valid yet".to_owned());
        }
        let until = seconds(claims, "exp").map(|until| until.saturating_add(LEEWAY));
        let Some(until) = until.filter(|until| now <= *until) else {
            return Err("service account token has expired".to_owned());
        };
        grounds.end_by(until);
        if seconds(claims, "iat").is_some_and(|from| now.saturating_add(LEEWAY) < from) {
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
        grounds: &mut Grounds,
    ) -> Result<(), String> {
        let Some(bound) = claims.pointer(&format!("/kubernetes.io/{kind}")) else { return Ok(()) };
        let (name, uid) = (text(bound, "/name"), text(bound, "/uid"));
        let told = kind == "node" && claims.pointer("/kubernetes.io/pod").is_some();
        if !told {
            let namespace = if kind == "node" { "" } else { namespace };
            let Some(found) = self.ground(resource, namespace, name, grounds).await? else {
                return Err("service account token has been invalidated".to_owned());
            };
            if found.uid != uid {
                return Err(format!(
                    "{kind} UID ({}) does not match service account {kind} ref claim ({uid})",
                    found.uid
                ));
            }
            if self.is_over(&found, grounds) {
                return Err("service account token has been invalidated".to_owned());
            }
        }
        if kind != "secret" {
            extra.insert(format!("{EXTRA}{kind}-name"), vec![name.to_owned()]);
            extra.insert(format!("{EXTRA}{kind}-uid"), vec![uid.to_owned()]);
        }
        Ok(())
    }

    /// Whether an object was deleted, and its finalizers have had their time.
    fn is_over(&self, meta: &ObjectMeta, grounds: &mut Grounds) -> bool {
        let (now, _) = self.registry.environment.now();
        let Some(deleted) = &meta.deletion_timestamp else { return false };
        let until = deleted.unix_seconds().saturating_add(LEEWAY);
        grounds.end_by(until);
        now > until
    }
}
