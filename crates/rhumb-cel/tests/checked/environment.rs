//! Environments as the cases describe them.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_cel::checker::Validator;
use rhumb_cel::container::Container;
use rhumb_cel::decls::{FunctionDecl, OverloadDecl};
use rhumb_cel::env::Environment;
use rhumb_cel::library::{self, Library};
use rhumb_cel::provider::{TypeProvider, WellKnownTypes};
use rhumb_cel::types::Type;

use super::cases::Described;

pub(crate) fn build(described: &Described) -> Environment {
    let mut container = Container::new(&described.container).unwrap();
    for name in &described.abbreviations {
        container = container.abbreviate(name).unwrap();
    }
    let mut builder = Environment::builder()
        .library(&*library("standard"))
        .container(container)
        .provider(Arc::new(Objects(described.objects.clone())));
    for (name, type_) in &described.variables {
        builder = builder.variable(name, parse(type_));
    }
    for function in &described.functions {
        builder = builder.declare_function(FunctionDecl {
            name: function.name.as_str().into(),
            overloads: vec![OverloadDecl {
                id: function.id.as_str().into(),
                member: function.member,
                params: function.params.iter().map(|param| parse(param)).collect(),
                result: parse(&function.result),
            }],
        });
    }
    builder = described.libraries.iter().fold(builder, |builder, name| builder.library(&*library(name)));
    builder = builder.options(|options| {
        for option in &described.options {
            match option.as_str() {
                "cross-type-comparisons" => options.cross_type_comparisons = true,
                "homogeneous" => options.validators.push(Validator::HomogeneousAggregateLiterals),
                "literals" => options.validators.extend([
                    Validator::DurationLiterals,
                    Validator::TimestampLiterals,
                    Validator::RegexLiterals,
                ]),
                "nesting-2" => options.validators.push(Validator::ComprehensionNesting(2)),
                "free-presence-tests" => {}
                other => panic!("{other}"),
            }
        }
    });
    builder.build().unwrap()
}

/// Returns the library that the cases have a name for.
pub(crate) fn library(name: &str) -> Box<dyn Library> {
    match name {
        "standard" => Box::new(library::Standard),
        "optional" => Box::new(library::Optional::default()),
        "strings" => Box::new(library::Strings::default()),
        "strings-2" => Box::new(library::Strings::version(2)),
        "lists" => Box::new(library::Lists::default()),
        "lists-3" => Box::new(library::Lists::version(3)),
        "sets" => Box::new(library::Sets),
        "math" => Box::new(library::Math::default()),
        "encoders" => Box::new(library::Encoders),
        "bindings" => Box::new(library::Bindings),
        "comprehensions" => Box::new(library::Comprehensions),
        other => panic!("{other}"),
    }
}

/// Reads a type: a simple one, `NAME(TYPE, ...)`, a parameter of one capital letter, or the name of an object.
pub(crate) fn parse(text: &str) -> Type {
    let Some((name, rest)) = text.split_once('(') else {
        return match text {
            "any" => Type::Any,
            "bool" => Type::Bool,
            "bytes" => Type::Bytes,
            "double" => Type::Double,
            "dyn" => Type::Dyn,
            "duration" => Type::Duration,
            "int" => Type::Int,
            "null" => Type::Null,
            "string" => Type::String,
            "timestamp" => Type::Timestamp,
            "type" => Type::Type(None),
            "uint" => Type::Uint,
            name if name.len() == 1 && name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                Type::param(name)
            }
            name => Type::object(name),
        };
    };
    let mut depth = 0;
    let inner = rest.strip_suffix(')').unwrap();
    let mut params = inner
        .split(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            c == ',' && depth == 0
        })
        .map(|param| parse(param.trim()));
    let mut next = || params.next().unwrap();
    match name {
        "list" => Type::list(next()),
        "map" => Type::map(next(), next()),
        "wrapper" => Type::wrapper(next()),
        "optional" => Type::optional(next()),
        "type" => Type::type_of(next()),
        name => Type::opaque(name, params.collect()),
    }
}

/// Objects by name, with the types of their fields.
struct Objects(BTreeMap<String, BTreeMap<String, String>>);

impl TypeProvider for Objects {
    fn find_object(&self, name: &str) -> Option<Type> {
        if self.0.contains_key(name) { Some(Type::object(name)) } else { WellKnownTypes.find_object(name) }
    }

    fn find_field(&self, object: &str, field: &str) -> Option<Type> {
        match self.0.get(object) {
            Some(fields) => fields.get(field).map(|type_| parse(type_)),
            None => WellKnownTypes.find_field(object, field),
        }
    }

    fn find_type(&self, name: &str) -> Option<Type> {
        WellKnownTypes.find_type(name)
    }

    fn enum_value(&self, name: &str) -> Option<i64> {
        WellKnownTypes.enum_value(name)
    }
}
