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
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rhumb-codegen");
    let tools = "deepcopy,schema,object,resource,conversion,defaulter,register";
    let output = gen_in(&dir, &[tools, "tests/equal/written/...", "--verify"]);
    assert_eq!(
        (output.status.code(), text(&output.stdout), text(&output.stderr)),
        (Some(0), String::new(), String::new())
    );
}

#[test]
fn a_group_is_laid_out_and_stale_files_are_shown() {
    let scratch = Scratch::new("layout");
    let words = ["new-api", ".", "--group", "stable.example.com", "--version", "v1", "--kind", "CronTab"];
    let output = gen_in(&scratch.0, &words);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let output = gen_in(&scratch.0, &["add-version", "src/stable", "--from", "v1", "--version", "v2"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let all = ["conversion,defaulter,register", "src/stable/..."];
    let verify = |code: i32| {
        let output = gen_in(&scratch.0, &[all[0], all[1], "--verify"]);
        assert_eq!(output.status.code(), Some(code), "{}{}", text(&output.stdout), text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(verify(0), "");
    let types = scratch.0.join("src/stable/v2.rs");
    let changed = fs::read_to_string(&types)
        .expect("it was written")
        .replace("pub replicas: Option<i32>", "pub replicas: i64");
    fs::write(&types, changed).expect("it can be written");
    let output = gen_in(&scratch.0, &all);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("v2.rs:") && said.contains("fn to_hub(own: i64, scope: &Scope)"), "{said}");
    let register = scratch.0.join("src/stable/zz_generated_register.rs");
    fs::write(&register, "").expect("it can be written");
    let back = fs::read_to_string(&types)
        .expect("it is there")
        .replace("pub replicas: i64", "pub replicas: Option<i32>");
    fs::write(&types, back).expect("it can be written");
    assert!(verify(1).contains("+pub fn install(builder: &mut SchemeBuilder)"));
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
