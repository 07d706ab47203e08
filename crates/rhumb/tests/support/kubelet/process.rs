//! Commands as processes of this machine, with pipes or with a terminal.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Stdio;

use bytes::Bytes;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::sync::{mpsc, oneshot};

use super::run::{Said, Task};

/// Runs a command in a directory and tells its exit code. It dies when nobody waits for it any more.
pub(super) async fn run(
    task: &Task,
    root: &Path,
    input: mpsc::Receiver<Said>,
    out: &mpsc::Sender<Said>,
) -> io::Result<i32> {
    let mut child = match task.tty {
        true => with_terminal(task, root, input, out).await?,
        false => with_pipes(task, root, input, out).await?,
    };
    Ok(child.wait().await?.code().unwrap_or(137))
}

fn command(words: &[String], root: &Path) -> io::Result<Command> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(io::Error::other("no command"));
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(root)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("LC_ALL", "C.UTF-8")
        .env("TERM", "xterm")
        .env("PS1", "inside> ")
        .kill_on_drop(true);
    Ok(command)
}

async fn with_pipes(
    task: &Task,
    root: &Path,
    mut input: mpsc::Receiver<Said>,
    out: &mpsc::Sender<Said>,
) -> io::Result<Child> {
    let stdin = if task.stdin { Stdio::piped() } else { Stdio::null() };
    let mut child = command(&task.words, root)?
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| io::Error::other(format!("{}: {error}", task.words.concat())))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let mut stdin = child.stdin.take();
    let feeding = async {
        while let Some((channel, bytes)) = input.recv().await {
            if let Some(stdin) = stdin.as_mut().filter(|_| channel == 0) {
                let _ = stdin.write_all(&bytes).await;
            }
        }
        drop(stdin);
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = feeding => {}
        _ = async { tokio::join!(tell(stdout, 1, out), tell(stderr, 2, out)) } => {}
    }
    Ok(child)
}

async fn tell(from: Option<impl AsyncRead + Unpin>, channel: u8, out: &mpsc::Sender<Said>) {
    let Some(mut from) = from else { return };
    let mut piece = vec![0; 8 << 10];
    while let Ok(length @ 1..) = from.read(&mut piece).await {
        let _ = out.send((channel, Bytes::copy_from_slice(&piece[..length]))).await;
    }
}

async fn with_terminal(
    task: &Task,
    root: &Path,
    mut input: mpsc::Receiver<Said>,
    out: &mpsc::Sender<Said>,
) -> io::Result<Child> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?.into_string().map_err(io::Error::other)?;
    let no_controlling = rustix::fs::OFlags::NOCTTY.bits().cast_signed();
    let slave = File::options().read(true).write(true).custom_flags(no_controlling).open(name)?;
    // The program `setsid` makes the terminal the one that controls the command. Whoever started the tests in the
    // background had interrupts ignored, and that is handed down.
    let before = ["env", "--default-signal=INT", "setsid", "--ctty", "--wait"].map(str::to_owned);
    let words = [&before[..], &task.words].concat();
    let child = command(&words, root)?
        .stdin(Stdio::from(OwnedFd::from(slave.try_clone()?)))
        .stdout(Stdio::from(OwnedFd::from(slave.try_clone()?)))
        .stderr(Stdio::from(OwnedFd::from(slave)))
        .spawn()?;
    let mut terminal = File::from(master);
    let mut reader = terminal.try_clone()?;
    let sender = out.clone();
    let (told, all) = oneshot::channel::<()>();
    // Reading ends when the last process that has the terminal is gone.
    std::thread::spawn(move || {
        let mut piece = vec![0; 8 << 10];
        while let Ok(length @ 1..) = reader.read(&mut piece) {
            if sender.blocking_send((1, Bytes::copy_from_slice(&piece[..length]))).is_err() {
                break;
            }
        }
        drop(told);
    });
    let typing = async {
        while let Some((channel, bytes)) = input.recv().await {
            match channel {
                4 => resize(&terminal, &bytes),
                _ => drop(terminal.write_all(&bytes)),
            }
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = typing => {}
        _ = all => {}
    }
    Ok(child)
}

fn resize(terminal: &File, message: &[u8]) {
    let size: serde_json::Value = serde_json::from_slice(message).unwrap_or_default();
    let number = |name: &str| size[name].as_u64().and_then(|value| value.try_into().ok()).unwrap_or_default();
    let size = Winsize { ws_row: number("Height"), ws_col: number("Width"), ws_xpixel: 0, ws_ypixel: 0 };
    let _ = tcsetwinsize(terminal, size);
}
