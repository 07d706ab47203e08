//! The steps of the engine, on small sources that each test writes into a directory of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rhumb_codegen::file_type::FileTypes;
use rhumb_codegen::generator::{Context, Generator, Options, Output, Target, Tool};
use rhumb_codegen::problem::{Outcome, Problem};
use rhumb_codegen::run::{self, Made};
use rhumb_codegen::source::{Request, load};
use rhumb_codegen::universe::{Builtin, Constant, Kind, Leaf, Package, Type, TypeRef, Universe};
use rhumb_codegen::{generators, write};

/// A directory of a test's own.
struct Scratch(PathBuf);

impl Scratch {
    fn new(files: &[(&str, &str)]) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("rhumb-codegen-{}-{number}", std::process::id()));
        let scratch = Scratch(dir);
        for (name, text) in files {
            let path = scratch.0.join(name);
            fs::create_dir_all(path.parent().expect("a file has a directory"))
                .expect("directories can be made");
            fs::write(path, text).expect("files can be written");
        }
        scratch
    }

    fn load(&self, path: &str) -> Outcome<Universe> {
        let path = self.0.join(path).display().to_string();
        load(&Request { paths: vec![path], ..Request::default() })
    }

    /// The universe of files that are as they should be.
    fn universe(&self) -> Universe {
        self.load("").expect("the source can be read")
    }

    fn make(&self, names: &[&str]) -> Outcome<Made> {
        let tools = generators::named(names)?;
        run::run(&self.load("")?, &tools, &Options::default(), &FileTypes::default())
    }

    /// What is wrong, with the directory left out.
    fn complaint<T>(&self, outcome: Outcome<T>) -> String {
        let Err(problems) = outcome else { return "nothing is wrong".to_owned() };
        let dir = self.0.canonicalize().unwrap_or_else(|_| self.0.clone());
        problems.to_string().replace(&format!("{}/", dir.display()), "")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn package<'a>(universe: &'a Universe, name: &str) -> &'a Package {
    universe.packages().find(|package| package.name == name).expect("the package was read")
}

fn ty<'a>(universe: &'a Universe, name: &str) -> &'a Type {
    universe.types().find(|ty| ty.name.name == name).expect("the type was read")
}

fn tags(ty: &Type) -> Vec<&str> {
    ty.tags.0.iter().map(|tag| tag.text.as_str()).collect()
}

#[test]
fn tags_of_a_package_stand_at_the_top_and_tags_of_a_type_above_it() {
    let scratch = Scratch::new(&[(
        "v1.rs",
        "//! Types.\n// +k8s:deepcopy-gen=package\n\n// +groupName=a.b\n\nuse std::collections::BTreeMap;\n\n\
         // +too-far\n\n\n// +second=1\n// +second=2\n\n/// Doc.\n// +closest\n/// More.\n/// \
         +in-doc\n#[derive(Clone)]\n\
         // +between\npub struct A {\n    // +far-field\n\n    /// Field.\n    // +optional\n    pub a: \
         BTreeMap<String, String>, \
         // +behind\n}\n",
    )]);
    let universe = scratch.universe();
    let package = package(&universe, "v1");
    assert_eq!(package.tags.value("k8s:deepcopy-gen"), Some("package"));
    assert_eq!(package.tags.value("groupName"), Some("a.b"));
    assert_eq!(package.tags.0.len(), 2);
    let ty = ty(&universe, "A");
    assert_eq!(tags(ty), ["second=1", "second=2", "closest", "in-doc", "between"]);
    assert_eq!(ty.tags.value("second"), Some("2"));
    assert_eq!(ty.tags.all("second").count(), 2);
    assert_eq!((ty.doc.as_str(), ty.derives("Clone")), ("Doc. More.", true));
    let member = ty.member("a").expect("the field was read");
    let found: Vec<&str> = member.tags.0.iter().map(|tag| tag.name.as_str()).collect();
    assert_eq!(found, ["optional"]);
}

