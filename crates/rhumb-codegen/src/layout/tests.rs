//! A group as it grows, file by file. Whether it builds is tested where there is a compiler.

use std::path::{Path, PathBuf};

use super::{Files, NewApi, add_version, new_api};

/// A directory that is gone with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rhumb-layout-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("it can be made");
        Scratch(path)
    }

    fn write(&self, files: &Files) {
        for (path, text) in files {
            let path = self.0.join(path);
            std::fs::create_dir_all(path.parent().expect("it stands somewhere")).expect("it can be made");
            std::fs::write(path, text).expect("it can be written");
        }
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.0.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn greeting() -> NewApi {
    NewApi {
        group: "greet.example.com".to_owned(),
        version: "v1alpha1".to_owned(),
        kind: "Greeting".to_owned(),
        plural: String::new(),
        namespaced: true,
        rhumb: None,
        is_member: false,
    }
}

fn all_is_rust(files: &Files) {
    for (path, text) in files {
        if path.extension().is_some_and(|extension| extension == "rs") {
            syn::parse_file(text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", path.display()));
        }
    }
}

#[track_caller]
fn grow(scratch: &Scratch, version: &str) -> super::Added {
    let added = add_version(&scratch.0, version).unwrap_or_else(|problems| panic!("{problems}"));
    all_is_rust(&added.files);
    scratch.write(&added.files);
    added
}

#[test]
fn every_older_version_converts_to_the_newest() {
    let scratch = Scratch::new("grows");
    scratch.write(&new_api(&greeting()).expect("the names are good"));
    std::fs::write(scratch.0.join("golden/greet.example.com.v1alpha1.Greeting.pb"), b"").expect("a file");
    let before = scratch.read("golden/greet.example.com.v1alpha1.Greeting.json");

    let added = grow(&scratch, "v1beta1");
    assert_eq!(
        (added.group.as_str(), added.old.as_str(), added.questions),
        ("greet.example.com", "v1alpha1", 7)
    );
    let golden = Path::new("golden");
    assert_eq!(
        added.golden,
        [(
            golden.join("greet.example.com.v1alpha1.Greeting.pb"),
            golden.join("greet.example.com.v1beta1.Greeting.pb")
        )]
    );
    let new = scratch.read("src/v1beta1/types.rs");
    assert!(new.contains("version = \"v1beta1\"") && !new.contains("v1alpha1"), "{new}");
    assert!(new.contains("use rhumb_meta::v1::Condition;") && !new.contains("Convert"), "{new}");
    let old = scratch.read("src/v1alpha1/types.rs");
    assert!(old.contains("version = \"v1alpha1\"") && old.contains("use crate::v1beta1;"), "{old}");
    assert!(
        old.contains("Schema, Object, Resource, Convert)]\n#[convert(hub = v1beta1::Greeting)]\n"),
        "{old}"
    );
    assert!(
        old.contains("#[derive(Clone, Default, Schema, Convert)]\n#[convert(hub = v1beta1::GreetingSpec)]")
    );
    assert!(scratch.read("src/v1alpha1/mod.rs").contains("\nmod conversion;\nmod defaults;\n"));
    assert!(!scratch.read("src/v1beta1/mod.rs").contains("conversion"));
    let questions = scratch.read("src/v1alpha1/conversion.rs");
    assert!(questions.contains("\n// OPEN GreetingSpec.text: moves as it is.\n"), "{questions}");
    assert!(scratch.read("src/lib.rs").contains("pub mod v1alpha1;\npub mod v1beta1;\n"));
    assert!(
        scratch.read("golden/greet.example.com.v1beta1.Greeting.yaml").contains("greet.example.com/v1beta1")
    );

    // A part that was written by hand follows the hub, and what is Kubernetes' own stays.
    let rules = "use crate::v1beta1::Greeting;\nuse rhumb_meta::v1::Condition;\n";
    std::fs::write(scratch.0.join("src/rules.rs"), rules).expect("it can be written");
    grow(&scratch, "v1");
    let oldest = scratch.read("src/v1alpha1/types.rs");
    assert!(oldest.contains("hub = v1::GreetingSpec") && oldest.contains("use crate::v1;"), "{oldest}");
    assert!(!oldest.contains("v1beta1"), "{oldest}");
    assert_eq!(scratch.read("src/rules.rs"), "use crate::v1::Greeting;\nuse rhumb_meta::v1::Condition;\n");
    let register = scratch.read("src/zz_generated_register.rs");
    assert!(register.contains("&[\"v1\", \"v1beta1\", \"v1alpha1\"]"), "{register}");
    for line in ["<v1alpha1::GreetingList, v1::GreetingList>", "for gv in [&V1, &HUB]"] {
        assert!(register.contains(line), "{register}");
    }
    assert_eq!(scratch.read("golden/greet.example.com.v1alpha1.Greeting.json"), before);
}

#[test]
fn a_version_that_can_not_be_added_changes_nothing() {
    let scratch = Scratch::new("refuses");
    scratch.write(&new_api(&greeting()).expect("the names are good"));
    grow(&scratch, "v1");
    for (version, expect) in [
        ("v1", "there is a version v1 already"),
        ("v1beta1", "v1beta1 is older than v1"),
        ("beta", "can't be a version"),
    ] {
        let problems = add_version(&scratch.0, version).expect_err("it is refused").to_string();
        assert!(problems.contains(expect), "{problems}");
    }
    std::fs::write(scratch.0.join("src/v1/types.rs"), "pub struct {").expect("it can be written");
    let problems = add_version(&scratch.0, "v2").expect_err("it is refused").to_string();
    assert!(problems.contains("src/v1/types.rs:1"), "{problems}");
}
