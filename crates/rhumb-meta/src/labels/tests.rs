//! The expected texts and results are those of Kubernetes 1.36 for the same input.

use std::collections::BTreeMap;

use super::*;

/// The messages repeat these sentences, so the tables name them.
const PLACEHOLDERS: [(&str, &str); 3] = [
    ("{UNABLE}", "unable to parse requirement: "),
    (
        "{NAME}",
        "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric \
         character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
         '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ),
    (
        "{VALUE}",
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
         start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used \
         for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ),
];

type Expect = Result<&'static str, &'static str>;

fn check_result<T: ToString, E: ToString>(got: Result<T, E>, expect: Expect, input: &str) {
    let expect = expect.map(str::to_owned).map_err(|message| {
        PLACEHOLDERS.iter().fold(message.to_owned(), |text, (name, sentence)| text.replace(name, sentence))
    });
    assert_eq!(got.map(|value| value.to_string()).map_err(|error| error.to_string()), expect, "{input}");
}

fn check(text: &str, expect: Expect) {
    check_result(Selector::parse(text), expect, text);
}

fn check_at(text: &str, expect: Expect) {
    check_result(Selector::parse_at(text, "spec.selector"), expect, text);
}

fn check_requirement(key: &str, operator: Operator, values: &[&str], expect: Expect) {
    let requirement = Requirement::new(key, operator, strings(values));
    check_result(requirement, expect, &format!("{key} {operator} {values:?}"));
}

fn check_structured(labels: &[(&str, &str)], expressions: &[(&str, &str, &[&str])], expect: Expect) {
    let labels = set(labels);
    let expressions: Vec<_> =
        expressions.iter().map(|(key, operator, values)| (*key, *operator, strings(values))).collect();
    let borrowed = expressions.iter().map(|(key, operator, values)| Expression { key, operator, values });
    check_result(Selector::from_label_selector(&labels, borrowed), expect, &format!("{expressions:?}"));
}

fn check_match(text: &str, expect: bool) {
    let labels = set(&[("a", "b"), ("n", "5"), ("e", ""), ("in", "x")]);
    let selector = Selector::parse(text).expect(text);
    assert_eq!(selector.matches(&labels), expect, "{text}");
    assert_eq!(selector.matches_with(|key| labels.get(key).map(String::as_str)), expect, "{text}");
}

fn check_exact(text: &str, expect: Option<&str>) {
    assert_eq!(Selector::parse(text).expect(text).requires_exact_match("a"), expect, "{text}");
}

fn check_set(text: &str, expect: Expect) {
    check_result(parse_set(text).map(|labels| format_labels(&labels)), expect, text);
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().copied().map(str::to_owned).collect()
}

fn set(labels: &[(&str, &str)]) -> BTreeMap<String, String> {
    labels.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
}

#[test]
fn legal_selectors() {
    check("", Ok(""));
    check(" ", Ok(""));
    check("a", Ok("a"));
    check("!a", Ok("!a"));
    check("! a", Ok("!a"));
    check("a=b", Ok("a=b"));
    check("a==b", Ok("a==b"));
    check("a!=b", Ok("a!=b"));
    check("a = b", Ok("a=b"));
    check("a=", Ok("a="));
    check("a==", Ok("a=="));
    check("a!=", Ok("a!="));
    check("a in (b)", Ok("a in (b)"));
    check("a in (c,b,c)", Ok("a in (b,c)"));
    check("a notin (b)", Ok("a notin (b)"));
    check("a in ()", Ok("a in ()"));
    check("a in (,)", Ok("a in ()"));
    check("a in (,b)", Ok("a in (,b)"));
    check("a in (b,)", Ok("a in (,b)"));
    check("a in (b,,c)", Ok("a in (,b,c)"));
    check("a in(b)", Ok("a in (b)"));
    check("a>1", Ok("a>1"));
    check("a<1", Ok("a<1"));
    check("c,b,a", Ok("a,b,c"));
    check("b=1,a=2,b=0", Ok("a=2,b=1,b=0"));
    check("in", Ok("in"));
    check("in in (in,notin)", Ok("in in (in,notin)"));
    check("notin=in", Ok("notin=in"));
    check("notin notin (notin)", Ok("notin notin (notin)"));
    check("a=in", Ok("a=in"));
    check("x in (foo,,baz),y,z notin ()", Ok("x in (,baz,foo),y,z notin ()"));
    check("example.com/a=b", Ok("example.com/a=b"));
    check("a\t=\nb", Ok("a=b"));
    check("a\u{0}=b", Ok("a=b"));
    check("a=\u{0}b", Ok("a=b"));
    check("\u{0}a", Ok(""));
    check("a in (b\u{0},c)", Ok("a in (b,c)"));
}

#[test]
fn malformed_selectors() {
    check("a > -1", Err(r#"{UNABLE}values[0][a]: Invalid value: "-1": {VALUE}"#));
    check(
        "a>x",
        Err(
            r#"{UNABLE}values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer"#,
        ),
    );
    check(
        "a>",
        Err(
            r#"{UNABLE}values[0]: Invalid value: "": for 'Gt', 'Lt' operators, the value must be an integer"#,
        ),
    );
    check("a=b,", Err("found '', expected: identifier after ','"));
    check(",", Err("found ',', expected: !, identifier, or 'end of string'"));
    check(",a", Err("found ',', expected: !, identifier, or 'end of string'"));
    check("a,,b", Err("found ',', expected: identifier after ','"));
    check("a b", Err("{UNABLE}found 'b', expected: in, notin, =, ==, !=, gt, lt"));
    check("a in", Err("{UNABLE}found '' expected: '('"));
    check("a in b", Err("{UNABLE}found 'b' expected: '('"));
    check("a in (", Err("{UNABLE}found '', expected: ',', ')' or identifier"));
    check("a in (b", Err("{UNABLE}found '', expected: ',' or ')'"));
    check("a in (b c)", Err("{UNABLE}found 'c', expected: ',' or ')'"));
    check("a in (b=", Err("{UNABLE}found '=', expected: ',' or ')'"));
    check("a in (=)", Err("{UNABLE}found '=', expected: ',', ')' or identifier"));
    check("a in (,", Err("{UNABLE}found '', expected: ',', or identifier"));
    check("a in (,=)", Err("{UNABLE}found '=', expected: ',', or identifier"));
    check("a in (b,=)", Err("{UNABLE}found '=', expected: ',', or identifier"));
    check("a)", Err("{UNABLE}found ')', expected: in, notin, =, ==, !=, gt, lt"));
    check("(a)", Err("found '(', expected: !, identifier, or 'end of string'"));
    check("=a", Err("found '=', expected: !, identifier, or 'end of string'"));
    check("!", Err("{UNABLE}found '', expected: identifier"));
    check("!!a", Err("{UNABLE}found '!', expected: identifier"));
    check("!a=b", Err("found '=', expected: ',' or 'end of string'"));
    check("!a in (b)", Err("found 'in', expected: ',' or 'end of string'"));
    check("!=a", Err("found '!=', expected: !, identifier, or 'end of string'"));
    check("a!b", Err("{UNABLE}found '!', expected: in, notin, =, ==, !=, gt, lt"));
    check("a=b=c", Err("found '=', expected: ',' or 'end of string'"));
    check("a===b", Err("{UNABLE}found '=', expected: identifier"));
    check("a=!b", Err("{UNABLE}found '!', expected: identifier"));
    check("a=(b)", Err("{UNABLE}found '(', expected: identifier"));
    check("a=b c", Err("found 'c', expected: ',' or 'end of string'"));
    check("a<>1", Err("{UNABLE}found '>', expected: identifier"));
    check("a in (b),", Err("found '', expected: identifier after ','"));
    check("-a=b", Err(r#"{UNABLE}<nil>: Invalid value: "-a": name part {NAME}"#));
    check(
        "a/b/c=d",
        Err(
            r#"{UNABLE}<nil>: Invalid value: "a/b/c": a valid label key {NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"#,
        ),
    );
    check("/a", Err(r#"{UNABLE}<nil>: Invalid value: "/a": prefix part must be non-empty"#));
    check("é=b", Err("{UNABLE}<nil>: Invalid value: \"é\": name part {NAME}"));
    check("a=é", Err("{UNABLE}values[0][a]: Invalid value: \"é\": {VALUE}"));
    check("a=-b", Err(r#"{UNABLE}values[0][a]: Invalid value: "-b": {VALUE}"#));
    check(
        "a in (-b,c-)",
        Err(
            r#"{UNABLE}[values[0][a]: Invalid value: "-b": {VALUE}, values[1][a]: Invalid value: "c-": {VALUE}]"#,
        ),
    );
    check("a=b,!", Err("{UNABLE}found '', expected: identifier"));
    check("a=b,=", Err("found '=', expected: identifier after ','"));
    check(r#"a=b"c"#, Err(r#"{UNABLE}values[0][a]: Invalid value: "b\"c": {VALUE}"#));
    check(r"a\=b", Err(r#"{UNABLE}<nil>: Invalid value: "a\\": name part {NAME}"#));
    check(
        "a\u{301}\u{200b}\u{7}=b",
        Err("{UNABLE}<nil>: Invalid value: \"a\u{301}\\u200b\\a\": name part {NAME}"),
    );
    check(
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=b",
        Err(
            r#"{UNABLE}<nil>: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": name part must be no more than 63 bytes"#,
        ),
    );
    check(
        "a=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        Err(
            r#"{UNABLE}values[0][a]: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": must be no more than 63 bytes"#,
        ),
    );
}

#[test]
fn errors_name_the_field_that_holds_the_selector() {
    check_at("a=b", Ok("a=b"));
    check_at("-=b", Err(r#"{UNABLE}spec.selector: Invalid value: "-": name part {NAME}"#));
    check_at("a=-", Err(r#"{UNABLE}spec.selector.values[0][a]: Invalid value: "-": {VALUE}"#));
    check_at(
        "a>x",
        Err(
            r#"{UNABLE}spec.selector.values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer"#,
        ),
    );
    check_at(
        "a in (-,b,_)",
        Err(
            r#"{UNABLE}[spec.selector.values[0][a]: Invalid value: "-": {VALUE}, spec.selector.values[1][a]: Invalid value: "_": {VALUE}]"#,
        ),
    );
    check_at("=", Err("found '=', expected: !, identifier, or 'end of string'"));
}

#[test]
fn requirements() {
    check_requirement("a", Operator::In, &["c", "b", "c"], Ok("a in (b,c,c)"));
    check_requirement(
        "a",
        Operator::In,
        &[],
        Err("values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"),
    );
    check_requirement(
        "a",
        Operator::NotIn,
        &[],
        Err("values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"),
    );
    check_requirement(
        "a",
        Operator::Equals,
        &[],
        Err("values: Invalid value: []: exact-match compatibility requires one single value"),
    );
    check_requirement(
        "a",
        Operator::DoubleEquals,
        &["b", "c"],
        Err(r#"values: Invalid value: ["b","c"]: exact-match compatibility requires one single value"#),
    );
    check_requirement(
        "a",
        Operator::NotEquals,
        &["<", "\"\u{2028}\u{1}"],
        Err(
            r#"[values: Invalid value: ["\u003c","\"\u2028\u0001"]: exact-match compatibility requires one single value, values[0][a]: Invalid value: "<": {VALUE}, values[1][a]: Invalid value: "\"\u2028\x01": {VALUE}]"#,
        ),
    );
    check_requirement(
        "a",
        Operator::Exists,
        &["b"],
        Err(r#"values: Invalid value: ["b"]: values set must be empty for exists and does not exist"#),
    );
    check_requirement(
        "a",
        Operator::DoesNotExist,
        &["b"],
        Err(r#"values: Invalid value: ["b"]: values set must be empty for exists and does not exist"#),
    );
    check_requirement("a", Operator::Exists, &[], Ok("a"));
    check_requirement("a", Operator::DoesNotExist, &[], Ok("!a"));
    check_requirement(
        "a",
        Operator::GreaterThan,
        &[],
        Err("values: Invalid value: []: for 'Gt', 'Lt' operators, exactly one value is required"),
    );
    check_requirement(
        "a",
        Operator::LessThan,
        &["1", "x"],
        Err(
            r#"[values: Invalid value: ["1","x"]: for 'Gt', 'Lt' operators, exactly one value is required, values[1]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer]"#,
        ),
    );
    check_requirement(
        "a",
        Operator::GreaterThan,
        &["9223372036854775808"],
        Err(
            r#"values[0]: Invalid value: "9223372036854775808": for 'Gt', 'Lt' operators, the value must be an integer"#,
        ),
    );
    check_requirement("a", Operator::LessThan, &["+1"], Err(r#"values[0][a]: Invalid value: "+1": {VALUE}"#));
    check_requirement(
        "",
        Operator::In,
        &["-"],
        Err(
            r#"[key: Invalid value: "": name part must be non-empty; name part {NAME}, values[0][]: Invalid value: "-": {VALUE}]"#,
        ),
    );
    check_requirement(
        "a/b/c",
        Operator::Equals,
        &["x", "-"],
        Err(
            r#"[key: Invalid value: "a/b/c": a valid label key {NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName'), values: Invalid value: ["x","-"]: exact-match compatibility requires one single value, values[1][a/b/c]: Invalid value: "-": {VALUE}]"#,
        ),
    );
}

#[test]
fn unknown_operators() {
    let message = "operator: Unsupported value: \"\\u003cé\": supported values: \"in\", \"notin\", \"=\", \"==\", \"!=\", \"gt\", \"lt\", \"exists\", \"!\"";
    check_result("<é".parse::<Operator>(), Err(message), "");
    for operator in Operator::ALL {
        assert_eq!(operator.to_string().parse(), Ok(operator));
    }
}

#[test]
fn structured_selectors() {
    check_structured(&[], &[], Ok(""));
    check_structured(&[("a", "2"), ("b", "1")], &[], Ok("a=2,b=1"));
    check_structured(
        &[("b", "1")],
        &[("a", "In", &["y", "x"]), ("c", "Exists", &[]), ("b", "NotIn", &["z"]), ("a", "DoesNotExist", &[])],
        Ok("a in (x,y),!a,b=1,b notin (z),c"),
    );
    check_structured(
        &[("-", "-")],
        &[],
        Err(r#"[key: Invalid value: "-": name part {NAME}, values[0][-]: Invalid value: "-": {VALUE}]"#),
    );
    check_structured(
        &[],
        &[("a", "In", &[])],
        Err("values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"),
    );
    check_structured(
        &[],
        &[("a", "Exists", &["b"])],
        Err(r#"values: Invalid value: ["b"]: values set must be empty for exists and does not exist"#),
    );
    check_structured(&[], &[("a", "in", &[])], Err(r#""in" is not a valid label selector operator"#));
    check_structured(&[], &[("a", "\"é\n", &[])], Err("\"\\\"é\\n\" is not a valid label selector operator"));
}

#[test]
fn matching() {
    check_match("", true);
    check_match("a", true);
    check_match("z", false);
    check_match("!a", false);
    check_match("!z", true);
    check_match("a=b", true);
    check_match("a==c", false);
    check_match("z=b", false);
    check_match("a!=b", false);
    check_match("a!=c", true);
    check_match("z!=b", true);
    check_match("a in (b,c)", true);
    check_match("a in (c)", false);
    check_match("z in (b)", false);
    check_match("a notin (b)", false);
    check_match("a notin (c)", true);
    check_match("z notin (b)", true);
    check_match("e=", true);
    check_match("z=", false);
    check_match("e in ()", true);
    check_match("n>4", true);
    check_match("n>5", false);
    check_match("n<6", true);
    check_match("n<5", false);
    check_match("z>1", false);
    check_match("a>1", false);
    check_match("e<1", false);
    check_match("in", true);
    check_match("a=b,n=5", true);
    check_match("a=b,n=6", false);
}

#[test]
fn exact_matches() {
    check_exact("a=b", Some("b"));
    check_exact("a==b", Some("b"));
    check_exact("a in (b)", Some("b"));
    check_exact("a in (b,c)", None);
    check_exact("a!=b", None);
    check_exact("a", None);
    check_exact("b=c", None);
    check_exact("a!=b,a=c", None);
}

#[test]
fn sets() {
    check_set("", Ok("<none>"));
    check_set("a=b", Ok("a=b"));
    check_set("a=b,a.b=c", Ok("a.b=c,a=b"));
    check_set(" a = b , c = ", Ok("a=b,c="));
    check_set("a=b,a=c", Ok("a=c"));
    check_set("a", Err("invalid selector: [a]"));
    check_set("a=b=c", Err("invalid selector: [a b c]"));
    check_set("a=b,", Err("invalid selector: []"));
    check_set("=b", Err(r#"<nil>: Invalid value: "": name part must be non-empty; name part {NAME}"#));
    check_set("a=-", Err(r#"[a]: Invalid value: "-": {VALUE}"#));
    check_set("a,b", Err("invalid selector: [a]"));
}

#[test]
fn everything_and_nothing() {
    let labels = set(&[("a", "b")]);
    let everything = Selector::everything();
    assert!(everything.matches(&labels) && everything.is_empty() && !everything.matches_nothing());
    assert_eq!(everything.requirements(), Some(&[][..]));
    assert_eq!(everything, Selector::default());
    let nothing = Selector::nothing();
    assert!(!nothing.matches(&labels) && !nothing.is_empty() && nothing.matches_nothing());
    assert_eq!((nothing.requirements(), nothing.to_string()), (None, String::new()));
    let requirement = Requirement::new("a", Operator::Exists, vec![]).expect("a legal requirement");
    assert_eq!(nothing.clone().with_requirements([requirement.clone()]), nothing);
    assert_eq!(everything.with_requirements([requirement]).to_string(), "a");
}

#[test]
fn selectors_from_sets() {
    let labels = set(&[("b", "1"), ("a", "2")]);
    assert_eq!(Selector::from_set(&labels).to_string(), "a=2,b=1");
    assert_eq!(Selector::from_validated_set(&labels), Ok(Selector::from_set(&labels)));
    assert!(Selector::from_set(&BTreeMap::new()).is_empty());
    let illegal = set(&[("a", "-")]);
    assert_eq!(Selector::from_set(&illegal).to_string(), "a=-");
    check_result(
        Selector::from_validated_set(&illegal),
        Err(r#"values[0][a]: Invalid value: "-": {VALUE}"#),
        "a=-",
    );
}

#[test]
fn requirements_keep_their_values_in_the_given_order() {
    let given = Requirement::new("a", Operator::In, strings(&["c", "b"])).expect("a legal requirement");
    assert_eq!(given.values(), ["c", "b"]);
    let selector = Selector::parse("a in (c,b)").expect("a legal selector");
    let read = &selector.requirements().unwrap_or_default()[0];
    assert_eq!((read.key(), read.operator(), read.values()), ("a", Operator::In, &strings(&["b", "c"])[..]));
    assert_eq!(given.to_string(), read.to_string());
}

#[test]
fn violations_are_available_apart() {
    let error =
        Requirement::new("", Operator::GreaterThan, strings(&["x"])).expect_err("an illegal requirement");
    let fields: Vec<&str> = error.violations().iter().map(Violation::field).collect();
    assert_eq!(fields, ["key", "values[0]"]);
    let integer = "for 'Gt', 'Lt' operators, the value must be an integer";
    assert_eq!(error.violations()[1].detail(), integer);
    let error = Requirement::new_at("spec.selector", "a", Operator::Exists, strings(&["x"]));
    let error = error.expect_err("an illegal requirement");
    assert_eq!(error.violations()[0].field(), "spec.selector.values");
}

#[test]
fn oversized_selectors_are_refused() {
    let long = "a".repeat(MAX_SELECTOR_BYTES + 1);
    assert_eq!(Selector::parse(&long), Err(ParseError::TooLong { bytes: MAX_SELECTOR_BYTES + 1 }));
    let many = vec!["a"; MAX_REQUIREMENTS].join(",");
    assert!(Selector::parse(&many).is_ok());
    assert_eq!(Selector::parse(&format!("{many},a")), Err(ParseError::TooManyRequirements));
}

/// A small generator of repeatable random numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).expect("the bound is a usize")
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    fn text(&mut self, pieces: &[&str], most: usize) -> String {
        (0..self.below(most + 1)).map(|_| self.pick(pieces)).collect()
    }

    fn bytes(&mut self, most: usize) -> String {
        let bytes: Vec<u8> = (0..self.below(most + 1)).map(|_| self.below(256) as u8).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[test]
fn printed_selectors_read_back_equal() {
    let keys = ["a", "b", "in", "notin", "example.com/a", "A.b_c-9"];
    let values = ["", "a", "b", "in", "notin", "A.b_c-9", "7"];
    let mut dice = Dice(0x5eed_1abe);
    for _ in 0..2000 {
        let mut requirements = Vec::new();
        for _ in 0..dice.below(6) {
            let operator = Operator::ALL[dice.below(Operator::ALL.len())];
            let mut chosen: Vec<&str> = match operator {
                Operator::In | Operator::NotIn => (0..=dice.below(4)).map(|_| dice.pick(&values)).collect(),
                Operator::Exists | Operator::DoesNotExist => vec![],
                Operator::GreaterThan | Operator::LessThan => vec!["41"],
                _ => vec![dice.pick(&values)],
            };
            chosen.sort_unstable();
            chosen.dedup();
            let requirement = Requirement::new(dice.pick(&keys), operator, strings(&chosen));
            requirements.push(requirement.expect("a legal requirement"));
        }
        let selector = Selector::new(requirements);
        assert_eq!(Selector::parse(&selector.to_string()), Ok(selector));
    }
}

#[test]
fn any_text_is_read_or_refused_and_what_is_read_prints_stably() {
    let pieces = [
        "a", "b", " ", ",", "(", ")", "=", "==", "!", "!=", "<", ">", "in ", "notin ", "1", "-", "/", ".",
        "\0", "é", "\n",
    ];
    let mut dice = Dice(0xfeed_5eed);
    for round in 0..20_000 {
        let text = if round % 2 == 0 { dice.text(&pieces, 14) } else { dice.bytes(14) };
        if let Ok(selector) = Selector::parse(&text) {
            assert_eq!(Selector::parse(&selector.to_string()), Ok(selector), "{text:?}");
        }
    }
}
