//! What the tags of packages and types select, on small sources that each test writes into a directory of its own.

mod support;

use std::collections::BTreeMap;

use rhumb_codegen::file_type::FileTypes;
use rhumb_codegen::generator::Options;
use rhumb_codegen::source::{Request, load};
use rhumb_codegen::{generators, run};

/// The files that a generator makes of a crate, by their names below `src`, and what it says.
fn made(
    name: &str,
    tool: &str,
    files: &[(&str, &str)],
) -> Result<(BTreeMap<String, String>, Vec<String>), String> {
    let dir = support::temporary(name, files)?;
    let sibling = |name: &str| (name.replace('-', "_"), support::here().join("..").join(name));
    let request = Request {
        paths: vec![dir.display().to_string()],
        crates: ["rhumb-meta", "rhumb-schema"].map(sibling).into(),
        ..Request::default()
    };
    let universe = load(&request).map_err(|problems| problems.to_string())?;
    let tools = generators::named(&[tool]).map_err(|problems| problems.to_string())?;
    let made = run::run(&universe, &tools, &Options::default(), &FileTypes::default());
    let made = made.map_err(|problems| problems.to_string())?;
    let source = dir.canonicalize().map_err(|error| error.to_string())?.join("src");
    let below = |path: &std::path::Path| {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        path.strip_prefix(&source).unwrap_or(&path).display().to_string()
    };
    let files = made.files.iter().map(|(path, text)| (below(path), text.clone())).collect();
    Ok((files, made.notes.iter().map(|note| note.message.clone()).collect()))
}

/// The only file that a generator makes.
fn one(name: &str, tool: &str, files: &[(&str, &str)]) -> String {
    let (files, notes) = made(name, tool, files).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(notes, [""; 0]);
    match files.into_iter().collect::<Vec<_>>().as_slice() {
        [(_, text)] => text.clone(),
        others => panic!("one file was expected, not {others:?}"),
    }
}

/// What a generator finds wrong.
fn refused(name: &str, tool: &str, files: &[(&str, &str)]) -> String {
    made(name, tool, files).map_or_else(|error| error, |made| panic!("nothing is wrong: {made:?}"))
}

/// A version with one struct of each name, all public.
fn version(tags: &str, structs: &[&str]) -> String {
    let mut text = format!("//! Types.\n{tags}\n");
    for name in structs {
        text.push_str(&format!("/// Doc.\npub struct {name} {{\n    pub a: String,\n}}\n"));
    }
    text
}

#[test]
fn private_structs_have_no_conversions() {
    let hub = version("", &["Seen", "Hidden", "Kept", "Inner"]).replace("pub struct Kept", "struct Kept");
    let own = version("// +k8s:conversion-gen=super::v1", &["Seen", "Hidden", "Kept", "Inner"])
        .replace("pub struct Hidden", "struct Hidden")
        .replace("pub struct Inner", "pub(self) struct Inner");
    let text = one(
        "private",
        "conversion",
        &[("src/lib.rs", "//! Group.\npub mod v1;\npub mod v2;\n"), ("src/v1.rs", &hub), ("src/v2.rs", &own)],
    );
    assert!(text.contains("Convert<V1Seen> for Seen"), "{text}");
    for name in ["Hidden", "Kept", "Inner"] {
        assert!(!text.contains(name), "{name} is in\n{text}");
    }
}

#[test]
fn every_peer_package_counts_and_the_first_that_has_a_struct_wins() {
    let tags = "// +k8s:conversion-gen=super::v1\n// +k8s:conversion-gen=crate::shared";
    let text = one(
        "peers",
        "conversion",
        &[
            ("src/lib.rs", "//! Group.\npub mod v1;\npub mod v2;\npub mod shared;\n"),
            ("src/v1.rs", &version("", &["Both", "First"])),
            ("src/shared.rs", &version("", &["Both", "Second"])),
            ("src/v2.rs", &version(tags, &["Both", "First", "Second", "Alone"])),
        ],
    );
    for pair in ["Convert<V1Both> for Both", "Convert<V1First> for First", "Convert<SharedSecond> for Second"]
    {
        assert!(text.contains(pair), "{pair} is not in\n{text}");
    }
    assert!(!text.contains("SharedBoth") && !text.contains("Alone"), "{text}");
}

