//! Rules on a Rust file: its opening, length, line width and banned words.

use std::path::Path;

use super::Finding;

/// Maximum number of lines of a file.
const MOST_LINES: usize = 800;

/// Maximum line width. Code is formatted to 110; comments may be wider.
const WIDEST_LINE: usize = 119;

/// String width from which lines may be wider, since rustfmt doesn't break strings and messages may be long.
const LONG_STRING: usize = 60;

/// Module names that don't say what a module is.
const DRAWERS: &[&str] = &["util", "utils", "helper", "helpers", "common", "misc"];

/// Markers of unfinished code and debugging macros, split so that this file doesn't contain them.
const UNFINISHED: &[(&str, &str)] = &[
    (concat!("#[", "ignore"), "a test that doesn't run is no test"),
    (concat!("to", "do!"), "finish it or leave it out"),
    (concat!("unimpl", "emented!"), "finish it or leave it out"),
    (concat!("db", "g!"), "debugging output stays at home"),
    (concat!("FIX", "ME"), "fix it, or write down the limitation as one"),
    (concat!("XX", "X"), "say what is the matter in a sentence"),
];

/// The only file that may contain unsafe code; it says why.
const AUDITED: &str = "crates/rhumb-schema/src/text/utf8.rs";

/// Keyword and attribute of unsafe code, split for the same reason.
const UNCHECKED: &[&str] =
    &[concat!("uns", "afe {"), concat!("uns", "afe fn"), concat!("allow(uns", "afe_code")];

/// Directory outside the repository that sources must not refer to, split for the same reason.
const BESIDE: &str = concat!("../sha", "red");

/// Checks one file; `path` is from the root of the tree.
pub(super) fn check(path: &Path, text: &str) -> Vec<Finding> {
    let file = File::of(path, text);
    let mut findings = Vec::new();
    let mut report = |line: usize, message: String| {
        findings.push(Finding { path: path.to_owned(), line, message });
    };

    if file == File::Module && !text.starts_with("//!") {
        report(1, "a module opens with //! and says what it owns".to_owned());
    }
    if let Some(drawer) = drawer(path) {
        report(1, format!("a module named {drawer}: name the concept"));
    }
    let count = text.lines().count();
    if file.is_bounded() && count > MOST_LINES {
        report(MOST_LINES + 1, format!("{count} lines; more than {MOST_LINES} are several files"));
    }
    // Not `lines`, which would hide a carriage return.
    for (index, line) in text.split_terminator('\n').enumerate() {
        let number = index + 1;
        if line.ends_with(char::is_whitespace) {
            report(number, "white space at the end of the line".to_owned());
        }
        if line.contains('\t') {
            report(number, "a tab; indent with spaces and write \\t in strings".to_owned());
        }
        let width = line.chars().count();
        if file.is_bounded() && width > WIDEST_LINE && longest_string(line) < LONG_STRING {
            report(number, format!("{width} characters; at most {WIDEST_LINE}"));
        }
        for (word, advice) in UNFINISHED {
            if contains_word(line, word) {
                report(number, format!("{word}: {advice}"));
            }
        }
        if path != Path::new(AUDITED)
            && let Some(found) = UNCHECKED.iter().find(|found| line.contains(**found))
        {
            report(number, format!("{found}: only {AUDITED} may, and it says why"));
        }
        if line.contains(BESIDE) {
            report(number, format!("{BESIDE}: what a test needs is in the project (testdata)"));
        }
        if let Some(name) = inline_module(line).filter(|name| DRAWERS.contains(name)) {
            report(number, format!("a module named {name}: name the concept"));
        }
    }
    findings
}

/// Type of a file for these rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum File {
    /// A module of a crate.
    Module,
    /// `tests.rs` beside a module, or a part of it below `tests`: tables of data, as long and wide as the data.
    TestTable,
    /// Written by a program, which says so in its first line.
    Generated,
    /// Everything else: integration tests, build scripts, examples of what must not compile.
    Other,
}

impl File {
    fn of(path: &Path, text: &str) -> File {
        let is_written =
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("zz_generated"));
        if is_written || text.lines().next().is_some_and(|line| line.contains("@generated")) {
            File::Generated
        } else if path.iter().any(|part| part == "src") {
            let is_table = path
                .iter()
                .skip_while(|part| *part != "src")
                .any(|part| Path::new(part).file_stem().is_some_and(|stem| stem == "tests"));
            if is_table { File::TestTable } else { File::Module }
        } else {
            File::Other
        }
    }

    /// Whether the bounds on lengths apply.
    fn is_bounded(self) -> bool {
        matches!(self, File::Module | File::Other)
    }
}

/// The part of a path that is named like a drawer: the file or a directory above it.
fn drawer(path: &Path) -> Option<&str> {
    let file = path.file_stem().into_iter();
    let directories = path.parent().into_iter().flat_map(Path::iter);
    file.chain(directories).filter_map(|part| part.to_str()).find(|part| DRAWERS.contains(part))
}

