//! Report of a run: a table and a verdict.

use std::fmt::Write;
use std::time::Duration;

use super::attacked::{Panics, Sample};
use super::options::Bounds;
use super::polite::{Came, Seen, Timed};
use super::prepare::Leaked;
use super::tally::Counts;

/// A kind of resource of the machine, and how many of it a server has.
type Kept = (&'static str, fn(&Sample) -> u64);

/// What a server has of the machine beside memory.
const KEPT: [Kept; 3] =
    [("threads", |of| of.threads), ("open files", |of| of.files), ("connections", |of| of.sockets)];
/// How many more of each there may be after the rest: threads of the pool for blocking work, and files of the store,
/// come and go with the polite user's writes. Connections don't.
const FEW: [u64; 3] = [4, 4, 0];
/// How long a watch is left to its client at least.
const WATCH: Duration = Duration::from_secs(1_800);
/// Maximum number of the polite user's errors shown.
const SHOWN: usize = 5;

/// Latencies of the polite user in a phase.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latency {
    pub(crate) requests: usize,
    /// Milliseconds.
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) max: f64,
    /// Number of refusals with a retry time.
    pub(crate) later: usize,
    pub(crate) errors: Vec<String>,
}

impl Latency {
    /// Computes the latencies of some requests.
    pub(crate) fn of(requests: &[Timed]) -> Self {
        let answered = requests.iter().filter(|timed| timed.result != Ok(Came::Later));
        let mut took: Vec<Duration> = answered.map(|timed| timed.took).collect();
        took.sort_unstable();
        let milliseconds = |took: &Duration| took.as_secs_f64() * 1e3;
        let at = |share: f64| match ((requests.len() as f64 * share).ceil() as usize).checked_sub(1) {
            Some(place) => took.get(place).map_or(f64::INFINITY, milliseconds),
            None => 0.0,
        };
        Latency {
            requests: requests.len(),
            p50: at(0.5),
            p99: at(0.99),
            max: took.last().map_or(0.0, milliseconds),
            later: requests.len() - took.len(),
            errors: requests.iter().filter_map(|timed| timed.result.clone().err()).collect(),
        }
    }
}

/// Results of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) quiet: Latency,
    pub(crate) attacked: Latency,
    pub(crate) rested: Latency,
    pub(crate) polite: Seen,
    pub(crate) counts: Counts,
    /// Samples before the attack with all objects created, at the peak, and after the rest.
    pub(crate) idle: Sample,
    pub(crate) peak: Sample,
    pub(crate) after: Sample,
    /// How many watches there were before the attack and after the rest.
    pub(crate) idle_watches: u64,
    pub(crate) after_watches: u64,
    /// Duration of the attack, and the attackers' processor time in seconds.
    pub(crate) attack: Duration,
    pub(crate) attackers_busy: f64,
    pub(crate) panics: Panics,
    /// Leaks after the rest, and after the server had time to repair them.
    pub(crate) leaked: Leaked,
    pub(crate) still_leaked: Leaked,
    pub(crate) is_ready: bool,
    /// Failures of the server itself, such as its end.
    pub(crate) broken: Vec<String>,
}

/// Returns the table.
pub(crate) fn table(figures: &Figures) -> String {
    let mut out = String::new();
    // Writing to a string doesn't fail.
    let _ = write(&mut out, figures);
    out
}

