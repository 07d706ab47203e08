//! What SECURITY.md says is tested, is tested.

use std::fs;
use std::path::Path;

use regex::Regex;

#[test]
fn every_test_that_the_document_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let document = fs::read_to_string(root.join("SECURITY.md")).unwrap();
    let named = Regex::new(r"`(\w+)` in \[[^\]]+\]\(([^)]+)\)").unwrap();
    let rows: Vec<&str> = document.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() > 10, "only {} rows are left", rows.len());
    for row in rows {
        let mut count = 0;
        for found in named.captures_iter(row) {
            let (name, path) = (&found[1], &found[2]);
            let source =
                fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
            let test = Regex::new(&format!(r"#\[(tokio::)?test[^\n]*\n\s*(async )?fn {name}\(")).unwrap();
            assert!(test.is_match(&source), "{path} has no test {name}");
            count += 1;
        }
        assert!(count > 0, "no test is named in\n{row}");
    }
}
