//! CustomResourceDefinitions from types.

mod support;

use support::{check_golden, harbor, made, temporary};

#[test]
fn a_definition_says_what_types_and_markers_say() -> Result<(), String> {
    let files = made(&harbor()?, &["crd"], &[])?;
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(names, ["harbor.example.com_berths.yaml"]);
    check_golden("harbor.example.com_berths.json", &files["harbor.example.com_berths.yaml"])
}

/// Kinds with one field each: what is said of each of them, at the lines of the field.
fn refused(members: &[&str]) -> Result<Vec<String>, String> {
    let mut source = "//! A version.\nuse rhumb_meta::{v1, Object, ObjectMeta, Resource, TypeMeta};\n\
        use rhumb_schema::Schema;\n"
        .to_owned();
    let mut lines = Vec::new();
    for (index, member) in members.iter().enumerate() {
        source.push_str(&format!(
            "\n/// A kind.\n#[derive(Clone, Default, Schema, Object, Resource)]\n\
             #[resource(group = \"g.example.com\", version = \"v1\", cluster)]\npub struct Thing{index} {{\n\
             #[field(0, inline)]\npub type_meta: TypeMeta,\n#[field(1)]\npub metadata: ObjectMeta,\n\
             // The field.\n"
        ));
        let first = source.lines().count() + 1;
        source.push_str(&format!("{member}\n}}\n"));
        lines.push(first..first + member.lines().count());
    }
    let dir = temporary("refused", &[("src/lib.rs", "//! A crate.\npub mod v1;\n"), ("src/v1.rs", &source)])?;
    let said = made(&support::load(&dir)?, &["crd"], &[]).err().unwrap_or_default();
    let at = |line: &str| {
        let (number, message) = line.split_once("src/v1.rs:")?.1.split_once(": ")?;
        Some((number.parse::<usize>().ok()?, message.to_owned()))
    };
    let said: Vec<(usize, String)> = said.lines().filter_map(at).collect();
    let of = |lines: &std::ops::Range<usize>| {
        said.iter().filter(|(line, _)| lines.contains(line)).map(|(_, message)| message.as_str()).collect()
    };
    Ok(lines
        .iter()
        .map(|lines| {
            let all: Vec<&str> = of(lines);
            all.join("; ")
        })
        .collect())
}

#[test]
fn wrong_markers_are_errors_with_their_lines() -> Result<(), String> {
    let cases = [
        ("// +kubebuilder:validation:Minimun=1\n#[field(2)] pub a: i32,", "Minimun: there is no such marker"),
        (
            "// +kubebuilder:validation:minimum=1\n#[field(2)] pub a: i32,",
            "there is no such marker; is kubebuilder:validation:Minimum meant?",
        ),
        ("// +kubebuilder:validation:Minimum=x\n#[field(2)] pub a: i32,", "\"x\" is no number"),
        ("// +kubebuilder:validation:Minimum\n#[field(2)] pub a: i32,", "write `=` and the value behind it"),
        (
            "// +kubebuilder:validation:Minimum=1\n#[field(2)] pub a: String,",
            "this is for integer or number, and the type here is `string`",
        ),
        (
            "// +kubebuilder:validation:Minimum=3\n// +kubebuilder:validation:Maximum=2\n#[field(2)] pub a: i32,",
            "nothing is between 3 and 2",
        ),
        ("// +kubebuilder:validation:MaxItems=-1\n#[field(2)] pub a: Vec<String>,", "can't be negative"),
        ("// +kubebuilder:validation:items:Pattern=a\n#[field(2)] pub a: String,", "this is no list"),
        ("// +kubebuilder:validation:Enum=a;b\n#[field(2)] pub a: bool,", "\"a\" is no value of this type"),
        (
            "// +kubebuilder:validation:Type=text\n#[field(2)] pub a: bool,",
            "integer, number, boolean, object and array",
        ),
        (
            "// +kubebuilder:validation:XValidation:message=no\n#[field(2)] pub a: i32,",
            "the argument `rule` is missing",
        ),
        (
            "// +kubebuilder:validation:XValidation:rule=\"self > 1\",massage=no\n#[field(2)] pub a: i32,",
            "there are rule, message, messageExpression, reason, fieldPath, optionalOldSelf",
        ),
        (
            "// +kubebuilder:validation:XValidation:rule=\"self > 1\n#[field(2)] pub a: i32,",
            "a quote has no end",
        ),
        (
            "// +kubebuilder:printcolumn:name=A,type=date,JSONPath=.a\n#[field(2)] pub a: i32,",
            "this marker stands on a type",
        ),
        (
            "// +kubebuilder:default=many\n#[field(2)] pub a: i32,",
            "the default doesn't fit: \"many\" is no `integer`",
        ),
        (
            "// +kubebuilder:validation:UniqueItems=true\n#[field(2)] pub a: Vec<String>,",
            "use `+listType=set`",
        ),
        (
            "// +listType=bag\n#[field(2)] pub a: Vec<String>,",
            "+listType is `atomic`, `set` or `map`, not \"bag\"",
        ),
        ("// +listType=set\n#[field(2)] pub a: String,", "`a` is no list, so it has no list type"),
        ("// +listType=map\n#[field(2)] pub a: Vec<v1::Condition>,", "needs a key: add `+listMapKey=…`"),
        (
            "#[field(2, keys(\"nome\"))] pub a: Vec<v1::Condition>,",
            "the elements of `a` have no field \"nome\"",
        ),
        (
            "#[field(2, keys(\"reason\"))] pub a: Vec<v1::OwnerReference>,",
            "the elements of `a` have no field \"reason\"",
        ),
        ("#[field(2, default = \"x\")] pub a: i32,", "the default of `a` doesn't fit: \"x\" is no `integer`"),
        ("#[field(2)] pub a: Vec<Nowhere>,", "import it with `use`, or declare it"),
    ];
    let members: Vec<&str> = cases.iter().map(|(member, _)| *member).collect();
    for ((member, expected), said) in cases.iter().zip(refused(&members)?) {
        assert!(said.ends_with(expected), "{member}\n  expected: {expected}\n  but said: {said}");
    }
    Ok(())
}

