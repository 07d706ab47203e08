use super::*;

fn check(text: &str, expected: &str) {
    let source = Source::new(text);
    let found = tokens(&source);
    let mut printed: Vec<(u32, String)> = found
        .tokens
        .iter()
        .filter(|token| token.kind != Kind::End)
        .map(|token| (token.offset, format!("{:?} {}", token.kind, token.text(&source))))
        .collect();
    for wrong in &found.unrecognized {
        printed.push((wrong.offset, format!("? {}", &text[wrong.start as usize..wrong.end as usize])));
    }
    printed.sort();
    let printed: Vec<String> = printed.into_iter().map(|(_, token)| token).collect();
    assert_eq!(printed.join(" | "), expected, "{text}");
    assert_eq!(found.tokens.last().map(|token| token.kind), Some(Kind::End));
}

#[test]
fn the_longest_token_wins() {
    check("", "");
    check("a.b", "Identifier a | Dot . | Identifier b");
    check("in inn", "In in | Identifier inn");
    check("a<=b<c", "Identifier a | LessEquals <= | Identifier b | Less < | Identifier c");
    check("!=!", "NotEquals != | Exclamation !");
    check("nulls null", "Identifier nulls | Null null");
    check("a // b\n/ c", "Identifier a | Slash / | Identifier c");
    check("`a.b/c-d e`", "EscapedIdentifier `a.b/c-d e`");
}

#[test]
fn numbers() {
    check("1 1u 0x1F 0xfU", "Int 1 | Uint 1u | Int 0x1F | Uint 0xfU");
    check("1.5 .5 1e3 1.5E-3", "Float 1.5 | Float .5 | Float 1e3 | Float 1.5E-3");
    check("1.", "Int 1 | Dot .");
    check("1.e5", "Int 1 | Dot . | Identifier e5");
    check("0x", "Int 0 | Identifier x");
    check("1e+", "Int 1 | Identifier e | Plus +");
    check("1.5u", "Float 1.5 | Identifier u");
    check("1.2.3", "Float 1.2 | Float .3");
}

#[test]
fn strings() {
    check(r#""a" 'b' "" ''"#, r#"String "a" | String 'b' | String "" | String ''"#);
    check(
        r#""""a"b
c""" 'd'"#,
        "String \"\"\"a\"b\nc\"\"\" | String 'd'",
    );
    check(r#""""""" "#, r#"String """""""#);
    check(r#"r"\" b'a' bR'\'"#, r#"String r"\" | Bytes b'a' | Bytes bR'\'"#);
    check(r#""\"\x41\u00e9\U0001F600\101\`""#, r#"String "\"\x41\u00e9\U0001F600\101\`""#);
    check(r#"rb"a""#, r#"Identifier rb | String "a""#);
    check(r#""日本" + x"#, r#"String "日本" | Plus + | Identifier x"#);
}

#[test]
fn what_is_no_token_is_told_and_skipped() {
    check("#", "? #");
    check("a & b", "Identifier a | ? &  | Identifier b");
    check("a | b", "Identifier a | ? |  | Identifier b");
    check("a = b", "Identifier a | ? =  | Identifier b");
    check("&", "? &");
    check("日本", "? 日 | ? 本");
    check(r#""abc"#, r#"? "abc"#);
    check("'a\nb'", "? 'a\n | Identifier b | ? '");
    check(r"'a\q'", r"? 'a\q | ? '");
    check(r"'\x4g'", r"? '\x4g | ? '");
    check(r"'\8'", r"? '\8 | ? '");
    check(r#""""a"#, r#"String "" | ? "a"#);
    check(r#"b"a"#, r#"Identifier b | ? "a"#);
    check("`a", "? `a");
    check("``", "? ``");
    check("`a$b`", "? `a$ | Identifier b | ? `");
}