#[test]
fn packages_beside_those_asked_for_have_peers_and_written_conversions() {
    let by_hand = "//! By hand.\nuse rhumb_scheme::Convert;\nimpl Convert<crate::v1::A> for crate::v2::A {}\n\
                   impl Convert<crate::v2::A> for crate::v1::A {}\n";
    let dir = support::temporary(
        "extra-peers",
        &[
            ("src/lib.rs", "//! Group.\npub mod v1;\npub mod v2;\npub mod by_hand;\npub mod more;\n"),
            ("src/v1.rs", &version("", &["A", "B"])),
            ("src/v2.rs", &version("// +k8s:conversion-gen=super::v1", &["A", "B", "C"])),
            ("src/by_hand.rs", by_hand),
            ("src/more.rs", &version("", &["B", "C"])),
        ],
    );
    let dir = dir.unwrap_or_else(|error| panic!("{error}"));
    let made = |peers: &[&str]| {
        let path = |name: &str| dir.join("src").join(name).display().to_string();
        let peers = peers.iter().map(|name| path(name)).collect();
        let universe = load(&Request { paths: vec![path("v2.rs")], peers, ..Request::default() });
        let universe = universe.unwrap_or_else(|problems| panic!("{problems}"));
        let tools = generators::named(&["conversion"]).expect("there is such a generator");
        let made = run::run(&universe, &tools, &Options::default(), &FileTypes::default());
        let made = made.unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(made.files.len(), 1);
        made.files.into_values().next().unwrap_or_default()
    };
    let alone = made(&[]);
    assert!(
        alone.contains("for A {") && alone.contains("Convert<V1B> for B") && !alone.contains("for C"),
        "{alone}"
    );
    let with = made(&["by_hand.rs", "more.rs"]);
    assert!(!with.contains("for A {") && with.contains("Convert<V1B> for B"), "{with}");
    assert!(with.contains("Convert<MoreC> for C"), "{with}");
}

#[test]
fn structs_of_every_external_package_are_converted() {
    let tags = "// +k8s:conversion-gen=crate::hub\n// +k8s:conversion-gen-external-types=crate::api\n\
                // +k8s:conversion-gen-external-types=crate::more";
    let text = one(
        "external",
        "conversion",
        &[
            ("src/lib.rs", "//! Group.\npub mod api;\npub mod conversions;\npub mod hub;\npub mod more;\n"),
            ("src/hub.rs", &version("", &["One", "Two", "Own"])),
            ("src/api.rs", &version("", &["One"])),
            ("src/more.rs", &version("", &["Two"])),
            ("src/conversions.rs", &version(tags, &["Own"])),
        ],
    );
    assert!(text.contains("use crate::api::One;") && text.contains("use crate::more::Two;"), "{text}");
    assert!(text.contains("Convert<HubOne> for One") && text.contains("Convert<HubTwo> for Two"), "{text}");
    assert!(!text.contains("Own"), "{text}");
}

#[test]
fn a_peer_package_that_is_not_there_is_named() {
    let tags = "// +k8s:conversion-gen=super::v1\n// +k8s:conversion-gen=super::gone";
    let said = refused(
        "gone",
        "conversion",
        &[
            ("src/lib.rs", "//! Group.\npub mod v1;\npub mod v2;\n"),
            ("src/v1.rs", &version("", &["A"])),
            ("src/v2.rs", &version(tags, &["A"])),
        ],
    );
    assert!(said.contains("v2.rs:3: there is no package `super::gone`"), "{said}");
}

/// Kinds, a list, and what they and others lead to.
const KINDS: &str = "use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
/// Doc.
#[derive(Schema)]
pub struct Ship {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: ShipSpec,
}
/// Doc.
#[derive(Schema)]
pub struct ShipSpec {
    // +default=3
    #[field(1)]
    pub masts: i32,
}
/// Doc.
pub struct ShipList {
    pub type_meta: TypeMeta,
    pub metadata: ListMeta,
    pub items: Vec<Ship>,
    pub page: Page,
}
/// Doc.
#[derive(Schema)]
pub struct Page {
    // +default=10
    #[field(1)]
    pub size: i32,
}
/// Doc.
pub struct Alone {
    pub length: i32,
}
";

