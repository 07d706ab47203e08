//! `/livez`, `/readyz` and `/healthz`: whether the server lives, whether it should get requests, and the older form of
//! both. Paths, texts and codes are those of kube-apiserver.

pub(crate) mod hooks;
mod log;

use std::fmt::Write;
use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;

use http::StatusCode;
use rhumb_codec::query;
use rhumb_schema::text::quoted;

pub use hooks::{Hook, PostStartHooks};

use super::shutdown::Shutdown;
use crate::base::plain::Plain;

/// What a check gives: nothing, or what is wrong.
pub type CheckResult = Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

/// Which of the three paths a check belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// All three.
    Everything,
    /// `/readyz` only: failing it keeps requests away and restarts nothing.
    Readiness,
    /// `/livez` and `/healthz`.
    Liveness,
}

/// One thing that is looked at when somebody asks how the server is.
pub struct Check {
    name: String,
    concern: Concern,
    run: Box<dyn Fn() -> CheckResult + Send + Sync>,
}

impl Check {
    /// A check. Its name becomes part of a path.
    pub fn new<F>(
        name: impl Into<String>,
        concern: Concern,
        run: impl Fn() -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), String>> + Send + 'static,
    {
        Check { name: name.into(), concern, run: Box::new(move || Box::pin(run())) }
    }
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Check").field("name", &self.name).field("concern", &self.concern).finish()
    }
}

/// The three paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Livez,
    Readyz,
    Healthz,
}

impl Endpoint {
    /// The endpoint that a path belongs to, and the check that it names; empty for all of them.
    pub(crate) fn of(path: &str) -> Option<(Endpoint, &str)> {
        [Endpoint::Livez, Endpoint::Readyz, Endpoint::Healthz].into_iter().find_map(|endpoint| {
            let rest = path.strip_prefix('/')?.strip_prefix(endpoint.name())?;
            match rest.strip_prefix('/') {
                // A slash and nothing behind it names a check without a name, which there is not.
                Some("") => Some((endpoint, "/")),
                Some(check) => Some((endpoint, check)),
                None => rest.is_empty().then_some((endpoint, "")),
            }
        })
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Endpoint::Livez => "livez",
            Endpoint::Readyz => "readyz",
            Endpoint::Healthz => "healthz",
        }
    }

    fn asks(self, concern: Concern) -> bool {
        match concern {
            Concern::Everything => true,
            Concern::Readiness => self == Endpoint::Readyz,
            Concern::Liveness => self != Endpoint::Readyz,
        }
    }
}

/// All checks, in the order in which they are told.
#[derive(Debug)]
pub(crate) struct Health {
    /// Those that are there from the beginning.
    first: Vec<Check>,
    /// Those of what stands behind the front.
    further: OnceLock<Vec<Check>>,
    last: Check,
}

impl Health {
    /// The checks that were registered, with those that every server has around them.
    pub(crate) fn new(registered: Vec<Check>, shutdown: Shutdown) -> Self {
        let ping = Check::new("ping", Concern::Everything, || std::future::ready(Ok(())));
        let first = [ping, log::check(shutdown.clone())].into_iter().chain(registered).collect();
        let last = Check::new("shutdown", Concern::Readiness, move || {
            let ending = shutdown.is_requested();
            let verdict = if ending { Err("process is shutting down".to_owned()) } else { Ok(()) };
            std::future::ready(verdict)
        });
        Health { first, further: OnceLock::new(), last }
    }

    /// Adds what is to be looked at as soon as it is there. Only the first addition counts.
    pub(crate) fn add(&self, checks: Vec<Check>) {
        let _ = self.further.set(checks);
    }

    fn checks(&self, endpoint: Endpoint) -> impl Iterator<Item = &Check> {
        let further = self.further.get().into_iter().flatten();
        let all = self.first.iter().chain(further).chain(std::iter::once(&self.last));
        all.filter(move |check| endpoint.asks(check.concern))
    }

    /// Answers for all checks, or for the one that is named.
    pub(crate) async fn answer(&self, endpoint: Endpoint, check: &str, query: &str) -> Plain {
        if check.is_empty() { self.all(endpoint, query).await } else { self.one(endpoint, check).await }
    }

    async fn one(&self, endpoint: Endpoint, name: &str) -> Plain {
        match self.checks(endpoint).find(|check| check.name == name) {
            None => Plain::not_found(),
            Some(check) => match (check.run)().await {
                Ok(()) => Plain::ok("ok"),
                Err(why) => {
                    Plain::error(StatusCode::INTERNAL_SERVER_ERROR, format!("internal server error: {why}"))
                }
            },
        }
    }

