use super::Pattern;

fn matches(pattern: &str, text: &str) -> Option<bool> {
    Pattern::new(pattern).unwrap().is_match(text, &mut || false)
}

#[test]
fn patterns_match_as_in_go() {
    for (pattern, text, expected) in [
        ("^a+$", "aaa", true),
        (r"^\d+$", "٣", false),
        (r"\bx\b", "a x b", true),
        (r"^\Qa.b\E$", "axb", false),
        (r"^[[:upper:]\pL]$", "ß", true),
        (r"^(?P<x>a)(?:b)?$", "a", true),
        (r"^a{,2}$", "a{,2}", true),
    ] {
        assert_eq!(matches(pattern, text), Some(expected), "{pattern} on {text}");
    }
}

#[test]
fn a_match_ends_when_it_is_stopped() {
    let pattern = Pattern::new("(x+x+)+y").unwrap();
    assert_eq!(pattern.is_match(&"x".repeat(100_000), &mut || true), None);
}