const FUNCTIONS: &str = "pub(super) fn default_ship(_: &mut super::Ship) {}
pub(super) fn default_page(_: &mut super::Page) {}
pub(super) fn default_alone(_: &mut super::Alone) {}
";

/// The calls that `defaulter` writes for the types above, and how many functions it says it left out.
fn defaults(name: &str, tags: &str, types: &str) -> (Vec<String>, usize) {
    let text = format!("//! Types.\n{tags}\n{types}\nmod by_hand {{\n{FUNCTIONS}}}\n");
    let (files, notes) =
        made(name, "defaulter", &[("src/lib.rs", "//! G.\npub mod v1;\n"), ("src/v1.rs", &text)])
            .unwrap_or_else(|error| panic!("{error}"));
    (calls(files.values().next().expect("a file is made")), notes.len())
}

fn calls(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| line.trim().strip_prefix("builder.defaults("));
    let mut names: Vec<String> = names.map(|name| name.trim_end_matches(");").to_owned()).collect();
    names.sort();
    names
}

#[test]
fn the_words_of_defaulter_gen_select_the_types_with_such_a_field() {
    let (ship, page) = (["default_ship", "fill_ship_spec"], ["default_page", "fill_page"]);
    let all = ["default_page", "default_ship", "fill_page", "fill_ship_spec"];
    let tag = |word: &str| format!("// +k8s:defaulter-gen={word}");
    assert_eq!(defaults("type-meta", &tag("TypeMeta"), KINDS), (all.map(str::to_owned).to_vec(), 1));
    assert_eq!(defaults("object-meta", &tag("ObjectMeta"), KINDS), (ship.map(str::to_owned).to_vec(), 2));
    // A list leads to the kind in it.
    assert_eq!(defaults("list-meta", &tag("ListMeta"), KINDS), (all.map(str::to_owned).to_vec(), 1));
    let no_items = KINDS.replace("pub items: Vec<Ship>,", "");
    assert_eq!(defaults("page", &tag("ListMeta"), &no_items), (page.map(str::to_owned).to_vec(), 2));
    let both = format!("{}\n{}", tag("ListMeta"), tag("ObjectMeta"));
    assert_eq!(defaults("both", &both, &no_items), (all.map(str::to_owned).to_vec(), 1));
    assert_eq!(defaults("length", &tag("Length"), KINDS), (vec!["default_alone".to_owned()], 2));
    assert_eq!(defaults("all", &tag("true"), KINDS).0.len(), 5);
}

#[test]
fn a_type_is_selected_and_left_out_by_its_own_tag() {
    let tag = "// +k8s:defaulter-gen=ObjectMeta";
    let alone = KINDS
        .replace("/// Doc.\npub struct Alone", "// +k8s:defaulter-gen=true\n\n/// Doc.\npub struct Alone");
    assert!(defaults("own-true", tag, &alone).0.contains(&"default_alone".to_owned()));
    let none = KINDS.replacen("/// Doc.", "// +k8s:defaulter-gen=false\n\n/// Doc.", 1);
    assert_eq!(defaults("own-false", tag, &none), (Vec::new(), 3));
    let private = KINDS.replace("pub struct Ship {", "struct Ship {");
    assert_eq!(defaults("private-kind", tag, &private), (Vec::new(), 3));
}

