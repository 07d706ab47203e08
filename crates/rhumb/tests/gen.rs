//! `rhumb gen` from end to end: what it writes, what it says, and how it ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs `rhumb gen` in a directory.
fn gen_in(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rhumb"));
    command.arg("gen").args(arguments).current_dir(dir).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A directory of a test's own.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("rhumb-gen-{}-{name}", std::process::id()));
        fs::create_dir_all(&dir).expect("directories can be made");
        Scratch(dir)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

#[test]
fn committed_files_are_up_to_date() {
    for (dir, tools, path) in [
        (
            "crates/rhumb-codegen",
            "deepcopy,schema,object,resource,conversion,defaulter,register",
            "tests/equal/written/...",
        ),
        ("crates/rhumb-codegen", "conversion", "tests/conversion/group/..."),
        ("examples/stable.example.com", "register,crd", "."),
    ] {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(dir);
        let output = gen_in(&dir, &[tools, path, "--verify"]);
        assert_eq!(
            (output.status.code(), text(&output.stdout), text(&output.stderr)),
            (Some(0), String::new(), String::new())
        );
    }
}

#[test]
fn stale_files_are_shown() {
    let scratch = Scratch::new("stale");
    let types = "// +k8s:deepcopy-gen=package\n\n//! Types.\n\n/// A spec.\npub struct Spec {\n    pub size: i32,\n}\n";
    fs::write(scratch.0.join("v1.rs"), types).expect("it can be written");
    let output = gen_in(&scratch.0, &["deepcopy", "v1.rs"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let verify = |code: i32| {
        let output = gen_in(&scratch.0, &["deepcopy", "v1.rs", "--verify"]);
        assert_eq!(output.status.code(), Some(code), "{}{}", text(&output.stdout), text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(verify(0), "");
    fs::write(scratch.0.join("v1.rs"), types.replace("size", "length")).expect("it can be written");
    let shown = verify(1);
    assert!(shown.contains("\n-") && shown.contains("\n+") && shown.contains("length"), "{shown}");
}

#[test]
fn a_directory_is_embedded_without_a_module() {
    let scratch = Scratch::new("embed");
    fs::create_dir_all(scratch.0.join("files")).expect("directories can be made");
    fs::write(scratch.0.join("files/a.txt"), "hello").expect("it can be written");
    let output = gen_in(&scratch.0, &["embed", "--embed-dir", "files", "--embed-as", "text"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains("1 files, 1 of them written"), "{said}");
}

#[test]
fn unknown_generators_and_missing_words_are_told() {
    let scratch = Scratch::new("words");
    let output = gen_in(&scratch.0, &["nothing", "src"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("there is no generator \"nothing\"; there are deepcopy, schema"));
    let output = gen_in(&scratch.0, &["deepcopy"]);
    assert!(text(&output.stderr).contains("say which packages to read"));
    let output = gen_in(&scratch.0, &["list"]);
    assert!(text(&output.stdout).contains("deepcopy "), "{}", text(&output.stdout));
}
