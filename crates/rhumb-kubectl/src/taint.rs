//! `taint`: sets and removes taints of nodes.

use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_meta::{GroupVersionResource, validation};
use rhumb_scheme::Unstructured;
use serde_json::{Value, json};

use crate::two_way::{self, at_mut};

static FLAGS: &[Flag] = &[
    Flag::bool("overwrite", "Change taints that are there already."),
    Flag::bool("all", "All nodes."),
    options::field_manager("kubectl-taint"),
];

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "taint",
    family: Family::Cluster,
    about: "Change the taints of nodes",
    long: "A taint has a key, a value that may be left out, and an effect: NoSchedule, PreferNoSchedule or \
           NoExecute. \
           With a hyphen behind it, it is taken away.",
    usage: "NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N",
    examples: &[
        ("Keep pods away", "taint nodes node1 dedicated=db:NoSchedule"),
        ("Take that taint away", "taint nodes node1 dedicated:NoSchedule-"),
        ("Take all taints of a key away", "taint nodes node1 dedicated-"),
        ("All nodes with a label", "taint node -l pool=a dedicated=db:PreferNoSchedule"),
    ],
    flags: &[options::PRINT, options::DRY_RUN, options::VALIDATE, options::SELECTOR, FLAGS],
    words: Words::Of(&["node"]),
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

#[derive(Clone, Debug, PartialEq, Eq)]
struct Taint {
    key: String,
    value: String,
    effect: String,
}

/// Taints to add and remove.
struct Changes {
    add: Vec<Taint>,
    remove: Vec<Taint>,
}

async fn run(call: &mut Call) -> Outcome {
    let (namespace, _) = call.factory.namespace()?;
    let dry_run = DryRun::of(call)?;
    options::field_validation(&call.flags)?;
    let (words, taints) = split(&call.args)?;
    let Some(kind) = words.first() else {
        return Err("one or more resources must be specified as <resource> <name>".into());
    };
    if taints.is_empty() {
        return Err("at least one taint update is required".into());
    }
    let changes = Changes::parse(&taints).map_err(|failure| call.usage(failure.bare()))?;
    require_nodes(call, &kind.to_lowercase()).await?;
    changes.check()?;
    let (all, selector) = (call.flags.bool("all"), call.flags.text("selector").to_owned());
    if all && !selector.is_empty() {
        return Err("setting 'all' parameter with a non empty selector is prohibited".into());
    }
    if !all && selector.is_empty() && words.len() < 2 {
        return Err("at least one resource name must be specified since 'all' parameter is not set".into());
    }
    let mut printer = call.printer(DryRun::None)?;
    let mut builder = call.factory.builder().continue_on_error().namespace(&namespace).default_namespace();
    if all || !selector.is_empty() {
        builder = builder.label_selector(&selector).select_all(all).types(&["node"]);
    } else {
        builder = builder.names_of("node", words.get(1..).unwrap_or_default());
    }
    let infos = builder.flatten().latest().build().await?;
    infos
        .visit(async |info| {
            let before = two_way::read(info.object()?)?;
            let (after, done) = changes.apply(info, &before, call.flags.bool("overwrite"))?;
            if dry_run == DryRun::Client {
                return printer.print(&mut call.streams, &after, done);
            }
            let patch = two_way::patch(&before, &after)?.unwrap_or_else(|| json!({}));
            let object = two_way::send(call, info, patch, dry_run).await?;
            printer.print(&mut call.streams, &object, done)
        })
        .await
}

/// Returns the words that name nodes, and the taints.
fn split(args: &[String]) -> Result<(Vec<String>, Vec<String>), Failure> {
    let is_taint = |word: &String| word.contains(['=', ':']) || word.ends_with('-');
    let at = args.iter().position(is_taint).unwrap_or(args.len());
    let (words, taints) = args.split_at(at);
    match taints.iter().find(|word| !is_taint(word)) {
        Some(word) => Err(format!("all resources must be specified before taint changes: {word}").into()),
        None => Ok((words.to_vec(), taints.to_vec())),
    }
}

async fn require_nodes(call: &Call, word: &str) -> Outcome {
    let resource = word.split('.').next().unwrap_or_default().to_owned();
    let mapper = call.factory.mapper()?;
    let found = mapper.resource_for(&GroupVersionResource::new("", "", resource)).await?;
    match mapper.kind_for(&found).await? {
        kind if kind.kind == "Node" => Ok(()),
        _ => Err(format!("invalid resource type {word}, only node types are supported").into()),
    }
}

