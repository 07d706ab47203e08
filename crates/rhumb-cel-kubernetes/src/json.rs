//! Trees of JSON as expressions see them where no schema tells more. Nothing is copied.
//!
//! A number is an integer if it is written as one and fits 64 bits, else a floating-point number, as in unstructured
//! objects of Kubernetes. Keys are as they are written: names have escapes only where a schema gives objects types.

use rhumb_cel::value::view::{Data, Pairs, Shape, View};
use rhumb_cel::value::{List, Map, Value};
use serde_json::Value as Json;

/// Returns a tree as a value: objects are maps, arrays are lists.
pub fn value(tree: &Json) -> Value<'_> {
    match tree {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => match number.as_i64() {
            Some(value) => Value::Int(value),
            None => Value::Double(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(_) => Value::List(List::View(tree, &SHAPE)),
        Json::Object(_) => Value::Map(Map::View(tree, &SHAPE)),
    }
}

static SHAPE: Shape = Shape::fixed(&Tree);

/// View of a tree.
struct Tree;

/// Returns the data as the tree that [`value`] made a reference to.
fn tree(data: &Data) -> &Json {
    data.downcast_ref().unwrap_or(&Json::Null)
}

impl View for Tree {
    fn len(&self, data: &Data) -> usize {
        match tree(data) {
            Json::Array(elements) => elements.len(),
            Json::Object(entries) => entries.len(),
            _ => 0,
        }
    }

    fn element<'s>(&'s self, data: &'s Data, index: usize) -> Option<Value<'s>> {
        tree(data).as_array()?.get(index).map(value)
    }

    fn get<'s>(&'s self, data: &'s Data, key: &str) -> Option<Value<'s>> {
        tree(data).as_object()?.get(key).map(value)
    }

    fn pairs<'s>(&'s self, data: &'s Data) -> Pairs<'s> {
        let entries = tree(data).as_object().into_iter().flatten();
        Box::new(entries.map(|(key, tree)| (key.as_str(), value(tree))))
    }
}

#[cfg(test)]
mod tests {
    use rhumb_cel::eval::{Limits, Program};
    use rhumb_cel::types::Type;
    use serde_json::json;

    use super::*;
    use crate::environment::{EnvironmentSet, Purpose, program_options};

    #[test]
    fn expressions_look_into_trees() {
        let tree = json!({
            "name": "web",
            "replicas": 3,
            "ratio": 0.5,
            "large": 18_446_744_073_709_551_615_u64,
            "none": null,
            "app.kubernetes.io/name": "web",
            "ports": [{"name": "http", "port": 80}, {"name": "https", "port": 443}],
            "empty": {},
        });
        let set = EnvironmentSet::shared().expect("the environment is there");
        let set = set.extend(&[], |builder| builder.variable("self", Type::Dyn)).expect("it has self");
        let environment = set.get(Purpose::New);
        let check = |expression: &str, expected: &str| {
            let checked = environment.compile(expression).expect("the expression is right");
            let program = Program::new(&checked, environment, program_options()).expect("it can be planned");
            let variables = [("self", value(&tree))];
            let result = program.evaluate(&variables, Limits::default()).result;
            let shown = result.map_or_else(|error| error.to_string(), |value| value.to_string());
            assert_eq!(shown, expected, "{expression}");
        };
        check("self.name", "\"web\"");
        check("self.replicas + 1", "4");
        check("self.ratio * 2.0", "1.0");
        check("type(self.large) == double", "true");
        check("self.none == null && has(self.none) && !has(self.absent)", "true");
        check("self['app.kubernetes.io/name']", "\"web\"");
        check("size(self.ports) + size(self.empty)", "2");
        check("self.ports.map(p, p.port)", "[80, 443]");
        check("self.ports[1]", "{\"name\": \"https\", \"port\": 443}");
        check("self.ports[0] == {'port': dyn(80), 'name': dyn('http')}", "true");
        check("self.ports[0].exists(key, key == 'port')", "true");
        check(
            "self.ports + [1]",
            "[{\"name\": \"http\", \"port\": 80}, {\"name\": \"https\", \"port\": 443}, 1]",
        );
        check("self.?absent.orValue('none')", "\"none\"");
        check("self.absent", "no such key: absent");
        check("self.ports[2]", "index out of bounds: 2");
    }
}
