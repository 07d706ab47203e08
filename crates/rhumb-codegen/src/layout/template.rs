//! Templates of a new group's files.

use std::path::PathBuf;

use super::names::{package, plural};
use super::{Files, NewApi};
use crate::problem::{Outcome, Problem};

/// Templates by path. `{{version}}` in a path is the version.
const TEMPLATES: &[(&str, &str)] = &[
    ("Cargo.toml", include_str!("templates/Cargo.toml.txt")),
    ("README.md", include_str!("templates/README.md.txt")),
    ("src/lib.rs", include_str!("templates/lib.rs.txt")),
    ("src/served.rs", include_str!("templates/served.rs.txt")),
    ("src/bin/server.rs", include_str!("templates/server.rs.txt")),
    ("src/{{version}}/mod.rs", include_str!("templates/version.rs.txt")),
    ("src/{{version}}/types.rs", include_str!("templates/types.rs.txt")),
    ("src/{{version}}/defaults.rs", include_str!("templates/defaults.rs.txt")),
    ("tests/golden.rs", include_str!("templates/golden.rs.txt")),
    ("golden/{{group}}.{{version}}.{{Kind}}.json", include_str!("templates/golden.json.txt")),
    ("golden/{{group}}.{{version}}.{{Kind}}.yaml", include_str!("templates/golden.yaml.txt")),
    (".gitignore", "/target\n"),
];

/// Crates of Rhumb in the manifest.
const CRATES: &[&str] =
    &["rhumb-schema", "rhumb-meta", "rhumb-scheme", "rhumb-codec", "rhumb-api", "rhumb-server"];

pub(super) fn fill(api: &NewApi) -> Outcome<Files> {
    let package = package(&api.group);
    let plural = if api.plural.is_empty() { plural(&api.kind) } else { api.plural.clone() };
    let mut holes: Vec<(String, String)> = [
        ("group", api.group.clone()),
        ("version", api.version.clone()),
        ("Kind", api.kind.clone()),
        ("kind", api.kind.to_ascii_lowercase()),
        ("plural", plural),
        ("crate", package.replace('-', "_")),
        ("package", package),
        ("scope", if api.namespaced { "namespaced" } else { "cluster" }.to_owned()),
        ("namespace", if api.namespaced { "\n    \"namespace\": \"default\"," } else { "" }.to_owned()),
        ("namespace-yaml", if api.namespaced { "\n  namespace: default" } else { "" }.to_owned()),
        ("workspace", if api.is_member { "" } else { "\n[workspace]\n" }.to_owned()),
    ]
    .map(|(name, text)| (name.to_owned(), text))
    .into();
    for name in CRATES {
        holes.push((format!("at {name}"), source(api, name)?));
    }
    let fill = |(path, text): &(&str, &str)| (PathBuf::from(filled(path, &holes)), filled(text, &holes));
    Ok(TEMPLATES.iter().map(fill).collect())
}

/// Returns the source of one of Rhumb's crates for the manifest.
fn source(api: &NewApi, name: &str) -> Outcome<String> {
    let Some(rhumb) = &api.rhumb else {
        return Ok(format!("version = {:?}", env!("CARGO_PKG_VERSION")));
    };
    let path = rhumb.join("crates").join(name);
    let text = path.to_str().ok_or_else(|| Problem::file(rhumb, "the path is no text"))?;
    // A literal string of TOML takes everything but its own quote.
    if text.contains('\'') {
        return Err(Problem::file(rhumb, "a manifest can't name a path with a quote in it").into());
    }
    Ok(format!("path = '{text}'"))
}

/// Returns a text with its holes filled.
fn filled(text: &str, holes: &[(String, String)]) -> String {
    holes.iter().fold(text.to_owned(), |text, (name, with)| text.replace(&format!("{{{{{name}}}}}"), with))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_hole_stays_open_and_all_rust_is_rust() {
        let api = NewApi {
            group: "greet.example.com".to_owned(),
            version: "v1alpha1".to_owned(),
            kind: "Greeting".to_owned(),
            plural: String::new(),
            namespaced: true,
            rhumb: None,
            is_member: false,
        };
        let files = super::super::new_api(&api).expect("the names are good");
        for (path, text) in &files {
            assert!(!text.contains("{{") || path.ends_with("golden.rs"), "{}: {text}", path.display());
            if path.extension().is_some_and(|extension| extension == "rs") {
                syn::parse_file(text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            }
        }
        assert!(files.contains_key(&PathBuf::from("golden/greet.example.com.v1alpha1.Greeting.json")));
    }
}