#[test]
fn the_types_of_an_input_package_get_the_defaults_of_another() {
    let types = format!("//! Types.\n{KINDS}");
    let package = |tags: &str| {
        format!(
            "//! Defaults.\n// +k8s:defaulter-gen=TypeMeta\n{tags}\nfn default_ship(_: &mut crate::v1::Ship) {{}}\n\
             fn default_alone(_: &mut crate::v1::Alone) {{}}\n"
        )
    };
    let files = |name: &str, tags: &str| {
        let root = ("src/lib.rs", "//! G.\npub mod defaults;\npub mod v1;\n");
        let defaults = package(tags);
        made(name, "defaulter", &[root, ("src/v1.rs", &types), ("src/defaults.rs", &defaults)])
    };
    let (made, notes) = files("input", "// +k8s:defaulter-gen-input=crate::v1").expect("nothing is wrong");
    let text = made.values().next().expect("a file is made");
    assert_eq!(calls(text), ["default_ship", "fill_page", "fill_ship_spec"]);
    assert!(text.contains("use crate::v1::{Page, ShipSpec};"), "{text}");
    assert!(notes.iter().all(|note| note.starts_with("`default_alone` is not registered")), "{notes:?}");
    assert_eq!(notes.len(), 1);
    // Without that, there are no types to select from.
    let (made, notes) = files("no-input", "").expect("nothing is wrong");
    assert_eq!((calls(made.values().next().expect("a file is made")).len(), notes.len()), (0, 2));
    let said = files("bad-input", "// +k8s:defaulter-gen-input=../../v1").expect_err("it is no path");
    assert!(said.contains("defaults.rs:3: there is no package `../../v1`"), "{said}");
}

/// What is wrong with a trait that a type names.
fn interface(name: &str, tag: &str, traits: &str) -> String {
    let text = format!(
        "//! Types.\n{traits}\n/// Doc.\n// +k8s:deepcopy-gen:{tag}\npub struct A {{\n    pub a: i32,\n}}\n"
    );
    refused(name, "deepcopy", &[("src/lib.rs", "//! G.\npub mod v1;\n"), ("src/v1.rs", &text)])
}

#[test]
fn an_interface_that_no_copy_can_be_written_for_is_an_error() {
    for (number, (tag, traits, said)) in [
        ("interfaces=Gone", "", "there is no trait `Gone` here: write its path"),
        ("interfaces=A", "", "there is no trait `A` here"),
        (
            "interfaces=Shape",
            "pub trait Shape { fn clone_shape(&self) -> Box<dyn Shape>; fn area(&self) -> i32; }",
            "`Shape` needs `area` too, and an implementation stands in one piece: put the copy into a trait of its own, \
             `trait ShapeCopy { fn copy(&self) -> Box<dyn Shape>; }`",
        ),
        ("interfaces=Shape", "pub trait Shape { fn area(&self) -> i32; }", "`Shape` has no method that gives a copy"),
        ("interfaces=Shape", "pub trait Shape<T> { fn copy(&self) -> Box<dyn Shape<T>>; }", "if neither they nor the trait have parameters"),
        ("interfaces=rhumb_meta::Object", "", "`A` can't be an `rhumb_meta::Object`, which begins with a field"),
        ("interfaces=k8s.io/apimachinery/pkg/runtime.Object", "", "`A` can't be an `rhumb_meta::Object`"),
        (
            "interfaces=Shape",
            "pub trait Shape { fn copy(&self) -> Box<dyn Shape>; }",
            "a copy behind `Shape` is made by `Clone`, which `A` has not: derive it, or add `+k8s:deepcopy-gen=true`",
        ),
        ("nonpointer-interfaces=Shape", "", "write +k8s:deepcopy-gen:interfaces=Shape"),
    ]
    .into_iter()
    .enumerate()
    {
        let found = interface(&format!("interface-{number}"), tag, traits);
        assert!(found.contains("v1.rs:") && found.contains(said), "{said} is not in {found}");
    }
}

#[test]
fn the_interface_of_objects_asks_for_one() {
    let kind = |derive: &str| {
        format!(
            "//! Types.\nuse rhumb_meta::v1::TypeMeta;\n/// Doc.\n// +k8s:deepcopy-gen=true\n\
             // +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object\n{derive}pub struct A {{\n    \
             pub type_meta: TypeMeta,\n}}\n"
        )
    };
    let root = ("src/lib.rs", "//! G.\npub mod v1;\n");
    let text = one("object", "deepcopy", &[root, ("src/v1.rs", &kind("#[derive(Object)]\n"))]);
    assert!(text.contains("Clone for A") && !text.contains("Object"), "{text}");
    let said = refused("no-object", "deepcopy", &[root, ("src/v1.rs", &kind(""))]);
    assert!(said.contains("`A` is no `rhumb_meta::Object` yet, whose `clone_object` is the copy"), "{said}");
}

