//! Flags of `attack` as data.

use std::path::PathBuf;
use std::time::Duration;

use super::rounds::{ATTACKS, Attack};
use crate::server::Outcome;

/// Options of a run.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// Duration of the attack.
    pub(crate) attack: Duration,
    /// Random seed.
    pub(crate) seed: u64,
    /// The kubeconfig of a kube-apiserver that is attacked instead of a server of ours.
    pub(crate) against: Option<PathBuf>,
    /// The attacks that are taken.
    pub(crate) attacks: Vec<&'static Attack>,
    /// Whether only their names are wanted.
    pub(crate) list: bool,
    /// Duration of the baseline without attackers, before and after.
    pub(crate) quiet: Duration,
    pub(crate) rest: Duration,
    /// Concurrent attacks per attacker.
    pub(crate) at_once: usize,
    /// Scale of the inputs' size and number; 1 for the named sizes.
    pub(crate) size: f64,
    pub(crate) bounds: Bounds,
}

/// Bounds of a run.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// The 99th percentile of the polite user's requests, in milliseconds.
    pub(crate) latency: f64,
    /// Maximum latency as a multiple of the baseline.
    pub(crate) times_quiet: f64,
    /// Below how many milliseconds that is not asked.
    ///
    /// A request wakes three threads one after the other: one of the server's that reads it, one that has its answer
    /// stored, and the client's. Where all processors are busy with attacks each of them may wait for one turn of the
    /// scheduler, which is 3 to 4 ms long; a quiet server answers in a part of that.
    pub(crate) latency_floor: f64,
    /// How many seconds the polite user may wait for any answer.
    pub(crate) wait: f64,
    /// The most resident memory, in MiB.
    pub(crate) memory: f64,
    /// Maximum memory after the rest as a multiple of the baseline.
    ///
    /// The allocator keeps some for later, and pages of which only a part is in use.
    pub(crate) times_idle: f64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            attack: Duration::from_secs(600),
            seed: 21,
            against: None,
            attacks: ATTACKS.iter().collect(),
            list: false,
            quiet: Duration::from_secs(30),
            rest: Duration::from_secs(60),
            at_once: 3,
            size: 1.0,
            bounds: Bounds {
                latency: 100.0,
                times_quiet: 3.0,
                latency_floor: 12.0,
                wait: 5.0,
                memory: 300.0,
                times_idle: 1.5,
            },
        }
    }
}

/// Returns the kubeconfig that oracle.sh writes.
fn of_oracle() -> PathBuf {
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    let named = std::env::var_os("ORACLE_HOME").map(PathBuf::from);
    named.unwrap_or_else(|| home.join(".cache/rhumb-oracle")).join("run/kubeconfig")
}

/// Reads flags, each `--name value` or `--name=value`.
pub(crate) fn parse(words: &[String]) -> Outcome<Options> {
    let mut options = Options::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word.as_str(), None),
        };
        if name == "--list" {
            options.list = true;
            continue;
        }
        let value = attached.or_else(|| words.next().map(String::as_str));
        let value = value.ok_or_else(|| format!("{name} needs a value"))?;
        set(&mut options, name, value)?;
    }
    Ok(options)
}

fn set(options: &mut Options, name: &str, value: &str) -> Outcome<()> {
    let wrong = || format!("{name} takes no {value:?}");
    let number = || value.parse().ok().filter(|number: &f64| (0.0..1e9).contains(number)).ok_or_else(wrong);
    let bounds = &mut options.bounds;
    match name {
        "--minutes" => options.attack = Duration::from_secs_f64(number()? * 60.0),
        "--quiet-seconds" => options.quiet = Duration::from_secs_f64(number()?.max(1.0)),
        "--rest-seconds" => options.rest = Duration::from_secs_f64(number()?),
        "--seed" => options.seed = value.parse().map_err(|_| wrong())?,
        "--at-once" => options.at_once = value.parse().map_err(|_| wrong())?,
        "--size" => options.size = number()?.clamp(0.001, 1.0),
        "--most-latency" => bounds.latency = number()?,
        "--times-quiet" => bounds.times_quiet = number()?,
        "--latency-floor" => bounds.latency_floor = number()?,
        "--most-wait" => bounds.wait = number()?,
        "--most-memory" => bounds.memory = number()?,
        "--times-idle" => bounds.times_idle = number()?,
        "--against" if value == "oracle" => options.against = Some(of_oracle()),
        "--against" => options.against = Some(value.into()),
        "--only" => {
            options.attacks = ATTACKS.iter().filter(|attack| attack.name == value).collect();
            if options.attacks.is_empty() {
                return Err(format!("there is no attack {value:?}; --list names them").into());
            }
        }
        _ => return Err(format!("attack has no flag {name}; see cargo xtask help").into()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Options, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&words).map_err(|error| error.to_string())
    }

    #[test]
    fn flags_set_what_they_name() {
        let options = parsed("--minutes 0.5 --seed=7 --only patterns --most-memory 900 --list").unwrap();
        assert_eq!((options.attack, options.seed, options.list), (Duration::from_secs(30), 7, true));
        assert_eq!(options.attacks.iter().map(|attack| attack.name).collect::<Vec<_>>(), ["patterns"]);
        assert_eq!((options.bounds.memory, options.bounds.latency), (900.0, 100.0));
        assert!(parsed("--against oracle").unwrap().against.unwrap().ends_with("run/kubeconfig"));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        assert_eq!(parsed("--minutes").unwrap_err(), "--minutes needs a value");
        assert_eq!(parsed("--minutes -1").unwrap_err(), "--minutes takes no \"-1\"");
        assert_eq!(parsed("--only x").unwrap_err(), "there is no attack \"x\"; --list names them");
        assert_eq!(parsed("--fast 1").unwrap_err(), "attack has no flag --fast; see cargo xtask help");
    }
}