impl Taint {
    fn parse(spec: &str) -> Result<Self, Failure> {
        let wrong = |why: &[String]| match why {
            [] => Failure::message(format!("invalid taint spec: {spec}")),
            why => Failure::message(format!("invalid taint spec: {spec}, {}", why.join("; "))),
        };
        let parts: Vec<&str> = spec.split(':').collect();
        let (key, value, effect) = match parts.as_slice() {
            [key] => (*key, "", ""),
            [pair, effect] => {
                if !matches!(*effect, "NoSchedule" | "PreferNoSchedule" | "NoExecute") {
                    return Err(format!("invalid taint effect: {effect}, unsupported taint effect").into());
                }
                match pair.split('=').collect::<Vec<_>>().as_slice() {
                    [key] => (*key, "", *effect),
                    [key, value] => {
                        let why = validation::is_valid_label_value(value);
                        if !why.is_empty() {
                            return Err(wrong(&why));
                        }
                        (*key, *value, *effect)
                    }
                    _ => return Err(wrong(&[])),
                }
            }
            _ => return Err(wrong(&[])),
        };
        let why = validation::is_qualified_name(key);
        if !why.is_empty() {
            return Err(wrong(&why));
        }
        Ok(Taint { key: key.to_owned(), value: value.to_owned(), effect: effect.to_owned() })
    }

    /// Reports whether another taint is the same one, whatever its value.
    fn is_same(&self, taint: &Value) -> bool {
        text(taint, "key") == self.key && text(taint, "effect") == self.effect
    }

    /// Returns the taint as messages show it.
    fn shown(&self) -> String {
        match (self.value.as_str(), self.effect.as_str()) {
            ("", "") => self.key.clone(),
            ("", effect) => format!("{}:{effect}", self.key),
            (value, "") => format!("{}={value}:", self.key),
            (value, effect) => format!("{}={value}:{effect}", self.key),
        }
    }

    fn tree(&self) -> Value {
        let mut tree = json!({"key": self.key, "effect": self.effect});
        if !self.value.is_empty() {
            tree["value"] = Value::from(self.value.as_str());
        }
        tree
    }
}

fn text<'a>(taint: &'a Value, field: &str) -> &'a str {
    taint.get(field).and_then(Value::as_str).unwrap_or_default()
}

impl Changes {
    fn parse(words: &[String]) -> Result<Self, Failure> {
        let mut changes = Changes { add: Vec::new(), remove: Vec::new() };
        for word in words {
            if let Some(word) = word.strip_suffix('-') {
                changes.remove.push(Taint { value: String::new(), ..Taint::parse(word)? });
                continue;
            }
            let taint = Taint::parse(word)?;
            if taint.effect.is_empty() {
                return Err(format!("invalid taint spec: {word}").into());
            }
            if changes.add.iter().any(|known| known.key == taint.key && known.effect == taint.effect) {
                let Taint { key, value, effect } = &taint;
                return Err(format!(
                    "duplicated taints with the same key and effect: {{{key} {value} {effect} <nil>}}"
                )
                .into());
            }
            changes.add.push(taint);
        }
        Ok(changes)
    }

    fn check(&self) -> Outcome {
        let mut both = Vec::new();
        for add in &self.add {
            for remove in self.remove.iter().filter(|remove| remove.key == add.key) {
                if remove.effect.is_empty() || remove.effect == add.effect {
                    both.push(format!("{}={}", remove.key, remove.effect));
                }
            }
        }
        match both.is_empty() {
            true => Ok(()),
            false => Err(format!(
                "can not both modify and remove the following taint(s) in the same command: {}",
                both.join(", ")
            )
            .into()),
        }
    }

    /// Returns a node with the changes, and what was done: new taints stand before those that stay.
    fn apply(
        &self,
        info: &Info,
        node: &Unstructured,
        overwrite: bool,
    ) -> Result<(Unstructured, &'static str), Failure> {
        let old = node.get(&["spec", "taints"]).and_then(Value::as_array).cloned().unwrap_or_default();
        if !overwrite {
            let known = |taint: &&Taint| old.iter().any(|old| taint.is_same(old));
            let exists: Vec<&str> = self.add.iter().filter(known).map(|taint| taint.key.as_str()).collect();
            if !exists.is_empty() {
                return Err(format!(
                    "node {} already has {} taint(s) with same effect(s) and --overwrite is false",
                    info.name,
                    exists.join(",")
                )
                .into());
            }
        }
        let mut taints: Vec<Value> = self.add.iter().map(Taint::tree).collect();
        let stays = |taint: &&Value| !self.add.iter().any(|new| new.is_same(taint));
        taints.extend(old.iter().filter(stays).cloned());
        let added = taints.len() != old.len();
        let mut removed = false;
        let mut failures = Vec::new();
        for taint in &self.remove {
            let count = taints.len();
            taints.retain(|known| match taint.effect.is_empty() {
                true => text(known, "key") != taint.key,
                false => !taint.is_same(known),
            });
            removed = taints.len() != count;
            if !removed {
                failures.push(Failure::message(format!("taint {:?} not found", taint.shown())));
            }
        }
        Failure::all(failures)?;
        let mut after = node.clone();
        at_mut(after.fields_mut(), &["spec"]).insert("taints".to_owned(), Value::Array(taints));
        let done = match (added, removed) {
            _ if overwrite => "modified",
            (true, true) => "modified",
            (true, false) => "tainted",
            (false, _) => "untainted",
        };
        Ok((after, done))
    }
}
