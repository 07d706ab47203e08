//! What a real API server made of objects, compared with what we make of them.
//!
//! `cases/TOPIC.yaml` is a list of cases, each with `steps`: an object to `create`, and merge patches to
//! `update` it, perhaps through a `subresource`, to `bind` it or to `delete` it. `TOPIC.answers.json` has
//! the answers that `record.py` got: the object as it was served, and the warnings (`unordered`, if they
//! come in any order). Whole objects are compared, but for what a step ignores because the server gave it
//! out.

#[path = "../../../rhumb-validation/tests/answers/tree.rs"]
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use rhumb_codec::{Codecs, yaml};
use rhumb_meta::v1::DeleteOptions;
use rhumb_meta::{GroupKind, GroupVersion, GroupVersionKind, Object, Time};
use rhumb_scheme::{ToInternal, Unstructured};
use rhumb_strategy::{Context, GarbageCollection, Generation, Strategies, User, wipe_system_metadata};
use serde_json::Value as Json;
use tree::{differences, merge, remove};

/// What times are that the server chose.
const NOW: &str = "2026-01-01T00:00:00Z";
/// So many steps were recorded at least, so that none are lost unseen.
const FEWEST_STEPS: usize = 261;

#[test]
fn objects_become_what_the_real_server_makes_of_them() {
    let replay = Replay::new();
    let (mut steps, mut wrong) = (0, Vec::new());
    for (name, case, answers) in cases() {
        let mut before = Json::Null;
        for (index, step) in case["steps"].as_array().into_iter().flatten().enumerate() {
            steps += 1;
            let answer = &answers[index];
            if answer["object"].is_null() {
                wrong.push(format!("{name} step {index}: not accepted: {answer}"));
                break;
            }
            if !step["delete"].is_null() {
                wrong.extend(
                    replay.delete(step, &before, answer).map(|text| format!("{name} step {index}: {text}")),
                );
                continue;
            }
            if !answer["before"].is_null() {
                before = answer["before"].clone();
            }
            match replay.step(step, &before, answer) {
                Ok(found) => {
                    wrong.extend(found.iter().map(|text| format!("{name} step {index}: {text}")));
                }
                Err(error) => wrong.push(format!("{name} step {index}: {error}")),
            }
            before = answer["object"].clone();
        }
    }
    assert!(wrong.is_empty(), "{} differences in {steps} steps:\n{}", wrong.len(), wrong.join("\n"));
    assert!(steps >= FEWEST_STEPS, "only {steps} steps are left");
}

/// How requests are served, and what of an applied object is the server's.
#[test]
fn facts_are_those_of_the_real_server() {
    let strategies = Strategies::built_in().expect("the strategies");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/facts.json");
    let recorded: Vec<Json> = serde_json::from_slice(&fs::read(path).expect("the facts")).expect("a list");
    assert!(recorded.len() > 60, "only {} kinds are left", recorded.len());
    for fact in recorded {
        let version = GroupVersion::parse(&text(&fact["apiVersion"])).expect("a version");
        let kind = GroupKind::new(version.group.clone(), text(&fact["kind"]));
        let facts = strategies.facts(&kind);
        assert_eq!(fact["create_on_update"], facts.create_on_update, "{kind} made by updates");
        assert_eq!(
            fact["unconditional_update"], facts.unconditional_update,
            "{kind} updated without a version"
        );
        let orphans = facts.garbage_collection(&version) == GarbageCollection::OrphanDependents;
        assert_eq!(fact["orphans"], orphans, "{kind} leaves dependents behind");
        for applied in fact["applied"].as_array().into_iter().flatten() {
            let resets = strategies.reset_fields(&kind, &version, applied["subresource"].as_str());
            let is_reset = |key: &str| match key {
                "labels" => resets.iter().any(|path| ["metadata", "labels"].starts_with(path)),
                key => resets.contains(&&[key][..]),
            };
            let sent = applied["sent"].as_array().into_iter().flatten().map(text);
            let ours: Json = sent.filter(|key| !is_reset(key)).collect();
            assert_eq!(applied["owned"], ours, "{kind} applied to {}", applied["subresource"]);
        }
    }
}

