//! Discovery documents made from the table of resources, compared with those of a real server that had
//! every version switched on.

#[path = "../../../testdata/kubernetes/read.rs"]
mod kubernetes;

use std::path::Path;

use rhumb_api::resources::ResourceTable;
use rhumb_meta::GroupVersion;
use rhumb_meta::v1::ServerAddressByClientCIDR;
use rhumb_scheme::{Object, Unstructured};
use serde_json::Value as Json;

/// Where the bytes of some documents are, and what old releases served.
const RECORDED: &str = "tests/data/discovery";
/// How many documents were published.
const DOCUMENTS: usize = 61;

#[test]
fn documents_equal_the_published_ones() {
    let table = ResourceTable::current();
    let documents = kubernetes::document("discovery");
    let documents = documents.as_object().expect("documents by name");
    assert_eq!(documents.len(), DOCUMENTS);
    for (name, expect) in documents {
        let ours = Unstructured::from_object(&*document(&table, name, expect)).into_tree();
        assert!(ours == *expect, "{name}: {}", first_difference("", &ours, expect));
    }
}

#[test]
fn bytes() {
    let table = ResourceTable::current();
    let check = |file: &str, document: &dyn Object| {
        let expect = std::fs::read_to_string(Path::new(RECORDED).join(file)).expect(file);
        let mut bytes = Vec::new();
        rhumb_schema::text::encode(document, &mut bytes);
        bytes.push(b'\n');
        assert_eq!(String::from_utf8_lossy(&bytes), expect, "{file}");
    };
    check("api__v1.bytes", &table.resource_list(&GroupVersion::new_static("", "v1")));
    check("apis__apps.bytes", &table.group("apps").expect("the group"));
    check("apis__apps__v1.bytes", &table.resource_list(&GroupVersion::new_static("apps", "v1")));
    check("apis__policy__v1.bytes", &table.resource_list(&GroupVersion::new_static("policy", "v1")));
}

#[test]
fn former_versions_are_what_old_releases_served() {
    let table = ResourceTable::everything();
    let text = std::fs::read_to_string(Path::new(RECORDED).join("former.txt")).expect("the list");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(lines.len() > 90, "only {} lines were found", lines.len());
    for line in lines {
        let [place, name, ..] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let place = GroupVersion::parse(place).expect("a group version");
        let found = table.find(&place.group, &place.version, name).unwrap_or_else(|| panic!("{line}"));
        assert!(found.served.is_former, "{line}");
        let (kind, verbs) = match found.subresource {
            Some(below) => (found.served.kind_of(below), below.verbs),
            None => (found.served.gvk(), found.served.resource.verbs),
        };
        let scope = format!("{:?}", found.served.resource.scope).to_lowercase();
        let verbs: Vec<&str> = verbs.iter().map(|verb| verb.as_str()).collect();
        let kind = format!("{}/{}", kind.api_version(), kind.kind);
        assert_eq!(format!("{place} {name} {scope} {kind} {}", verbs.join(",")), line);
    }
}

fn document(table: &ResourceTable, name: &str, expect: &Json) -> Box<dyn Object> {
    let parts: Vec<&str> = name.split("__").collect();
    match parts.as_slice() {
        ["aggregated_v2"] => Box::new(table.aggregated()),
        ["api"] => {
            let address = &expect["serverAddressByClientCIDRs"][0];
            let text = |key: &str| address[key].as_str().unwrap_or_default().to_owned();
            Box::new(table.api_versions(vec![ServerAddressByClientCIDR {
                client_cidr: text("clientCIDR"),
                server_address: text("serverAddress"),
            }]))
        }
        ["apis"] => Box::new(table.group_list()),
        ["api", version] => Box::new(table.resource_list(&GroupVersion::new("", (*version).to_owned()))),
        ["apis", group] => Box::new(table.group(group).expect("the group")),
        ["apis", group, version] => {
            Box::new(table.resource_list(&GroupVersion::new((*group).to_owned(), (*version).to_owned())))
        }
        other => panic!("no such document: {other:?}"),
    }
}

/// Where two trees part.
fn first_difference(path: &str, ours: &Json, expect: &Json) -> String {
    match (ours, expect) {
        (Json::Object(one), Json::Object(other)) => one
            .keys()
            .chain(other.keys())
            .find(|key| one.get(*key) != other.get(*key))
            .map(|key| first_difference(&format!("{path}.{key}"), &ours[key], &expect[key]))
            .unwrap_or_default(),
        (Json::Array(one), Json::Array(other)) => match one.iter().zip(other).position(|(a, b)| a != b) {
            Some(at) => first_difference(&format!("{path}[{at}]"), &one[at], &other[at]),
            None => format!("{path}: {} and {} elements", one.len(), other.len()),
        },
        _ => format!("{path}: {ours} is not {expect}"),
    }
}
