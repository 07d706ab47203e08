//! `cp`: copies files to and from containers with `tar`.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use rhumb_api::core::v1::{Pod, PodExecOptions};
use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::Client;
use rhumb_client::remote::{Exit, RemoteCommand};
use tokio::io::AsyncReadExt;
use tokio_util::io::SyncIoBridge;

use super::choose::{container, container_or_default, no_such_container};
use super::session;

/// Timeout of checking whether a path is a directory.
const QUESTION: Duration = Duration::from_secs(30);

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "cp",
    family: Family::Troubleshooting,
    about: "Copy files and directories to and from containers",
    long: "Copy files and directories to and from containers. The container must have the program tar.",
    usage: "<file-spec-src> <file-spec-dest>",
    examples: &[
        ("A directory into a pod", "cp ./site web-0:/srv/site"),
        (
            "A file into a container of a pod of another namespace",
            "cp notes.txt shop/web-0:/tmp/notes.txt -c helper",
        ),
        ("A file out of a pod", "cp shop/web-0:/var/log/app.log ./app.log"),
    ],
    flags: &[&[
        Flag::text("container", "The container; else the pod's default, or the first.").short('c'),
        Flag::bool("no-preserve", "Don't keep owner and permissions in the container."),
        Flag::int(
            "retries",
            "0",
            "How often to go on after a copy from a container broke off; less than 0 is for ever.",
        ),
    ]],
    words: Words::PodFiles,
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

/// A file, local or in a pod.
struct Place {
    namespace: String,
    /// The namespace as it was typed.
    typed: String,
    pod: String,
    path: String,
}

impl Place {
    fn parse(word: &str) -> Result<Self, Failure> {
        let wrong =
            || Failure::message("filespec must match the canonical format: [[namespace/]pod:]file/path");
        let local = |path: &str| Place {
            namespace: String::new(),
            typed: String::new(),
            pod: String::new(),
            path: path.to_owned(),
        };
        let Some((pod, path)) = word.split_once(':') else { return Ok(local(word)) };
        if pod.is_empty() {
            return Err(wrong());
        }
        match pod.split('/').collect::<Vec<_>>().as_slice() {
            [pod] => Ok(Place { pod: (*pod).to_owned(), ..local(path) }),
            [namespace, pod] => Ok(Place {
                namespace: (*namespace).to_owned(),
                typed: (*namespace).to_owned(),
                pod: (*pod).to_owned(),
                path: path.to_owned(),
            }),
            _ => Err(wrong()),
        }
    }
}

async fn run(call: &mut Call) -> Outcome {
    let [from, to] = call.args.as_slice() else { return Err("source and destination are required".into()) };
    let (mut from, mut to) = (Place::parse(from)?, Place::parse(to)?);
    if !from.pod.is_empty() && !to.pod.is_empty() {
        return Err("one of src or dest must be a local file specification".into());
    }
    if from.path.is_empty() || to.path.is_empty() {
        return Err("filepath can not be empty".into());
    }
    let (namespace, _) = call.factory.namespace()?;
    for place in [&mut from, &mut to] {
        if !place.pod.is_empty() && place.namespace.is_empty() {
            place.namespace.clone_from(&namespace);
        }
    }
    if !from.pod.is_empty() {
        return take(call, &from, Path::new(&to.path)).await;
    }
    if !to.pod.is_empty() {
        return bring(call, &from.path, &to).await;
    }
    Err("one of src or dest must be a remote file specification".into())
}

/// Container in which commands run.
struct Target {
    client: Client,
    pod: Pod,
    container: String,
}

impl Target {
    async fn find(call: &mut Call, place: &Place) -> Result<Self, Failure> {
        let client = call.factory.client()?.clone();
        let pod = client.core_v1().pods(&place.namespace).get(&place.pod).await?;
        if matches!(pod.status.phase.as_str(), "Succeeded" | "Failed") {
            return Err(Failure::message(format!(
                "cannot exec into a container in a completed pod; current phase is {}",
                pod.status.phase
            )));
        }
        let named = call.flags.text("container").to_owned();
        let container = match named.as_str() {
            "" => container_or_default(call, &pod, "", false)?.name.to_owned(),
            name => container(&pod, name).ok_or_else(|| no_such_container(&pod, name))?.name.to_owned(),
        };
        Ok(Target { client, pod, container })
    }

    async fn exec(&self, command: &[&str], stdin: bool) -> Result<RemoteCommand, Failure> {
        let options = PodExecOptions {
            container: self.container.clone(),
            command: command.iter().map(|word| (*word).to_owned()).collect(),
            stdin,
            stdout: true,
            stderr: true,
            ..PodExecOptions::default()
        };
        let metadata = &self.pod.metadata;
        self.client.exec(&metadata.namespace, &metadata.name, &options).await.map_err(session::refused)
    }
}

