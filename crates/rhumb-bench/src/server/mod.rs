//! `bench server`: the server under load, with `--against oracle` also a kube-apiserver with etcd.
//!
//! The sides are started in turns, each alone, on the same disk, and the better of a side's turns counts for each
//! figure: how fast a machine that others use too is changes from one minute to the next, and only ever to the worse.
//! Everything is asked for as Go's clients do by default ([`go_client`]): over TLS and HTTP/2, for compressed
//! answers. The load comes from this process and shares the machine with the server; so each rate has a second figure
//! beside it, the time that the server's processes had the processors for, which doesn't count what the clients need.

pub(crate) mod go_client;
#[allow(dead_code, reason = "tests use more of it")]
pub(crate) mod https;
pub(crate) mod load;
pub(crate) mod sides;

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use go_client::Listed;
use load::{Load, Which};
use sides::{Busy, Side};

pub(crate) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Size of a run.
#[derive(Clone, Copy)]
struct Extent {
    /// Duration of each measurement.
    round: Duration,
    /// Number of pods in a list.
    listed: u64,
    /// Number of changes that watchers see.
    changes: u64,
}

const WHOLE: Extent = Extent { round: Duration::from_secs(5), listed: 10_000, changes: 400 };
const QUICK: Extent = Extent { round: Duration::from_secs(2), listed: 2_000, changes: 100 };
/// Turns per side.
const TURNS: usize = 3;
/// Number of concurrent clients.
const CLIENTS: u64 = 16;
/// Number of clients that create watched pods. With more of them kube-apiserver closes watches.
const WRITERS: u64 = 4;
/// Number of pods in the shorter list.
const FEWER: u64 = 3_000;
/// Number of watchers.
const WATCHERS: usize = 500;
/// Number of repeated lists; the fastest counts.
const LISTS: usize = 10;
/// Idle time before idle memory is measured.
const SETTLING: Duration = Duration::from_secs(3);
/// Idle time after the load before memory is measured again.
const REST: Duration = Duration::from_secs(30);

/// Whether more is better.
#[derive(Clone, Copy)]
pub(crate) enum Better {
    More,
    Less,
}

/// A measured value of one server.
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) better: Better,
}

/// Measures: `--against oracle` the real one too, `--quick` with less of everything.
pub(crate) fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let mut extent = WHOLE;
    let mut against = false;
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match (word, word == "--against" && words.next() == Some("oracle")) {
            ("--quick", _) => extent = QUICK,
            (_, true) => against = true,
            _ => return Err("usage: cargo xtask bench server [--against oracle] [--quick]".into()),
        }
    }
    both(extent, against).map_err(|error| error as Box<dyn Error>)
}

fn both(extent: Extent, against: bool) -> Outcome<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench-server");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        eprintln!("rhumb");
        let figures = measure(&|| Side::rhumb(&Side::binary()?, &folder.join("rhumb")), extent)?;
        take_better(&mut ours, figures);
        if against {
            eprintln!("kube-apiserver");
            take_better(&mut theirs, measure(&|| Side::oracle(&folder.join("oracle")), extent)?);
        }
    }
    show(&ours, &theirs, against);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Prints the figures, beside those of the other side if there are any.
pub(crate) fn show(ours: &[Figure], theirs: &[Figure], against: bool) {
    let header = if against { "kube-apiserver" } else { "" };
    println!("{:<46} {:>14} {header:>14} {:>8}", "", "rhumb", if against { "ratio" } else { "" });
    for (place, Figure { name, value, better }) in ours.iter().enumerate() {
        match theirs.get(place) {
            Some(other) => {
                let ratio = match better {
                    Better::More => value / other.value,
                    Better::Less => other.value / value,
                };
                println!("{name:<46} {value:>14.1} {:>14.1} {ratio:>6.1} x", other.value);
            }
            None => println!("{name:<46} {value:>14.1}"),
        }
    }
}

/// Takes in the figures of one more turn, where they are better.
fn take_better(best: &mut Vec<Figure>, figures: Vec<Figure>) {
    for (place, figure) in figures.into_iter().enumerate() {
        match best.get_mut(place) {
            Some(kept) => {
                kept.value = match figure.better {
                    Better::More => kept.value.max(figure.value),
                    Better::Less => kept.value.min(figure.value),
                }
            }
            None => best.push(figure),
        }
    }
}

