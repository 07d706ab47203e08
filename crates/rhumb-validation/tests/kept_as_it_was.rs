//! What an old object has already, its new form may keep, even if no new object may have it. Each case holds both
//! forms and what Kubernetes says to the change, or nothing. No server would store such old objects today, so that
//! they can't be among the cases of `answers`.

use std::path::Path;

use rhumb_meta::Object;
use rhumb_scheme::validation::Context;
use rhumb_scheme::{Scheme, ToInternal, Unstructured};
use rhumb_validation::{scheme, validate_update};
use serde_json::Value as Json;

fn internal(scheme: &Scheme, tree: &Json) -> Box<dyn Object> {
    let object = Unstructured::new(tree.clone()).expect("an object");
    let object = scheme.typed(&object).expect("a known kind");
    scheme.convert_to_version(&*object, &ToInternal).expect("a hub")
}

#[test]
fn old_mistakes_may_stay_and_new_ones_may_not_come() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/kept_as_it_was.json");
    let text = std::fs::read_to_string(path).expect("the cases can be read");
    let cases: Vec<Json> = serde_json::from_str(&text).expect("the cases are JSON");
    let scheme = scheme().expect("the scheme");
    assert_eq!(cases.len(), 18);
    for case in &cases {
        let given = Unstructured::new(case["new"].clone()).expect("an object");
        let gvk = scheme.typed(&given).expect("a known kind").gvk();
        let (new, old) = (internal(&scheme, &case["new"]), internal(&scheme, &case["old"]));
        let version = gvk.group_version();
        let subresource = case["subresource"].as_str();
        let errors = validate_update(&scheme, &*new, &*old, subresource, &Context::new(&version));
        let name = case["new"]["metadata"]["name"].as_str().unwrap_or_default();
        let message =
            if errors.is_empty() { String::new() } else { errors.status(&gvk.group_kind(), name).message };
        assert_eq!(case["message"], message, "{}", case["name"]);
    }
}
