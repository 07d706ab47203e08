//! The generators `client`, `lister` and `informer`: what is kept of them is not stale, built-in kinds are called as
//! in the client's own clientset, and tags that can't be are refused.
//!
//! What they write is run against a server in the tests of the crate `rhumb`.

mod golden;

use std::fs;
use std::path::PathBuf;

use golden::{check, make_of, options, refusal};
use rhumb_codegen::problem::Outcome;
use rhumb_codegen::run::Made;

const GENERATED: &str = "../../rhumb/tests/client/generated";

#[test]
fn what_is_kept_is_not_stale() {
    let path = |of: &str| format!("{GENERATED}/{of}/v1.rs");
    let made =
        make_of(&["client", "lister", "informer"], &[&path("stable")], &options(&[])).expect("it works");
    assert_eq!(made.files.len(), 3);
    check(&made.files);
    let made = make_of(&["client"], &[&path("apps"), &path("core")], &options(&[])).expect("it works");
    assert_eq!(made.files.len(), 2);
    check(&made.files);
}

/// Runs the generators over a package with one file, which is `v1.rs` of a group.
fn of_source(name: &str, source: &str) -> Outcome<Made> {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("clients-{name}"));
    fs::create_dir_all(&dir).expect("it works");
    fs::write(dir.join("v1.rs"), source).expect("it works");
    let path = dir.join("v1.rs").display().to_string();
    make_of(&["client"], &[&path], &options(&[]))
}

/// The text of the client of a package whose only kind has some tags.
fn client(name: &str, tags: &str) -> Outcome<Made> {
    let source = format!(
        "//! A version.\n\n// +groupName=sea.example.com\n\nuse rhumb_meta::{{ObjectMeta, TypeMeta}};\n\n{tags}\n\
         pub struct Ship {{\n    pub type_meta: TypeMeta,\n    pub metadata: ObjectMeta,\n}}\n"
    );
    of_source(name, &source)
}

#[track_caller]
fn refused(name: &str, tags: &str, expected: &str) {
    let text = refusal(client(name, tags));
    assert!(text.contains(expected), "{text}");
}

