//! A thousand types through every generator that reads types. The time is printed:
//!
//! ```console
//! $ cargo test --release -p rhumb-codegen --test speed -- --nocapture
//! ```

#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "a measurement prints its figures")]

use std::fs;
use std::path::{Path, PathBuf};

use rhumb_codegen::file_type::{FileTypes, Json};
use rhumb_codegen::generator::{Options, Tool};
use rhumb_codegen::source::{Request, load};
use rhumb_codegen::universe::Universe;
use rhumb_codegen::{generators, run, write};

/// How many kinds each version has. A kind is eight types.
const KINDS: usize = 63;
const VERSIONS: [&str; 2] = ["v1", "v1beta1"];
/// Those that read directories instead of types.
const OTHERS: [&str; 2] = ["embed", "messages"];

/// The types of one kind, with holes for its name and its version.
const KIND: &str = include_str!("data/fleet.rs.txt");

/// The types of one kind in a version.
fn kind(version: &str, number: usize) -> String {
    let text = KIND.replace("KIND", &format!("Ship{number}")).replace("VERSION", version);
    match version {
        "v1" => text.replace("// +genclient", "// +genclient\n// +kubebuilder:storageversion"),
        // The older version calls one field otherwise.
        _ => text.replace("    pub size:", "    // +rhumb:convert=rename = size\n    pub length:"),
    }
}

/// Writes the crate, and gives its directory.
fn fleet() -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fleet");
    // It may be left from an earlier run.
    drop(fs::remove_dir_all(&dir));
    fs::create_dir_all(dir.join("src")).expect("directories can be made");
    let sibling =
        |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).display().to_string();
    let (meta, schema) = (sibling("rhumb-meta"), sibling("rhumb-schema"));
    let manifest = format!(
        "[package]\nname = \"fleet\"\n[dependencies]\n\
         rhumb-meta = {{ path = {meta:?} }}\nrhumb-schema = {{ path = {schema:?} }}\n"
    );
    fs::write(dir.join("Cargo.toml"), manifest).expect("files can be written");
    let group =
        "//! A group.\n// +groupName=sea.example.com\n// +rhumb:hub=v1\n\npub mod v1;\npub mod v1beta1;\n";
    fs::write(dir.join("src/lib.rs"), group).expect("files can be written");
    for version in VERSIONS {
        let peer = if version == "v1" { "" } else { "// +k8s:conversion-gen=super::v1\n" };
        let mut text = format!(
            "//! A version.\n// +groupName=sea.example.com\n// +k8s:deepcopy-gen=package\n// +k8s:defaulter-gen=TypeMeta\n\
             // +k8s:openapi-gen=true\n// +k8s:protobuf-gen=package\n{peer}\nuse std::collections::BTreeMap;\n\n\
             use rhumb_meta::v1::{{ListMeta, ObjectMeta, TypeMeta}};\nuse rhumb_meta::{{Quantity, Time}};\n\n"
        );
        (0..KINDS).for_each(|number| text.push_str(&kind(version, number)));
        fs::write(dir.join("src").join(format!("{version}.rs")), text).expect("files can be written");
    }
    dir
}

/// What this thread has spent on a processor, which other programs on the machine don't change.
fn processor_seconds() -> f64 {
    let text =
        fs::read_to_string("/proc/thread-self/schedstat").expect("the system tells the time of a thread");
    let nanoseconds = text.split(' ').next().and_then(|word| word.parse::<f64>().ok());
    nanoseconds.expect("it begins with a number") / 1e9
}

/// Measures something, and prints what it took.
fn timed<T>(what: &str, run: impl FnOnce() -> T) -> (T, f64) {
    let start = processor_seconds();
    let made = run();
    let took = processor_seconds() - start;
    println!("{what:>12} {:6.0} ms", took * 1000.0);
    (made, took)
}

fn make(universe: &Universe, tool: Tool) -> run::Made {
    let mut types = FileTypes::default();
    types.add("yaml", Json);
    let made = run::run(universe, &[tool], &Options::default(), &types);
    made.unwrap_or_else(|problems| panic!("{}: {problems}", tool.name))
}

#[test]
fn a_thousand_types_take_less_than_two_seconds() {
    let dir = fleet();
    let request = Request { paths: vec![dir.display().to_string()], ..Request::default() };
    let (universe, mut seconds) = timed("reading", || load(&request));
    let universe = universe.unwrap_or_else(|problems| panic!("{problems}"));
    let types: usize = universe.requested().map(|package| package.types.len()).sum();
    assert!(types >= 1000, "{types}");
    let mut files = 0;
    for tool in generators::TOOLS.iter().filter(|tool| !OTHERS.contains(&tool.name)) {
        let (made, took) = timed(tool.name, || make(&universe, *tool));
        assert!(!made.files.is_empty(), "{} has written something", tool.name);
        assert_eq!(made.notes, [], "{}", tool.name);
        files += made.files.len();
        seconds += took;
        let (_, took) = timed("writing", || write::write(&made.files).expect("files can be written"));
        seconds += took;
    }
    println!("{types} types, {files} files: {seconds:.2} s");
    // Without optimisation the parser alone is many times slower; the bound is for what people run.
    let bound = if cfg!(debug_assertions) { 15.0 } else { 2.0 };
    assert!(seconds < bound, "{seconds} s for {types} types");
}