#[test]
fn a_block_two_blank_lines_away_or_of_the_file_is_not_the_types() {
    let scratch = Scratch::new(&[
        ("a.rs", "//! Types.\n\n/// Doc.\npub struct A {\n    pub a: String,\n}\n"),
        (
            "b.rs",
            "//! Types.\n// +of-the-file\n\n// +of-the-type\n\n/// Doc.\npub struct B {\n    pub a: bool,\n}\n",
        ),
        (
            "c.rs",
            "//! Types.\nconst TEXT: &str = \"\n// +in-a-text\n\"; // +behind\n/// Doc.\npub struct C {\n    pub a: i32,\n}\n",
        ),
    ]);
    let universe = scratch.universe();
    assert_eq!(tags(ty(&universe, "A")), [""; 0]);
    assert_eq!(tags(ty(&universe, "B")), ["of-the-type"]);
    assert!(package(&universe, "b").tags.has("of-the-file"));
    assert!(!package(&universe, "b").tags.has("of-the-type"));
    assert_eq!(tags(ty(&universe, "C")), [""; 0]);
    assert_eq!(package(&universe, "c").constant("TEXT"), Some(&Constant::Text("\n// +in-a-text\n".into())));
}

const GROUP: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"my-api\"\n[dependencies]\nother = { path = \"other\" }\n"),
    ("src/lib.rs", "//! Types.\npub mod v1;\nmod inner;\npub use inner::Inner as Renamed;\n"),
    (
        "src/inner.rs",
        "//! Types.\n/// Doc.\npub struct Inner {\n    pub a: bool,\n}\n/// Doc.\npub type Short = Inner;\n",
    ),
    (
        "src/v1/mod.rs",
        "//! Types.\nmod part;\npub use part::*;\nuse crate::{Renamed, v1::part::Part as P};\nuse other as o;\n\
         use rhumb_meta::{Quantity, v1::ObjectMeta};\n/// Doc.\npub struct A {\n    pub a: Option<Box<Renamed>>,\n    \
         pub b: Vec<P>,\n    pub c: std::collections::BTreeMap<String, self::part::Deep>,\n    pub d: \
         o::deep::Thing,\n    \
         pub e: Quantity,\n    pub f: ObjectMeta,\n    pub g: super::inner::Short,\n    pub h: other::Again,\n    \
         pub i: Pair<i64>,\n}\n/// Doc.\npub struct Pair<T> {\n    pub one: T,\n}\n/// Doc.\npub enum Mode \
         {\n    /// On.\n    \
         On,\n    /// Off.\n    Off(String),\n}\n",
    ),
    (
        "src/v1/part.rs",
        "//! Types.\nuse super::*;\n/// Doc.\npub struct Part {\n    pub a: Option<Box<A>>,\n}\n/// Doc.\npub struct Deep {\n    pub a: f64,\n}\n",
    ),
    ("other/Cargo.toml", "[package]\nname = \"other\"\n"),
    ("other/src/lib.rs", "//! Types.\npub mod deep;\npub use deep::Thing as Again;\n"),
    ("other/src/deep.rs", "//! Types.\n/// Doc.\npub struct Thing {\n    pub a: String,\n}\n"),
];

#[test]
fn names_are_found_through_imports_globs_aliases_and_other_crates() {
    let scratch = Scratch::new(GROUP);
    let universe = scratch.universe();
    let a = ty(&universe, "A");
    assert_eq!(a.name.package, "my_api::v1");
    let show = |name: &str| {
        let member = a.member(name).expect("the field was read");
        rhumb_codegen::namer::Namers::default().raw(&member.ty)
    };
    assert_eq!(show("a"), "Option<Box<my_api::Inner>>");
    assert_eq!(show("b"), "Vec<my_api::v1::Part>");
    assert_eq!(show("c"), "std::collections::BTreeMap<String, my_api::v1::Deep>");
    assert_eq!(show("d"), "other::deep::Thing");
    assert_eq!(a.member("e").map(|member| &member.ty), Some(&TypeRef::Leaf(Leaf::Quantity)));
    assert_eq!(show("f"), "rhumb_meta::v1::ObjectMeta");
    assert_eq!(show("g"), "my_api::Short");
    assert_eq!(show("h"), "other::deep::Thing");
    assert_eq!(show("i"), "my_api::v1::Pair<i64>");
    assert!(matches!(&ty(&universe, "Pair").kind, Kind::Generic(names) if names == &["T"]));
    assert!(matches!(&ty(&universe, "Mode").kind, Kind::Enum(variants) if variants.len() == 2));
    assert_eq!(
        ty(&universe, "Thing").members.first().map(|member| &member.ty),
        Some(&TypeRef::Builtin(Builtin::Text))
    );
    assert_eq!(universe.reachable(a).map(|found| found.len()), Ok(7));
    assert!(package(&universe, "v1").requested && !package(&universe, "deep").requested);
}

