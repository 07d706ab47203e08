//! Our answers to objects, compared with those of a real API server.
//!
//! A case is an object to be made, or one that is made and then changed; `tests/cases` holds them by group and topic
//! with the answers as they were recorded (`tools/record-answers.py`). What was refused must be refused with the same
//! message and the same causes in the same order. What was accepted must pass, and must look as it was served.

mod corpus;
mod reviews;
mod tree;

use std::sync::Arc;

use corpus::{Case, report};
use rhumb_codec::Codecs;
use rhumb_meta::{GroupKind, GroupVersionKind, Object};
use rhumb_scheme::validation::{Context, FieldErrors};
use rhumb_scheme::{Scheme, ToInternal, Unstructured};
use serde_json::{Value as Json, json};
use tree::{differences, merge, remove, sides};

/// So many cases were recorded at least, so that none are lost unseen.
const FEWEST_CASES: usize = 2_400;
/// So many of them are refused.
const FEWEST_REFUSALS: usize = 1_800;

/// What the server fills in by itself.
const FILLED_IN: &[&str] = &[
    "metadata.uid",
    "metadata.creationTimestamp",
    "metadata.resourceVersion",
    "metadata.generation",
    "metadata.selfLink",
    "metadata.managedFields",
];

#[test]
fn every_answer_is_that_of_the_real_server() {
    let scheme = Arc::new(rhumb_validation::scheme().expect("the scheme"));
    let codecs = Codecs::new(Arc::clone(&scheme));
    let (cases, mut failures) = corpus::read("cases");
    for case in &cases {
        if let Err(found) = check(case, &codecs) {
            failures.push(format!("{}\n    {}", case.name, found.join("\n    ")));
        }
    }
    assert!(!cases.is_empty() || !failures.is_empty(), "no case was found");
    report(cases.len(), &failures);
    if corpus::filter().is_empty() {
        let refusals = cases.iter().filter(|case| case.code() == 422).count();
        assert!(cases.len() >= FEWEST_CASES, "only {} cases are left", cases.len());
        assert!(refusals >= FEWEST_REFUSALS, "only {refusals} refusals are left");
    }
}

/// Each group that has rules has cases, in a folder called like its module.
#[test]
fn every_group_has_cases() {
    let tests = corpus::tests();
    let mut groups = corpus::folders(&tests.with_file_name("src"));
    groups.remove("meta");
    let mut tested = corpus::folders(&tests.join("cases"));
    tested.extend(reviews::GROUPS.map(str::to_owned));
    assert_eq!(groups, tested);
}

/// Compares our answer to a case with the recorded one.
fn check(case: &Case, codecs: &Codecs) -> Result<(), Vec<String>> {
    let scheme = codecs.scheme();
    let asked = ask(case, codecs).map_err(|error| vec![error])?;
    match case.code() {
        200 | 201 if asked.errors.is_empty() => {
            if !case.text["post"].is_null() {
                return Ok(());
            }
            let mut ours = asked.served(scheme).map_err(|error| vec![error])?;
            let mut served = case.answer["object"].clone();
            for tree in [&mut ours, &mut served] {
                reduce(tree, case);
            }
            some(differences(&ours, &served))
        }
        200 | 201 => Err(vec![sides("accepted by the server", &asked.errors.to_string(), "(accepted)")]),
        422 => asked.refusal(case, scheme),
        code => {
            let message = case.answer["message"].as_str().unwrap_or_default();
            Err(vec![format!("the answer has code {code}, which validation doesn't give: {message}")])
        }
    }
}

