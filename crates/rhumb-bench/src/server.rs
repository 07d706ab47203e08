//! `bench server`: the server under load, and with `--against oracle` a kube-apiserver with its etcd under the same.
//!
//! The sides are started in turns, each alone, on the same disk, and the better of a side's turns counts for each
//! figure: how fast a machine that others use too is changes from one minute to the next, and only ever to the worse.
//! Everything goes over TLS and HTTP/1.1, but lists, which are asked for as Go's clients do by default: over HTTP/2
//! and compressed. The load comes from this process and shares the machine with the server; so
//! each rate has a second figure beside it, the time that the server's processes had the processors for, which doesn't
//! count what the clients need.

mod asking;
mod following;
mod go_client;
pub(crate) mod https;
pub(crate) mod load;
pub(crate) mod sides;

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use go_client::Listed;
use load::Load;
use sides::Side;

pub(crate) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// How much is done.
#[derive(Clone, Copy)]
struct Extent {
    /// How long each rate is measured for.
    round: Duration,
    /// How many pods a list has.
    listed: u64,
    /// How many changes watchers see.
    changes: u64,
}

const WHOLE: Extent = Extent { round: Duration::from_secs(5), listed: 10_000, changes: 400 };
const QUICK: Extent = Extent { round: Duration::from_secs(2), listed: 2_000, changes: 100 };
/// How many turns each side has.
const TURNS: usize = 3;
/// How many clients ask at once.
const CLIENTS: u64 = 16;
/// How many clients make the pods that are watched. With more of them kube-apiserver cuts watchers off.
const WRITERS: u64 = 4;
/// How many watchers a change goes to.
const WATCHERS: usize = 500;
/// How often a list is asked for; the fastest counts.
const LISTS: usize = 10;
/// How long a server has nothing to do before its memory counts as that of an idle one.
const SETTLING: Duration = Duration::from_secs(3);
/// How long it is left alone after the load before its memory is looked at once more.
const REST: Duration = Duration::from_secs(30);

/// Whether more is better.
#[derive(Clone, Copy)]
pub(crate) enum Better {
    More,
    Less,
}

/// A figure of one server.
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

/// All figures of one server.
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
    let begin = || -> Outcome<(Instant, Duration)> { Ok((Instant::now(), side.busy()?)) };
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
    for (name, accept) in [("JSON", https::JSON), ("protobuf", load::PROTOBUF)] {
        // The first one may be slower: forms that were never asked for have to be made.
        let (mut best, mut first, mut size) = (Duration::MAX, Duration::ZERO, 0);
        let busy = side.busy()?;
        for number in 0..LISTS {
            let Listed { took, length } = load.list(accept)?;
            if number == 0 {
                first = took;
            }
            best = best.min(took);
            size = length;
        }
        let busy = side.busy()?.saturating_sub(busy).as_secs_f64() / LISTS as f64;
        let count = load.listed();
        add(
            &format!("ms to list {} pods, {name}", extent.listed),
            per(best, count, extent.listed),
            Better::Less,
        );
        add("  ms for the first of them", per(first, count, extent.listed), Better::Less);
        add("  MB/s", size as f64 / 1e6 / best.as_secs_f64(), Better::More);
        add("  ms of the server's time", busy * 1e3 * extent.listed as f64 / count as f64, Better::Less);
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

/// How many of something were done in a second, and what each of them took the server.
fn rate(
    add: &mut impl FnMut(&str, f64, Better),
    side: &Side,
    name: &str,
    done: u64,
    (begin, before): (Instant, Duration),
) -> Outcome<()> {
    let busy = side.busy()?.saturating_sub(before).as_secs_f64();
    add(&format!("{name}/s"), done as f64 / begin.elapsed().as_secs_f64(), Better::More);
    add("  µs of the server's time for each", busy * 1e6 / done as f64, Better::Less);
    Ok(())
}

/// How many milliseconds so many would have taken: the faster server has made more pods when lists begin.
fn per(took: Duration, count: u64, wanted: u64) -> f64 {
    took.as_secs_f64() * 1e3 * wanted as f64 / count as f64
}
