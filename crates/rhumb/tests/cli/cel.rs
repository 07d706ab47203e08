//! `rhumb cel`.

use super::{Scratch, printed, said, text};

const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3}\n";

#[test]
fn cel_tells_type_costs_and_value() {
    let file = Scratch::new("cel-web.yaml", WEB.as_bytes());
    let check = |arguments: &[&str], want: &str| {
        let arguments = [&["cel"], arguments, &["-f", file.name()]].concat();
        assert_eq!(text(&printed(&arguments, b"")), want, "{arguments:?}");
    };
    check(
        &["self.spec.replicas <= 5"],
        "type:            bool\nestimated cost:  2\ncost:            4\nvalue:           true\n",
    );
    check(
        &["object.metadata.name + '!' == \"web!\" && oldObject == null"],
        "type:            bool\nestimated cost:  3 or more\ncost:            7\nvalue:           true\n",
    );
    check(
        &["self.spec.exists(k, k == 'replicas')", "--check"],
        "type:            bool\nestimated cost:  2 or more\n",
    );
    check(
        &["{'name': self.metadata.name, 'bytes': dyn(b'a'), 'wait': dyn(duration('90s'))}", "-o", "json"],
        "{\n  \"cost\": 33,\n  \"estimatedCost\": {\n    \"max\": 34,\n    \"min\": 34\n  },\n  \
         \"type\": \"map(string, dyn)\",\n  \"value\": {\n    \"bytes\": \"YQ==\",\n    \"name\": \"web\",\n    \
         \"wait\": \"90s\"\n  }\n}\n",
    );
    check(
        &["[1u, 2u]", "-o", "yaml"],
        "cost: 0\nestimatedCost:\n  max: 10\n  min: 10\ntype: list(uint)\nvalue:\n- 1\n- 2\n",
    );
    check(
        &["{'list': [quantity('1Gi')]}"],
        "type:            map(string, list(kubernetes.Quantity))\nestimated cost:  41\ncost:            41\n\
         value:           {\"list\": [<kubernetes.Quantity>]}\n",
    );
}

#[test]
fn cel_takes_documents_and_variables() {
    let (web, more) = (
        Scratch::new("cel-old.yaml", WEB.as_bytes()),
        Scratch::new("cel-new.json", br#"{"spec":{"replicas":4,"ratio":0.5}}"#),
    );
    let value = |arguments: &[&str], input: &str| {
        let printed = printed(&[&["cel"], arguments].concat(), input.as_bytes());
        text(&printed).lines().last().map(|line| line.replace("value:           ", ""))
    };
    let check = |arguments: &[&str], input: &str, want: &str| {
        assert_eq!(value(arguments, input).as_deref(), Some(want), "{arguments:?}");
    };
    let (web, more) = (web.name(), more.name());
    check(&["1 + 2"], "", "3");
    check(&["--", "-1 + 2"], "", "1");
    check(&["self.spec.ratio", "-f", more], "", "0.5");
    check(&["self.spec.replicas - oldSelf.spec.replicas", "-f", more, "--old", web], "", "1");
    check(
        &["object.spec.replicas > oldObject.spec.replicas", "-f", "-", "--old", web],
        "{spec: {replicas: 2}}",
        "false",
    );
    // As when it is created, and when it is deleted.
    check(&["object != null && oldObject == null", "-f", web], "", "true");
    check(&["object == null && oldObject.metadata.name == 'web'", "--old", web], "", "true");
    check(&["params.max in others", "--var", "params={\"max\":5}", "--var", "others=[4,5]"], "", "true");
}

#[test]
fn cel_shows_what_is_wrong_where() {
    let file = Scratch::new("cel-wrong.yaml", WEB.as_bytes());
    let check = |arguments: &[&str], want: &str| {
        let arguments = [&["cel"], arguments, &["-f", file.name()]].concat();
        assert_eq!(said(1, &arguments, ""), want, "{arguments:?}");
    };
    check(
        &["self.spec.replicas <="],
        "ERROR: <input>:1:22: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', \
         'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | self.spec.replicas <=\n \
         | .....................^",
    );
    check(
        &["slef.spec == 1"],
        "ERROR: <input>:1:1: undeclared reference to 'slef' (in container '')\n | slef.spec == 1\n | ^",
    );
    check(
        &["self.size() > \"3\""],
        "ERROR: <input>:1:13: found no matching overload for '_>_' applied to '(int, string)'\n \
         | self.size() > \"3\"\n | ............^",
    );
    check(
        &["1 + timestamp('2026-01-01T00:00:00Z').getHours('Europe/Berlin')"],
        "ERROR: <input>:1:47: unknown time zone Europe/Berlin\n | 1 + timestamp('2026-01-01T00:00:00Z')\
         .getHours('Europe/Berlin')\n | ..............................................^",
    );
    check(&["1 + self.spec.replcas"], "error: no such key: replcas");
    let loops = format!("{0}.all(a, {0}.all(b, {0}.all(c, a + b + c >= 0)))", "lists.range(200)");
    let words = said(1, &["cel", &loops], "");
    assert!(words.contains("operation cancelled: actual cost limit exceeded"), "{words}");
    check(
        &["[quantity('1')]", "-o", "json"],
        "error: a value of type kubernetes.Quantity has no form in JSON or YAML; use -o text",
    );
}

#[test]
fn cel_tells_what_it_was_not_given() {
    let check = |arguments: &[&str], want: &str| {
        let words = said(1, &[&["cel"], arguments].concat(), "");
        assert!(words.starts_with(want), "{arguments:?}: {words}");
    };
    check(&[], "error: EXPRESSION is required");
    check(&["1", "+ 2"], "error: EXPRESSION must be one argument; put it into quotes");
    check(&["self.a"], "error: the expression needs self; give its document with --filename");
    check(&["oldSelf.a"], "error: the expression needs oldSelf; give its document with --old");
    check(
        &["self.a", "-f", "-", "--old", "-"],
        "error: only one of --filename and --old can read standard input",
    );
    check(&["self.a", "-f", "-"], "error: STDIN must have one document, but has 0");
    check(&["1", "--var", "max"], "error: invalid --var \"max\"; expected NAME=JSON");
    check(&["1", "--var", "a.b=1"], "error: invalid --var \"a.b=1\"; \"a.b\" is not a name");
    check(
        &["1", "--var", "a=web"],
        "error: invalid --var \"a=web\"; the value must be JSON, with texts in double quotes",
    );
    check(&["1", "--var", "self=1"], "error: --var can't set self; give its document with --filename");
    check(&["1", "--var", "a=1", "--var", "a=2"], "error: --var sets a more than once");
    check(&["1", "-o", "xml"], "error: invalid value \"xml\" for --output; allowed values: text, json, yaml");
}