/// What is wrong with the kinds of a crate with one file for each version.
fn kinds(versions: &[(&str, &str)]) -> Result<String, String> {
    let mut lib = "//! A crate.\n".to_owned();
    let mut files = Vec::new();
    for (version, markers) in versions {
        lib.push_str(&format!("pub mod {version};\n"));
        files.push((
            format!("src/{version}.rs"),
            format!(
                "//! A version.\nuse rhumb_meta::{{v1, Object, ObjectMeta, Resource, TypeMeta}};\nuse rhumb_schema::Schema;\n\n/// A kind.\n{markers}\n\
                 #[derive(Clone, Default, Schema, Object)]\npub struct Thing {{\n\
                 #[field(0, inline)]\npub type_meta: TypeMeta,\n#[field(1)]\npub metadata: ObjectMeta,\n}}\n"
            ),
        ));
    }
    files.push(("src/lib.rs".to_owned(), lib));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let dir = temporary("kinds", &files)?;
    match made(&support::load(&dir)?, &["crd"], &[]) {
        Ok(files) => Ok(files.into_values().collect()),
        Err(said) => Ok(said.split('\n').next().unwrap_or_default().to_owned()),
    }
}

#[test]
fn versions_agree_about_their_kind() -> Result<(), String> {
    let group = "#[resource(group = \"g.example.com\", version = \"v1\", namespaced)]";
    let other = group.replace("v1", "v2");
    for (one, two, expected) in [
        (String::new(), String::new(), "at the top of the package"),
        (group.to_owned(), other.clone(), "put `+kubebuilder:storageversion` on one of v1, v2"),
        (
            format!("// +kubebuilder:storageversion\n{group}"),
            format!("// +kubebuilder:storageversion\n{other}"),
            "v2 and v1 both claim to be it",
        ),
        (
            format!("// +kubebuilder:storageversion\n{group}"),
            other.replace("namespaced", "cluster"),
            "all versions share it",
        ),
        (
            format!("// +kubebuilder:resource:scope=World\n{group}"),
            format!("// +kubebuilder:skipversion\n{other}"),
            "a scope is Cluster or Namespaced, not \"World\"",
        ),
        (
            format!("// +kubebuilder:printcolumn:name=A,type=text,JSONPath=.a\n{group}"),
            format!("// +kubebuilder:skip\n{other}"),
            "\"text\" is no type: there are boolean, date, integer, number, string",
        ),
        (
            format!(
                "// +kubebuilder:subresource:scale:specpath=.replicas,statuspath=.status.replicas\n{group}"
            ),
            format!("// +kubebuilder:skip\n{other}"),
            "`specpath` is a path that begins with \".spec.\", not \".replicas\"",
        ),
    ] {
        let said = kinds(&[("v1", &one), ("v2", &two)])?;
        if !said.ends_with(expected) {
            return Err(format!("{one} and {two}\n  expected: {expected}\n  but said: {said}"));
        }
    }
    let made = kinds(&[("v1", &format!("// +kubebuilder:storageversion\n{group}")), ("v2", &other)])?;
    assert!(made.contains("\"v2\"") && made.contains("\"things.g.example.com\""), "{made}");
    Ok(())
}
