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
