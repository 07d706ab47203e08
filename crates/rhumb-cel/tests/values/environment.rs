//! The environment and the variables that the recorder has, too.

use rhumb_cel::env::Environment;
use rhumb_cel::eval::Activation;
use rhumb_cel::library;
use rhumb_cel::time::{Duration, Timestamp};
use rhumb_cel::types::Type;
use rhumb_cel::value::{Entries, Value};

use super::json;

/// Returns the environment.
pub(crate) fn environment() -> Environment {
    let list = |element| Type::list(element);
    let optional = || Type::optional(Type::Int);
    Environment::builder()
        .library(&library::Standard)
        .library(&library::Optional::default())
        .library(&library::Strings::version(3))
        .library(&library::Lists::version(3))
        .library(&library::Sets)
        .library(&library::Math::default())
        .library(&library::Encoders)
        .library(&library::Comprehensions)
        .library(&library::Bindings)
        .options(|options| options.cross_type_comparisons = true)
        .variable("i", Type::Int)
        .variable("u", Type::Uint)
        .variable("d", Type::Double)
        .variable("s", Type::String)
        .variable("e", Type::String)
        .variable("b", Type::Bytes)
        .variable("t", Type::Timestamp)
        .variable("w", Type::Duration)
        .variable("yes", Type::Bool)
        .variable("no", Type::Bool)
        .variable("l", list(Type::Int))
        .variable("ls", list(Type::String))
        .variable("ll", list(list(Type::Int)))
        .variable("m", Type::map(Type::String, Type::Int))
        .variable("mi", Type::map(Type::Int, Type::String))
        .variable("self", Type::map(Type::String, Type::Dyn))
        .variable("x", Type::Dyn)
        .variable("n", Type::Dyn)
        .variable("oi", optional())
        .variable("on", optional())
        .variable("om", Type::optional(Type::map(Type::String, Type::Int)))
        .variable("missing", Type::Int)
        .variable("a.b.c", Type::Int)
        .build()
        .unwrap()
}

/// The variables.
pub(crate) struct Variables {
    document: serde_json::Value,
    x: serde_json::Value,
}

impl Variables {
    /// Reads the documents.
    pub(crate) fn new() -> Self {
        let document = r#"{"name":"web","replicas":3,"ratio":0.5,"labels":{"app":"web"},"tags":["a","b"],
            "nested":{"list":[{"name":"one","port":80},{"name":"two","port":443}],"empty":{}},
            "none":null,"flag":true}"#;
        Self {
            document: serde_json::from_str(document).unwrap(),
            x: serde_json::from_str(r#"{"k":[1.5,"two",true,null]}"#).unwrap(),
        }
    }
}

impl Activation for Variables {
    fn find(&self, name: &str) -> Option<Result<Value<'_>, rhumb_cel::eval::Error>> {
        let ints =
            |values: &[i64]| Value::from(values.iter().map(|value| Value::Int(*value)).collect::<Vec<_>>());
        let map = |key: Value<'static>, value: Value<'static>| {
            let entries: Entries<'_> = [(key, value)].into_iter().collect();
            Value::Map(entries.into())
        };
        let some = |value: Value<'static>| Value::Optional(Some(value.into()));
        Some(Ok(match name {
            "i" => Value::Int(-7),
            "u" => Value::Uint(9),
            "d" => Value::Double(2.5),
            "s" => Value::from("héllo wörld"),
            "e" => Value::from(""),
            "b" => Value::from(b"b\xffytes".as_slice()),
            "t" => Value::Timestamp(Timestamp::new(1_700_000_000, 123_456_789).unwrap()),
            "w" => Value::Duration(Duration::from_nanos(5_401_500_000_000)),
            "yes" => Value::Bool(true),
            "no" => Value::Bool(false),
            "l" => ints(&[3, 1, 2]),
            "ls" => Value::from(vec![Value::from("b"), Value::from("a"), Value::from("c")]),
            "ll" => Value::from(vec![ints(&[1, 2]), ints(&[]), ints(&[3])]),
            "m" => map(Value::from("a"), Value::Int(1)),
            "mi" => map(Value::Int(1), Value::from("one")),
            "self" => json::value(&self.document),
            "x" => json::value(&self.x),
            "n" => Value::Null,
            "oi" => some(Value::Int(4)),
            "on" => Value::Optional(None),
            "om" => some(map(Value::from("a"), Value::Int(1))),
            "a.b.c" => Value::Int(11),
            _ => return None,
        }))
    }
}
