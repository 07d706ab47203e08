use super::*;

/// Checks a manifest's findings, as `line: message`; the crate's name is put in front.
fn check(name: &str, dependencies: &str, expect: &[&str]) {
    let text = format!("[package]\nname = \"{name}\"\n{dependencies}\n");
    let path = PathBuf::from(format!("crates/{name}/Cargo.toml"));
    let found: Vec<String> = super::check(&[(path, text)], ORDER)
        .iter()
        .map(|finding| format!("{}: {}", finding.line, finding.message))
        .collect();
    assert_eq!(found, expect, "{name}: {dependencies}");
}

#[test]
fn dependencies_point_down() {
    check("rhumb-meta", "[dependencies]\nrhumb-schema.workspace = true\nserde_json = \"1\"", &[]);
    check("rhumb-server", "[dependencies]\nrhumb-api = { workspace = true }", &[]);
    check("xtask", "", &[]);
}

#[test]
fn dependencies_that_point_up_are_reported_however_they_are_written() {
    let above = ": rhumb-meta must not depend on rhumb-codec, which stands above it";
    for (dependencies, line) in [
        ("[dependencies]\nrhumb-codec = { workspace = true }", 4),
        ("[dependencies]\nserde = { version = \"1\" }\nrhumb-codec.workspace = true", 5),
        ("[dependencies] # ours\n\"rhumb-codec\" = { path = \"../rhumb-codec\" } # for now", 4),
        ("[build-dependencies]\nrhumb-codec = { workspace = true }", 4),
        ("[dependencies.rhumb-codec]\nworkspace = true", 3),
        ("[target.'cfg(unix)'.dependencies]\nrhumb-codec = { workspace = true }", 4),
        ("[target.'cfg(unix)'.dependencies.rhumb-codec]\nworkspace = true", 3),
        ("[dependencies]\nodec = { package = \"rhumb-codec\", path = \"x\" }", 4),
        ("[dependencies.codec]\npackage = \"rhumb-codec\"", 3),
        ("keywords = [\n  \"a=b\",\n  \"[dependencies]\",\n]\n[dependencies]\nrhumb-codec = \"1\"", 8),
    ] {
        check("rhumb-meta", dependencies, &[&format!("{line}{above}")]);
    }
}

#[test]
fn a_crate_does_not_depend_on_itself() {
    let message = "4: rhumb-meta must not depend on rhumb-meta, which stands above it";
    check("rhumb-meta", "[dependencies]\nrhumb-meta = \"1\"", &[message]);
}

#[test]
fn tests_may_look_up_but_strangers_never_meet() {
    check("rhumb-derive", "[dev-dependencies]\nrhumb-schema = { workspace = true }", &[]);
    check("rhumb-derive", "[dev-dependencies.rhumb-schema]\nworkspace = true", &[]);
    for dependencies in
        ["[dependencies]\nrhumb-client.workspace = true", "[dev-dependencies]\nrhumb-client.workspace = true"]
    {
        check("rhumb-server", dependencies, &["4: rhumb-server and rhumb-client never see each other"]);
    }
    let message = "4: rhumb-client and rhumb-server never see each other";
    check("rhumb-client", "[dev-dependencies]\nrhumb-server.workspace = true", &[message]);
}

#[test]
fn a_crate_without_a_place_is_reported() {
    let message = "2: rhumb-new has no place in the order of crates (xtask/src/tidy/edges.rs)";
    check("rhumb-new", "[dependencies]\nrhumb-meta.workspace = true", &[message]);
}

#[test]
fn what_cannot_be_read_is_reported() {
    check("rhumb-meta", "[dependencies]\nrhumb-schema", &["4: cannot read \"rhumb-schema\""]);
    let message = "4: a dependency over several lines; use a table of its own";
    check("rhumb-meta", "[dependencies]\nrhumb-schema = {\nworkspace = true }", &[message]);
    let nameless = super::check(&[("crates/a/Cargo.toml".into(), "[package]\n".to_owned())], ORDER);
    assert_eq!(nameless.len(), 1);
}

#[test]
fn versions_stand_in_the_workspace() {
    let text = "[dependencies]\nbytes.workspace = true\nhttp = \"1\"\nh2 = { version = \"0.4\" }\n\
                rhumb-codegen = { path = \"../rhumb-codegen\" }\n[dev-dependencies]\nsyn = \"3\"\n";
    let found = super::check_versions(&[("crates/a/Cargo.toml".into(), text.to_owned())]);
    let found: Vec<_> = found.into_iter().map(|finding| (finding.line, finding.message)).collect();
    let told = |line, name| (line, format!("the version of {name} belongs in [workspace.dependencies]"));
    assert_eq!(found, [told(3, "http"), told(4, "h2"), told(7, "syn")]);
}

#[test]
fn members_are_told_from_other_manifests() {
    for (path, expect) in [
        ("crates/rhumb-meta/Cargo.toml", true),
        ("xtask/Cargo.toml", true),
        ("examples/client/Cargo.toml", true),
        ("fuzz/Cargo.toml", false),
        ("crates/rhumb-meta/tests/ui/Cargo.toml", false),
    ] {
        assert_eq!(concerns(Path::new(path)), expect, "{path}");
    }
}

#[test]
fn examples_use_libraries_and_nothing_is_built_from_them() {
    let manifest = |path: &str, name: &str, dependencies: &str| {
        (PathBuf::from(path), format!("[package]\nname = \"{name}\"\n{dependencies}\n"))
    };
    let found = super::check(
        &[
            manifest(
                "examples/client/Cargo.toml",
                "client-examples",
                "[dependencies]\nrhumb-client.workspace = true\nrhumb-server.workspace = true\nrhumb = \"1\"",
            ),
            manifest(
                "crates/rhumb/Cargo.toml",
                "rhumb",
                "[dependencies]\nclient-examples = \"1\"\n[dev-dependencies]\nclient-examples = \"1\"",
            ),
        ],
        ORDER,
    );
    let found: Vec<String> =
        found.iter().map(|finding| format!("{}: {}", finding.line, finding.message)).collect();
    let program = "6: client-examples is an example and must not depend on rhumb";
    let example = "4: rhumb must not depend on client-examples, which is an example";
    assert_eq!(found, [program, example]);
}
