//! The guide (`docs/client.md`) shows the examples as they are.
//!
//! A block of code that names a file after its language is that file, or one item of it:
//! `file=examples/client/controller.rs#reconcile`. All other blocks are compiled with the documentation
//! of the client library.

use std::path::Path;

/// The top of the repository.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// An item of a file with its comments and attributes: all lines up to the first that ends it at the margin.
fn item(text: &str, name: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let begins = |line: &&str| {
        let words: Vec<&str> =
            line.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).collect();
        !line.starts_with(' ')
            && words
                .windows(2)
                .any(|pair| ["fn", "struct", "impl", "for"].contains(&pair[0]) && pair[1] == name)
    };
    let found = lines.iter().position(begins).unwrap_or_else(|| panic!("there is no {name}"));
    let is_attached = |line: &&&str| line.starts_with("///") || line.starts_with("#[");
    let first = found - lines[..found].iter().rev().take_while(is_attached).count();
    let length = lines[first..].iter().position(|line| *line == "}").expect("it ends");
    lines[first..=first + length].join("\n") + "\n"
}

/// The blocks of code that name a file: its name, and what is shown.
fn blocks(guide: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut lines = guide.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let shown: String =
            lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
        if let Some((_, file)) = info.split_once("file=") {
            blocks.push((file.to_owned(), shown));
        }
    }
    blocks
}

#[test]
fn the_guide_shows_the_examples_as_they_are() {
    let guide = read("docs/client.md");
    let blocks = blocks(&guide);
    for (file, shown) in &blocks {
        let (path, name) =
            file.split_once('#').map_or((file.as_str(), None), |(path, name)| (path, Some(name)));
        let text = read(path);
        let expected = name.map_or_else(|| text.clone(), |name| item(&text, name));
        assert_eq!(*shown, expected, "docs/client.md shows another state of {file}");
    }
}

/// The programs of the client library's examples, without `.rs`.
fn programs() -> Vec<String> {
    let files = std::fs::read_dir(root().join("examples/client")).expect("the examples");
    let names = files.map(|file| file.expect("a file").file_name().into_string().expect("a name"));
    let mut programs: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(".rs")?.to_owned())).collect();
    programs.sort();
    programs
}

#[test]
fn every_example_is_listed_built_and_short_enough_for_a_page() {
    let (list, manifest) = (read("examples/README.md"), read("examples/client/Cargo.toml"));
    let programs = programs();
    assert!(programs.len() >= 13, "{programs:?}");
    for name in &programs {
        let entry = format!("- [{name}](client/{name}.rs): ");
        assert_eq!(list.matches(&entry).count(), 1, "examples/README.md has {entry:?} once");
        let target = format!("name = \"{name}\"\npath = \"{name}.rs\"");
        assert!(manifest.contains(&target), "examples/client/Cargo.toml builds {name}");
        let lines = read(&format!("examples/client/{name}.rs")).lines().count();
        assert!(lines <= 170, "{name} has {lines} lines");
    }
    assert_eq!(list.matches("](client/").count(), programs.len(), "examples/README.md lists what is there");
}

#[test]
fn an_item_is_found_with_its_comments() {
    let text = "use x;\n\n/// Does.\n#[inline]\nasync fn other() {\n}\n\n/// Says.\nfn it(\n    a: u8,\n) {\n    fn b() {}\n}\n";
    assert_eq!(item(text, "it"), "/// Says.\nfn it(\n    a: u8,\n) {\n    fn b() {}\n}\n");
    assert_eq!(item(text, "other"), "/// Does.\n#[inline]\nasync fn other() {\n}\n");
}
