//! `attack`: hostile clients beside a polite one, and whether the polite one notices.
//!
//! A server is started on an empty directory, `$RHUMB_BINARY` or the `rhumb` beside this program, with five users:
//! four attackers, each with all rights in a namespace of its own but to grant more than it has, and a polite user,
//! who sends 50 small requests a second and follows a watch on one connection. The polite user has the server alone
//! for half a minute. Then the attackers come, for `--minutes`: each takes one attack of [`rounds::ATTACKS`] after the
//! other, in an order made of `--seed`, several at once. Then the server has a minute to give everything back; what
//! attackers left behind is deleted at the begin of it.
//!
//! At the end there is a table, and exit code 1 unless
//!
//! * the polite user's 99th percentile under attack is under 100 ms and under three times the quiet one (three times
//!   are not asked for below 12 ms, for a reason that [`options::Bounds`] tells), and no answer took 5 s. A request
//!   that was told to come again counts as one that took for ever, so that one of a hundred may be, and under attack
//!   alone; none failed in another way. The watch had an event of every write, and was begun once in half an hour;
//! * the server never had 300 MiB resident, and after the rest has at most 1.5 times what it had before the attack.
//!   That is looked at when the namespaces are filled and documents were asked for in all forms, so that what the
//!   server keeps by design is a part of it;
//! * after the rest it has as many connections and watches as before, and as many threads and open files, but for a
//!   few that come and go by themselves;
//! * nothing panicked, no address or port is leaked (what is, is looked for until the server's own repair must have
//!   found it), the server says that it is ready, and ends when it is asked to;
//! * no attacker was told 5xx, but 504 for a request that took too long.
//!
//! Flags move these bounds, for builds and machines that are slower. `--size 0.1` makes everything smaller and fewer,
//! `--only` takes one attack alone, and `--list` names them. `--against` takes a kube-apiserver that oracle.sh
//! started, for the table alone.
//!
//! All clients are in this process and share the machine with the server. The attackers are one thread, which every
//! other thread goes before, and their bodies are made before the attack; how long they had the processors is in the
//! table. Everything goes to this machine, every loop is bounded by count and time, and no process is ended but the
//! one that was started here.

mod attacked;
mod bodies;
mod dice;
mod options;
mod polite;
mod prepare;
mod report;
mod rounds;
mod tally;
mod thread;
mod wire;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use attacked::{Attacked, Sample, attacker};
use bodies::Bodies;
use dice::Dice;
use options::Options;
use polite::Polite;
use report::{Figures, Latency};
use rounds::{ATTACKS, Attack, Attacker, Round};
use tally::Tally;

use crate::server::Outcome;
use crate::server::sides::Side;

/// Media type of protobuf, in both directions.
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// Maximum duration of a round. Requests time out a little earlier.
const ROUND: Duration = Duration::from_secs(90);
/// Minimum pause between rounds.
const PAUSE: Duration = Duration::from_millis(200);
/// Maximum number of rounds per attacker and concurrent attack.
const ROUNDS: usize = 100_000;
/// Nice value of the attackers' thread.
const NICE: u8 = 10;
/// Idle time before a server is sampled.
const SETTLING: Duration = Duration::from_secs(3);
/// Interval of samples, and of their output.
const LOOK: Duration = Duration::from_secs(1);
const TELL: u32 = 10;
/// Time for a server to repair leaks, and interval of checks.
const REPAIR: Duration = Duration::from_secs(480);
const REPAIR_LOOK: Duration = Duration::from_secs(30);