#[test]
fn what_has_clone_by_hand_gets_no_other() {
    let text = "//! Types.\n// +k8s:deepcopy-gen=package\n/// Doc.\npub struct A {\n    pub a: i32,\n}\n/// Doc.\n\
                pub struct B {\n    pub a: i32,\n}\nimpl Clone for A {\n    fn clone(&self) -> Self {\n        A { a: \
                self.a }\n    }\n}\n";
    let text = one("by-hand", "deepcopy", &[("src/lib.rs", "//! G.\npub mod v1;\n"), ("src/v1.rs", text)]);
    assert!(text.contains("Clone for B") && !text.contains("Clone for A"), "{text}");
}

/// Versions whose kinds have their conversions in different ways, and a group around them.
fn kinds_with_conversions(module: &str) -> Vec<(&'static str, String)> {
    let kind = |before: &str, name: &str| {
        format!(
            "/// Doc.\n{before}#[derive(Schema, Object)]\npub struct {name} {{\n    #[field(0, inline)]\n    pub type_meta: \
             TypeMeta,\n}}\n"
        )
    };
    let head =
        "use rhumb_meta::{Object, v1::TypeMeta};\nuse rhumb_schema::Schema;\nuse rhumb_scheme::Convert;\n";
    let names = ["Made", "Derived", "ByHand", "Skipped", "Hidden"];
    let hub: String = names.iter().map(|name| kind("", name)).collect();
    let own = [
        kind("", "Made"),
        kind("#[derive(Convert)]\n#[convert(hub = super::v1::Derived)]\n", "Derived"),
        kind("", "ByHand"),
        kind("// +k8s:conversion-gen=false\n", "Skipped"),
        kind("", "Hidden").replace("pub struct", "struct"),
        "impl Convert<super::v1::ByHand> for ByHand {}\nimpl Convert<ByHand> for super::v1::ByHand {}\n"
            .to_owned(),
    ];
    vec![
        (
            "src/lib.rs",
            "//! Group.\n// +groupName=sea.example.com\npub mod v1;\npub mod v1beta1;\n".to_owned(),
        ),
        ("src/v1.rs", format!("//! Types.\n{head}{hub}")),
        (
            "src/v1beta1.rs",
            format!("//! Types.\n// +k8s:conversion-gen=super::v1\n{module}\n{head}{}", own.concat()),
        ),
    ]
}

#[test]
fn conversions_of_kinds_are_registered_however_they_were_made() {
    let files = kinds_with_conversions("");
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let text = one("registered", "conversion", &files);
    let pairs: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix(".hub_conversion::<")?.split('>').next())
        .collect();
    assert_eq!(pairs, ["ByHand, V1ByHand", "Derived, V1Derived", "Made, V1Made"], "{text}");
    assert!(text.contains("Convert<V1Made> for Made") && !text.contains("Convert<V1ByHand>"), "{text}");
}

#[test]
fn a_group_calls_the_conversions_of_the_versions_that_it_can_see() {
    let register = |name: &str, module: &str| {
        let files = kinds_with_conversions(module);
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        one(name, "register", &files)
    };
    let own = "hub_conversion::<v1beta1::Made, v1::Made>()";
    let seen = register("seen", "pub(super) mod zz_generated_conversion;");
    assert!(seen.contains("v1beta1::zz_generated_conversion::register_conversions(builder)?;"), "{seen}");
    assert!(
        !seen.contains(own) && seen.contains("hub_conversion::<v1beta1::Skipped, v1::Skipped>()"),
        "{seen}"
    );
    for (name, module) in [("unseen", "mod zz_generated_conversion;"), ("undeclared", "")] {
        let text = register(name, module);
        assert!(text.contains(own) && !text.contains("register_conversions"), "{text}");
    }
}
