//! Where files go, what they are called, what stands above them, and for which packages there are any.

mod support;

use std::path::{Path, PathBuf};

use rhumb_codegen::file_type::{FileTypes, boilerplate_lines};
use rhumb_codegen::generator::{Options, boilerplate};
use rhumb_codegen::problem::Outcome;
use rhumb_codegen::run::{self, Made};
use rhumb_codegen::source::{Request, load};
use rhumb_codegen::{generators, write};

/// A crate with two groups, each with a version.
fn fleet(name: &str) -> PathBuf {
    let types = "//! Types.\n// +k8s:deepcopy-gen=package\n// +k8s:defaulter-gen=true\n/// Doc.\npub struct A {\n    \
                 pub a: String,\n}\n";
    let files = [
        ("src/lib.rs", "//! Groups.\npub mod deep;\npub mod shallow;\n"),
        ("src/deep.rs", "//! A group.\npub mod v1;\n"),
        ("src/shallow.rs", "//! A group.\npub mod v1;\n"),
        ("src/deep/v1.rs", types),
        ("src/shallow/v1.rs", types),
    ];
    support::temporary(name, &files).unwrap_or_else(|error| panic!("{error}"))
}

fn make(dir: &Path, tools: &[&str], bounding: &[String], options: &Options) -> Outcome<Made> {
    let request =
        Request { paths: vec![dir.display().to_string()], bounding: bounding.to_vec(), ..Request::default() };
    run::run(&load(&request)?, &generators::named(tools)?, options, &FileTypes::default())
}

/// The files of a run by their paths from a directory.
fn names(made: Outcome<Made>, from: &Path) -> Vec<String> {
    let made = made.unwrap_or_else(|problems| panic!("{problems}"));
    let from = from.canonicalize().unwrap_or_else(|_| from.to_path_buf());
    made.files.keys().map(|path| path.strip_prefix(&from).unwrap_or(path).display().to_string()).collect()
}

#[test]
fn files_go_below_the_output_base_with_the_whole_path_of_their_package() {
    let dir = fleet("output-base");
    let options = Options { output_base: Some("/base".into()), ..Options::default() };
    let made = names(make(&dir, &["deepcopy"], &[], &options), Path::new("/base"));
    assert_eq!(
        made,
        ["temporary/deep/v1/zz_generated_deepcopy.rs", "temporary/shallow/v1/zz_generated_deepcopy.rs"]
    );
    let options = Options { out: Some("/base".into()), ..Options::default() };
    let made = names(make(&dir, &["deepcopy"], &[], &options), Path::new("/base"));
    assert_eq!(made, ["deep/v1/zz_generated_deepcopy.rs", "shallow/v1/zz_generated_deepcopy.rs"]);
}

#[test]
fn files_have_the_name_that_was_asked_for_and_are_not_read_again() {
    let dir = fleet("output-file");
    let options = Options { output_file: Some("made_*.rs".to_owned()), ..Options::default() };
    let tools = ["deepcopy", "defaulter"];
    let made = make(&dir, &tools, &["temporary::deep".to_owned()], &options).expect("nothing is wrong");
    let named = names(Ok(made.clone()), &dir.join("src/deep/v1"));
    assert_eq!(named, ["made_deepcopy.rs", "made_defaulter.rs"]);
    // Declared as modules, they are known as what they are: nothing of them is source.
    write::write(&made.files).expect("files can be written");
    let version = dir.join("src/deep/v1.rs");
    let text = std::fs::read_to_string(&version).expect("it can be read");
    std::fs::write(&version, text + "mod made_deepcopy;\nmod made_defaulter;\n").expect("it can be written");
    let again = make(&dir, &tools, &["temporary::deep".to_owned()], &options).expect("nothing is wrong");
    assert_eq!(made, again);
    // Two generators can't write one file, and some have no choice.
    let options = |name: &str| Options { output_file: Some(name.to_owned()), ..Options::default() };
    let said = |tools: &[&str], name: &str| match make(&dir, tools, &[], &options(name)) {
        Ok(made) => panic!("nothing is wrong: {:?}", made.files.keys()),
        Err(problems) => problems.to_string(),
    };
    assert!(
        said(&tools, "made")
            .contains("made.rs: defaulter would write this file, which another generator writes")
    );
    assert!(said(&["deepcopy"], "a/b.rs").contains("a file's name is wanted, without a directory"));
}