/// Measures one server.
fn measure(start: &dyn Fn() -> Outcome<(Side, Duration)>, extent: Extent) -> Outcome<Vec<Figure>> {
    let mut figures = Vec::new();
    let mut add = |name: &str, value: f64, better| {
        eprintln!("  {name}: {value:.1}");
        figures.push(Figure { name: name.to_owned(), value, better });
    };
    // A start on an empty directory; the fastest of three, because the machine is not ours alone.
    let mut fastest = Duration::MAX;
    for _ in 0..2 {
        fastest = fastest.min(start()?.1);
    }
    let (side, took) = start()?;
    add("ms until it is ready, empty directory", fastest.min(took).as_secs_f64() * 1e3, Better::Less);
    std::thread::sleep(SETTLING);
    add("MiB resident, idle", side.resident()?, Better::Less);

    let load = Load::new(side.target.clone());
    load.namespaces()?;
    let begin = || -> Outcome<(Instant, Busy)> { Ok((Instant::now(), side.busy()?)) };
    // What a server does the first time doesn't count: the faster one is done with all within a second or two.
    load.create(CLIENTS, None, extent.listed / 10, || Ok(()))?;
    let mut begun = begin()?;
    // Both sides end with the same pods, so that what comes after them can be compared.
    let made = load.create(CLIENTS, Some(extent.round), extent.listed, || {
        begun = begin()?;
        Ok(())
    })?;
    rate(&mut add, &side, "pod creates", made, begun)?;
    load.create(CLIENTS, None, extent.listed, || Ok(()))?;
    let read = load.get(CLIENTS, extent.round, || {
        begun = begin()?;
        Ok(())
    })?;
    rate(&mut add, &side, "pod gets", read, begun)?;
    let arrived = load.watch(WRITERS, WATCHERS, extent.changes, || {
        begun = begin()?;
        Ok(())
    })?;
    rate(&mut add, &side, &format!("events to {WATCHERS} watchers"), arrived, begun)?;
    load.create_fewer(CLIENTS, FEWER)?;
    for (which, count, wanted) in [(Which::All, load.listed(), extent.listed), (Which::Fewer, FEWER, FEWER)] {
        for (name, accept) in [("JSON", go_client::JSON), ("protobuf", go_client::PROTOBUF)] {
            lists(&mut add, &side, &load, &format!("{wanted} pods, {name}"), (which, accept, count, wanted))?;
        }
    }
    add("MiB resident, after the load", side.resident()?, Better::Less);
    std::thread::sleep(REST);
    add(&format!("  {} s later", REST.as_secs()), side.resident()?, Better::Less);
    // This comes last, because servers remember for some minutes what objects were before.
    let changed = load.patch(CLIENTS, extent.round, || {
        begun = begin()?;
        Ok(())
    })?;
    rate(&mut add, &side, "pod patches", changed, begun)?;
    add("MiB resident, after them", side.resident()?, Better::Less);
    Ok(figures)
}

/// Measures lists, given the pods, format, number of pods and names of the values.
fn lists(
    add: &mut impl FnMut(&str, f64, Better),
    side: &Side,
    load: &Load,
    name: &str,
    (which, accept, count, wanted): (Which, &str, u64, u64),
) -> Outcome<()> {
    let mut lister = load.lister()?;
    let (mut best, mut listed) = (Duration::MAX, Vec::new());
    let before = side.busy()?;
    let mut after_first = before;
    for number in 0..LISTS {
        let one = lister.list(which, accept, count)?;
        best = best.min(one.took);
        listed.push(one);
        if number == 0 {
            after_first = side.busy()?;
        }
    }
    let after = side.busy()?;
    let Some(Listed { took: first, length, sent }) = listed.into_iter().next() else { return Ok(()) };
    // The faster server has made more pods when lists begin.
    let share = wanted as f64 / count as f64;
    let ms = |took: Duration| took.as_secs_f64() * 1e3 * share;
    add(&format!("ms to list {name}"), ms(best), Better::Less);
    // The first one may be slower: forms that were never asked for have to be made.
    add("  ms for the first of them", ms(first), Better::Less);
    add("  MB/s", length as f64 / 1e6 / best.as_secs_f64(), Better::More);
    add("  KB that are sent", sent as f64 / 1e3 * share, Better::Less);
    add(
        &format!("  ms of the server's time for each of {LISTS}"),
        ms(after.since(before)) / LISTS as f64,
        Better::Less,
    );
    add("  ms of it for the first of them", ms(after_first.since(before)), Better::Less);
    Ok(())
}

/// Measures a rate and the server's processor time per operation.
fn rate(
    add: &mut impl FnMut(&str, f64, Better),
    side: &Side,
    name: &str,
    done: u64,
    (begin, before): (Instant, Busy),
) -> Outcome<()> {
    let busy = side.busy()?.since(before).as_secs_f64();
    add(&format!("{name}/s"), done as f64 / begin.elapsed().as_secs_f64(), Better::More);
    add("  µs of the server's time for each", busy * 1e6 / done as f64, Better::Less);
    Ok(())
}
