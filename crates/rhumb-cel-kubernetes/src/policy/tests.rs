//! What expressions of policies compile and evaluate to.

use rhumb_cel::value::Value;
use serde_json::{Value as Json, json};

use super::*;
use crate::environment::Purpose;
use crate::json;
use crate::limits::RUNTIME_BUDGET;

const ALL: Declarations = Declarations { params: true, authorizer: true };

fn compiled(expression: &str, wanted: Wanted, declarations: Declarations) -> Result<(), String> {
    let compiler = Compiler::new();
    let found = compiler.compile(expression, wanted, declarations, Purpose::New);
    found.map(|_| ()).map_err(|error| error.detail)
}

#[test]
fn results_must_have_the_wanted_type() {
    use Wanted::{Any, Bool, Text, TextOrNull};
    let check = |expression: &str, wanted: Wanted, expected: Result<(), &str>| {
        let found = compiled(expression, wanted, ALL);
        assert_eq!(found.as_ref().map_err(String::as_str).copied(), expected, "{expression}");
    };
    check("object.a == 1", Bool, Ok(()));
    check("object.a", Bool, Err("must evaluate to bool but got dyn"));
    check("'a'", Bool, Err("must evaluate to bool but got string"));
    check("[1]", Text, Err("must evaluate to string but got list(int)"));
    check(
        "{'a': duration('1s')}",
        Text,
        Err("must evaluate to string but got map(string, google.protobuf.Duration)"),
    );
    check("optional.of(1)", Text, Err("must evaluate to string but got optional_type(int)"));
    check("null", TextOrNull, Ok(()));
    check("1", TextOrNull, Err("must evaluate to one of [string null_type] but got int"));
    check("request", Any, Ok(()));
}

#[test]
fn constant_patterns_are_read_when_expressions_are_compiled() {
    let problem = "program instantiation failed: error parsing regexp: missing closing ): `(`";
    for (expression, expected) in [
        ("'a'.find('(') == ''", Err(problem)),
        ("'a'.findAll('(').size() == 0", Err(problem)),
        ("'a'.findAll('(', 1).size() == 0", Err(problem)),
        ("'a'.find('(' + 'a') == ''", Ok(())),
        ("'a'.find(object.pattern) == ''", Ok(())),
        ("'a'.find('a') == ''", Ok(())),
    ] {
        let found = compiled(expression, Wanted::Bool, ALL);
        assert_eq!(found.as_ref().map_err(String::as_str).copied(), expected, "{expression}");
    }
}

#[test]
fn only_what_is_declared_may_be_used() {
    let none = Declarations::default();
    let undeclared = |name: &str, expression: &str| {
        let found = compiled(expression, Wanted::Any, none).expect_err("it is not declared");
        let message = format!("undeclared reference to '{name}' (in container '')");
        assert!(
            found.starts_with("compilation failed: ERROR: <input>:1:1: ") && found.contains(&message),
            "{found}"
        );
    };
    undeclared("params", "params.a");
    undeclared("authorizer", "authorizer.group('')");
    undeclared("variables", "variables.a");
    for expression in [
        "params.a",
        "authorizer.requestResource.check('get').allowed()",
        "authorizer.group('apps').resource('deployments').namespace(request.namespace).check('create').allowed()",
        "namespaceObject.metadata.labels['a'] + request.userInfo.extra['b'][0] + request.kind.group",
        "request.options.dryRun",
    ] {
        assert_eq!(compiled(expression, Wanted::Any, ALL), Ok(()), "{expression}");
    }
    let unknown = compiled("request.nope", Wanted::Any, ALL).expect_err("there is no such field");
    assert_eq!(
        unknown,
        "compilation failed: ERROR: <input>:1:8: undefined field 'nope'\n | request.nope\n | .......^"
    );
}

fn evaluated(variables: &[(&str, &str)], expression: &str, object: &Json) -> Result<String, String> {
    let mut compiler = Compiler::composing();
    let composed = Composed::stored(&mut compiler, variables.iter().copied(), ALL);
    let expression = Expression::stored(&compiler, expression, Wanted::Any, ALL);
    let inputs = Inputs { object: json::value(object), ..Inputs::default() };
    let scope = Scope::new(inputs, &composed, None);
    let mut budget = RUNTIME_BUDGET;
    match scope.evaluate(&expression, &mut budget) {
        Ok(result) => result.map(|value| value.to_string()),
        Err(stop) => Err(format!("{stop:?}")),
    }
}

