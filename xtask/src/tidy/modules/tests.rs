//! Small crates, good and bad.

use super::*;

const LAYERS: &[&str] = &["base", "store", "http"];

fn graph(files: &[(&str, &str)]) -> Graph {
    let files: Vec<(PathBuf, String)> =
        files.iter().map(|(path, text)| (format!("src/{path}").into(), (*text).to_owned())).collect();
    Graph::of("src", &files)
}

fn found(files: &[(&str, &str)]) -> Vec<String> {
    graph(files).check(LAYERS).iter().map(Finding::to_string).collect()
}

#[test]
fn a_layer_imports_from_below() {
    let files = [
        ("lib.rs", "mod base;\npub use http::Server;\n"),
        ("base/mod.rs", "pub struct Time;\n"),
        ("store.rs", "use crate::base::Time;\n"),
        ("http.rs", "use crate::{base::Time, store::Key};\nfn go() { crate::store::open() }\n"),
    ];
    assert_eq!(found(&files), [""; 0]);
    assert_eq!(graph(&files).describe(LAYERS), "http -> store, base\nstore -> base\nbase -> \n");
}

#[test]
fn an_import_from_above_is_found_with_its_line() {
    for (text, line) in [
        ("use crate::http::Server;\n", 1),
        ("use crate::{base::Time,\n    http::{self, Server}};\n", 1),
        ("fn go() {}\n\nfn stop() { crate::http::stop() }\n", 3),
        ("use super::http;\n", 1),
    ] {
        let files = [("base.rs", ""), ("store.rs", text), ("http.rs", "")];
        assert_eq!(
            found(&files),
            [format!("src/store.rs:{line}: imports http from a layer above")],
            "{text}"
        );
    }
}

#[test]
fn what_is_exported_again_counts_as_what_it_is() {
    let files = [
        ("base/mod.rs", "pub(crate) use self::clock::Clock;\nmod clock;\nmod timer;\n"),
        ("base/clock.rs", "use crate::base::Timer;\n"),
        ("base/timer.rs", "use super::Clock;\npub struct Timer;\n"),
    ];
    assert_eq!(graph(&files).in_circles(), 0, "a name of the parent is no circle");
    let files = [
        (
            "base/mod.rs",
            "pub(crate) use clock::Clock;\npub(crate) use timer::Timer;\nmod clock;\nmod timer;\n",
        ),
        ("base/clock.rs", "use crate::base::Timer;\n"),
        ("base/timer.rs", "use super::Clock;\npub struct Timer;\n"),
    ];
    assert_eq!(graph(&files).in_circles(), 2);
    assert_eq!(found(&files), ["src/base/clock.rs:1: is in a circle of imports: base::clock, base::timer"]);
}

#[test]
fn a_module_and_its_children_may_use_each_other() {
    let files = [
        ("store/mod.rs", "mod disk;\nuse disk::Disk;\npub struct Key;\n"),
        ("store/disk.rs", "use super::Key;\npub struct Disk;\n"),
    ];
    assert_eq!(found(&files), [""; 0]);
}

#[test]
fn comments_texts_and_tests_import_nothing() {
    let text = "// use crate::http::Server;\nconst A: &str = \"use crate::http::Server;\";\nconst B: char = '\"';\n\
                #[cfg(test)]\nmod tests {\n    use crate::http::Server;\n}\n";
    assert_eq!(found(&[("base.rs", text), ("http.rs", "")]), [""; 0]);
    assert_eq!(found(&[("base/tests.rs", "use crate::http::Server;\n"), ("http.rs", "")]), [""; 0]);
}

#[test]
fn every_layer_has_its_place() {
    assert_eq!(
        found(&[("other.rs", "")]),
        ["src/other.rs:1: its layer is not in the table of xtask/src/tidy/modules.rs"]
    );
}
