//! Restrictions on imports: what they find in small workspaces, and what Kubernetes' import-boss finds.

use std::fs;
use std::path::{Path, PathBuf};

use rhumb_codegen::generators::import_boss::{Request, Restrictions, Selector, verify};
use rhumb_codegen::problem::{Outcome, Problem};
use serde_json::{Value, json};

/// A directory with files.
fn directory(name: &str, files: &[(&str, String)]) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("import-boss").join(name);
    // It may be left from an earlier run, or never have been there.
    drop(fs::remove_dir_all(&dir));
    for (path, text) in files {
        let path = dir.join(path);
        fs::create_dir_all(path.parent().expect("it is in a directory")).expect("directories can be made");
        fs::write(path, text).expect("files can be written");
    }
    dir.canonicalize().expect("it is there")
}

/// Selectors with `^`, `$` and nothing else that is special.
fn compile(text: &str) -> Result<Selector, String> {
    let owned = text.to_owned();
    Ok(match (text.strip_prefix('^'), text.strip_suffix('$')) {
        (Some(start), _) => {
            let start = start.to_owned();
            Box::new(move |path| path.starts_with(&start))
        }
        (_, Some(end)) => {
            let end = end.to_owned();
            Box::new(move |path| path.ends_with(&end))
        }
        _ => Box::new(move |path| path.contains(&owned)),
    })
}

fn read(text: &str) -> Result<Restrictions, String> {
    let document: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Restrictions::from_json(&document, &compile)
}

fn verified(dir: &Path, paths: &[&str]) -> Outcome<Vec<Problem>> {
    let paths = paths.iter().map(|path| dir.join(path)).collect();
    verify(&Request { dir: dir.to_path_buf(), paths }, &read)
}

/// What is found, without the places and the directory, in order.
fn messages(dir: &Path, paths: &[&str]) -> Vec<String> {
    let found = verified(dir, paths).unwrap_or_else(|problems| panic!("{problems}"));
    let dir = format!("{}/", dir.display());
    let mut messages: Vec<String> = found.iter().map(|problem| problem.message.replace(&dir, "")).collect();
    messages.sort();
    messages
}

const MANIFEST: &str = "[package]\nname = \"harbor\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";

/// Packages that import each other and rules for them, as a crate whose modules they are.
fn harbor(number: usize, case: &Value) -> PathBuf {
    let object = |key: &str| case.get(key).and_then(Value::as_object).expect("it is there");
    let below = |name: &str| name.replacen("harbor", "", 1).replacen("::", "", 1).replace("::", "/");
    let mut files = vec![("Cargo.toml".to_owned(), MANIFEST.to_owned())];
    for (name, imports) in object("packages") {
        let children = object("packages").keys().filter_map(|other| {
            let child = other.strip_prefix(name.as_str())?.strip_prefix("::")?;
            (!child.contains("::")).then(|| format!("pub mod {child};\n"))
        });
        let mut text: String = children.collect();
        for import in imports.as_array().into_iter().flatten().filter_map(Value::as_str) {
            text.push_str(&format!("use {} as _;\n", import.replacen("harbor", "crate", 1)));
        }
        let file = match below(name).as_str() {
            "" => "src/lib.rs".to_owned(),
            path => format!("src/{path}.rs"),
        };
        files.push((file, text));
    }
    for (name, rules) in object("restrictions") {
        files.push((format!("src/{}/.import-restrictions", below(name)), rules.to_string()));
    }
    let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    directory(&format!("harbor-{number}"), &files)
}

/// `tests/data/import_boss.json` has packages, rules, and what import-boss of Kubernetes v1.36.4 says of them in
/// Go, with `::` for `/`.
#[test]
fn the_same_imports_are_forbidden_that_import_boss_forbids() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/import_boss.json");
    let text = fs::read_to_string(file).expect("it can be read");
    let cases: Vec<Value> = serde_json::from_str(&text).expect("it is JSON");
    assert!(cases.len() >= 40);
    for (number, case) in cases.iter().enumerate() {
        let dir = harbor(number, case);
        let found: Vec<String> = messages(&dir, &[])
            .iter()
            .map(|message| {
                let message = message.split(", through").next().unwrap_or(message);
                let (said, file) = message.split_once(" by ").unwrap_or((message, ""));
                let dir = file.trim_start_matches("src/").trim_end_matches(".import-restrictions");
                match message.contains(" by ") {
                    true => format!("{said} by {}", dir.trim_end_matches('/').replace('/', "::")),
                    false => message.to_owned(),
                }
            })
            .collect();
        let answers: Vec<&str> = case
            .get("answers")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        assert_eq!(found, answers, "case {number}: {case}");
    }
}

