//! `rhumb gen new-api` lays out a crate that builds, and `rhumb gen add-version` keeps it building, with the golden
//! files of older versions as they were.
//!
//! The crate is built by a cargo of its own, offline, into the directory of this build, where most of what it needs
//! lies already.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

#[track_caller]
fn run(command: &mut Command) -> String {
    let done = command.output().expect("it can be run");
    let (said, complained) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{command:?}: {}\n{said}\n{complained}", done.status);
    said.into_owned()
}

#[track_caller]
fn rhumb(arguments: &[&str], directory: &Path) -> String {
    run(Command::new(env!("CARGO_BIN_EXE_rhumb")).arg("gen").args(arguments).arg(directory))
}

/// The directory of this build, where the crate is built too.
fn target() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it stands in a directory")
}

/// How the workspace builds what is not released, so that what it has built fits.
fn profiles(root: &Path) -> String {
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).expect("it is there");
    let first = manifest.find("[profile.dev]").expect("the workspace has profiles");
    let (_, profiles) = manifest.split_at(first);
    profiles.to_owned()
}

/// Runs the tests of the crate.
#[track_caller]
fn cargo_test(directory: &Path, more: &[&str], bless: bool) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["test", "--offline", "--quiet"]).args(more).current_dir(directory);
    command.env("CARGO_TARGET_DIR", target()).env_remove("RHUMB_BLESS");
    if bless {
        command.env("RHUMB_BLESS", "1");
    }
    run(&mut command);
}

/// A server that ends with the test.
struct Serving(Child);