/// The name of the module that a line opens or declares.
fn inline_module(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        None => line,
        Some(rest) => {
            rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(rest, |(_, rest)| rest)
        }
    };
    line.trim_start().strip_prefix("mod ")?.split([' ', '{', ';']).next()
}

/// Whether a word stands in a line by itself and not as a part of a longer one.
fn contains_word(line: &str, word: &str) -> bool {
    let is_part = |character: Option<char>| character.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        let after = line.get(at + word.len()..).and_then(|after| after.chars().next());
        !is_part(before) && (word.ends_with('!') || !is_part(after))
    })
}

/// The width of the widest string in a line; a string that begins or ends on another line counts too.
fn longest_string(line: &str) -> usize {
    let mut longest = 0;
    let mut width = 0;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        width += 1;
        match character {
            '\\' => width += usize::from(characters.next().is_some()),
            '"' => {
                longest = longest.max(width);
                width = 0;
            }
            _ => {}
        }
    }
    if longest == 0 { 0 } else { longest.max(width) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a file's findings, as `line: message` with the message cut at the first semicolon or colon.
    fn check(path: &str, text: &str, expect: &[&str]) {
        let findings = super::check(Path::new(path), text);
        let found: Vec<String> = findings
            .iter()
            .map(|finding| {
                let message = finding.message.split([';', ':']).next().unwrap_or_default();
                format!("{}: {message}", finding.line)
            })
            .collect();
        assert_eq!(found, expect, "{path}: {text:.60}");
    }

    const MODULE: &str = "crates/rhumb-meta/src/time.rs";

    #[test]
    fn modules_open_with_what_they_own() {
        check(MODULE, "//! Times.\n", &[]);
        check(MODULE, "use std::fmt;\n", &["1: a module opens with //! and says what it owns"]);
        check(MODULE, "", &["1: a module opens with //! and says what it owns"]);
        check("crates/rhumb-meta/src/time/tests.rs", "use super::*;\n", &[]);
        check("crates/rhumb-meta/src/time/tests/zones.rs", "use super::*;\n", &[]);
        check("crates/rhumb-meta/tests/all.rs", "use rhumb_meta::Time;\n", &[]);
        check(MODULE, "// @generated from the tables\n", &[]);
    }

    #[test]
    fn files_and_lines_are_bounded() {
        let long = format!("//! Long.\n{}", "\n".repeat(MOST_LINES));
        check(MODULE, &long, &["801: 801 lines"]);
        check("crates/rhumb-meta/src/time/tests.rs", &long, &[]);
        let wide = format!("//! Wide.\n// {}\n", "é".repeat(117));
        check(MODULE, &wide, &["2: 120 characters"]);
        check(MODULE, &wide.replacen('é', "", 1), &[]);
        check("crates/rhumb-meta/src/time/tests.rs", &wide, &[]);
        check(MODULE, &format!("//! Wide.\nlet text = \"{}\";\n", "é".repeat(120)), &[]);
        check(
            MODULE,
            &format!("//! Wide.\nlet list = [{}];\n", "\"abc\", ".repeat(20)),
            &["2: 154 characters"],
        );
    }

    #[test]
    fn nothing_unfinished() {
        for (word, _) in UNFINISHED {
            check(MODULE, &format!("//! One.\n{word}\n"), &[&format!("2: {word}")]);
            check(MODULE, &format!("//! One.\n    a {word}(b) \"c\"\n"), &[&format!("2: {word}")]);
        }
        check(MODULE, "//! One.\n#[ignored]\nmytodo!()\nXXXX_YYYY\n// todo\n", &[]);
    }

    #[test]
    fn nothing_beside_the_checkout() {
        let test = "crates/rhumb/tests/golden.rs";
        let line = format!("let root = here.join(\"../../{BESIDE}/golden\");\n");
        check(test, &line, &[&format!("1: {BESIDE}")]);
        check(MODULE, &format!("//! One.\n{line}"), &[&format!("2: {BESIDE}")]);
        check(test, "let shared = here.join(\"../../testdata\");\n", &[]);
    }

    #[test]
    fn white_space() {
        check(MODULE, "//! One. \n\tlet a;\n", &["1: white space at the end of the line", "2: a tab"]);
        check(MODULE, "//! One.\r\n", &["1: white space at the end of the line"]);
    }

    #[test]
    fn no_drawers() {
        check("crates/rhumb-meta/src/util.rs", "//! One.\n", &["1: a module named util"]);
        check("crates/rhumb-meta/tests/common/mod.rs", "//! One.\n", &["1: a module named common"]);
        check(MODULE, "//! One.\npub(crate) mod helpers {\n", &["2: a module named helpers"]);
        check(MODULE, "//! One.\nmod misc;\n", &["2: a module named misc"]);
        check(MODULE, "//! One.\npub mod commons;\nmodulo(util);\n", &[]);
    }
}
