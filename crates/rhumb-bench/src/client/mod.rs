//! `bench client`: our client library beside kube and client-go, on one server in one run.
//!
//! Every library has a program of its own that does the same with it. One runs at a time, on the same server
//! with the same pods. Two things are looked at: a local copy of all pods, in memory and in the time to keep
//! it up to date, and one list of all of them. Libraries are used as they come; what differs by that is said
//! with the figures. A machine is slower in some minutes than in others, so ours and kube have several turns each, one
//! after the other, and the best of a library's turns counts for each figure.

mod reader;

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::server::Outcome;
use crate::server::load::{Load, name};
use crate::server::sides::Side;
use reader::{Library, Reader};

/// Number of pods.
const WHOLE: u64 = 100_000;
const QUICK: u64 = 10_000;
/// Changes per second, and duration in seconds.
const CHANGES: u64 = 1_000;
const SECONDS: u64 = 10;
/// Number of clients that create or change pods.
const CLIENTS: u64 = 16;
/// Turns per library. client-go has one, as it takes longer than the others together.
const TURNS: usize = 3;
/// Number of repeated lists; the fastest counts.
const LISTS: usize = 2;
/// Idle time before memory is measured.
const SETTLING: Duration = Duration::from_secs(3);

const NOTES: &str = "\
kube has no protobuf: its figures for JSON stand in both places. rhumb-client reads built-in types in protobuf unless
it is told to read JSON, the others the other way round. Copies are filled as each library does it by default:
rhumb-client and client-go by a watch that begins with all pods, kube by a list in pages of 500. Lists are one request.
Nobody asks for compressed answers. The rate of changes that was reached stands in the lines before the table.";

/// Results of a library in one format.
struct Figures {
    library: Library,
    format: &'static str,
    /// Values in the order of [`ROWS`].
    values: [f64; ROWS.len()],
}

impl Figures {
    /// Takes in another turn.
    fn improve(&mut self, turn: &[f64; ROWS.len()]) {
        for (value, new) in self.values.iter_mut().zip(turn) {
            *value = value.min(*new);
        }
    }
}

/// Measured values; less is better.
const ROWS: [&str; 10] = [
    "local copy: MiB resident",
    "  MiB at most, while it was filled",
    "  s until it was filled",
    "  s of processor time for that",
    "  ms of processor time for 1,000 changes",
    "first list: s until all is there",
    "  s of processor time",
    "list again: s until all is there",
    "  s of processor time",
    "  MiB at most",
];

/// Measures; `--quick` with fewer pods.
pub(crate) fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let pods = match words.as_slice() {
        [] => WHOLE,
        ["--quick"] => QUICK,
        _ => return Err("usage: cargo xtask bench client [--quick]".into()),
    };
    measure_all(pods).map_err(|error| error as Box<dyn Error>)
}

