//! The guide (`docs/client.md`) shows the examples as they are.
//!
//! A block of code that names a file after its language is that file, or one item of it:
//! `file=crates/rhumb-client/examples/controller.rs#reconcile`. All other blocks are compiled with the documentation
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
    let examples = std::fs::read_dir(root().join("crates/rhumb-client/examples")).expect("the examples");
    for example in examples {
        let name = example.expect("a file").file_name().into_string().expect("a name");
        assert!(blocks.iter().any(|(file, _)| file.contains(&name)), "docs/client.md doesn't show {name}");
    }
}

#[test]
fn an_item_is_found_with_its_comments() {
    let text = "use x;\n\n/// Does.\n#[inline]\nasync fn other() {\n}\n\n/// Says.\nfn it(\n    a: u8,\n) {\n    fn b() {}\n}\n";
    assert_eq!(item(text, "it"), "/// Says.\nfn it(\n    a: u8,\n) {\n    fn b() {}\n}\n");
    assert_eq!(item(text, "other"), "/// Does.\n#[inline]\nasync fn other() {\n}\n");
}