/// Copies into a pod.
async fn bring(call: &mut Call, from: &str, to: &Place) -> Outcome {
    if fs::metadata(from).is_err() {
        return Err(Failure::message(format!("{from} doesn't exist in local filesystem")));
    }
    let target = Target::find(call, to).await?;
    let mut path = clean(&to.path);
    let is_dir =
        async { Ok::<_, Failure>(target.exec(&["test", "-d", &to.path], false).await?.wait().await?) };
    match tokio::time::timeout(QUESTION, is_dir).await {
        Err(_) => return Err("context deadline exceeded".into()),
        Ok(answer) => {
            if answer?.is_success()
                && let Some(name) = Path::new(&clean(from)).file_name().and_then(|name| name.to_str())
            {
                path = format!("{}/{name}", path.trim_end_matches('/'));
            }
        }
    }
    let (directory, name) = path.rsplit_once('/').unwrap_or((".", &path));
    let directory = if directory.is_empty() { "/" } else { directory };
    let mut command = match call.flags.bool("no-preserve") {
        true => vec!["tar", "--no-same-permissions", "--no-same-owner", "-xmf", "-"],
        false => vec!["tar", "-xmf", "-"],
    };
    command.extend(["-C", directory]);
    let mut running = target.exec(&command, true).await?;
    let Some(stdin) = running.stdin() else { return Err("the container takes no input".into()) };
    let (source, name) = (PathBuf::from(clean(from)), name.to_owned());
    let packing = tokio::task::spawn_blocking(move || {
        let mut archive = tar::Builder::new(SyncIoBridge::new(stdin));
        archive.follow_symlinks(false);
        pack(&mut archive, &source, &name)?;
        archive.into_inner()?.flush()
    });
    let exit = finish(call, running).await?;
    match packing.await {
        Ok(Err(error)) if exit.is_success() => return Err(Failure::message(error.to_string())),
        _ => {}
    }
    session::outcome(exit)
}

/// Passes on what a command says and waits for its end.
async fn finish(call: &mut Call, running: RemoteCommand) -> Result<Exit, Failure> {
    let (out, err, exit) = running.output().await?;
    call.streams.out.write_all(&out)?;
    call.streams.err.write_all(&err)?;
    Ok(exit)
}

/// Puts a file or a directory with all that is in it into an archive, under a name.
fn pack<W: Write>(archive: &mut tar::Builder<W>, path: &Path, name: &str) -> io::Result<()> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_dir() {
        return archive.append_path_with_name(path, name);
    }
    let mut entries: Vec<fs::DirEntry> = fs::read_dir(path)?.collect::<Result<_, _>>()?;
    if entries.is_empty() {
        return archive.append_dir(name, path);
    }
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let below = format!("{name}/{}", entry.file_name().to_string_lossy());
        pack(archive, &entry.path(), &below)?;
    }
    Ok(())
}

/// Copies out of a pod.
async fn take(call: &mut Call, from: &Place, to: &Path) -> Outcome {
    let target = Target::find(call, from).await?;
    let retries = call.flags.int("retries");
    let archive = match retries {
        0 => {
            let mut running = target.exec(&["tar", "cf", "-", &from.path], false).await?;
            let archive = Spool::read(&mut running).await?;
            let exit = finish(call, running).await?;
            session::outcome(exit)?;
            archive
        }
        retries => again(call, &target, &from.path, retries).await?,
    };
    let prefix = remote_prefix(&from.path);
    unpack(call, archive.reader()?, &prefix, from, to)
}

/// Copies an archive out of a pod, going on where it broke off.
async fn again(call: &mut Call, target: &Target, path: &str, retries: i64) -> Result<Spool, Failure> {
    let quoted = path.replace('\'', "'\\''");
    let mut archive = Spool::new()?;
    let mut tries = 0;
    loop {
        let script = format!("tar cf - '{quoted}' | tail -c+{}", archive.length + 1);
        let mut running = target.exec(&["sh", "-c", &script], false).await?;
        archive.fill(&mut running).await?;
        let broken = match finish(call, running).await {
            Ok(exit) if exit.is_success() => return Ok(archive),
            Ok(exit) => session::outcome(exit).err(),
            Err(failure) => Some(failure),
        };
        if retries > 0 && tries >= retries {
            call.line(format!("Dropping out copy after {tries} retries"))?;
            return Err(broken.unwrap_or_else(|| "the copy broke off".into()));
        }
        tries += 1;
        call.line(format!("Resuming copy at {} bytes, retry {tries}/{retries}", archive.length))?;
    }
}

/// Archive in a private temporary file.
struct Spool {
    file: fs::File,
    length: u64,
}

