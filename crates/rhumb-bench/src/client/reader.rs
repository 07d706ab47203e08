//! Client programs, one per library: ours, kube's and client-go's.
//!
//! They are told what to do by a line on their input and answer with a number when it is done. How much
//! memory and processor time they took is read from the kernel.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::server::Outcome;
use crate::server::sides::process;

/// Library of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    Rhumb,
    Kube,
    ClientGo,
}

impl Library {
    /// Returns the name in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Library::Rhumb => "rhumb-client",
            Library::Kube => "kube",
            Library::ClientGo => "client-go",
        }
    }

    /// Returns the program, built where that is not done yet. `None` where the tools for it are missing.
    pub(crate) fn program(self) -> Outcome<Option<PathBuf>> {
        let here = std::env::current_exe()?;
        let clients = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients");
        match self {
            Library::Rhumb => {
                let program = here.with_file_name("rhumb-bench-client");
                let there = program.is_file();
                let missing = || format!("{} is not there; cargo xtask bench builds it", program.display());
                if there { Ok(Some(program)) } else { Err(missing().into()) }
            }
            Library::Kube => {
                let directory = here.with_file_name("clients-kube");
                let mut cargo = Command::new("cargo");
                cargo.args(["build", "--release", "--quiet", "--bin", "bench", "--manifest-path"]);
                cargo.arg(clients.join("kube-rs/Cargo.toml")).arg("--target-dir").arg(&directory);
                if !cargo.status()?.success() {
                    return Err("the program with kube can't be built".into());
                }
                Ok(Some(directory.join("release/bench")))
            }
            Library::ClientGo => {
                let program = here.with_file_name("clients-go-bench");
                let mut go = Command::new("go");
                go.args(["build", "-o"]).arg(&program).arg("./bench").current_dir(clients.join("go"));
                let built = go.env("GOFLAGS", "-mod=readonly").status().is_ok_and(|status| status.success());
                if !built {
                    eprintln!("go is not there or can't build the program with client-go, which is left out");
                }
                Ok(built.then_some(program))
            }
        }
    }
}

/// A running program, ended on drop.
pub(crate) struct Reader {
    child: Child,
    words: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Reader {
    pub(crate) fn start(program: &Path, format: &str, kubeconfig: &Path) -> Outcome<Self> {
        let mut command = Command::new(program);
        command.arg(format).env("KUBECONFIG", kubeconfig);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (words, answers) = (child.stdin.take(), child.stdout.take());
        let (Some(words), Some(answers)) = (words, answers) else { return Err("no pipes".into()) };
        Ok(Reader { child, words, answers: BufReader::new(answers).lines() })
    }

    /// Has something done, and waits until it is. It must have been done to so many pods.
    pub(crate) fn tell(&mut self, words: &str, expected: u64) -> Outcome<()> {
        writeln!(self.words, "{words}")?;
        let answer = self.answers.next().ok_or_else(|| format!("the program ended at {words:?}"))??;
        match answer.trim().parse::<u64>() {
            Ok(count) if count == expected => Ok(()),
            _ => Err(format!("{words:?} was answered with {answer:?}, not {expected}").into()),
        }
    }

    /// Returns the resident memory in MiB.
    pub(crate) fn resident(&self) -> Outcome<f64> {
        process::memory(self.child.id(), "VmRSS:")
    }

    /// Returns the most memory that was ever resident, in MiB.
    pub(crate) fn most_resident(&self) -> Outcome<f64> {
        process::memory(self.child.id(), "VmHWM:")
    }

    /// Returns its processor time.
    pub(crate) fn busy(&self) -> Outcome<Duration> {
        process::busy(self.child.id())
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
