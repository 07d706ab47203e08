//! What a request costs, and whether that grows as it may.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use rustix::time::{ClockId, clock_gettime};

use crate::inside::Inside;

/// Growth to the fourth may cost as much more: four times, what a logarithm adds, and room for the machine's moods.
/// What grows with the square costs sixteen times as much.
const MOST: f64 = 9.0;

/// Memory that nobody asks about.
const FREE_MEMORY: u64 = 48 << 20;

/// Memory for a byte of a request: an empty object of two bytes is a struct of a thousand.
const MEMORY_PER_BYTE: u64 = 600;

/// An answer that nobody asks about.
const FREE_ANSWER: usize = 64 << 10;

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Bytes,
}

impl Ask {
    pub(crate) fn new(method: Method, path: impl Into<String>) -> Self {
        Ask { method, path: path.into(), headers: Vec::new(), body: Bytes::new() }
    }

    pub(crate) fn with(mut self, header: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((header, value.into()));
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
    /// The time that all threads of the process were at work.
    pub(crate) time: Duration,
    /// Bytes that were sent.
    pub(crate) sent: usize,
    /// Bytes of the answer, its head included.
    pub(crate) answer: usize,
    /// How far the process's memory rose above where it was.
    pub(crate) memory: u64,
}

/// What the requests of a run cost, by what they are called.
pub(crate) type Costs = Vec<(String, Cost)>;

/// Asks, and tells what it cost.
pub(crate) async fn ask(server: &Inside, ask: Ask) -> (Cost, Bytes) {
    let sent = ask.len();
    let mut request = Request::builder().method(ask.method).uri(ask.path);
    for (name, value) in ask.headers {
        request = request.header(name, value);
    }
    let request = request.body(Full::new(ask.body)).expect("a request");
    // What others still have to do about earlier requests is done first.
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    let before = reset_peak();
    let begun = worked();
    let answer = server.api.answer(request, &server.user).await;
    let (parts, body) = answer.into_parts();
    let body = body.collect().await.expect("a body").to_bytes();
    let time = worked().saturating_sub(begun);
    let memory = memory("VmHWM:").saturating_sub(before);
    let head: usize = parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    (Cost { code: parts.status.as_u16(), time, sent, answer: body.len() + head, memory }, body)
}

fn worked() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).expect("nanoseconds"))
}

/// Forgets the highest memory so far, and returns the present one.
fn reset_peak() -> u64 {
    fs::write("/proc/self/clear_refs", "5").expect("Linux counts memory");
    memory("VmRSS:")
}

fn memory(line: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux counts memory");
    let found = status.lines().find_map(|text| text.strip_prefix(line)).expect("a line of memory");
    let kilobytes: u64 = found.trim().trim_end_matches(" kB").parse().expect("a number");
    kilobytes << 10
}

/// What a request may cost without being asked about, and what was found.
pub(crate) struct Judge {
    /// Work that is too short to tell anything.
    pub(crate) floor: Duration,
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
            found: Vec::new(),
            requests: 0,
            codes: BTreeMap::new(),
            blamed: Vec::new(),
            slowest: Vec::new(),
        }
    }

    /// Runs something for a length and for four times that, and notes what grows faster than it may. What seems to is
    /// tried again, and at twice the length, because a machine has moods and growth has none.
    pub(crate) async fn look(&mut self, name: &str, length: usize, mut run: impl AsyncFnMut(usize) -> Costs) {
        let large = run(4 * length).await;
        self.note(name, &large);
        if large.iter().all(|(_, cost)| self.is_small(cost)) {
            return;
        }
        let small = run(length).await;
        if self.compare(&small, &large).is_empty() {
            return;
        }
        let (small, large) = (least(small, run(length).await), least(large, run(4 * length).await));
        if self.compare(&small, &large).is_empty() {
            return;
        }
        let (more, most) = (run(2 * length).await, run(8 * length).await);
        let first = self.compare(&small, &large);
        let second = self.compare(&more, &most);
        for (label, fault) in first {
            if second.iter().any(|(other, _)| *other == label) {
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
            if cost.code >= 500 {
                self.blamed.push(format!("{name}: {label}: {}", shown(cost)));
            }
            self.slowest.push((cost.time, format!("{name}: {label}: {}", shown(cost))));
        }
        self.slowest.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
        self.slowest.truncate(25);
    }

    /// Whether there is nothing to compare.
    fn is_small(&self, cost: &Cost) -> bool {
        cost.time <= self.floor && !eats(cost) && cost.answer <= FREE_ANSWER + 4 * cost.sent
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
            if eats(large) {
                what.push("memory".to_owned());
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
        let mut text = format!("{} requests, by code {:?}\n", self.requests, self.codes);
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

/// Whether a request takes more memory than what was sent gives a right to.
fn eats(cost: &Cost) -> bool {
    cost.memory > FREE_MEMORY + MEMORY_PER_BYTE * cost.sent as u64
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
    let Cost { code, time, sent, answer, memory } = cost;
    format!("{code} in {time:.1?} for {sent} B, {answer} B back, {} MiB", memory >> 20)
}