#[test]
fn what_is_wrong_is_told_with_file_line_and_source() {
    let scratch = Scratch::new(&[(
        "v1.rs",
        "//! Types.\n// +k8s:deepcopy-gen=package\nuse far::Away;\n/// Doc.\npub struct A {\n    pub a: Missing,\n    \
         pub b: std::collections::HashMap<String, String>,\n    pub c: Away,\n    pub d: &'static str,\n    pub e: Option<u8>,\n}\n",
    )]);
    let expected = "v1.rs:6: no type `Missing` is known here: import it with `use`, or declare it\n      6 | pub a: Missing,\n\
         v1.rs:7: `std::collections::HashMap<String, String>` can't stand in an API type: its order is that of \
         chance; write `BTreeMap`\n      \
         7 | pub b: std::collections::HashMap<String, String>,\n\
         v1.rs:8: `Away` is far::Away, and the source of the crate far is not known: give it with --source \
         far=DIRECTORY\n      8 | pub c: Away,\n\
         v1.rs:9: `&'static str` can't stand in an API type: API types own what they hold; write `String` or \
         `Box`\n      9 | pub d: &'static str,\n\
         v1.rs:10: `u8` can't stand in an API type: write `i32`, or `ByteString` for bytes\n     10 | pub e: Option<u8>,";
    assert_eq!(scratch.complaint(scratch.make(&["deepcopy"])), expected);
}

#[test]
fn mistakes_in_attributes_and_source_have_their_lines_too() {
    let scratch = Scratch::new(&[(
        "v1.rs",
        "//! Types.\n/// Doc.\npub struct A {\n    // +rhumb:field=required\n    pub a: String,\n    // +rhumb:field=1\n    // +default=x\n    pub b: String,\n}\n",
    )]);
    let said = scratch.complaint(scratch.make(&["schema"]));
    assert!(said.contains("v1.rs:5: field `a`: the protobuf number comes first"), "{said}");
    assert!(said.contains("v1.rs:7: the default is no JSON"), "{said}");
    let scratch = Scratch::new(&[("v1.rs", "//! Types.\npub struct A {\n    pub a String,\n}\n")]);
    let said = scratch.complaint(scratch.load(""));
    assert!(said.starts_with("v1.rs:3: this is no Rust: expected `:`\n      3 | pub a String,"), "{said}");
    let said = scratch.complaint(scratch.load("nothing"));
    assert!(said.contains("there is no such file or directory"), "{said}");
}

const HUB: &str = "//! Types.\n/// Doc.\npub struct Spec {\n    pub same: String,\n    pub texts: Vec<String>,\n    pub more: Option<i64>,\n}\n";
const VERSION: &str = "//! Types.\n// +k8s:conversion-gen=super::v1\n/// Doc.\npub struct Spec {\n    pub same: String,\n    \
     pub texts: String,\n    pub only: bool,\n}\n";

/// What the conversion of a version to the hub above comes to.
fn converted(version: &str) -> (Scratch, Outcome<Made>) {
    let scratch = Scratch::new(&[
        ("mod.rs", "//! Group.\npub mod v1;\npub mod v1beta1;\n"),
        ("v1.rs", HUB),
        ("v1beta1.rs", version),
    ]);
    let all = load(&Request { paths: vec![format!("{}/...", scratch.0.display())], ..Request::default() });
    let tools = generators::named(&["conversion"]).expect("there is such a generator");
    let made = all.and_then(|all| run::run(&all, &tools, &Options::default(), &FileTypes::default()));
    (scratch, made)
}