/// Attacks. The error says what doesn't hold.
pub(crate) fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let options = options::parse(words).map_err(|error| error as Box<dyn Error>)?;
    if options.list {
        for Attack { name, about, .. } in ATTACKS {
            println!("{name:<20} {about}");
        }
        return Ok(());
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../target")
        .join(format!("attack-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let judged = whole(&options, &folder);
    // The log may tell more; what the server stored doesn't.
    let _ = std::fs::remove_dir_all(folder.join("data"));
    let wrong = judged.map_err(|error| error as Box<dyn Error>)?;
    if wrong.is_empty() {
        std::fs::remove_dir_all(&folder)?;
        return Ok(());
    }
    for sentence in &wrong {
        println!("FAILED: {sentence}");
    }
    Err(format!("{} things don't hold; {} has the log", wrong.len(), folder.display()).into())
}

/// Performs a run from start to end. Returns what doesn't hold.
fn whole(options: &Options, folder: &Path) -> Outcome<Vec<String>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let bodies = Arc::new(Bodies::new(options.size));
    let mut server = match &options.against {
        Some(kubeconfig) => Attacked::oracle(kubeconfig)?,
        None => Attacked::rhumb(&binary()?, folder)?,
    };
    runtime.block_on(server.until_ready())?;
    eprintln!("attack: seed {}; making what is attacked", options.seed);
    let version = runtime.block_on(prepare::prepare(&server, &bodies))?;

    let mut figures = Figures::default();
    let polite = Polite::start(server.target.clone(), server.polite.clone(), options.seed, version);
    let mut look = Look { polite: &polite, broken: Vec::new() };
    look.on("settling", &mut server, SETTLING);
    let quiet = Instant::now();
    look.on("quiet", &mut server, options.quiet);
    (figures.idle, figures.idle_watches) = (server.sample(), runtime.block_on(server.watches())?);

    let (tally, attacked) = (Tally::default(), Instant::now());
    let attackers = attackers(&server, &bodies, &tally);
    let plan = (options.attacks.clone(), options.at_once, options.seed, options.attack);
    let attacking = std::thread::spawn(move || attack(&attackers, plan));
    figures.peak = look.on("attack", &mut server, options.attack);
    let busy = server.sample().busy;
    figures.attackers_busy = attacking.join().map_err(|_| "the attackers broke")??;
    (figures.counts, figures.attack) = (tally.counts(), attacked.elapsed());

    let rested = Instant::now();
    if look.broken.is_empty()
        && let Err(error) = runtime.block_on(prepare::tidy_up(&server))
    {
        look.broken.push(format!("what the attackers left behind can't be deleted: {error}"));
    }
    let since = look.on("rest", &mut server, options.rest);
    figures.after = server.sample();
    if look.broken.is_empty() {
        figures.after_watches = runtime.block_on(server.watches())?;
    }
    figures.peak = figures.peak.max(since);
    figures.peak.busy = busy;
    let end = Instant::now();
    figures.broken = look.broken;
    // What is still without an answer now counts, too.
    figures.polite = polite.end()?;
    for (phase, from, to) in [
        (&mut figures.quiet, quiet, attacked),
        (&mut figures.attacked, attacked, rested),
        (&mut figures.rested, rested, end),
    ] {
        *phase = Latency::of(&figures.polite.between(from, to));
    }
    if figures.broken.is_empty() {
        figures.is_ready = runtime.block_on(server.is_ready());
        if let Err(error) = runtime.block_on(look_for_leaks(&server, &mut figures)) {
            figures.broken.push(format!("what is leaked can't be found out: {error}"));
        }
    }
    figures.panics = server.panics()?;
    let is_ours = server.is_ours;
    if let Err(error) = server.end() {
        figures.broken.push(error.to_string());
    }
    print!("{}", report::table(&figures));
    Ok(if is_ours { report::judge(&figures, &options.bounds) } else { Vec::new() })
}

/// Returns the binary that is attacked: `$RHUMB_BINARY`, or the one beside this program.
fn binary() -> Outcome<PathBuf> {
    let binary = Side::binary()?;
    eprintln!("attack: {}", binary.display());
    Ok(binary)
}

/// Samples the server during a phase.
struct Look<'a> {
    polite: &'a Polite,
    /// Failures of the server.
    broken: Vec<String>,
}

