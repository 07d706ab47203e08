use super::{Pattern, check};

#[test]
fn patterns_match_as_in_go() {
    for (pattern, text, expected) in [
        ("^a+$", "aaa", true),
        ("b", "abc", true),
        (r"^\d+$", "٣", false),
        (r"^\w$", "ä", false),
        (r"^\s$", "\u{b}", false),
        (r"\bx\b", "a x b", true),
        (r"^\Qa.b\E$", "axb", false),
        (r"^[\w-]+$", "a-b_c", true),
        (r"^[^\d]$", "x", true),
        (r"^[]a]$", "]", true),
        (r"^[a&&b]$", "&", true),
        (r"^[[:upper:]\pL]$", "ß", true),
        (r"^(?i)ABC$", "abc", true),
        (r"^(?P<x>a)(?:b)?$", "a", true),
        (r"^a{,2}$", "a{,2}", true),
        (r"^a{2,3}?$", "aa", true),
        (r"^\x41\x{42}\103$", "ABC", true),
        (r"^\.\_\/$", "._/", true),
    ] {
        assert_eq!(Pattern::new(pattern).matches(text), Ok(expected), "{pattern} on {text}");
    }
}

#[test]
fn hostile_patterns_are_errors() {
    for pattern in [
        "(",
        "[",
        "[^",
        "[a-",
        r"\",
        r"\x",
        r"\x{",
        r"\x{110000}",
        r"\p",
        r"\p{",
        "(?",
        "(?i",
        "(?P<",
        "(?<a>b)(?<a>c)",
        "a{1001}",
        "a{99999999999999999999}",
        "[[:foo:]]",
        "ä**",
        "**",
        "|*",
        "(*a)",
        r"\8",
    ] {
        assert!(check(pattern).is_err(), "{pattern}");
    }
    assert!(check(&"(".repeat(100_000)).is_err());
    assert!(check(&format!("{}{}", "(".repeat(5000), ")".repeat(5000))).is_err());
}

#[test]
fn borders_of_words_are_those_of_ascii() {
    for (pattern, text, expected) in [
        (r"\B", "é", true),
        (r"\B", "aéb", false),
        (r"\B", "ab", true),
        (r"^\Bé", "é", true),
        (r"a\b", "aé", true),
        (r"(?m)^b$", "a\nb\nc", true),
        (r"^b$", "a\nb\nc", false),
        (r"(?m)\Ab", "a\nb", false),
        (r"a.c", "a\nc", false),
        (r"(?s)a.c", "a\nc", true),
        (r"^$", "", true),
        ("", "ü", true),
        (r"[^b]{5}", "abcdefb", false),
        (r"[^b]{5}", "abécdefb", true),
        ("x|y$", "xz", true),
        ("x|y$", "yz", false),
    ] {
        assert_eq!(Pattern::new(pattern).matches(text), Ok(expected), "{pattern} on {text}");
    }
}

#[test]
fn repetitions_within_repetitions_are_counted_together() {
    for (pattern, problem) in [
        ("(a{10}){101}", "invalid repeat count: `{101}`"),
        ("((a{2}b){50}c?){11}?", "invalid repeat count: `{11}?`"),
        ("(a{500}|b{3}){3,}", "invalid repeat count: `{3,}`"),
        ("a{2,1}", "invalid repeat count: `{2,1}`"),
    ] {
        let found = check(pattern).expect_err(pattern).to_string();
        assert_eq!(found, format!("error parsing regexp: {problem}"));
    }
    for pattern in [
        "(a{10}){100}",
        "(a{500}b{500}){2}",
        "((a{1000}){0}){1000}",
        "((a{1000})*)?",
        "(a{1000}){1}",
        "a{1,2",
        "{{{{",
        "a{2}{",
    ] {
        assert_eq!(check(pattern), Ok(()), "{pattern}");
    }
}

/// Some numbers that look random.
fn numbers() -> impl FnMut(usize) -> usize {
    let mut state = 1u64;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    }
}

#[test]
fn a_text_matches_with_and_without_a_table() {
    let mut number = numbers();
    // The state at the end depends on the last hundred letters: there are more of them than any table holds.
    let pattern = Pattern::new("^([ab]{2})*a[ab]{100}$");
    for _ in 0..4 {
        let length = 60_000 + number(2);
        let text: String = (0..length).map(|_| if number(2) == 0 { 'a' } else { 'b' }).collect();
        let place = length - 101;
        let expected = place.is_multiple_of(2) && text.as_bytes()[place] == b'a';
        assert_eq!(pattern.matches(&text), Ok(expected), "{length}");
    }
}

#[test]
fn a_match_that_nobody_waits_for_ends() {
    let text = "ab".repeat(4 << 20);
    let budget = rhumb_schema::budget::Budget::new(0);
    budget.stop();
    // It doesn't match; that it says so nevertheless shows that it did not look at all of the text.
    let pattern = Pattern::new("(a|b)c{100}[^d]{300}");
    assert_eq!(pattern.matches("ab"), Ok(false));
    assert_eq!(budget.scope(|| pattern.matches(&text)), Ok(true));
}

#[test]
fn patterns_of_many_classes_are_read_in_linear_time() {
    // Looking each class up anew, or for ends of what has none, took minutes.
    for part in [r"\pL", r"\p{Greek}", "{", "[[:x]", "(?P<", r"\Q", "[^b]{500}"] {
        drop(check(&part.repeat(200_000)));
    }
    let many = Pattern::new(&r"(?i)[\x{0}-\x{10FFFF}]".repeat(1_000));
    assert_eq!(many.matches("a"), Ok(true), "too much work restricts nothing");
}
