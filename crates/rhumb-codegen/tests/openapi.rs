//! OpenAPI documents from types, and the rules for APIs.

mod support;

use std::fs;

use support::{check_golden, harbor, made, temporary};

#[test]
fn documents_describe_kinds_and_all_that_is_in_them() -> Result<(), String> {
    let files = made(&harbor()?, &["openapi"], &[])?;
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let expected =
        ["v1/openapi.v2.json", "v1/openapi.v3.json", "v1alpha1/openapi.v2.json", "v1alpha1/openapi.v3.json"];
    assert_eq!(names, expected);
    check_golden("harbor.v1.openapi.v2.json", &files["v1/openapi.v2.json"])?;
    check_golden("harbor.v1.openapi.v3.json", &files["v1/openapi.v3.json"])
}

#[test]
fn values_are_listed_if_asked_for() -> Result<(), String> {
    let files = made(&harbor()?, &["openapi"], &[("enums", "true")])?;
    let document: serde_json::Value =
        serde_json::from_str(&files["v1/openapi.v3.json"]).map_err(|error| error.to_string())?;
    let spec = &document["components"]["schemas"]["harbor.v1.BerthSpec"]["properties"];
    assert_eq!(spec["purpose"]["enum"], serde_json::json!(["Cargo", "Passengers", "Repair"]));
    Ok(())
}

const TYPES: &str = r#"//! A version.
// +groupName=g.example.com

use rhumb_meta::{ListMeta, Object, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

/// A kind.
#[derive(Clone, Default, Schema, Object)]
pub struct Thing {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1, json = "meta")]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub untold: Vec<String>,
    #[field(3, list = "set")]
    pub told: Vec<String>,
    #[field(4, json = "snake_case")]
    pub snake_case: String,
    #[field(5, json = "podIP")]
    pub pod_ip: String,
    #[field(6, json = "elsewhere")]
    pub here: String,
    #[field(7, json = "Capital")]
    pub capital: String,
}

/// A list.
#[derive(Clone, Default, Schema, Object)]
pub struct ThingList {
    #[field(1)]
    pub metadata: ListMeta,
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    // +listType=atomic
    #[field(3, required, not_null)]
    pub items: Vec<Thing>,
}
"#;

const VIOLATIONS: &[&str] = &[
    "API rule violation: list_type_missing,temporary::v1,Thing,untold",
    "API rule violation: list_type_missing,temporary::v1,ThingList,items",
    "API rule violation: names_match,temporary::v1,Thing,capital",
    "API rule violation: names_match,temporary::v1,Thing,here",
    "API rule violation: names_match,temporary::v1,Thing,metadata",
    "API rule violation: names_match,temporary::v1,Thing,snake_case",
    "API rule violation: streaming_list_type_field_order,temporary::v1,ThingList,metadata",
    "API rule violation: streaming_list_type_field_order,temporary::v1,ThingList,type_meta",
    "API rule violation: streaming_list_type_proto_tags,temporary::v1,ThingList,items",
];

#[test]
fn violations_fail_unless_they_are_known() -> Result<(), String> {
    let files = [("src/lib.rs", "//! A crate.\npub mod v1;\n"), ("src/v1.rs", TYPES)];
    let dir = temporary("rules", &files)?;
    let universe = support::load(&dir)?;
    let list = dir.join("known.list");
    let flag = list.display().to_string();
    let check = |text: &str| -> Result<Vec<String>, String> {
        fs::write(&list, text).map_err(|error| error.to_string())?;
        let refused = made(&universe, &["openapi"], &[("exceptions", &flag)]).err().unwrap_or_default();
        Ok(refused.lines().filter(|line| !line.starts_with("  ")).map(str::to_owned).collect())
    };

    let mut all: Vec<String> = check("")?
        .iter()
        .map(|line| line.split_once(": ").map(|(_, rest)| rest.to_owned()).unwrap_or_default())
        .collect();
    all.sort();
    assert_eq!(all, VIOLATIONS);

    let known = VIOLATIONS.join("\n");
    assert!(check(&format!("# For people.\n\n{known}\n"))?.is_empty(), "what is known passes");
    let new = check(&known.replace("Thing,untold", "Thing,gone"))?;
    assert_eq!(new.len(), 2);
    assert!(
        new.iter().any(|line| line
            .ends_with("v1.rs:15: API rule violation: list_type_missing,temporary::v1,Thing,untold")),
        "{new:?}"
    );
    assert!(
        new.iter().any(|line| line.ends_with("known.list:1: this is no longer violated: take the line out")),
        "{new:?}"
    );
    let other = format!("{known}\nAPI rule violation: names_match,temporary::v2,Other,field");
    assert!(check(&other)?.is_empty(), "packages that were not looked at are left alone");
    assert!(
        check(&format!("{known}\nnothing"))?
            .iter()
            .any(|line| line.contains("expected `API rule violation: "))
    );

    fs::write(&list, &other).map_err(|error| error.to_string())?;
    let flags = [("exceptions", flag.as_str()), ("update-exceptions", "true")];
    let files = made(&universe, &["openapi"], &flags)?;
    let mut expected: Vec<&str> = VIOLATIONS.to_vec();
    expected.push("API rule violation: names_match,temporary::v2,Other,field");
    expected.sort_unstable();
    assert_eq!(files["known.list"].lines().collect::<Vec<_>>(), expected);
    Ok(())
}