    async fn all(&self, endpoint: Endpoint, query: &str) -> Plain {
        let wishes = Wishes::of(query);
        let mut unmatched: Vec<&str> = wishes.excluded.iter().map(String::as_str).collect();
        unmatched.sort_unstable();
        unmatched.dedup();
        let mut told = String::new();
        let mut failed = false;
        for check in self.checks(endpoint) {
            let name = &check.name;
            // Writing to a string doesn't fail.
            let _ = if wishes.excluded.iter().any(|excluded| excluded == name) {
                unmatched.retain(|excluded| excluded != name);
                writeln!(told, "[+]{name} excluded: ok")
            } else if (check.run)().await.is_ok() {
                writeln!(told, "[+]{name} ok")
            } else {
                failed = true;
                // Anyone may ask, so what is wrong is not told here.
                writeln!(told, "[-]{name} failed: reason withheld")
            };
        }
        if !unmatched.is_empty() {
            let names: Vec<String> = unmatched.into_iter().map(quoted).collect();
            let _ = writeln!(
                told,
                "warn: some health checks cannot be excluded: no matches for {}",
                names.join(",")
            );
        }
        let name = endpoint.name();
        if failed {
            return Plain::error(StatusCode::INTERNAL_SERVER_ERROR, format!("{told}{name} check failed"));
        }
        let body = if wishes.verbose { format!("{told}{name} check passed\n") } else { "ok".to_owned() };
        Plain::ok(body).without_guessing()
    }
}

/// What a query asks for.
#[derive(Default)]
struct Wishes {
    verbose: bool,
    excluded: Vec<String>,
}

impl Wishes {
    fn of(text: &str) -> Self {
        let parsed = query::parse(text);
        Wishes {
            verbose: parsed.first("verbose").is_some(),
            excluded: parsed.all("exclude").map(str::to_owned).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::shutdown::ShutdownTrigger;

    fn checks() -> Vec<Check> {
        vec![
            Check::new("etcd", Concern::Everything, || std::future::ready(Ok(()))),
            Check::new("informer-sync", Concern::Readiness, || {
                std::future::ready(Err("1 informers not started yet".to_owned()))
            }),
        ]
    }

    async fn check(path: &str, query: &str, code: u16, body: &str) {
        let (_trigger, shutdown) = ShutdownTrigger::new();
        let health = Health::new(checks(), shutdown);
        let (endpoint, name) = Endpoint::of(path).unwrap();
        let answer = health.answer(endpoint, name, query).await;
        assert_eq!((answer.code.as_u16(), answer.body.as_str()), (code, body), "{path}?{query}");
    }

    #[tokio::test]
    async fn health_is_told_as_kube_apiserver_tells_it() {
        check("/livez", "", 200, "ok").await;
        check("/livez", "verbose", 200, "[+]ping ok\n[+]log ok\n[+]etcd ok\nlivez check passed\n").await;
        check(
            "/healthz",
            "verbose=0&exclude=etcd&exclude=zz&exclude=nope&exclude=zz",
            200,
            "[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\n\
             warn: some health checks cannot be excluded: no matches for \"nope\",\"zz\"\nhealthz check passed\n",
        )
        .await;
        check(
            "/readyz",
            "",
            500,
            "[+]ping ok\n[+]log ok\n[+]etcd ok\n[-]informer-sync failed: reason withheld\n[+]shutdown ok\n\
             readyz check failed\n",
        )
        .await;
        check("/readyz", "exclude=informer%2Dsync", 200, "ok").await;
        check(
            "/livez",
            "exclude=%zz&exclude=etcd;ping&verbose&x=%zz",
            200,
            "[+]ping ok\n[+]log ok\n[+]etcd ok\nlivez check passed\n",
        )
        .await;
        check("/readyz/informer-sync", "", 500, "internal server error: 1 informers not started yet\n").await;
        check("/livez/informer-sync", "", 404, "404 page not found\n").await;
        check("/livez/", "", 404, "404 page not found\n").await;
        check("/livez/ping/", "", 404, "404 page not found\n").await;
        assert!(Endpoint::of("/livezz").is_none());
    }

    #[tokio::test]
    async fn a_server_that_ends_is_not_ready() {
        let (trigger, shutdown) = ShutdownTrigger::new();
        let health = Health::new(Vec::new(), shutdown);
        trigger.pull();
        let answer = health.answer(Endpoint::Readyz, "", "").await;
        assert_eq!(
            answer.body,
            "[+]ping ok\n[+]log ok\n[-]shutdown failed: reason withheld\nreadyz check failed\n"
        );
        assert_eq!(health.answer(Endpoint::Livez, "", "").await.body, "ok");
    }
}
