//! What templates find. How kubectl prints it is recorded in the tests of `rhumb-output`.

use rhumb_jsonpath::{MissingKeys, Progress, Template, Value, go_text, relaxed, unquoted};
use serde_json::{Value as Json, json};

fn found(template: &str, object: &Json) -> Result<String, String> {
    let template = Template::parse(template).map_err(|error| error.to_string())?;
    let found = template.find(object, MissingKeys::Allow).map_err(|error| error.to_string())?;
    let texts =
        |values: &Vec<Value<'_>>| values.iter().map(|value| value.printed()).collect::<Vec<_>>().join(" ");
    Ok(found.iter().map(texts).collect())
}

#[test]
fn paths_lead_to_values() {
    let object = json!({"a": [{"b": 1, "c": "x"}, {"b": 2}, {"b": 3, "c": "y"}], "d.e": {"f": [1, 2, 3, 4]}});
    for (template, expect) in [
        ("{.a[*].b}", Ok("1 2 3")),
        ("{.a[-1].b}", Ok("3")),
        ("{.a[0,2].c}", Ok("x y")),
        ("{.a[?(@.b>1)].c}", Ok("y")),
        ("{.a[?(@.c)].b}", Ok("1 3")),
        ("{.d\\.e.f[1:3]}", Ok("2 3")),
        ("{['d\\.e']['f'][::2]}", Ok("1 3")),
        ("{..f}", Ok("[1,2,3,4]")),
        ("{range .a[*]}{.b}={.c};{end}", Ok("1=x;2=;3=y;")),
        ("{.a[7]}", Err("array index out of bounds: index 7, length 3")),
        ("{.a[?(@.b=='1')]}", Err("incompatible types for comparison")),
        ("{.a[?(@.b=>1)]}", Err("unrecognized filter operator =>")),
        ("{.a", Err("unclosed action")),
        ("{.a[}", Err("unterminated array")),
        ("{&}", Err("unrecognized character in action: U+0026 '&'")),
    ] {
        assert_eq!(found(template, &object), expect.map(str::to_owned).map_err(str::to_owned), "{template}");
    }
}

#[test]
fn a_loop_is_begun_only_once() {
    let template = Template::parse("<{range .a[*]}{@}{end}>").expect("a template");
    let object = json!({"a": [1, 2]});
    let mut progress = Progress::default();
    let first = template.find_next(&object, MissingKeys::Allow, &mut progress).expect("values");
    assert_eq!(first.len(), 4);
    let again = template.find_next(&object, MissingKeys::Allow, &mut progress);
    assert_eq!(again.expect_err("an end without a range").to_string(), "not in range, nothing to end");
}

#[test]
fn paths_may_come_without_braces() {
    for (path, expect) in [
        ("a.b", Some("{.a.b}")),
        (".a.b", Some("{.a.b}")),
        ("{a.b}", Some("{.a.b}")),
        ("{.a.b}", Some("{.a.b}")),
        (".", Some("{..}")),
        ("", Some("")),
        ("{}", None),
        ("{a}{b}", None),
        ("a}", None),
    ] {
        assert_eq!(relaxed(path).ok().as_deref(), expect, "{path}");
    }
}

#[test]
fn values_look_as_in_go() {
    let value = json!({"a": [1, 1.5, 1e21, true, null, "x"], "b": {}});
    assert_eq!(go_text::plain(&value), "map[a:[1 1.5 1e+21 true <nil> x] b:map[]]");
    assert_eq!(
        go_text::syntax(&value),
        "map[string]interface {}{\"a\":[]interface {}{1, 1.5, 1e+21, true, interface {}(nil), \"x\"}, \
         \"b\":map[string]interface {}{}}"
    );
    for (number, expect) in
        [(1e6, "1e+06"), (123456.0, "123456"), (1e-5, "1e-05"), (0.0001, "0.0001"), (-2.5, "-2.5")]
    {
        assert_eq!(go_text::float(number), expect);
    }
}

#[test]
fn quotes_are_taken_off() {
    for (text, expect) in [
        (r#""a\tb""#, Some("a\tb")),
        (r"'it\'s'", Some("it's")),
        (r#""\u00e9\101\x41""#, Some("éAA")),
        (r#""\q""#, None),
        (r#""a"#, None),
        (r#"'\"'"#, None),
        ("\"", None),
        ("", None),
    ] {
        assert_eq!(unquoted(text).as_deref(), expect, "{text}");
    }
}