/// A workspace with two crates, one of them with a program and tests, and two crates from elsewhere.
fn fleet(name: &str, more: &[(&str, String)]) -> PathBuf {
    let vendored = |name: &str, rest: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"1.2.3\"\nedition = \"2024\"\n{rest}")
    };
    let mut files: Vec<(&str, String)> = [
        ("Cargo.toml", "[workspace]\nmembers = [\"fleet\", \"yard\"]\nresolver = \"3\"\n"),
        (
            ".cargo/config.toml",
            "[source.crates-io]\nreplace-with = \"here\"\n[source.here]\ndirectory = \"vendor\"\n",
        ),
        ("vendor/far-away/src/lib.rs", ""),
        ("vendor/far-away/.cargo-checksum.json", "{\"files\":{},\"package\":null}"),
        ("vendor/deep-down/src/lib.rs", ""),
        ("vendor/deep-down/.cargo-checksum.json", "{\"files\":{},\"package\":null}"),
        (
            "fleet/Cargo.toml",
            "[package]\nname = \"the-fleet\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\nyard = { path \
             = \"../yard\" }\nsails = { package = \"far-away\", version = \"1\" }\n[dev-dependencies]\ndeep-down = \
             \"1\"\n",
        ),
        (
            "fleet/src/lib.rs",
            "pub mod ship;\nmod inner {\n    pub mod deck {\n        use super::super::ship;\n    }\n}\npub use \
             inner::deck;\nuse yard::{self as the_yard, dock::Dock};\nuse sails::Cloth;\nfn f() -> Cloth {\n    \
             Cloth::sewn()\n}\n#[cfg(test)]\nmod tests {\n    use super::*;\n    use deep_down::Deep;\n    fn f() \
             {\n        ship::sail();\n    }\n}\n",
        ),
        (
            "fleet/src/ship.rs",
            "use std::collections::BTreeMap;\npub fn sail() {\n    vec![crate::inner::deck::X];\n    \
             yard::dock::deep::go();\n    std::fs::read(\"a\");\n    let deep_down::Deep = 1;\n}\nimpl ::yard::Built \
             for Ship {}\n",
        ),
        ("fleet/src/main.rs", "mod cli;\nuse the_fleet::ship;\nfn main() {\n    cli::run();\n}\n"),
        ("fleet/src/cli.rs", "pub fn run() {\n    super::main();\n}\n"),
        ("fleet/tests/all.rs", "use deep_down::Deep;\nuse the_fleet::ship::sail;\n"),
        ("yard/Cargo.toml", "[package]\nname = \"yard\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
        ("yard/src/lib.rs", "pub mod dock;\npub trait Built {}\n"),
        ("yard/src/dock/mod.rs", "pub mod deep;\npub struct Dock;\n"),
        ("yard/src/dock/deep.rs", "use super::Dock;\n"),
    ]
    .map(|(path, text)| (path, text.to_owned()))
    .to_vec();
    files.push(("vendor/far-away/Cargo.toml", vendored("far-away", "[dependencies]\ndeep-down = \"1\"\n")));
    files.push(("vendor/deep-down/Cargo.toml", vendored("deep-down", "")));
    files.extend(more.iter().cloned());
    directory(name, &files)
}

/// Rules that nothing keeps, so that every import is told of.
fn nothing_is_allowed(transitive: bool) -> String {
    json!({ "rules": [{ "selectorRegexp": "", "transitive": transitive }] }).to_string()
}

