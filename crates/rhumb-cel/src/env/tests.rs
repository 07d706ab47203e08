//! What can be declared together, and what extensions see.

use super::*;
use crate::library::Standard;

fn overload(name: &str, id: &str, params: Vec<Type>) -> Function {
    Function::global(name, id, params, Type::Int)
}

fn problem(builder: Builder) -> String {
    builder.build().unwrap_err().to_string()
}

#[test]
fn an_extension_has_what_is_below_and_leaves_it_alone() {
    let base =
        Environment::builder().variable("a", Type::Int).function(overload("f", "f_int", vec![Type::Int]));
    let base = base.build().unwrap();
    let more =
        base.extend().variable("b", Type::String).function(overload("f", "f_string", vec![Type::String]));
    let more = more.build().unwrap();
    assert_eq!(more.variable("a"), base.variable("a"));
    assert!(base.variable("b").is_none());
    assert_eq!(more.function("f").unwrap().overloads.len(), 2);
    assert_eq!(base.function("f").unwrap().overloads.len(), 1);
    assert!(more.overload("f_int").is_some() && more.overload("f_string").is_some());
    assert!(base.overload("f_string").is_none());
}

#[test]
fn a_library_is_taken_once() {
    let base = Environment::builder().library(&Standard).build().unwrap();
    let again = base.extend().library(&Standard).build().unwrap();
    assert!(again.has_library("cel.lib.std"));
    assert_eq!(again.macros().len(), base.macros().len());
}

#[test]
fn a_name_has_one_type() {
    let int = || Environment::builder().variable("a", Type::Int);
    assert!(int().variable("a", Type::Int).build().is_ok());
    assert_eq!(problem(int().variable("a", Type::String)), "overlapping identifier for name 'a'");
    let below = int().build().unwrap();
    assert_eq!(problem(below.extend().variable("a", Type::Bool)), "overlapping identifier for name 'a'");
}

#[test]
fn a_call_has_one_meaning() {
    let int = || Environment::builder().function(overload("f", "one", vec![Type::Int]));
    let add = |id: &str, param: Type| int().function(overload("f", id, vec![param]));
    assert!(add("two", Type::String).build().is_ok());
    assert!(int().function(overload("f", "two", vec![Type::Int, Type::Int])).build().is_ok());
    assert_eq!(
        problem(add("one", Type::String)),
        "overload redefinition in function. f: one has multiple definitions"
    );
    let collision = "overload signature collision in function f: one collides with two";
    for param in [Type::Int, Type::Dyn, Type::param("A"), Type::wrapper(Type::Int)] {
        assert_eq!(problem(add("two", param)), collision);
    }
}

#[test]
fn types_that_double_with_each_name_end_the_check() {
    let env = Environment::builder().library(&Standard).library(&crate::library::Bindings).build().unwrap();
    let mut text = "1".to_owned();
    for level in (1..60).rev() {
        text = format!("cel.bind(a{level}, {{a{0}: a{0}}}, {text})", level - 1);
    }
    let errors = env.compile(&format!("cel.bind(a0, 1, {text})")).unwrap_err().to_string();
    assert!(errors.contains("the type of the literal is too large"), "{errors}");
}