fn some(found: Vec<String>) -> Result<(), Vec<String>> {
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// Leaves of an object what is to be compared.
fn reduce(tree: &mut Json, case: &Case) {
    if case.subresource() == Some("status") {
        *tree = json!({ "status": tree["status"] });
    } else {
        FILLED_IN.iter().for_each(|path| remove(tree, path));
        remove(tree, "status");
    }
    for path in case.text["ignore"].as_array().into_iter().flatten().filter_map(Json::as_str) {
        remove(tree, path);
    }
}

/// What we found.
struct Asked {
    /// The kind of the request.
    gvk: GroupVersionKind,
    /// The object, in its hub form.
    object: Box<dyn Object>,
    errors: FieldErrors,
}

impl Asked {
    /// The object as we would serve it.
    fn served(&self, scheme: &Scheme) -> Result<Json, String> {
        let object = scheme.convert_to_version(&*self.object, &self.gvk.group_version());
        Ok(Unstructured::from_object(&*object.map_err(|error| error.to_string())?).into_tree())
    }

    /// The kind as a refusal names it: what has moved out of `extensions` goes by the group where it lives now, and an
    /// event by the group that it came from.
    fn named_kind(&self, scheme: &Scheme) -> GroupKind {
        let has_moved = matches!(&*self.gvk.group, "extensions" | "events.k8s.io");
        let moved = if has_moved { scheme.object_kinds(&*self.object).ok() } else { None };
        let home = moved.and_then(|(kinds, _)| kinds.first().map(|kind| kind.group_kind()));
        home.unwrap_or_else(|| self.gvk.group_kind())
    }

    /// Compares our refusal with that of the server.
    fn refusal(&self, case: &Case, scheme: &Scheme) -> Result<(), Vec<String>> {
        let name = self.object.metadata().map(|metadata| metadata.name.clone()).unwrap_or_default();
        let status = self.errors.status(&self.named_kind(scheme), &name);
        let causes = status.details.iter().flat_map(|details| &details.causes);
        let ours: Vec<Cause> =
            causes.map(|cause| [&cause.field, &cause.reason, &cause.message].map(Clone::clone)).collect();
        let text = |cause: &Json, key: &str| cause[key].as_str().unwrap_or_default().to_owned();
        let served = case.answer["causes"].as_array().into_iter().flatten();
        let served: Vec<Cause> =
            served.map(|cause| ["field", "reason", "message"].map(|key| text(cause, key))).collect();
        let mut found = Vec::new();
        if self.errors.is_empty() || case.answer["message"] != status.message {
            let ours = if self.errors.is_empty() { "(accepted)" } else { &status.message };
            found.push(sides("message", ours, case.answer["message"].as_str().unwrap_or_default()));
        }
        if ours != served {
            let show = |causes: &[Cause]| {
                causes.iter().map(|cause| cause.join(" | ")).collect::<Vec<_>>().join("\n             ")
            };
            found.push(sides("causes", &show(&ours), &show(&served)));
        }
        some(found)
    }
}

/// Field, reason and message.
type Cause = [String; 3];

/// Does what a server does with the request of a case, up to the point where it would store the object.
fn ask(case: &Case, codecs: &Codecs) -> Result<Asked, String> {
    if !case.text["post"].is_null() {
        return ask_create(case.text["post"].clone(), codecs);
    }
    if case.text["update"].is_null() {
        let mut manifest = case.text["create"].clone();
        // The status of a new object is not the client's to say.
        remove(&mut manifest, "status");
        return ask_create(manifest, codecs);
    }
    // A subresource may show the object as another kind, such as Scale.
    let (old, subresource) = match &case.answer["current"] {
        Json::Null => (&case.answer["created"], case.subresource()),
        current => (current, None),
    };
    if old.is_null() {
        return Err("the create was refused already".to_owned());
    }
    let mut new = old.clone();
    merge(&mut new, &case.text["update"]);
    // An update of the object leaves its status alone, and one of its status all else.
    if case.answer["current"].is_null() {
        match subresource {
            None => new["status"] = old["status"].clone(),
            Some("status") => {
                let mut only = old.clone();
                only["status"] = new["status"].take();
                only["metadata"] = new["metadata"].take();
                new = only;
            }
            Some(_) => {}
        }
    }
    let old = decode(old, codecs)?.0;
    let (mut object, gvk) = decode(&new, codecs)?;
    keep_metadata(&mut *object, &*old);
    let version = gvk.group_version();
    let context = Context::new(&version);
    let errors = rhumb_validation::validate_update(codecs.scheme(), &*object, &*old, subresource, &context);
    Ok(Asked { gvk, object, errors })
}

fn ask_create(manifest: Json, codecs: &Codecs) -> Result<Asked, String> {
    let (mut object, gvk) = decode(&manifest, codecs)?;
    object.edit_metadata(&mut |metadata| {
        if metadata.name.is_empty() && !metadata.generate_name.is_empty() {
            metadata.name = format!("{}xxxxx", metadata.generate_name);
        }
    });
    let version = gvk.group_version();
    let errors = rhumb_validation::validate_create(codecs.scheme(), &*object, &Context::new(&version));
    Ok(Asked { gvk, object, errors })
}

/// What a server takes over from the old object, whatever the new one says.
fn keep_metadata(new: &mut dyn Object, old: &dyn Object) {
    let Some(old) = old.metadata() else { return };
    new.edit_metadata(&mut |metadata| {
        metadata.generation = old.generation;
        metadata.creation_timestamp = old.creation_timestamp;
        if metadata.uid.is_empty() {
            metadata.uid.clone_from(&old.uid);
        }
        if metadata.resource_version.is_empty() {
            metadata.resource_version.clone_from(&old.resource_version);
        }
        if old.deletion_timestamp.is_some() {
            metadata.deletion_timestamp = old.deletion_timestamp;
        }
        if metadata.deletion_grace_period_seconds.is_none() {
            metadata.deletion_grace_period_seconds = old.deletion_grace_period_seconds;
        }
    });
}

/// Reads an object with its defaults, in its hub form.
fn decode(tree: &Json, codecs: &Codecs) -> Result<(Box<dyn Object>, GroupVersionKind), String> {
    let decoded = codecs.decode_to(tree.to_string().as_bytes(), None, &ToInternal);
    decoded.map(|decoded| (decoded.object, decoded.gvk)).map_err(|error| format!("can't be read: {error}"))
}