fn write(out: &mut String, figures: &Figures) -> std::fmt::Result {
    let phases = [&figures.quiet, &figures.attacked, &figures.rested];
    writeln!(out, "{:<34} {:>10} {:>10} {:>10}", "polite user", "quiet", "attacked", "after")?;
    let mut row = |name: &str, of: &dyn Fn(&Latency) -> f64, digits: usize| {
        write!(out, "  {name:<32}")?;
        for phase in phases {
            write!(out, " {:>10.digits$}", of(phase))?;
        }
        writeln!(out)
    };
    row("requests", &|phase| phase.requests as f64, 0)?;
    row("p50 ms", &|phase| phase.p50, 1)?;
    row("p99 ms", &|phase| phase.p99, 1)?;
    row("max ms", &|phase| phase.max, 1)?;
    row("told to come again", &|phase| phase.later as f64, 0)?;
    row("errors", &|phase| phase.errors.len() as f64, 0)?;
    for error in phases.iter().flat_map(|phase| &phase.errors).take(SHOWN) {
        writeln!(out, "    {error}")?;
    }
    let seen = &figures.polite;
    writeln!(
        out,
        "  {} writes, {} events; watch begun {} times, connection made anew {} times",
        seen.writes, seen.events, seen.watches, seen.connections
    )?;
    writeln!(out, "\n{:<20} {:>6} {:>8} {:>11}  endings", "attack", "rounds", "requests", "slowest s")?;
    for (name, row) in &figures.counts.rows {
        let requests: u64 = row.endings.values().sum();
        let endings: Vec<String> =
            row.endings.iter().map(|(ending, count)| format!("{ending} × {count}")).collect();
        let (rounds, slowest) = (row.rounds, row.slowest.as_secs_f64());
        writeln!(out, "{name:<20} {rounds:>6} {requests:>8} {slowest:>11.1}  {}", endings.join(", "))?;
    }
    for fault in &figures.counts.shown {
        writeln!(out, "    {fault}")?;
    }
    let (idle, peak, after) = (&figures.idle, &figures.peak, &figures.after);
    writeln!(out, "\n{:<34} {:>10} {:>10} {:>10}", "server", "before", "highest", "after")?;
    writeln!(
        out,
        "  {:<32} {:>10.1} {:>10.1} {:>10.1}",
        "MiB resident", idle.resident, peak.highest, after.resident
    )?;
    for (name, of) in KEPT {
        writeln!(out, "  {name:<32} {:>10} {:>10} {:>10}", of(idle), of(peak), of(after))?;
    }
    writeln!(
        out,
        "  {:<32} {:>10} {:>10} {:>10}",
        "watches", figures.idle_watches, "", figures.after_watches
    )?;
    writeln!(
        out,
        "  in {:.0} s of attack the server had the processors for {:.1} s, the attackers for {:.1} s; the polite user \
         for {:.1} s in all",
        figures.attack.as_secs_f64(),
        peak.busy - idle.busy,
        figures.attackers_busy,
        seen.busy
    )?;
    writeln!(out, "  panics: {}", figures.panics.count)?;
    for line in &figures.panics.shown {
        writeln!(out, "    {line}")?;
    }
    let leaked =
        |leaked: &Leaked| format!("{} ports, {} addresses", leaked.ports.len(), leaked.addresses.len());
    write!(out, "  leaked after the rest: {}", leaked(&figures.leaked))?;
    if !figures.leaked.is_nothing() {
        write!(out, "; after the repair: {}", leaked(&figures.still_leaked))?;
    }
    writeln!(out, "\n  ready: {}", if figures.is_ready { "yes" } else { "no" })
}

/// Returns the violated bounds as sentences.
pub(crate) fn judge(figures: &Figures, bounds: &Bounds) -> Vec<String> {
    let mut wrong = figures.broken.clone();
    judge_polite(figures, bounds, &mut wrong);
    if figures.peak.highest >= bounds.memory {
        wrong.push(format!(
            "the server had {:.0} MiB, not under {:.0} MiB",
            figures.peak.highest, bounds.memory
        ));
    }
    judge_rest(figures, bounds, &mut wrong);
    if figures.panics.count > 0 {
        wrong.push(format!("there were {} panics", figures.panics.count));
    }
    if !figures.is_ready {
        wrong.push("the server is not ready".to_owned());
    }
    if figures.counts.faults > 0 {
        wrong.push(format!("{} answers to attackers blame the server (5xx but 504)", figures.counts.faults));
    }
    wrong
}