#[test]
fn every_field_that_needs_a_function_is_reported_with_what_to_write() {
    let (scratch, made) = converted(VERSION);
    let made = made.expect("open questions are no failure");
    let said = scratch.complaint::<()>(Err(rhumb_codegen::problem::Problems(made.notes)));
    let group = format!("{}", scratch.0.file_name().expect("it has a name").display()).replace('-', "_");
    let expected = format!(
        "v1beta1.rs:4: `Spec` has no field for `more` (`Option<i64>`) of the hub ({group}::v1::Spec, v1.rs:6). If \
         it shall be lost, say `+rhumb:convert=lacks(more)` above the struct, or `+k8s:conversion-fn=drop` above the \
         field of the hub. Else write a module `spec_more` beside the types with\n  \
         pub(super) fn to_hub(own: &{group}::v1beta1::Spec, scope: &Scope) -> Result<Option<i64>, ConvertError>\n  \
         pub(super) fn from_hub(hub: Option<i64>, own: &mut {group}::v1beta1::Spec, scope: &Scope) -> Result<(), \
         ConvertError>\n      4 | pub struct Spec {{\n\
         v1beta1.rs:6: `Spec.texts` is `String`, and in the hub ({group}::v1::Spec, v1.rs:5) it is `Vec<String>`: \
         nothing converts one to the other. Write a module `spec_texts` beside the types with\n  \
         pub(super) fn to_hub(own: String, scope: &Scope) -> Result<Vec<String>, ConvertError>\n  \
         pub(super) fn from_hub(hub: Vec<String>, scope: &Scope) -> Result<String, ConvertError>\n      \
         6 | pub texts: String,\n\
         v1beta1.rs:7: `Spec.only` (`bool`) has no peer in the hub ({group}::v1::Spec, v1.rs:3). If it is called \
         otherwise there, say `+rhumb:convert=rename = NAME`; if it shall be lost, `+k8s:conversion-fn=drop`. Else \
         write a module `spec_only` beside the types with\n  \
         pub(super) fn to_hub(own: bool, hub: &mut {group}::v1::Spec, scope: &Scope) -> Result<(), ConvertError>\n  \
         pub(super) fn from_hub(hub: &{group}::v1::Spec, scope: &Scope) -> Result<bool, ConvertError>\n      \
         7 | pub only: bool,"
    );
    assert_eq!(said, expected);
}

#[test]
fn functions_that_are_missing_are_called_all_the_same() {
    let (_scratch, made) = converted(VERSION);
    let made = made.expect("open questions are no failure");
    let text = made.files.values().next().expect("the conversion is written");
    assert!(text.contains("use super::{Spec, spec_more, spec_only, spec_texts};"), "{text}");
    for call in [
        "let value_1 = spec_more::to_hub(&self, scope)?;",
        "*hub_1 = spec_texts::to_hub(own_1, scope)?;",
        "spec_only::to_hub(self.only, &mut made, scope)?;",
        "made.more = value_1;",
        "let value_0 = spec_only::from_hub(&self, scope)?;",
        "texts: spec_texts::from_hub(hub_1, scope)?,",
        "made.only = value_0;",
        "spec_more::from_hub(self.more, &mut made, scope)?;",
    ] {
        assert!(text.contains(call), "{call} is not in\n{text}");
    }
}

#[test]
fn a_name_that_the_hub_does_not_have_is_refused() {
    let version = VERSION.replace("    pub only", "    // +rhumb:convert=rename = nothing\n    pub only");
    let (scratch, made) = converted(&version);
    let said = scratch.complaint(made);
    assert!(said.contains("v1beta1.rs:8: `Spec.only` is said to be `nothing` in the hub"), "{said}");
}

