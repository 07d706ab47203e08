use super::*;
use crate::unparse::unparse;

fn parsed(text: &str, options: &Options) -> String {
    match parse(&Arc::new(Source::new(text)), options) {
        Ok(ast) => unparse(&ast.expr, &ast.info).unwrap(),
        Err(errors) => errors.to_string(),
    }
}

#[test]
fn both_readers_build_the_same_tree() {
    let options = Options { optional_syntax: true, escaped_fields: true, ..Options::default() };
    let check = |text: &str| {
        let source = Arc::new(Source::new(text));
        let tokens = lexer::tokens(&source);
        let mut first = Builder::new(&source, &options);
        let fast = descent::expression(&mut first, &tokens.tokens).unwrap();
        let mut second = Builder::new(&source, &options);
        let tree = machine::parse(&mut second, &tokens).unwrap();
        let slow = tree::expression(&mut second, &tokens.tokens, &tree).unwrap();
        let (fast, slow) = (first.finish(fast).unwrap(), second.finish(slow).unwrap());
        assert_eq!(fast.expr, slow.expr, "{text}");
        assert_eq!(fast.info.spans, slow.info.spans, "{text}");
    };
    check("a.b[c] + -1 * (d ? e : f) - -g");
    check("!a && b.c(d, e).f || .g in [1, ?h, 2.5u.i,]".replace("2.5u.i", "2u").as_str());
    check("{a: b, ?'c': d.?e[?f]}.map(x, x > 1, [x])");
    check(".a.b.Msg{c: 1, ?d: -2.5, `e-f`: b'x'}.`g`");
    check("日本語 == '日' && a.exists(x, '語' in x)".trim_start_matches("日本語 == "));
    check("a < b == c in d != --1 - !!f()");
}

#[test]
fn spans_are_in_code_points() {
    let source = Arc::new(Source::new("'日本' + foo.bar"));
    let ast = parse(&source, &Options::default()).unwrap();
    let check = |id, start, end| assert_eq!(ast.info.spans[&id], crate::ast::Span { start, end }, "{id}");
    check(1, 0, 4);
    check(2, 5, 6);
    check(3, 7, 10);
    check(4, 10, 11);
}

#[test]
fn limits() {
    let check = |text: &str, expected: &str| {
        let found = parsed(text, &Options { code_points: 20, recursion: 3, ..Options::default() });
        assert_eq!(found.lines().next(), expected.lines().next());
    };
    check("(((1)))", "ERROR: <input>:-1:0: expression recursion limit exceeded: 3");
    check("((1))", "1");
    check("a.b.c.d", "a.b.c.d");
    check("a.b.c.d.e", "ERROR: <input>:-1:0: max recursion depth exceeded");
    check(
        "a + bbbbbbbbbbbbbbbbb",
        "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 21, limit 20",
    );
}

#[test]
fn macros_that_copy_end() {
    let options = Options { macros: crate::macros::optional().into(), ..Options::default() };
    let found = parsed(&format!("a{}", ".optMap(x, x)".repeat(100)), &options);
    assert!(found.contains("expression has more than 1000000 nodes after macros"), "{found}");
}

#[test]
fn what_is_off_is_refused() {
    let check = |text: &str, expected: &str| assert_eq!(parsed(text, &Options::default()), expected);
    check("a.?b", "ERROR: <input>:1:2: unsupported syntax '.?'\n | a.?b\n | .^");
    check("a[?b]", "ERROR: <input>:1:2: unsupported syntax '[?'\n | a[?b]\n | .^");
    check("[?a]", "ERROR: <input>:1:2: unsupported syntax '?'\n | [?a]\n | .^");
    check("{?a: b}", "ERROR: <input>:1:2: unsupported syntax '?'\n | {?a: b}\n | .^");
    check("a.`b`", "ERROR: <input>:1:3: unsupported syntax: '`'\n | a.`b`\n | ..^");
}

#[test]
fn a_megabyte_of_errors_is_read_quickly() {
    let options = Options { code_points: 2_000_000, ..Options::default() };
    for text in
        ["(", ")", "a ", "[1,", "a.b(", "{a:", "-1[", "!", "#", "'", "a ? ", "a.b.", "-", "1 + ", "& "]
    {
        let found = parsed(&text.repeat(1_000_000 / text.len()), &options);
        assert!(found.starts_with("ERROR") || text == "1 + ", "{text}");
    }
}