/// Objects of kinds that count their generation start with the first.
#[test]
fn generations_start_as_on_the_real_server() {
    let strategies = Strategies::built_in().expect("the strategies");
    for (name, case, answers) in cases() {
        let (sent, served) = (&case["steps"][0]["create"], &answers[0]["object"]);
        let version = GroupVersion::parse(&text(&served["apiVersion"])).expect("a version");
        let kind = GroupKind::new(version.group.clone(), text(&served["kind"]));
        let generation = match strategies.facts(&kind).generation {
            Generation::Counted | Generation::Fixed => Json::from(1),
            _ => sent["metadata"]["generation"].clone(),
        };
        assert_eq!(served["metadata"]["generation"], generation, "{name}");
    }
}

/// Every kind that has a strategy has a case.
#[test]
fn every_kind_is_tried() {
    let scheme = rhumb_api::scheme().expect("the scheme");
    let strategies = Strategies::built_in().expect("the strategies");
    let creates = cases().into_iter().map(|(_, case, _)| case["steps"][0]["create"].clone());
    let tried: BTreeSet<String> = creates.map(|create| text(&create["kind"])).collect();
    let kinds =
        scheme.all_known_types().into_iter().map(|known| known.gvk.group_kind()).collect::<BTreeSet<_>>();
    let untried: Vec<_> = kinds
        .into_iter()
        .filter(|kind| strategies.contains(kind) && !tried.contains(&*kind.kind))
        .map(|kind| kind.to_string())
        .collect();
    assert_eq!(untried, [""; 0]);
}

/// The cases with their names and the answers to their steps.
fn cases() -> Vec<(String, Json, Json)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder of cases") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            let mut json = Vec::new();
            let text = fs::read(&path).expect("the cases");
            yaml::to_json(&text, &yaml::ReadOptions::default(), &mut json).expect("valid YAML");
            let cases: Vec<Json> = serde_json::from_slice(&json).expect("a list of cases");
            let answers = fs::read(path.with_extension("answers.json")).expect("the answers");
            let answers: BTreeMap<String, Json> = serde_json::from_slice(&answers).expect("answers by case");
            for case in cases {
                let name = case["case"].as_str().expect("a name").to_owned();
                let answer = answers.get(&name).cloned().unwrap_or_default();
                found.push((name, case, answer));
            }
        }
    }
    found
}

fn text(tree: &Json) -> String {
    tree.as_str().unwrap_or_default().to_owned()
}

struct Replay {
    codecs: Codecs,
    strategies: Strategies,
    user: User,
}

impl Replay {
    fn new() -> Self {
        let user = User {
            name: "admin".to_owned(),
            uid: "admin".to_owned(),
            groups: vec!["system:masters".to_owned(), "system:authenticated".to_owned()],
            extra: BTreeMap::new(),
        };
        Replay {
            codecs: Codecs::new(Arc::new(rhumb_api::scheme().expect("the scheme"))),
            strategies: Strategies::built_in().expect("the strategies"),
            user,
        }
    }

    /// Where our answer to a step differs.
    fn step(&self, step: &Json, before: &Json, answer: &Json) -> Result<Vec<String>, String> {
        let (mut object, gvk, warnings) = if !step["create"].is_null() {
            self.create(step, answer)?
        } else if !step["bind"].is_null() {
            self.bind(step, before)?
        } else {
            self.update(step, before)?
        };
        self.strategies.on_read(&mut *object);
        let mut ours = self.served(&*object, &gvk)?;
        let mut served = answer["object"].clone();
        for path in step["ignore"].as_array().into_iter().flatten().filter_map(Json::as_str) {
            remove(&mut ours, path);
            remove(&mut served, path);
        }
        let mut found = differences(&ours, &served);
        found.extend(warned_differently(warnings, step, answer));
        if !answer["scale"].is_null() {
            let mut scale =
                self.strategies.scale(&*object).ok_or("no scale")?.map_err(|error| error.to_string())?;
            scale.set_type_meta("autoscaling/v1", "Scale");
            found.extend(differences(&Unstructured::from_object(&scale).into_tree(), &answer["scale"]));
        }
        Ok(found)
    }

    fn create(&self, step: &Json, answer: &Json) -> Result<Answered, String> {
        let (mut object, gvk) = self.decode(&step["create"])?;
        wipe_system_metadata(&mut *object);
        let metadata = &answer["object"]["metadata"];
        object.edit_metadata(&mut |ours| {
            ours.uid = text(&metadata["uid"]);
            ours.creation_timestamp = now();
            ours.namespace = text(&metadata["namespace"]);
        });
        self.strategies.begin_create(&mut *object);
        let version = gvk.group_version();
        let context = Context { now: now(), request_version: &version, user: &self.user };
        let mut warnings = self.strategies.prepare_create(&mut *object, &context);
        warnings.extend(self.strategies.warnings_create(&*object));
        self.strategies.canonicalize(&mut *object);
        Ok((object, gvk, warnings))
    }