/// Whether the polite user had what it asked for, and in time.
fn judge_polite(figures: &Figures, bounds: &Bounds, wrong: &mut Vec<String>) {
    let (quiet, attacked) = (figures.quiet.p99, figures.attacked.p99);
    let phases = [&figures.quiet, &figures.attacked, &figures.rested];
    if phases.iter().any(|phase| phase.requests == 0) {
        wrong.push("the polite user asked nothing".to_owned());
    }
    for (name, phase) in [("before", &figures.quiet), ("after", &figures.rested)] {
        if phase.later > 0 {
            wrong.push(format!(
                "{name} the attack the polite user was told to come again {} times",
                phase.later
            ));
        }
    }
    if attacked >= bounds.latency {
        wrong.push(format!("the polite user's p99 was {attacked:.1} ms, not under {:.0} ms", bounds.latency));
    }
    if attacked >= bounds.latency_floor && attacked >= quiet * bounds.times_quiet {
        wrong.push(format!(
            "the polite user's p99 was {attacked:.1} ms, not under {} times the quiet one of {quiet:.1} ms",
            bounds.times_quiet
        ));
    }
    let longest = phases.iter().map(|phase| phase.max).fold(0.0, f64::max);
    if longest >= bounds.wait * 1e3 {
        wrong.push(format!("the polite user waited {longest:.0} ms, not under {:.0} s", bounds.wait));
    }
    let errors: usize = phases.iter().map(|phase| phase.errors.len()).sum();
    if errors > 0 {
        wrong.push(format!("the polite user had {errors} errors"));
    }
    let seen = &figures.polite;
    if seen.events < seen.writes {
        wrong.push(format!("the polite user's watch had {} events of {} writes", seen.events, seen.writes));
    }
    let most = 1 + figures.attack.as_secs() / WATCH.as_secs();
    if seen.watches > most {
        wrong.push(format!("the polite user's watch was begun {} times, not up to {most}", seen.watches));
    }
}

