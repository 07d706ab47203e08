//! What `rhumb gen openapi` writes for the built-in types is what a server makes of their tables.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use rhumb_api::resources::ResourceTable;
use rhumb_codegen::file_type::FileTypes;
use rhumb_codegen::generator::Options;
use rhumb_codegen::generators;
use rhumb_codegen::run::run;
use rhumb_codegen::source::{Request, load};
use rhumb_codegen::universe::Universe;
use rhumb_meta::GroupVersion;
use rhumb_openapi::{Documents, Enums, Settings};
use rhumb_scheme::openapi::{Dialect, models};
use serde_json::Value;

/// The documents of all built-in packages by the paths of their files: without the values of texts, and with them.
fn written(enums: bool) -> &'static BTreeMap<String, Value> {
    static WRITTEN: OnceLock<[BTreeMap<String, Value>; 2]> = OnceLock::new();
    let [hidden, shown] = WRITTEN.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rhumb-api");
        let request = Request { paths: vec![source.display().to_string()], ..Request::default() };
        let universe = load(&request).unwrap_or_else(|problems| panic!("{problems}"));
        [write(&universe, false), write(&universe, true)]
    });
    if enums { shown } else { hidden }
}

fn write(universe: &Universe, enums: bool) -> BTreeMap<String, Value> {
    let out = Path::new("/nowhere");
    let tools = generators::named(&["openapi"]).expect("tool");
    let mut options = Options { out: Some(out.to_path_buf()), ..Options::default() };
    // Kubernetes' types are what they are; this is not about the rules.
    options.flags.insert("update-exceptions".to_owned(), vec!["true".to_owned()]);
    options.flags.insert("enums".to_owned(), vec![enums.to_string()]);
    let made = run(universe, &tools, &options, &FileTypes::default())
        .unwrap_or_else(|problems| panic!("{problems}"));
    made.files
        .into_iter()
        .filter(|(path, _)| path.extension().is_some_and(|extension| extension == "json"))
        .map(|(path, text)| {
            let name = path.strip_prefix(out).expect("below the directory").display().to_string();
            (name, serde_json::from_str(&text).expect("JSON"))
        })
        .collect()
}

/// The definitions of a package's document.
fn definitions<'a>(files: &'a BTreeMap<String, Value>, package: &str, dialect: Dialect) -> &'a Value {
    match dialect {
        Dialect::V2 => &files[&format!("{package}/openapi.v2.json")]["definitions"],
        Dialect::V3 => &files[&format!("{package}/openapi.v3.json")]["components"]["schemas"],
    }
}

/// Definitions that several groups share stand for kinds of all of them, which a package by itself can't know.
fn is_shared(name: &str) -> bool {
    name.starts_with("io.k8s.apimachinery.")
}

#[test]
fn definitions_of_packages_are_those_of_the_scheme() {
    let files = written(false);
    let scheme = rhumb_api::scheme().expect("scheme");
    let mut compared = 0;
    for known in
        ["apps/v1", "autoscaling/v1", "autoscaling/v2", "batch/v1", "core/v1", "networking/v1", "rbac/v1"]
    {
        let (group, version) = known.split_once('/').expect("group and version");
        let group = match group {
            "core" => "",
            "networking" => "networking.k8s.io",
            "rbac" => "rbac.authorization.k8s.io",
            other => other,
        };
        let gv = GroupVersion::new(group.to_owned(), version.to_owned());
        for dialect in [Dialect::V2, Dialect::V3] {
            let made = definitions(files, known, dialect).as_object().expect("definitions");
            let at_run_time = models(&scheme, &gv, dialect);
            for (name, definition) in made {
                let mut expected =
                    at_run_time.get(name).unwrap_or_else(|| panic!("{name} is unknown")).clone();
                if is_shared(name) {
                    expected.as_object_mut().expect("schema").remove("x-kubernetes-group-version-kind");
                }
                assert_eq!(definition, &expected, "{name} of {known}");
                compared += 1;
            }
            for name in at_run_time.keys().filter(|name| !is_shared(name)) {
                assert!(made.contains_key(name), "{name} of {known} is missing");
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn definitions_of_a_package_are_those_that_a_server_publishes() {
    let scheme = rhumb_api::scheme().expect("scheme");
    let table = ResourceTable::everything();
    for (enums, shown) in [(Enums::Hidden, false), (Enums::Shown, true)] {
        let files = written(shown);
        let settings = Settings { enums, ..Settings::default() };
        let documents = Documents::new(&scheme, &table, &settings);
        for version in ["v1", "v2"] {
            let text = documents.v3(&format!("apis/autoscaling/{version}")).expect("document");
            let published: Value = serde_json::from_slice(&text).expect("JSON");
            let schemas = published["components"]["schemas"].as_object().expect("schemas");
            let made = definitions(files, &format!("autoscaling/{version}"), Dialect::V3);
            let made = made.as_object().expect("definitions");
            // Kinds that no path leads to are only in what was written.
            for (name, schema) in schemas.iter().filter(|(name, _)| !is_shared(name)) {
                assert_eq!(made.get(name), Some(schema), "{name}");
            }
        }
    }
}