#[test]
fn variables_are_computed_when_they_are_used() {
    let object = json!({"replicas": 3, "names": ["a", "b"]});
    let check = |variables: &[(&str, &str)], expression: &str, expected: Result<&str, &str>| {
        let found = evaluated(variables, expression, &object);
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{expression}");
    };
    check(&[("a", "object.replicas"), ("b", "variables.a + 1")], "variables.b * 2", Ok("8"));
    check(&[("names", "object.names.map(n, n + '!')")], "variables.names[1]", Ok("\"b!\""));
    check(&[("bad", "object.nope")], "true || variables.bad", Ok("true"));
    check(
        &[("bad", "object.nope")],
        "variables.bad",
        Err(
            "expression 'variables.bad' resulted in error: composited variable \"bad\" fails to evaluate: no such \
             key: nope",
        ),
    );
    check(
        &[("a", "object.nope"), ("b", "variables.a")],
        "variables.b",
        Err(
            "expression 'variables.b' resulted in error: composited variable \"b\" fails to evaluate: composited \
             variable \"a\" fails to evaluate: no such key: nope",
        ),
    );
    check(
        &[("a", "variables.b"), ("b", "1")],
        "variables.a",
        Err(
            "expression 'variables.a' resulted in error: composited variable \"a\" fails to compile: compilation \
             failed: ERROR: <input>:1:10: undefined field 'b'\n | variables.b\n | .........^",
        ),
    );
    check(&[("a", "'x'")], "has(variables.a)", Ok("true"));
    check(&[("a", "'x'")], "size(variables.a)", Ok("1"));
    check(
        &[("a", "1"), ("a", "variables.a + 1")],
        "variables.a",
        Err(
            "expression 'variables.a' resulted in error: composited variable \"a\" fails to evaluate: composited \
             variable \"a\" fails to evaluate: it refers to itself",
        ),
    );
}

#[test]
fn the_types_of_variables_are_known_where_they_are_used() {
    let mut compiler = Compiler::composing();
    compiler.add("count", "size(object.list)", ALL, Purpose::New).expect("it is right");
    let wrong = compiler.compile("variables.count == 'a'", Wanted::Bool, ALL, Purpose::New);
    let wrong = wrong.expect_err("a number is no text").detail;
    assert!(wrong.contains("found no matching overload for '_==_' applied to '(int, string)'"), "{wrong}");
    let text = compiler.compile("variables.count", Wanted::Text, ALL, Purpose::New);
    assert_eq!(text.expect_err("it is no text").detail, "must evaluate to string but got int");
}

#[test]
fn long_chains_of_variables_end() {
    let names: Vec<String> = (0..5_000).map(|index| format!("v{index}")).collect();
    let mut texts = vec!["1".to_owned()];
    texts.extend(names.iter().map(|name| format!("variables.{name} + 1")));
    let variables: Vec<(&str, &str)> =
        names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
    let found = evaluated(&variables, "variables.v4999", &Json::Null);
    assert!(found.is_err_and(|error| error.ends_with("variables use each other too deeply")));
    assert_eq!(evaluated(&variables, "variables.v100", &Json::Null).as_deref(), Ok("101"));
}

#[test]
fn variables_are_charged_to_the_budget() {
    let mut compiler = Compiler::composing();
    let loops = "[0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, [0,1,2,3,4,5,6,7,8,9].all(c, a + b + c >= 0)))";
    let composed = Composed::stored(&mut compiler, [("costly", loops)], ALL);
    let expression = Expression::stored(&compiler, "variables.costly", Wanted::Bool, ALL);
    let scope = Scope::new(Inputs::default(), &composed, None);
    let mut budget = RUNTIME_BUDGET;
    let first = scope.evaluate(&expression, &mut budget);
    assert!(matches!(first, Ok(Ok(Value::Bool(true)))), "{first:?}");
    let used = RUNTIME_BUDGET - budget;
    assert!(used > 5_000, "{used}");
    scope.evaluate(&expression, &mut budget).expect("the value is known").expect("it is true");
    assert!(RUNTIME_BUDGET - budget < used + 10, "a value is computed once");
    let scope = Scope::new(Inputs::default(), &composed, None);
    assert_eq!(scope.evaluate(&expression, &mut 100).err(), Some(Stop::OutOfBudget));
    let stopped: &(dyn Fn() -> bool + Sync) = &|| true;
    let scope = Scope::new(Inputs::default(), &composed, Some(stopped));
    assert_eq!(scope.evaluate(&expression, &mut budget).err(), Some(Stop::Interrupted));
}