#[test]
fn tags_choose_what_can_be_done() {
    let methods = |name: &str, tags: &str| -> String {
        let made = client(name, tags).expect("it works");
        let text = made.files.into_values().next().expect("it works");
        let names = text.lines().filter_map(|line| line.trim().strip_prefix("pub async fn "));
        names.map(|line| line.split('(').next().unwrap_or(line)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(methods("all", "// +genclient"), "");
    assert_eq!(
        methods("readonly", "// +genclient\n// +genclient:readonly"),
        "get get_with find list list_all watch"
    );
    assert_eq!(methods("none", "// +genclient\n// +genclient:noVerbs"), "");
    assert_eq!(
        methods(
            "some",
            "// +genclient\n// +genclient:onlyVerbs=create,get,update\n// +genclient:skipVerbs=get"
        ),
        "create update"
    );
    assert_eq!(
        methods(
            "more",
            "// +genclient\n// +genclient:noVerbs\n// +genclient:method=Sink,verb=create,subresource=sink"
        ),
        "sink"
    );
    // Without a status there is nothing to write of it.
    let without = methods("status", "// +genclient\n// +genclient:noStatus");
    assert_eq!(
        without,
        "get get_with find list list_all watch create update modify patch apply delete delete_collection"
    );
}

#[test]
fn names_come_from_tags() {
    let text = |name: &str, tags: &str| {
        client(name, tags).expect("it works").files.into_values().next().expect("it works")
    };
    let fleet = text("fleet", "// +genclient\n// +resourceName=fleet");
    assert!(fleet.contains("pub fn fleet(&self, namespace: &str) -> Api<Ship>"), "{fleet}");
    assert!(fleet.contains("const PLURAL: &'static str = \"fleet\";"), "{fleet}");
    let cluster = text("cluster", "// +genclient\n// +kubebuilder:resource:path=vessels,scope=Cluster");
    assert!(cluster.contains("pub fn vessels(&self) -> Api<Ship>"), "{cluster}");
    assert!(cluster.contains("fn sea_v1(&self) -> SeaV1<'_>;"), "{cluster}");
    assert!(cluster.contains("const SCOPE: Scope = Scope::Cluster;"), "{cluster}");
    let own = text("own", "// +genclient\n// +rhumb:resource-gen=false");
    assert!(!own.contains("PLURAL"), "{own}");
}

#[test]
fn tags_that_cannot_be_are_refused() {
    refused(
        "verb",
        "// +genclient\n// +genclient:onlyVerbs=get,sail",
        "\"sail\" is no verb: there are apply, ",
    );
    refused("word", "// +genclient\n// +genclient:noSails", "+genclient:noSails is not known: there are ");
    refused("says", "// +genclient\n// +genclient:method=Sail", "say what sail does: `verb=get`");
    refused(
        "does",
        "// +genclient\n// +genclient:method=Sail,verb=sail",
        "\"sail\" is no verb for methods: ",
    );
    refused("name", "// +genclient\n// +genclient:method=,verb=get", "\"\" is no name of a method");
    refused(
        "type",
        "// +genclient\n// +genclient:method=Sail,verb=get,result=Sail",
        "there is no type Sail in the ",
    );
    refused(
        "go",
        "// +genclient\n// +genclient:method=Sail,verb=get,result=example.com/sea/v1.Sail",
        "example.com/sea/v1.Sail is the name of a type in Go: write its path in Rust",
    );
    refused(
        "both",
        "// +genclient\n// +genclient:method=Sail,verb=update,subresource=sail,input=a::A,result=b::B",
        "sail sends a::A and reads b::B: they must be the same type",
    );
    refused(
        "list",
        "// +genclient\n// +genclient:method=Sail,verb=list,subresource=sails",
        "sail lists what stands below an object, which can only be read",
    );
    refused("odd", "// +genclient\n// +genclient:method=Sail,verb=get,sail", "\"sail\" is none of verb=…, ");
    let text = refusal(of_source(
        "object",
        "//! A version.\n\n// +groupName=sea.example.com\n\nuse std::fmt;\n\n// +genclient\npub struct Ship {\n    pub name: String,\n}\n",
    ));
    assert!(text.contains("`Ship` is no kind with clients: it needs `type_meta: TypeMeta` and "), "{text}");
    let text = refusal(of_source(
        "scope",
        "//! A version.\n\nuse rhumb_meta::{ObjectMeta, TypeMeta};\n\n// +genclient:nonNamespaced\n\
         #[resource(group = \"sea.example.com\", version = \"v1\", namespaced)]\n\
         pub struct Ship {\n    pub type_meta: TypeMeta,\n    pub metadata: ObjectMeta,\n}\n",
    ));
    assert!(
        text.contains("`Ship` is `namespaced` in `#[resource(…)]`: only one of the two can be"),
        "{text}"
    );
    let text = refusal(of_source(
        "group",
        "//! A version.\n\nuse rhumb_meta::{ObjectMeta, TypeMeta};\n\n// +genclient\n\
         pub struct Ship {\n    pub type_meta: TypeMeta,\n    pub metadata: ObjectMeta,\n}\n",
    ));
    assert!(text.contains("the group of the package is not said: write `// +groupName="), "{text}");
}

/// The table of built-in resources beside what the generator would call their methods.
#[test]
fn built_in_kinds_are_called_as_in_the_clientset() {
    let table = golden::tests().join("../../rhumb-api/src/resources/typed/mod.rs");
    let table = fs::read_to_string(table).expect("it works");
    let mut count = 0;
    let mut tags =
        String::from("//! A version.\n\n// +groupName=x\n\nuse rhumb_meta::{ObjectMeta, TypeMeta};\n");
    let mut wanted = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for line in table.lines() {
        let words: Vec<&str> = line.trim().trim_end_matches(',').split(' ').collect();
        let ["type" | "use", kind, method, plural, scope] = words[..] else { continue };
        if !seen.insert(kind) {
            continue;
        }
        count += 1;
        let scope = if scope == "Cluster" { "// +genclient:nonNamespaced\n" } else { "" };
        tags.push_str(&format!(
            "\n// +genclient\n{scope}pub struct {kind} {{\n    pub type_meta: TypeMeta,\n    pub metadata: ObjectMeta,\n}}\n"
        ));
        let parameters = if scope.is_empty() { "&self, namespace: &str" } else { "&self" };
        wanted.push(format!("pub fn {method}({parameters}) -> Api<{kind}>"));
        wanted.push(format!("const PLURAL: &'static str = {plural};"));
    }
    assert!(count > 60, "{count} kinds");
    let text = of_source("built-in", &tags).expect("it works").files.into_values().next().expect("it works");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( &self", "(&self");
    for wanted in wanted {
        assert!(text.contains(&wanted) || text.contains(&wanted.replace("&str)", "&str, )")), "{wanted}");
    }
}