#[test]
fn skip_tags_and_hand_written_conversions_leave_nothing_to_ask() {
    let version = VERSION
        .replace("    pub only", "    // +k8s:conversion-fn=drop\n    pub only")
        .replace("/// Doc.", "// +rhumb:convert=lacks(more)\n/// Doc.")
        + "mod spec_texts {\n    pub(super) fn to_hub() {}\n    pub(super) fn from_hub() {}\n}\n";
    let by_hand = "//! Types.\n// +k8s:conversion-gen=super::v1\nuse rhumb_scheme::Convert;\n/// Doc.\npub struct Spec {\n    pub x: bool,\n}\n\
         impl Convert<super::v1::Spec> for Spec {}\nimpl Convert<Spec> for super::v1::Spec {}\n";
    let skipped = VERSION.replace("/// Doc.", "// +k8s:conversion-gen=false\n/// Doc.");
    let scratch = Scratch::new(&[
        ("mod.rs", "//! Group.\npub mod v1;\npub mod v1beta1;\npub mod v1beta2;\npub mod v1beta3;\n"),
        ("v1.rs", HUB),
        ("v1beta1.rs", &version),
        ("v1beta2.rs", by_hand),
        ("v1beta3.rs", &skipped),
    ]);
    let all = load(&Request { paths: vec![format!("{}/...", scratch.0.display())], ..Request::default() });
    let tools = generators::named(&["conversion"]).expect("there is such a generator");
    let made = all.and_then(|all| run::run(&all, &tools, &Options::default(), &FileTypes::default()));
    let made = made.map_err(|problems| problems.to_string()).expect("nothing is wrong");
    let texts: Vec<&String> = made.files.values().collect();
    let [text] = texts.as_slice() else { panic!("one file was expected, not {}", texts.len()) };
    assert!(text.contains("spec_texts::to_hub(own_1, scope)?") && text.contains("more: _"), "{text}");
}

const COPIED: &str = "//! Types.\n// +k8s:deepcopy-gen=package\n/// Doc.\npub struct A {\n    pub a: String,\n}\n/// Doc.\n\
     // +k8s:deepcopy-gen=false\npub struct B {\n    pub a: String,\n}\n/// Doc.\npub enum C {\n    /// X.\n    X,\n    /// Y.\n    Y(i32, String),\n    /// Z.\n    Z { z: bool },\n}\n";

#[test]
fn the_same_source_gives_the_same_bytes_and_only_changes_are_written() {
    let scratch = Scratch::new(&[("v1.rs", COPIED)]);
    let made = scratch.make(&["deepcopy"]).expect("nothing is wrong");
    assert_eq!(made, scratch.make(&["deepcopy"]).expect("nothing is wrong"));
    let (path, text) = made.files.first_key_value().expect("a file was made");
    assert!(path.ends_with("v1/zz_generated_deepcopy.rs"));
    assert!(text.starts_with("//! Generated by `rhumb gen deepcopy`. Do not edit"), "{text}");
    assert!(
        text.contains("for A") && !text.contains("for B") && text.contains("C::Y(field_0, field_1) =>"),
        "{text}"
    );

    let diff = write::verify(&made.files).expect("the disk can be read");
    assert!(diff.contains("--- /dev/null") && diff.contains("+impl ::core::clone::Clone for A {"), "{diff}");
    let written = write::write(&made.files).expect("the file can be written");
    assert_eq!((written.new.len(), written.changed.len(), written.unchanged), (1, 0, 0));
    assert_eq!(write::verify(&made.files), Ok(String::new()));
    let time =
        |path: &Path| fs::metadata(path).and_then(|data| data.modified()).expect("the file has a time");
    let before = time(path);
    let written = write::write(&made.files).expect("the file can be written");
    assert_eq!((written.new.len(), written.changed.len(), written.unchanged, time(path)), (0, 0, 1, before));
    // The generated module doesn't change what is read.
    assert_eq!(made, scratch.make(&["deepcopy"]).expect("nothing is wrong"));

    fs::write(path, text.replace("for A", "for X")).expect("the file can be written");
    let diff = write::verify(&made.files).expect("the disk can be read");
    assert!(
        diff.contains("-impl ::core::clone::Clone for X {\n+impl ::core::clone::Clone for A {"),
        "{diff}"
    );
    let written = write::write(&made.files).expect("the file can be written");
    assert_eq!((written.new.len(), written.changed.len(), written.unchanged), (0, 1, 0));
    let left: Vec<_> =
        fs::read_dir(path.parent().expect("it is in a directory")).expect("it can be read").collect();
    assert_eq!(left.len(), 1, "no temporary file is left: {left:?}");
}

/// Fails behind others that succeed.
struct Failing;

impl Generator for Failing {
    fn name(&self) -> &'static str {
        "failing"
    }
    fn generate_type(&mut self, _: &mut Context<'_>, ty: &Type, _: &mut Output) -> Outcome<()> {
        Err(Problem::at(&ty.place, "this one fails").into())
    }
}

