//! What a request costs, and whether that grows as it may.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use peak_alloc::PeakAlloc;
use rhumb_server::identity::User;
use rustix::time::{ClockId, clock_gettime};

use crate::faults::Faults;
use crate::inside::Inside;

/// What may be answered with a 5xx.
static FAULTS: LazyLock<Faults> = LazyLock::new(Faults::read);

/// Counts what the process has allocated. What the kernel gave it tells less: what was freed for one request is there
/// for the next.
#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Why nothing is applied to a set of lists. Kubernetes has a 500 for it, too, with this at its end.
const LISTS_IN_SETS: &str = "not supported: associative list with lists as elements";

/// Growth to the fourth may cost as much more: four times, what a logarithm adds, and room for the machine's moods.
/// What grows with the square costs sixteen times as much.
const MOST: f64 = 9.0;

/// Memory that is too little to tell anything by its growth.
const LITTLE_MEMORY: usize = 8 << 20;

/// The least that memory counts as when it is compared.
const LEAST_MEMORY: usize = 256 << 10;

/// Memory that nobody asks about, however it grows.
const FREE_MEMORY: usize = 48 << 20;

/// Memory for a byte of a request: an empty object of two bytes is a struct of a thousand.
const MEMORY_PER_BYTE: usize = 600;

/// An answer that nobody asks about.
const FREE_ANSWER: usize = 64 << 10;

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// Whoever may do everything.
    Master,
    /// Whoever may do everything in the namespace but grant more than it has.
    Keeper,
    /// The same, and it has all that the role has which is looked at.
    Owner,
}

impl Who {
    /// What it is called, for those that are no masters.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Who::Master => "admin",
            Who::Keeper => "keeper",
            Who::Owner => "owner",
        }
    }
}

/// How much of an answer is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reads {
    All,
    /// The first part that comes, of answers that don't end.
    First,
}

/// How long the first part of an answer may take.
const FIRST: Duration = Duration::from_secs(60);

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    who: Who,
    reads: Reads,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Bytes,
}

impl Ask {
    pub(crate) fn new(method: Method, path: impl Into<String>) -> Self {
        Ask {
            who: Who::Master,
            reads: Reads::All,
            method,
            path: path.into(),
            headers: Vec::new(),
            body: Bytes::new(),
        }
    }

    pub(crate) fn with(mut self, header: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((header, value.into()));
        self
    }

    /// The same, asked by somebody else.
    pub(crate) fn by(mut self, who: Who) -> Self {
        self.who = who;
        self
    }

    /// The same, of whose answer only the begin is read.
    pub(crate) fn begun_only(mut self) -> Self {
        self.reads = Reads::First;
        self
    }

    pub(crate) fn sending(self, form: &str, body: impl Into<Bytes>) -> Self {
        let mut sending = self.with("content-type", form);
        sending.body = body.into();
        sending
    }

    /// How long it is altogether.
    fn len(&self) -> usize {
        let headers: usize = self.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        self.path.len() + headers + self.body.len()
    }
}

/// What a request cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) code: u16,
    /// Whether the server takes a blame that Kubernetes does not.
    pub(crate) is_blamed: bool,
    /// The time that all threads of the process were at work.
    pub(crate) time: Duration,
    /// Bytes that were sent.
    pub(crate) sent: usize,
    /// Bytes of the answer, its head included.
    pub(crate) answer: usize,
    /// How far what the process has allocated rose above where it was.
    pub(crate) memory: usize,
}

/// What the requests of a run cost, by what they are called.
pub(crate) type Costs = Vec<(String, Cost)>;

/// Asks, and tells what it cost.
pub(crate) async fn ask(server: &Inside, ask: Ask) -> (Cost, Bytes) {
    let sent = ask.len();
    let (who, reads) = (ask.who, ask.reads);
    let mut request = Request::builder().method(ask.method).uri(ask.path);
    for (name, value) in ask.headers {
        request = request.header(name, value);
    }
    let request = request.body(Full::new(ask.body)).expect("a request");
    // What others still have to do about earlier requests is done first.
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    let user = match who {
        Who::Master => server.user.clone(),
        other => User {
            name: other.name().to_owned(),
            groups: vec!["system:authenticated".to_owned()],
            ..User::default()
        },
    };
    let begun = Spent::until_now();
    let answer = server.api.answer(request, &user).await;
    let (parts, mut body) = answer.into_parts();
    let body = match reads {
        Reads::All => body.collect().await.expect("a body").to_bytes(),
        Reads::First => {
            let first = tokio::time::timeout(FIRST, body.frame()).await.expect("an event");
            let first = first.and_then(Result::ok);
            let first = first.and_then(|frame| frame.into_data().ok());
            first.map(Full::new).unwrap_or_default().collect().await.expect("a body").to_bytes()
        }
    };
    let (time, memory) = begun.since();
    let head: usize = parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    let code = parts.status.as_u16();
    let told = String::from_utf8_lossy(&body);
    let is_blamed = code >= 500 && !FAULTS.has(code, &told) && !told.contains(LISTS_IN_SETS);
    (Cost { code, is_blamed, time, sent, answer: body.len() + head, memory }, body)
}

/// The work and memory of the process until some moment.
pub(crate) struct Spent {
    time: Duration,
    memory: usize,
}

impl Spent {
    pub(crate) fn until_now() -> Self {
        ALLOCATOR.reset_peak_usage();
        Spent { time: worked(), memory: ALLOCATOR.current_usage() }
    }

    /// What was spent since: work, and how far memory rose.
    pub(crate) fn since(&self) -> (Duration, usize) {
        (worked().saturating_sub(self.time), ALLOCATOR.peak_usage().saturating_sub(self.memory))
    }
}

