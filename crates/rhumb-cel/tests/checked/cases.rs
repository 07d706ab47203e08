//! The cases: environments and expressions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// What is asked.
pub(crate) struct Cases {
    pub environments: BTreeMap<String, Described>,
    pub groups: Vec<Group>,
}

/// An environment.
pub(crate) struct Described {
    pub container: String,
    pub abbreviations: Vec<String>,
    pub variables: BTreeMap<String, String>,
    pub functions: Vec<Function>,
    pub objects: BTreeMap<String, BTreeMap<String, String>>,
    pub libraries: Vec<String>,
    pub options: Vec<String>,
    pub sizes: BTreeMap<String, u64>,
}

/// An overload of a function.
pub(crate) struct Function {
    pub name: String,
    pub id: String,
    pub member: bool,
    pub params: Vec<String>,
    pub result: String,
}

/// Expressions of one environment.
pub(crate) struct Group {
    pub environment: String,
    written: Vec<String>,
    templates: Vec<String>,
    operands: Vec<String>,
}

impl Group {
    /// The expressions, each once.
    pub(crate) fn expressions(&self) -> Vec<String> {
        let mut all = self.written.clone();
        for template in &self.templates {
            for left in &self.operands {
                all.extend(
                    self.operands.iter().map(|right| template.replace("$a", left).replace("$b", right)),
                );
            }
        }
        let mut seen = BTreeSet::new();
        all.retain(|expression| seen.insert(expression.clone()));
        all
    }
}

impl Cases {
    pub(crate) fn read() -> Self {
        let all: Value = serde_json::from_str(include_str!("../data/checked/cases.json")).unwrap();
        Self {
            environments: entries(&all["environments"], |env| Described {
                container: string(&env["container"]),
                abbreviations: strings(&env["abbreviations"]),
                variables: entries(&env["variables"], string),
                functions: items(&env["functions"], |function| Function {
                    name: string(&function["name"]),
                    id: string(&function["id"]),
                    member: function["member"].as_bool().unwrap_or(false),
                    params: strings(&function["params"]),
                    result: string(&function["result"]),
                }),
                objects: entries(&env["objects"], |fields| entries(fields, string)),
                libraries: strings(&env["libraries"]),
                options: strings(&env["options"]),
                sizes: entries(&env["sizes"], |size| size.as_u64().unwrap()),
            }),
            groups: items(&all["cases"], |group| Group {
                environment: string(&group["environment"]),
                written: strings(&group["expressions"]),
                templates: strings(&group["templates"]),
                operands: strings(&group["operands"]),
            }),
        }
    }
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn strings(value: &Value) -> Vec<String> {
    items(value, string)
}

fn items<T>(value: &Value, read: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().map(|items| items.iter().map(read).collect()).unwrap_or_default()
}

fn entries<T>(value: &Value, read: impl Fn(&Value) -> T) -> BTreeMap<String, T> {
    value
        .as_object()
        .map(|entries| entries.iter().map(|(key, value)| (key.clone(), read(value))).collect())
        .unwrap_or_default()
}