#[test]
fn every_path_in_every_crate_is_an_import() {
    let dir = fleet("fleet", &[(".import-restrictions", nothing_is_allowed(false))]);
    let mut pairs: Vec<String> = messages(&dir, &[])
        .iter()
        .map(|message| message.replace(" did not match any rule", "").replace('"', ""))
        .collect();
    pairs.sort();
    assert_eq!(
        pairs,
        [
            "all ((test)) -> deep_down",
            "all ((test)) -> the_fleet::ship",
            "the_fleet ((bin)) -> the_fleet::cli ((bin))",
            "the_fleet ((bin)) -> the_fleet::ship",
            "the_fleet -> far_away",
            "the_fleet -> the_fleet::inner::deck",
            "the_fleet -> yard",
            "the_fleet -> yard::dock",
            "the_fleet::cli ((bin)) -> the_fleet ((bin))",
            "the_fleet::inner::deck -> the_fleet::ship",
            "the_fleet::ship -> std::collections",
            "the_fleet::ship -> std::fs::read",
            "the_fleet::ship -> the_fleet::inner::deck",
            "the_fleet::ship -> yard",
            "the_fleet::ship -> yard::dock::deep",
            "the_fleet::tests -> deep_down",
            "the_fleet::tests -> the_fleet",
            "the_fleet::tests -> the_fleet::ship",
            "yard::dock::deep -> yard::dock",
        ]
    );
}

#[test]
fn what_is_imported_through_others_is_told_with_the_last_step() {
    let dir = fleet("through", &[("fleet/src/.import-restrictions", nothing_is_allowed(true))]);
    let found = messages(&dir, &["fleet/src/lib.rs"]);
    let of_root =
        |import: &str| found.iter().find(|message| message.starts_with(&format!("\"the_fleet\" {import}")));
    assert_eq!(
        of_root("--> \"deep_down\"").map(String::as_str),
        Some("\"the_fleet\" --> \"deep_down\" did not match any rule, through \"far_away\"")
    );
    assert_eq!(
        of_root("--> \"std::fs::read\"").map(String::as_str),
        Some("\"the_fleet\" --> \"std::fs::read\" did not match any rule, through \"the_fleet::ship\"")
    );
    assert!(of_root("-> \"far_away\"").is_some());
    assert!(found.iter().all(|message| !message.starts_with("\"the_fleet::ship\"")), "{found:?}");
}

#[test]
fn a_forbidden_import_has_its_file_and_line() {
    let rules = json!({ "inverseRules": [{ "selectorRegexp": "^the_fleet", "forbiddenPrefixes": ["the_fleet::ship"],
        "allowedPrefixes": [""] }] });
    let dir = fleet("place", &[("yard/src/dock/.import-restrictions", rules.to_string())]);
    let found = verified(&dir, &[]).expect("it can be read");
    let [problem] = found.as_slice() else { panic!("one was expected, not {found:?}") };
    let shown = problem.to_string().replace(&format!("{}/", dir.display()), "");
    assert_eq!(
        shown,
        "fleet/src/ship.rs:4: \"yard::dock::deep\" <- \"the_fleet::ship\" is forbidden by \
         yard/src/dock/.import-restrictions\n      4 | yard::dock::deep::go();"
    );
}

#[test]
fn rules_that_cannot_be_read_and_directories_without_a_workspace_are_told() {
    let dir = fleet("bad", &[("yard/.import-restrictions", "{\"rule\": []}".to_owned())]);
    let said = verified(&dir, &[]).expect_err("the rules are wrong").to_string();
    assert!(
        said.contains("yard/.import-restrictions: \"rule\" is neither `rules` nor `inverseRules`"),
        "{said}"
    );
    let said = verified(&dir, &["nowhere"]).expect_err("there is no such path").to_string();
    assert!(said.contains("nowhere: "), "{said}");
    let request = Request { dir: PathBuf::from("/"), paths: Vec::new() };
    let said = verify(&request, &read).expect_err("there is no workspace").to_string();
    assert!(said.contains("there is no Cargo.toml here or above"), "{said}");
}

#[test]
fn a_workspace_whose_dependencies_are_not_fetched_is_checked_all_the_same() {
    let manifest = MANIFEST.replace("[workspace]", "[dependencies]\nnow-here = \"1\"\n[workspace]");
    let files = [
        ("Cargo.toml", manifest),
        (
            ".cargo/config.toml",
            "[source.crates-io]\nreplace-with = \"here\"\n[source.here]\ndirectory = \"vendor\"\n".to_owned(),
        ),
        ("vendor/.keep", String::new()),
        ("src/lib.rs", "use now_here::Thing;\n".to_owned()),
        (".import-restrictions", nothing_is_allowed(false)),
    ];
    let dir = directory("unfetched", &files);
    assert_eq!(messages(&dir, &[]), ["\"harbor\" -> \"now_here\" did not match any rule"]);
}