impl Look<'_> {
    /// Looks for some time, and tells of it. Ends early if the server does. Returns the most that was seen.
    fn on(&mut self, phase: &str, server: &mut Attacked, time: Duration) -> Sample {
        let begun = Instant::now();
        let mut highest = server.sample();
        let mut told = begun;
        for turn in 1u32.. {
            let left = (LOOK * turn).min(time).saturating_sub(begun.elapsed());
            std::thread::sleep(left);
            if let Some(status) = server.ended() {
                self.broken.push(format!("the server ended during {phase}: {status}"));
                break;
            }
            let now = server.sample();
            highest = highest.max(now);
            let is_over = begun.elapsed() >= time;
            if is_over || turn.is_multiple_of(TELL) {
                let latency = Latency::of(&self.polite.between(told, Instant::now()));
                told = Instant::now();
                let (waiting, oldest) = self.polite.waiting();
                eprintln!(
                    "{phase:<9} {:>5.0} s: {:>6.1} MiB, {} threads, {} files; polite: {} requests, p99 {:.1} ms, max \
                     {:.1} ms, {} refused, {} errors, {waiting} waiting for up to {:.1} s",
                    begun.elapsed().as_secs_f64(),
                    now.resident,
                    now.threads,
                    now.files,
                    latency.requests,
                    latency.p99,
                    latency.max,
                    latency.later,
                    latency.errors.len(),
                    oldest.as_secs_f64()
                );
            }
            if is_over {
                break;
            }
        }
        highest
    }
}

impl Sample {
    /// Returns the higher of each.
    fn max(self, other: Sample) -> Sample {
        Sample {
            resident: self.resident.max(other.resident),
            highest: self.highest.max(other.highest),
            threads: self.threads.max(other.threads),
            files: self.files.max(other.files),
            sockets: self.sockets.max(other.sockets),
            busy: self.busy.max(other.busy),
        }
    }
}

fn attackers(server: &Attacked, bodies: &Arc<Bodies>, tally: &Tally) -> Vec<Arc<Attacker>> {
    let one = |(number, who): (usize, &wire::Credentials)| {
        Arc::new(Attacker {
            number,
            namespace: attacker(number),
            who: who.clone(),
            admin: server.admin.clone(),
            target: server.target.clone(),
            bodies: Arc::clone(bodies),
            tally: tally.clone(),
        })
    };
    server.attackers.iter().enumerate().map(one).collect()
}

/// Plan of the attackers: attacks, concurrency, seed, and duration.
type Plan = (Vec<&'static Attack>, usize, u64, Duration);

/// Lets the attackers work, on this thread. Returns for how many seconds they had the processor.
fn attack(attackers: &[Arc<Attacker>], (attacks, at_once, seed, time): Plan) -> std::io::Result<f64> {
    thread::step_back(NICE);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut dice = Dice::new(seed);
        let mut all = tokio::task::JoinSet::new();
        for attacker in attackers {
            for _ in 0..at_once {
                all.spawn(keep_on(Arc::clone(attacker), attacks.clone(), Dice::new(dice.next())));
            }
        }
        // What is under way at the end is given up, as by clients that are killed.
        let _ = tokio::time::timeout(time, async { while all.join_next().await.is_some() {} }).await;
    });
    drop(runtime);
    Ok(thread::busy())
}

/// Runs rounds one after the other: all attacks in random order, repeatedly.
async fn keep_on(attacker: Arc<Attacker>, attacks: Vec<&'static Attack>, mut dice: Dice) {
    let mut deck = Vec::new();
    for _ in 0..ROUNDS {
        if deck.is_empty() {
            deck.clone_from(&attacks);
            dice.shuffle(&mut deck);
        }
        let Some(attack) = deck.pop() else { return };
        attacker.tally.begin(attack.name);
        let round = Round { attack: attack.name, by: Arc::clone(&attacker), chance: dice.next() };
        let _ = tokio::time::timeout(ROUND, (attack.begin)(round)).await;
        tokio::time::sleep(PAUSE).await;
    }
}

/// Looks for what is leaked, now and until the server must have found it.
async fn look_for_leaks(server: &Attacked, figures: &mut Figures) -> Outcome<()> {
    figures.leaked = prepare::leaked(server).await?;
    figures.still_leaked = figures.leaked.clone();
    let begun = Instant::now();
    while !figures.still_leaked.is_nothing() && server.is_ours && begun.elapsed() < REPAIR {
        eprintln!(
            "repair    {:>5.0} s: {} ports, {} addresses",
            begun.elapsed().as_secs_f64(),
            figures.still_leaked.ports.len(),
            figures.still_leaked.addresses.len()
        );
        tokio::time::sleep(REPAIR_LOOK).await;
        figures.still_leaked = prepare::leaked(server).await?;
    }
    Ok(())
}
