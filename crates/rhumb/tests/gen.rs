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
    assert!(text(&output.stderr).contains("PATH is required"));
    let output = gen_in(&scratch.0, &["list"]);
    assert!(text(&output.stdout).contains("deepcopy "), "{}", text(&output.stdout));
}

const TYPES: &str =
    "// +k8s:deepcopy-gen=package\n\n//! Types.\n\n/// A spec.\npub struct Spec {\n    pub size: i32,\n}\n";

/// A crate with two packages, `deep` and `shallow`.
fn crate_of_two(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    fs::create_dir_all(scratch.0.join("src")).expect("directories can be made");
    for (file, text) in [
        ("Cargo.toml", "[package]\nname = \"fleet\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n"),
        ("src/lib.rs", "pub mod deep;\npub mod shallow;\n"),
        ("src/deep.rs", TYPES),
        ("src/shallow.rs", TYPES),
    ] {
        fs::write(scratch.0.join(file), text).expect("it can be written");
    }
    scratch
}

#[test]
fn files_get_a_licence_a_name_and_a_base_within_bounds() {
    let scratch = crate_of_two("flags");
    fs::write(scratch.0.join("licence.txt"), "// Copyright YEAR Fleet.\n").expect("it can be written");
    let flags = ["--header-file=licence.txt", "--output-base=out", "--bounding-dirs=fleet::deep,fleet::none"];
    let output = gen_in(&scratch.0, &[&["deepcopy", "."], &flags[..], &["--output-file=made_*"]].concat());
    assert_eq!(text(&output.stderr), "");
    assert_eq!(text(&output.stdout), "new: out/fleet/deep/made_deepcopy.rs\n1 files, 1 of them written\n");
    let made = fs::read_to_string(scratch.0.join("out/fleet/deep/made_deepcopy.rs")).expect("it was written");
    let year =
        made.strip_prefix("// Copyright ").and_then(|rest| rest.split_once(" Fleet.\n\n//! Generated by"));
    let year: i32 = year.and_then(|(year, _)| year.parse().ok()).expect("it begins with the licence");
    assert!((2025..2100).contains(&year), "{made}");
    // The year apart, nothing is stale.
    let output =
        gen_in(&scratch.0, &[&["deepcopy", "."], &flags[..], &["--output-file=made_*", "--verify"]].concat());
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), String::new()));

    let said = |arguments: &[&str]| text(&gen_in(&scratch.0, arguments).stderr);
    let both = said(&["deepcopy", ".", "--out=a", "--output-base=b"]);
    assert!(both.contains("--out and --output-base are mutually exclusive"), "{both}");
    let missing = said(&["deepcopy", ".", "--header-file=gone.txt"]);
    assert!(missing.contains("--header-file: gone.txt: No such file"), "{missing}");
    fs::write(scratch.0.join("licence.txt"), "Copyright YEAR Fleet.\n").expect("it can be written");
    let plain = said(&["deepcopy", ".", "--header-file=licence.txt"]);
    assert!(plain.contains("the text for the top of files must be comments, `//` or `/* */`"), "{plain}");
}

#[test]
fn a_licence_stands_in_yaml_with_its_own_marks() {
    let scratch = Scratch::new("yaml-licence");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/stable.example.com");
    fs::write(scratch.0.join("licence.txt"), "/*\nCopyright Fleet.\n\nFree.\n*/\n")
        .expect("it can be written");
    let (path, out) = (example.display().to_string(), scratch.0.display().to_string());
    let licence = scratch.0.join("licence.txt").display().to_string();
    let output = gen_in(&example, &["crd", &path, "--out", &out, "--header-file", &licence]);
    assert_eq!(text(&output.stderr), "");
    let names = fs::read_dir(&scratch.0).expect("it is there").filter_map(|entry| Some(entry.ok()?.path()));
    let yaml = names.into_iter().find(|path| path.extension().is_some_and(|end| end == "yaml"));
    let made = fs::read_to_string(yaml.expect("a definition was written")).expect("it can be read");
    assert!(made.starts_with("# Copyright Fleet.\n#\n# Free.\n\n# Generated by `rhumb gen crd`."), "{made}");
}

#[test]
fn imports_are_checked_against_restrictions_in_yaml() {
    let scratch = crate_of_two("import-boss");
    fs::write(scratch.0.join("src/deep.rs"), "use crate::shallow::Spec;\nuse std::fs;\n")
        .expect("it can be written");
    let check = |arguments: &[&str]| {
        let output = gen_in(&scratch.0, &[&["import-boss"], arguments].concat());
        let said = text(&output.stderr).replace(&format!("{}/", scratch.0.display()), "");
        assert_eq!(text(&output.stdout), "");
        (output.status.code(), said)
    };
    assert_eq!(check(&[]), (Some(0), String::new()));
    let rules = "# What deep may import.\nrules:\n  - selectorRegexp: ^fleet::(shallow|sea)$\n    forbiddenPrefixes: \
                 [fleet::shallow]\n  - selectorRegexp: '^std\\b'\n    allowedPrefixes: [std::collections]\n";
    fs::write(scratch.0.join("src/.import-restrictions"), rules).expect("it can be written");
    let (code, said) = check(&[]);
    assert_eq!(code, Some(1));
    let expected = [
        r#"src/deep.rs:1: "fleet::deep" -> "fleet::shallow" is forbidden by src/.import-restrictions"#,
        "      1 | use crate::shallow::Spec;",
        r#"src/deep.rs:2: "fleet::deep" -> "std::fs" did not match any rule"#,
        "      2 | use std::fs;\n",
    ]
    .join("\n");
    assert_eq!(said.strip_prefix("error: ").unwrap_or(&said), expected);
    assert_eq!(check(&["src/shallow.rs"]), (Some(0), String::new()));
    assert_eq!(check(&["src/deep.rs"]).0, Some(1));
    fs::write(scratch.0.join("src/.import-restrictions"), "rules:\n  - selectorRegexp: (\n")
        .expect("it can be written");
    let (code, said) = check(&[]);
    assert!(
        code == Some(1) && said.contains(".import-restrictions: the selector \"(\" is no regular expression"),
        "{said}"
    );
}