impl Spool {
    fn new() -> Result<Self, Failure> {
        let unkept = |error: io::Error| Failure::message(format!("the archive can't be kept: {error}"));
        Ok(Spool { file: tempfile::tempfile().map_err(unkept)?, length: 0 })
    }

    async fn read(running: &mut RemoteCommand) -> Result<Self, Failure> {
        let mut spool = Spool::new()?;
        spool.fill(running).await?;
        Ok(spool)
    }

    async fn fill(&mut self, running: &mut RemoteCommand) -> Outcome {
        let Some(mut stdout) = running.stdout() else { return Ok(()) };
        let mut piece = vec![0; 64 << 10];
        loop {
            let read = stdout.read(&mut piece).await.unwrap_or_default();
            if read == 0 {
                return Ok(());
            }
            self.file.write_all(piece.get(..read).unwrap_or_default())?;
            self.length += read as u64;
        }
    }

    fn reader(mut self) -> Result<impl Read, Failure> {
        use std::io::Seek;
        self.file.rewind()?;
        Ok(io::BufReader::new(self.file))
    }
}

/// Writes what an archive has below a path. What would land elsewhere is left out, and so are links.
fn unpack(call: &mut Call, archive: impl Read, prefix: &str, from: &Place, to: &Path) -> Outcome {
    let broken = |error: io::Error| Failure::message(error.to_string());
    let mut told_of_links = false;
    for entry in tar::Archive::new(archive).entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let name = entry.path().map_err(broken)?.to_string_lossy().into_owned();
        let Some(rest) = name.strip_prefix(prefix) else { return Err("tar contents corrupted".into()) };
        let path = to.join(rest.trim_start_matches('/'));
        let shown = path.display().to_string();
        if Path::new(rest).components().any(|part| part == Component::ParentDir) {
            call.warn(format!("warning: file {shown:?} is outside target destination, skipping"));
            continue;
        }
        let path = if rest.is_empty() { to.to_owned() } else { path };
        if let Some(parent) = path.parent() {
            make(parent)?;
        }
        let kind = entry.header().entry_type();
        if kind.is_dir() {
            make(&path)?;
        } else if kind.is_symlink() || kind.is_hard_link() {
            let link =
                entry.link_name().ok().flatten().map(|link| link.display().to_string()).unwrap_or_default();
            let mut warning = format!("warning: skipping symlink: {shown:?} -> {link:?}");
            if !std::mem::replace(&mut told_of_links, true) {
                warning.push_str(&format!(
                    " (consider using \"{} exec -n {:?} {:?} -- tar cf - {:?} | tar xf -\")",
                    call.program(),
                    from.typed,
                    from.pod,
                    from.path
                ));
            }
            call.warn(warning);
        } else {
            let mut file = fs::File::create(&path).map_err(|error| failed("open", &path, &error))?;
            io::copy(&mut entry, &mut file).map_err(broken)?;
        }
    }
    Ok(())
}

/// Makes a directory and those above it.
fn make(path: &Path) -> Outcome {
    fs::create_dir_all(path).map_err(|error| {
        let file = path.ancestors().find(|above| above.is_file());
        match file {
            Some(file) => Failure::message(format!("mkdir {}: not a directory", file.display())),
            None => failed("mkdir", path, &error),
        }
    })
}

/// Formats a system error about a path as Go does.
fn failed(what: &str, path: &Path, error: &io::Error) -> Failure {
    let text = error.to_string().to_lowercase();
    let reason = text.split_once(" (os error").map_or(text.as_str(), |(reason, _)| reason);
    Failure::message(format!("{what} {}: {reason}", path.display()))
}

/// Returns the prefix of names in an archive of a path: without leading slashes and parent directories.
fn remote_prefix(path: &str) -> String {
    let mut path = clean(path.trim_start_matches('/'));
    while let Some(rest) = path.strip_prefix("../") {
        path = rest.to_owned();
    }
    if matches!(path.as_str(), "." | "..") { String::new() } else { path }
}

/// Returns a path without what changes nothing: `a/./b//c/../d` is `a/b/d`.
fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let rooted = path.starts_with('/');
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&"..") | None if !rooted => parts.push(".."),
                None => {}
                Some(_) => {
                    parts.pop();
                }
            },
            part => parts.push(part),
        }
    }
    match (rooted, parts.is_empty()) {
        (true, _) => format!("/{}", parts.join("/")),
        (false, true) => ".".to_owned(),
        (false, false) => parts.join("/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned() {
        for (path, cleaned) in
            [("a/./b//c/../d", "a/b/d"), ("/..", "/"), ("../x", "../x"), ("", "."), ("/a/", "/a")]
        {
            assert_eq!(clean(path), cleaned);
        }
        assert_eq!(remote_prefix("/var/log/"), "var/log");
        assert_eq!(remote_prefix("../../x"), "x");
        assert_eq!(remote_prefix("."), "");
    }
}