#[test]
fn a_generator_that_names_its_files_itself_refuses_another_name() {
    let universe = support::harbor().unwrap_or_else(|error| panic!("{error}"));
    let tools = generators::named(&["protobuf"]).expect("there is such a generator");
    let options = Options { output_file: Some("made.rs".to_owned()), ..Options::default() };
    let said = run::run(&universe, &tools, &options, &FileTypes::default()).expect_err("it has no choice");
    let expected = "protobuf: the file is called \"generated.proto\" whatever --output-file=made.rs says";
    assert!(said.to_string().contains(expected), "{said}");
}

#[test]
fn nothing_is_made_outside_of_the_bounding_modules_and_directories() {
    let dir = fleet("bounding");
    let made = |bounding: &[&str]| {
        let bounding: Vec<String> = bounding.iter().map(|word| (*word).to_owned()).collect();
        names(make(&dir, &["deepcopy"], &bounding, &Options::default()), &dir.join("src"))
    };
    let (deep, shallow) = ("deep/v1/zz_generated_deepcopy.rs", "shallow/v1/zz_generated_deepcopy.rs");
    assert_eq!(made(&[]), [deep, shallow]);
    assert_eq!(made(&["temporary::deep"]), [deep]);
    assert_eq!(made(&["temporary::deep", "temporary::shallow::v1"]), [deep, shallow]);
    assert_eq!(made(&["temporary::dee"]), [""; 0]);
    assert_eq!(made(&[&dir.join("src/shallow").display().to_string()]), [shallow]);
}

#[test]
fn the_boilerplate_stands_above_all_with_the_year_in_it() {
    let dir = fleet("boilerplate");
    let licence = "/*\nCopyright YEAR The Fleet.\n\n   Indented.\n*/\n";
    let options = Options { boilerplate: boilerplate(licence, "2026"), ..Options::default() };
    let made = make(&dir, &["deepcopy"], &[], &options).expect("nothing is wrong");
    let text = made.files.values().next().expect("a file is made");
    let top = "/*\nCopyright 2026 The Fleet.\n\n   Indented.\n*/\n\n//! Generated by `rhumb gen deepcopy`. Do not edit";
    assert!(text.starts_with(top), "{text}");
    assert!(syn::parse_file(text).is_ok());
    // Formats with other comments take its lines.
    let lines = boilerplate_lines(&options.boilerplate).expect("it is a comment");
    assert_eq!(lines, ["Copyright 2026 The Fleet.", "", "Indented."]);
    let lines = boilerplate_lines("// One.\n//\n//  Two. /* */\n").expect("it is a comment");
    assert_eq!(lines, ["One.", "", " Two. /* */"]);
    assert_eq!(
        boilerplate_lines("/* One. */\n/*\n * Two.\n */"),
        Ok(vec!["One.".to_owned(), "Two.".to_owned()])
    );
    for (bad, said) in [
        ("Copyright YEAR", "must be comments, `//` or `/* */`, not \"Copyright YEAR\""),
        ("//! Inner.", "not \"//! Inner.\""),
        ("/// Outer.", "not \"/// Outer.\""),
        ("/* Open", "that doesn't end"),
    ] {
        let options = Options { boilerplate: bad.to_owned(), ..Options::default() };
        let problems = make(&dir, &["deepcopy"], &[], &options).expect_err(bad).to_string();
        assert!(problems.contains(said), "{said} is not in {problems}");
    }
}