fn worked() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).expect("nanoseconds"))
}

/// What a request may cost without being asked about, and what was found.
pub(crate) struct Judge {
    /// Work that is too short to tell anything.
    pub(crate) floor: Duration,
    /// How much the process had worked before.
    begun: Duration,
    /// What is wrong.
    pub(crate) found: Vec<String>,
    /// How many requests were looked at.
    pub(crate) requests: usize,
    /// How many were told by each code.
    pub(crate) codes: BTreeMap<u16, usize>,
    /// What the server took the blame for.
    pub(crate) blamed: Vec<String>,
    /// What took longest, with how it is called.
    pub(crate) slowest: Vec<(Duration, String)>,
}

impl Judge {
    pub(crate) fn new(floor: Duration) -> Self {
        Judge {
            floor,
            begun: worked(),
            found: Vec::new(),
            requests: 0,
            codes: BTreeMap::new(),
            blamed: Vec::new(),
            slowest: Vec::new(),
        }
    }

    /// Runs something for a length and for four times that, and notes what grows faster than it may. What seems to is
    /// tried again, and at twice the length, because a machine has moods and growth has none.
    /// A greater length may be refused early, which says nothing about what is taken.
    pub(crate) async fn look(&mut self, name: &str, length: usize, run: impl AsyncFnMut(usize) -> Costs) {
        let mut run = run;
        let mut noted = async |judge: &mut Judge, length: usize| {
            let costs = run(length).await;
            judge.note(name, &costs);
            costs
        };
        let large = noted(self, 4 * length).await;
        if large.iter().all(|(_, cost)| self.is_small(cost)) {
            return;
        }
        let small = noted(self, length).await;
        if self.compare(&small, &large).is_empty() {
            return;
        }
        let small = least(small, noted(self, length).await);
        let large = least(large, noted(self, 4 * length).await);
        let first = self.compare(&small, &large);
        if first.is_empty() {
            return;
        }
        let (more, most) = (noted(self, 2 * length).await, noted(self, 8 * length).await);
        let second = self.compare(&more, &most);
        for (label, fault) in first {
            let is_refused = code(&most, &label) != code(&large, &label);
            if is_refused || second.iter().any(|(other, _)| *other == label) {
                let found = format!("{name}: {label}: {length} and {}: {fault}", 4 * length);
                // A long run may be ended before it is through.
                println!("{found}");
                self.found.push(found);
            }
        }
    }

    fn note(&mut self, name: &str, costs: &Costs) {
        for (label, cost) in costs {
            self.requests += 1;
            *self.codes.entry(cost.code).or_default() += 1;
            if cost.is_blamed {
                self.blamed.push(format!("{name}: {label}: {}", shown(cost)));
            }
            self.slowest.push((cost.time, format!("{name}: {label}: {}", shown(cost))));
        }
        self.slowest.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
        self.slowest.truncate(25);
    }

    /// Whether there is nothing to compare.
    fn is_small(&self, cost: &Cost) -> bool {
        cost.time <= self.floor && cost.memory <= LITTLE_MEMORY && cost.answer <= FREE_ANSWER + 4 * cost.sent
    }

    fn compare(&self, small: &Costs, large: &Costs) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        for (label, large) in large {
            let Some((_, small)) = small.iter().find(|(other, _)| other == label) else { continue };
            let times = large.time.as_secs_f64() / small.time.as_secs_f64().max(0.000_2);
            let answers = large.answer as f64 / small.answer.max(512) as f64;
            let mut what = Vec::new();
            if large.time > self.floor && times > MOST {
                what.push(format!("{times:.1} times the time"));
            }
            if large.answer > FREE_ANSWER && answers > MOST {
                what.push(format!("{answers:.1} times the answer"));
            }
            let memory = large.memory as f64 / small.memory.max(LEAST_MEMORY) as f64;
            if large.memory > LITTLE_MEMORY && memory > MOST {
                what.push(format!("{memory:.1} times the memory"));
            }
            if eats(large) {
                what.push("much memory".to_owned());
            }
            if !what.is_empty() {
                let text = format!("{}: {} and {}", what.join(", "), shown(small), shown(large));
                faults.push((label.clone(), text));
            }
        }
        faults
    }

    /// What was seen, for people.
    pub(crate) fn summary(&self) -> String {
        let mut text = format!(
            "{} requests in {:.0?} of work, by code {:?}\n",
            self.requests,
            worked().saturating_sub(self.begun),
            self.codes
        );
        for line in &self.blamed {
            let _ = writeln!(text, "  {line}");
        }
        text.push_str("the slowest:\n");
        for (_, line) in &self.slowest {
            let _ = writeln!(text, "  {line}");
        }
        text
    }
}

/// The code that a request was answered with.
fn code(costs: &Costs, label: &str) -> Option<u16> {
    costs.iter().find(|(known, _)| known == label).map(|(_, cost)| cost.code)
}

/// Whether a request takes more memory than what was sent gives a right to.
fn eats(cost: &Cost) -> bool {
    cost.memory > FREE_MEMORY + MEMORY_PER_BYTE * cost.sent
}

/// The least of two runs, which is what the machine disturbed least.
fn least(mut one: Costs, other: Costs) -> Costs {
    for (label, cost) in &mut one {
        if let Some((_, again)) = other.iter().find(|(known, _)| known == label) {
            cost.time = cost.time.min(again.time);
            cost.memory = cost.memory.min(again.memory);
        }
    }
    one
}

fn shown(cost: &Cost) -> String {
    let Cost { code, time, sent, answer, memory, .. } = cost;
    format!("{code} in {time:.1?} for {sent} B, {answer} B back, {} MiB", memory >> 20)
}