/// Whether everything was given back after the rest.
fn judge_rest(figures: &Figures, bounds: &Bounds, wrong: &mut Vec<String>) {
    let (after, idle) = (figures.after.resident, figures.idle.resident);
    if after > idle * bounds.times_idle {
        wrong.push(format!(
            "after the rest the server had {after:.0} MiB, more than {} times the {idle:.0} MiB of before",
            bounds.times_idle
        ));
    }
    for ((name, of), few) in KEPT.into_iter().zip(FEW) {
        let (before, after) = (of(&figures.idle), of(&figures.after));
        if after > before + few {
            wrong.push(format!("after the rest there were {after} {name}, and {before} before"));
        }
    }
    if figures.after_watches > figures.idle_watches {
        wrong.push(format!(
            "after the rest there were {} watches, and {} before",
            figures.after_watches, figures.idle_watches
        ));
    }
    if !figures.still_leaked.is_nothing() {
        wrong.push(format!(
            "ports {:?} and addresses {:?} are leaked",
            figures.still_leaked.ports, figures.still_leaked.addresses
        ));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::attack::options::Options;

    fn good() -> Figures {
        let latency = |p99| Latency { requests: 1, p99, ..Latency::default() };
        let sample = |resident| Sample { resident, highest: resident, ..Sample::default() };
        Figures {
            quiet: latency(10.0),
            attacked: latency(29.0),
            rested: latency(10.0),
            idle: sample(100.0),
            peak: sample(299.0),
            after: sample(150.0),
            is_ready: true,
            ..Figures::default()
        }
    }

    fn check(change: impl FnOnce(&mut Figures), expect: &[&str]) {
        let mut figures = good();
        change(&mut figures);
        assert_eq!(judge(&figures, &Options::default().bounds), expect);
    }

    #[test]
    fn what_does_not_hold_is_said() {
        check(|_| {}, &[]);
        check(
            |figures| figures.attacked.p99 = 120.0,
            &[
                "the polite user's p99 was 120.0 ms, not under 100 ms",
                "the polite user's p99 was 120.0 ms, not under 3 times the quiet one of 10.0 ms",
            ],
        );
        // A multiple of very little is little, for as long as the scheduler explains it.
        check(|figures| (figures.quiet.p99, figures.attacked.p99) = (1.0, 11.0), &[]);
        check(
            |figures| (figures.quiet.p99, figures.attacked.p99) = (1.0, 13.0),
            &["the polite user's p99 was 13.0 ms, not under 3 times the quiet one of 1.0 ms"],
        );
        check(|figures| figures.attacked.max = 5_000.0, &["the polite user waited 5000 ms, not under 5 s"]);
        check(|figures| figures.peak.highest = 301.0, &["the server had 301 MiB, not under 300 MiB"]);
        check(|figures| figures.is_ready = false, &["the server is not ready"]);
        check(|figures| figures.panics.count = 2, &["there were 2 panics"]);
        check(
            |figures| figures.counts.faults = 1,
            &["1 answers to attackers blame the server (5xx but 504)"],
        );
        check(|figures| figures.rested.errors.push("x".to_owned()), &["the polite user had 1 errors"]);
        check(|figures| figures.rested.requests = 0, &["the polite user asked nothing"]);
        check(
            |figures| figures.rested.later = 1,
            &["after the attack the polite user was told to come again 1 times"],
        );
    }

    #[test]
    fn a_watch_has_an_event_of_every_write_however_often_it_is_begun() {
        check(
            |figures| (figures.polite.watches, figures.polite.writes, figures.polite.events) = (2, 9, 8),
            &[
                "the polite user's watch had 8 events of 9 writes",
                "the polite user's watch was begun 2 times, not up to 1",
            ],
        );
        let hour = Duration::from_secs(3_600);
        check(|figures| (figures.polite.watches, figures.attack) = (3, hour), &[]);
    }

    #[test]
    fn what_is_not_given_back_is_said() {
        check(
            |figures| figures.after.resident = 151.0,
            &["after the rest the server had 151 MiB, more than 1.5 times the 100 MiB of before"],
        );
        check(|figures| (figures.after.threads, figures.after.files) = (4, 4), &[]);
        check(|figures| figures.after.threads = 5, &["after the rest there were 5 threads, and 0 before"]);
        check(|figures| figures.after.files = 5, &["after the rest there were 5 open files, and 0 before"]);
        check(
            |figures| figures.after.sockets = 1,
            &["after the rest there were 1 connections, and 0 before"],
        );
        check(|figures| figures.after_watches = 2, &["after the rest there were 2 watches, and 0 before"]);
        check(
            |figures| figures.still_leaked.ports.push(30_000),
            &["ports [30000] and addresses [] are leaked"],
        );
    }

    #[test]
    fn percentiles_are_of_all_requests_and_a_refusal_is_no_quick_answer() {
        let begun = Instant::now();
        let mut requests: Vec<Timed> = (1..=100)
            .map(|took| Timed { begun, took: Duration::from_millis(took), result: Ok(Came::Well) })
            .collect();
        let latency = Latency::of(&requests);
        assert_eq!((latency.p50, latency.p99, latency.max), (50.0, 99.0, 100.0));
        assert_eq!(Latency::of(&[]).p99, 0.0);
        for timed in requests.iter_mut().take(2) {
            timed.result = Ok(Came::Later);
        }
        let latency = Latency::of(&requests);
        assert_eq!((latency.p50, latency.p99, latency.max), (52.0, f64::INFINITY, 100.0));
        assert_eq!(latency.later, 2);
    }

    #[test]
    fn the_table_has_what_was_counted() {
        let mut figures = good();
        figures.attacked.errors.push("GET /x: 500".to_owned());
        let row = figures.counts.rows.entry("patterns").or_default();
        row.endings.insert(crate::attack::tally::Ending::Status(429), 7);
        let table = table(&figures);
        for part in ["GET /x: 500", "patterns", "429 × 7", "ready: yes", "MiB resident", "connections"] {
            assert!(table.contains(part), "{part} is not in\n{table}");
        }
    }
}