#[test]
fn a_generator_that_fails_leaves_the_files_of_all_as_they_were() {
    let scratch = Scratch::new(&[("v1.rs", COPIED)]);
    let mut tools = generators::named(&["deepcopy"]).expect("there is such a generator");
    tools.push(Tool {
        name: "failing",
        about: "",
        targets: |universe, _| Ok(universe.requested().map(|package| Target::of(package, Failing)).collect()),
    });
    let made = run::run(&scratch.universe(), &tools, &Options::default(), &FileTypes::default());
    let said = scratch.complaint(made);
    assert!(said.starts_with("v1.rs:4: this one fails\n      4 | pub struct A {"), "{said}");
    assert!(!scratch.0.join("v1").exists());
}

#[test]
fn a_file_that_cannot_be_written_keeps_the_others_from_being_written() {
    let scratch = Scratch::new(&[("a.txt", "old"), ("block", "a file where a directory is needed")]);
    let files = BTreeMap::from([
        (scratch.0.join("a.txt"), "new".to_owned()),
        (scratch.0.join("block/b.txt"), "new".to_owned()),
    ]);
    assert!(write::write(&files).is_err());
    assert_eq!(fs::read_to_string(scratch.0.join("a.txt")).ok().as_deref(), Some("old"));
    assert_eq!(fs::read_dir(&scratch.0).map(Iterator::count).ok(), Some(2), "no temporary file is left");
}

#[test]
fn crates_without_a_path_are_found_where_cargo_has_them() {
    let other =
        "//! Types.\n/// Doc.\npub struct Thing {\n    pub size: i32,\n    pub deep: deep_down::Deep,\n}\n";
    let own = "//! Types.\npub mod v1 {\n    /// Doc.\n    pub struct A {\n        pub thing: far_away::Thing,\n    }\n}\n";
    let scratch = Scratch::new(&[
        (
            "Cargo.toml",
            "[package]\nname = \"my-api\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\nfar-away = \"1\"\n\
             [workspace]\n",
        ),
        ("src/lib.rs", own),
        (
            ".cargo/config.toml",
            "[source.crates-io]\nreplace-with = \"here\"\n[source.here]\ndirectory = \"vendor\"\n",
        ),
        (
            "vendor/far-away/Cargo.toml",
            "[package]\nname = \"far-away\"\nversion = \"1.2.3\"\nedition = \"2024\"\n[dependencies]\ndeep-down = \"2\"\n",
        ),
        ("vendor/far-away/src/lib.rs", other),
        ("vendor/far-away/.cargo-checksum.json", "{\"files\":{},\"package\":null}"),
        (
            "vendor/deep-down/Cargo.toml",
            "[package]\nname = \"deep-down\"\nversion = \"2.0.0\"\nedition = \"2024\"\n",
        ),
        ("vendor/deep-down/src/lib.rs", "//! Types.\n/// Doc.\npub struct Deep {\n    pub depth: i64,\n}\n"),
        ("vendor/deep-down/.cargo-checksum.json", "{\"files\":{},\"package\":null}"),
    ]);
    let universe = scratch.universe();
    assert_eq!(universe.problems_of(ty(&universe, "A")), []);
    let members: Vec<&str> =
        ty(&universe, "Thing").members.iter().map(|member| member.name.as_str()).collect();
    assert_eq!(members, ["size", "deep"]);
    assert_eq!(ty(&universe, "Deep").name.package, "deep_down");
}

#[test]
fn the_built_in_api_has_no_type_that_is_not_known() {
    let api = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rhumb-api");
    let universe = load(&Request { paths: vec![api.display().to_string()], ..Request::default() })
        .expect("it can be read");
    let described: Vec<&Type> = universe.types().filter(|ty| ty.derives("Schema")).collect();
    let wrong: Vec<Problem> = described.iter().flat_map(|ty| universe.problems_of(ty)).collect();
    assert_eq!(wrong, []);
    assert!(described.len() > 850, "{}", described.len());
    let tools = generators::named(&["deepcopy", "register", "conversion", "defaulter"]).expect("they exist");
    run::run(&universe, &tools, &Options::default(), &FileTypes::default()).expect("nothing is wrong");
}