    fn update(&self, step: &Json, before: &Json) -> Result<Answered, String> {
        let (mut old, gvk) = self.decode(before)?;
        self.strategies.on_read(&mut *old);
        let subresource = step["subresource"].as_str();
        let mut object = if subresource == Some("scale") {
            let mut scale =
                self.strategies.scale(&*old).ok_or("no scale")?.map_err(|error| error.to_string())?;
            let replicas =
                step["update"]["spec"]["replicas"].as_i64().and_then(|wanted| i32::try_from(wanted).ok());
            scale.spec.replicas = replicas.ok_or("no replicas")?;
            let mut object = old.clone_object();
            self.strategies.set_scale(&mut *object, &scale);
            object
        } else {
            let mut new = before.clone();
            merge(&mut new, &step["update"]);
            self.decode(&new)?.0
        };
        self.strategies.begin_update(&mut *object, &*old);
        let version = gvk.group_version();
        let context = Context { now: now(), request_version: &version, user: &self.user };
        self.strategies.prepare_update(&mut *object, &*old, subresource, &context);
        let warnings = self.strategies.warnings_update(&*object, &*old, subresource);
        self.strategies.canonicalize(&mut *object);
        Ok((object, gvk, warnings))
    }

    fn bind(&self, step: &Json, before: &Json) -> Result<Answered, String> {
        let (mut object, gvk) = self.decode(before)?;
        let (binding, _) = self.decode(&step["bind"])?;
        let (pod, binding) = (object.downcast_mut(), binding.downcast_ref());
        rhumb_strategy::bind(pod.ok_or("no pod")?, binding.ok_or("no binding")?, now())
            .map_err(|error| error.to_string())?;
        Ok((object, gvk, Vec::new()))
    }

    /// How the time that an object is given differs from what the server gave it.
    fn delete(&self, step: &Json, before: &Json, answer: &Json) -> Option<String> {
        let mut options = DeleteOptions {
            grace_period_seconds: step["delete"]["gracePeriodSeconds"].as_i64(),
            ..DeleteOptions::default()
        };
        let object = self.decode(before).expect("it was served").0;
        let graceful = self.strategies.check_graceful_delete(&*object, &mut options);
        let served = answer["object"]["metadata"]["deletionGracePeriodSeconds"].as_i64();
        let ours = options.grace_period_seconds.filter(|_| graceful);
        (ours != served).then(|| format!("grace period\n      ours   {ours:?}\n      served {served:?}"))
    }

    /// Reads an object with its defaults, in its hub form.
    fn decode(&self, tree: &Json) -> Result<(Box<dyn Object>, GroupVersionKind), String> {
        let decoded = self.codecs.decode_to(tree.to_string().as_bytes(), None, &ToInternal);
        let decoded = decoded.map_err(|error| format!("can't be read: {error}"))?;
        Ok((decoded.object, decoded.gvk))
    }

    /// The object as we would serve it: what is stored is read with its defaults.
    fn served(&self, object: &dyn Object, gvk: &GroupVersionKind) -> Result<Json, String> {
        let scheme = self.codecs.scheme();
        let mut external =
            scheme.convert_to_version(object, &gvk.group_version()).map_err(|error| error.to_string())?;
        scheme.default(&mut *external);
        Ok(Unstructured::from_object(&*external).into_tree())
    }
}

/// Compares warnings. Those about the version are not a strategy's, and come first.
fn warned_differently(mut ours: Vec<String>, step: &Json, answer: &Json) -> Option<String> {
    let version = format!(
        "{} {} is deprecated in",
        text(&answer["object"]["apiVersion"]),
        text(&answer["object"]["kind"])
    );
    let served = answer["warnings"].as_array().into_iter().flatten().map(text);
    let mut served: Vec<String> = served.filter(|warning| !warning.starts_with(&version)).collect();
    if step["unordered"] == Json::Bool(true) {
        // Kubernetes walks a map, in another order each time.
        ours.sort();
        served.sort();
    }
    (ours != served).then(|| format!("warnings\n      ours   {ours:#?}\n      served {served:#?}"))
}

/// An object, its kind and the warnings about it.
type Answered = (Box<dyn Object>, GroupVersionKind, Vec<String>);

fn now() -> Time {
    Time::parse(NOW).expect("a time")
}
