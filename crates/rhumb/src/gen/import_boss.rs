//! `rhumb gen import-boss`: checks imports against restrictions in YAML files.

use std::path::PathBuf;

use regex::Regex;
use rhumb_cli::command::{Action, Command, Words};
use rhumb_cli::{Call, Outcome};
use rhumb_codec::yaml;
use rhumb_codegen::generators::import_boss::{Request, Restrictions, Selector, verify};
use rhumb_codegen::problem::Problems;

pub(super) static IMPORT_BOSS: Command = Command {
    name: "import-boss",
    about: "Check imports of modules against .import-restrictions files",
    long: "Check imports of all modules of the workspace, or of those in PATHs, against .import-restrictions files. \
           Such a file applies to the modules in its directory and below:\n\n  \
           rules:\n  \
           - selectorRegexp: ^my_api|^std::fs\n    \
           allowedPrefixes: [my_api::v1]\n    \
           forbiddenPrefixes: [my_api::v1::internal]\n  \
           inverseRules:\n  \
           - selectorRegexp: ^my_server\n    \
           allowedPrefixes: []\n    \
           transitive: true\n\n\
           An import that matches a selector is forbidden if it has a forbidden prefix, else allowed if it has an \
           allowed prefix, else forbidden. Rules in closer files are tried first. Inverse rules apply to importers \
           of the module. Transitive rules include indirect imports.\n\nThe exit status is 1 if an import is \
           forbidden.",
    usage: "[PATH...]",
    examples: &[
        ("Check the workspace around this directory", "gen import-boss"),
        ("Check one crate", "gen import-boss crates/my-api"),
    ],
    words: Words::Files,
    action: Action::Plain(import_boss),
    stands_alone: true,
    ..Command::EMPTY
};

fn import_boss(call: &mut Call) -> Outcome {
    let paths: Vec<PathBuf> = call.args.iter().map(PathBuf::from).collect();
    let dir = paths.first().cloned().unwrap_or_else(|| PathBuf::from("."));
    let forbidden = verify(&Request { dir, paths }, &restrictions);
    match forbidden.map_err(super::failure)? {
        forbidden if forbidden.is_empty() => Ok(()),
        forbidden => Err(super::failure(Problems(forbidden))),
    }
}

fn restrictions(text: &str) -> Result<Restrictions, String> {
    let mut json = Vec::new();
    yaml::to_json(text.as_bytes(), &yaml::ReadOptions::default(), &mut json)
        .map_err(|error| error.to_string())?;
    let document = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
    Restrictions::from_json(&document, &|text| {
        let expression = Regex::new(text).map_err(|error| error.to_string())?;
        Ok(Box::new(move |path: &str| expression.is_match(path)) as Selector)
    })
}
