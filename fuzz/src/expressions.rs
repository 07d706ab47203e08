//! What the fuzz targets of expressions share: an environment with every library, and values of its variables.

use std::sync::OnceLock;

use rhumb_cel::env::Environment;
use rhumb_cel::library::{
    Bindings, Comprehensions, Encoders, Library, Lists, Math, Optional, Sets, Standard, Strings,
};
use rhumb_cel::types::Type;
use rhumb_cel::value::{Entries, Map, Value};

/// The environment: all libraries, and variables `a` to `g` of different types.
pub fn environment() -> &'static Environment {
    static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| {
        let libraries: [&dyn Library; 9] = [
            &Standard,
            &Strings { version: 4 },
            &Lists { version: 3 },
            &Sets,
            &Math { version: 2 },
            &Encoders,
            &Comprehensions,
            &Optional { version: 2 },
            &Bindings,
        ];
        let builder = Environment::builder();
        let builder = libraries.into_iter().fold(builder, |builder, library| builder.library(library));
        builder
            .variable("a", Type::list(Type::Int))
            .variable("b", Type::map(Type::String, Type::Dyn))
            .variable("c", Type::Dyn)
            .variable("d", Type::String)
            .variable("e", Type::Bool)
            .variable("f", Type::Double)
            .variable("g", Type::optional(Type::Uint))
            .options(|options| {
                options.cross_type_comparisons = true;
                options.parser.optional_syntax = true;
                options.parser.escaped_fields = true;
            })
            .build()
            .expect("the libraries go together")
    })
}

/// Values of the variables.
pub fn variables() -> [(&'static str, Value<'static>); 7] {
    let mut map = Entries::default();
    map.insert("c".into(), Value::Int(1));
    map.insert("e-f".into(), vec![Value::Null, Value::from("x")].into());
    let map = Map::from(map);
    [
        ("a", vec![Value::Int(3), Value::Int(-1), Value::Int(i64::MAX)].into()),
        ("b", map.clone().into()),
        ("c", vec![Value::from(map), Value::Double(1.5), Value::Bool(true)].into()),
        ("d", "日本 text".into()),
        ("e", Value::Bool(false)),
        ("f", Value::Double(f64::NAN)),
        ("g", Value::Optional(Some(std::sync::Arc::new(Value::Uint(7))))),
    ]
}