fn measure_all(pods: u64) -> Outcome<()> {
    let mut programs = Vec::new();
    for library in [Library::Rhumb, Library::Kube, Library::ClientGo] {
        programs.extend(library.program()?.map(|program| (library, program)));
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench-client");
    let (side, _) = Side::rhumb(&Side::binary()?, &folder)?;
    let load = Load::new(side.target.clone());
    load.namespaces()?;
    eprintln!("making {pods} pods");
    load.create(CLIENTS, None, pods, || Ok(()))?;

    let mut all: Vec<Figures> = Vec::new();
    let mut round = 0;
    let sides = programs.iter().flat_map(|(library, program)| {
        let formats: &[_] = if *library == Library::Kube { &["JSON"] } else { &["JSON", "protobuf"] };
        formats.iter().map(move |format| (*library, *format, program))
    });
    for turn in 0..TURNS {
        for (library, format, program) in
            sides.clone().filter(|(library, ..)| turn == 0 || *library != Library::ClientGo)
        {
            eprintln!("{}, {format}", library.name());
            round += 1;
            let start = || Reader::start(program, &format.to_lowercase(), &folder.join("admin.kubeconfig"));
            let [resident, most, filled, filling, changing] = copy(start()?, &load, pods, round)?;
            let ([listed, listing], [again, listing_again], most_listed) = list(start()?, pods)?;
            let values = [
                resident,
                most,
                filled,
                filling,
                changing,
                listed,
                listing,
                again,
                listing_again,
                most_listed,
            ];
            for (name, value) in ROWS.iter().zip(values) {
                eprintln!("  {name}: {value:.2}");
            }
            match all.iter_mut().find(|one| (one.library, one.format) == (library, format)) {
                Some(one) => one.improve(&values),
                None => all.push(Figures { library, format, values }),
            }
        }
    }
    print(&all, pods);
    drop(side);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Measures an informer of all pods.
fn copy(mut reader: Reader, load: &Load, pods: u64, round: u64) -> Outcome<[f64; 5]> {
    let (begin, before) = (Instant::now(), reader.busy()?);
    reader.tell("follow", pods)?;
    let filled = begin.elapsed().as_secs_f64();
    let filling = (reader.busy()?.saturating_sub(before)).as_secs_f64();
    let most = reader.most_resident()?;
    std::thread::sleep(SETTLING);
    let resident = reader.resident()?;

    let before = reader.busy()?;
    let begin = Instant::now();
    let changes = load.change(CLIENTS, CHANGES, SECONDS, &format!("{round}"))?;
    // A busy machine doesn't reach the rate, and changes that come one by one cost a reader more.
    let reached = changes as f64 / begin.elapsed().as_secs_f64();
    eprintln!("  {changes} changes, {reached:.0} per second of the {CHANGES} that were asked for");
    // Changes arrive in order, so all of them have when the last one has.
    load.change_one(0, &format!("{round}-last"))?;
    reader.tell(&format!("await {} {round}-last", name(0)), 1)?;
    let changing = reader.busy()?.saturating_sub(before).as_secs_f64();
    reader.tell(&format!("count {round}"), pods.min(changes) - 1)?;
    Ok([resident, most, filled, filling, changing * 1e6 / changes as f64])
}

/// Measures a list of all pods: the first one of a process, and the fastest of the following.
fn list(mut reader: Reader, pods: u64) -> Outcome<([f64; 2], [f64; 2], f64)> {
    let mut once = || -> Outcome<[f64; 2]> {
        let (begin, before) = (Instant::now(), reader.busy()?);
        reader.tell("list", pods)?;
        let took = begin.elapsed().as_secs_f64();
        let busy = reader.busy()?.saturating_sub(before).as_secs_f64();
        reader.tell("drop", 0)?;
        Ok([took, busy])
    };
    let first = once()?;
    let mut least = [f64::MAX; 2];
    for _ in 0..LISTS {
        let [took, busy] = once()?;
        least = [least[0].min(took), least[1].min(busy)];
    }
    Ok((first, least, reader.most_resident()?))
}

fn print(all: &[Figures], pods: u64) {
    let of = |library, format| {
        let fits = |figures: &&Figures| figures.library == library && figures.format == format;
        all.iter().find(fits).map(|figures| figures.values)
    };
    for format in ["JSON", "protobuf"] {
        let ours = of(Library::Rhumb, format).unwrap_or_default();
        let kube = of(Library::Kube, "JSON").unwrap_or_default();
        let go = of(Library::ClientGo, format);
        let head = format!("{pods} pods, {format}");
        println!("{head:<42} {:>12} {:>10} {:>7} {:>10}", "rhumb-client", "kube", "ratio", "client-go");
        for (place, row) in ROWS.iter().enumerate() {
            let at = |values: &[f64; ROWS.len()]| values.get(place).copied().unwrap_or_default();
            let (ours, kube) = (at(&ours), at(&kube));
            let go = go.as_ref().map_or("-".to_owned(), |values| format!("{:.2}", at(values)));
            println!("{row:<42} {ours:>12.2} {kube:>10.2} {:>5.1} x {go:>10}", kube / ours);
        }
        println!();
    }
    println!("{NOTES}");
}