impl Serving {
    /// Starts the server of the crate, and waits until it is ready.
    fn start(kubeconfig: &Path) -> Self {
        let mut command = Command::new(target().join("debug/greet-example-com-server"));
        command.args(["--in-memory", "--listen", "127.0.0.1:0", "--kubeconfig-out"]).arg(kubeconfig);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the server was built");
        let out = child.stdout.take().expect("it is piped");
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line).expect("it says something");
        let serving = Serving(child);
        assert!(line.starts_with("ready at "), "{line}");
        serving
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn golden(directory: &Path, version: &str) -> Vec<Vec<u8>> {
    let file =
        |extension: &str| directory.join(format!("golden/greet.example.com.{version}.Greeting.{extension}"));
    ["json", "yaml", "pb"].map(|extension| std::fs::read(file(extension)).expect("it is there")).into()
}

fn edit(file: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(file).expect("it is there");
    assert!(text.contains(from), "{} has no {from:?}:\n{text}", file.display());
    std::fs::write(file, text.replace(from, to)).expect("it can be written");
}

#[test]
fn a_group_is_laid_out_and_grows() {
    // Always the same place, so that it is built anew only where it has changed.
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-api");
    let _ = std::fs::remove_dir_all(&directory);
    let root = workspace();
    let names = ["--group", "greet.example.com", "--version", "v1alpha1", "--kind", "Greeting"];
    let from = ["--rhumb", root.to_str().expect("the path is text")];
    rhumb(&[&["new-api"], &names[..], &from[..]].concat(), &directory);
    // What is built is what the workspace is built with.
    std::fs::copy(root.join("Cargo.lock"), directory.join("Cargo.lock")).expect("it can be copied");
    // The directory is made within the workspace's, which does not list it. It is built with the same settings.
    let workspace = format!("[workspace]\n\n{}\n[dev-dependencies]", profiles(&root));
    edit(&directory.join("Cargo.toml"), "[dev-dependencies]", &workspace);
    cargo_test(&directory, &[], false);
    let tools = "defaulter,register";
    rhumb(&[tools, "--verify"], &directory);
    let first = golden(&directory, "v1alpha1");

    let said = rhumb(&["add-version", "--version", "v1beta1"], &directory);
    assert!(said.contains("questions about the conversion from v1alpha1 to v1beta1"), "{said}");
    cargo_test(&directory, &[], false);
    let questions =
        std::fs::read_to_string(directory.join("src/v1alpha1/conversion.rs")).expect("it is there");
    assert!(questions.contains("// OPEN GreetingSpec.text: moves as it is."), "{questions}");

    // A field gets another name; the question about it is answered where it was asked.
    let new = directory.join("src/v1beta1");
    edit(&new.join("types.rs"), "pub text: String", "pub message: String");
    edit(&new.join("defaults.rs"), "spec.text", "spec.message");
    edit(&directory.join("golden/greet.example.com.v1beta1.Greeting.json"), "\"text\"", "\"message\"");
    edit(
        &directory.join("src/v1alpha1/types.rs"),
        "    #[field(1, required)]\n    pub text",
        "    #[field(1, required)]\n    #[convert(rename = message)]\n    pub text",
    );
    cargo_test(&directory, &[], true);
    cargo_test(&directory, &[], false);
    assert!(golden(&directory, "v1alpha1") == first, "the old version is as it was");

    // The next version: both older ones convert to it.
    rhumb(&["add-version", "--version", "v1"], &directory);
    cargo_test(&directory, &["--features", "server"], false);
    assert!(golden(&directory, "v1alpha1") == first, "the old version is as it was");
    let register =
        std::fs::read_to_string(directory.join("src/zz_generated_register.rs")).expect("it is there");
    assert!(register.contains("hub_conversion::<v1alpha1::Greeting, v1::Greeting>"), "{register}");
    rhumb(&[tools, "--verify"], &directory);
    the_definition_has_all_versions(&directory);
    the_server_converts(&directory);
}

/// The sources of what the types mention are found without being told.
fn the_definition_has_all_versions(directory: &Path) {
    rhumb(&["crd"], directory);
    let file = directory.join("config/crd/greet.example.com_greetings.yaml");
    let text = std::fs::read_to_string(file).expect("it is there");
    for (line, times) in [("  - name: v1", 3), ("    storage: true\n", 1), ("lastTransitionTime:\n", 3)] {
        assert_eq!(text.matches(line).count(), times, "{line:?} in\n{text}");
    }
}

/// What is written in the oldest version is read in the newest, where a field has another name.
fn the_server_converts(directory: &Path) {
    let kubeconfig = directory.join("kubeconfig");
    let _serving = Serving::start(&kubeconfig);
    let kubectl = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rhumb"));
        run(command.args(arguments).arg("--kubeconfig").arg(&kubeconfig))
    };
    let file = directory.join("golden/greet.example.com.v1alpha1.Greeting.yaml");
    kubectl(&["create", "-f", file.to_str().expect("the path is text")]);
    let message =
        kubectl(&["get", "greetings.v1.greet.example.com/example", "-o", "jsonpath={.spec.message}"]);
    assert_eq!(message, "hello");
    let said = kubectl(&["explain", "greeting.spec.message"]);
    assert!(said.contains("An example of a text that must be given."), "{said}");
}

#[test]
fn mistakes_are_told() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-api-mistakes");
    std::fs::create_dir_all(scratch.join("src")).expect("it can be made");
    std::fs::write(scratch.join("src/lib.rs"), "").expect("it can be written");
    let refused = |arguments: &[&str]| {
        let done =
            Command::new(env!("CARGO_BIN_EXE_rhumb")).arg("gen").args(arguments).arg(&scratch).output();
        let done = done.expect("it can be run");
        assert_eq!(done.status.code(), Some(1), "{arguments:?}");
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    let new =
        |group, version, kind| refused(&["new-api", "--group", group, "--version", version, "--kind", kind]);
    assert!(new("greet.example.com", "v1", "Greeting").contains("exists and is not empty"));
    std::fs::remove_dir_all(&scratch).expect("it can be removed");
    assert!(new("greet", "v1", "Greeting").contains("\"greet\" can't be a group: it is a domain"));
    assert!(new("greet.example.com", "1", "Greeting").contains("\"1\" can't be a version"));
    assert!(new("greet.example.com", "v1", "greeting").contains("\"greeting\" can't be a kind"));
    assert!(!scratch.exists(), "nothing is written");
    std::fs::create_dir_all(scratch.join("src")).expect("it can be made");
    assert!(refused(&["add-version", "--version", "v1"]).contains("there is no version to begin with"));
}
