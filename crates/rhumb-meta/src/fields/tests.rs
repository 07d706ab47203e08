//! The expected texts and results are those of Kubernetes 1.36 for the same input.

use super::*;

type Expect = Result<&'static str, &'static str>;

fn check(text: &str, expect: Expect) {
    let got = Selector::parse(text).map(|selector| selector.to_string()).map_err(|error| error.to_string());
    assert_eq!(got, expect.map(str::to_owned).map_err(str::to_owned), "{text}");
}

fn check_escape(value: &str, escaped: &str) {
    assert_eq!(escape_value(value), escaped);
    assert_eq!(unescape_value(escaped).as_deref(), Ok(value));
}

fn check_match(text: &str, expect: bool) {
    let fields = BTreeMap::from([("a".to_owned(), "b".to_owned()), ("e".to_owned(), String::new())]);
    let selector = Selector::parse(text).expect(text);
    assert_eq!(selector.matches(&fields), expect, "{text}");
    assert_eq!(selector.matches_with(|field| fields.get(field).map(String::as_str)), expect, "{text}");
}

fn check_exact(text: &str, expect: Option<&str>) {
    assert_eq!(Selector::parse(text).expect(text).requires_exact_match("a"), expect, "{text}");
}

fn check_transform(text: &str, expect: Expect) {
    let changed = Selector::parse(text).expect(text).transform(|field, value| match field {
        "name" => Ok(("metadata.name".to_owned(), value.to_owned())),
        "drop" => Ok((String::new(), String::new())),
        _ => Err(format!("field label not supported: {field}")),
    });
    assert_eq!(changed.map(|it| it.to_string()), expect.map(str::to_owned).map_err(str::to_owned), "{text}");
}

#[test]
fn parsing() {
    check("", Ok(""));
    check(",", Ok(""));
    check(",,a=b,", Ok("a=b"));
    check("a=b", Ok("a=b"));
    check("a==b", Ok("a=b"));
    check("a!=b", Ok("a!=b"));
    check("b=1,a=2", Ok("a=2,b=1"));
    check("a==z,a=c", Ok("a=z,a=c"));
    check("a=", Ok("a="));
    check("a!=", Ok("a!="));
    check("=b", Ok("=b"));
    check("!=b", Ok("!=b"));
    check("=", Ok(""));
    check("!=", Ok(""));
    check("==", Ok(""));
    check("=,a=b", Ok("a=b"));
    check(r"a=b\,c", Ok(r"a=b\,c"));
    check(r"a=b\=c", Ok(r"a=b\=c"));
    check(r"a=b\\c", Ok(r"a=b\\c"));
    check(r"a=\\", Ok(r"a=\\"));
    check(r"a=b\,c,d=e", Ok(r"a=b\,c,d=e"));
    check("a!b=c", Ok("a!b=c"));
    check("a!!=b", Ok("a!!=b"));
    check(" a = b ", Ok(" a = b "));
    check("a.b/c=d e", Ok("a.b/c=d e"));
    check("é=ü", Ok("é=ü"));
    check(r"a\,b=c", Ok(r"a\,b=c"));
    check(r"a\=b", Ok(r"a\=b"));
    check("a", Err("invalid selector: 'a'; can't understand 'a'"));
    check("a,b=c", Err("invalid selector: 'a,b=c'; can't understand 'a'"));
    check("b=c,a", Err("invalid selector: 'b=c,a'; can't understand 'a'"));
    check("a>1", Err("invalid selector: 'a>1'; can't understand 'a>1'"));
    check("a=b=c", Err("invalid field selector: unescaped character in value: 61"));
    check("a===b", Err("invalid field selector: unescaped character in value: 61"));
    check("a!==b", Err("invalid field selector: unescaped character in value: 61"));
    check(r"a=b\", Err(r"invalid field selector: invalid escape sequence: \"));
    check(r"a=b\c", Err(r"invalid field selector: invalid escape sequence: \c"));
    check("a=\\é", Err("invalid field selector: invalid escape sequence: \\é"));
    check("a=b!", Ok("a=b!"));
    check("a=!b", Ok("a=!b"));
    check("a=b,c=d,a=b", Ok("a=b,a=b,c=d"));
}

#[test]
fn escapes() {
    check_escape("", "");
    check_escape("a", "a");
    check_escape(",", r"\,");
    check_escape("=", r"\=");
    check_escape(r"\", r"\\");
    check_escape(r"a,b=c\d", r"a\,b\=c\\d");
    check_escape(r"\\", r"\\\\");
    check_escape("é", "é");
}

#[test]
fn matching() {
    check_match("", true);
    check_match("a=b", true);
    check_match("a=c", false);
    check_match("a!=b", false);
    check_match("a!=c", true);
    check_match("z=", true);
    check_match("z!=", false);
    check_match("z=b", false);
    check_match("z!=b", true);
    check_match("e=", true);
    check_match("a=b,e=", true);
    check_match("a=b,e=x", false);
}

#[test]
fn exact_matches() {
    check_exact("", None);
    check_exact("a=b", Some("b"));
    check_exact("a!=b", None);
    check_exact("a!=b,a=c", Some("c"));
    check_exact("b=c", None);
    check_exact("a=1,a=2", Some("1"));
    check_exact("a=", Some(""));
}

#[test]
fn transformation() {
    check_transform("", Ok(""));
    check_transform("name=x", Ok("metadata.name=x"));
    check_transform("name!=x", Ok("metadata.name!=x"));
    check_transform("drop=x", Ok(""));
    check_transform("drop=x,name=y", Ok("metadata.name=y"));
    check_transform("bad=x", Err("field label not supported: bad"));
    check_transform("name=x,bad=y", Err("field label not supported: bad"));
    check_transform(r"name=a\,b", Ok(r"metadata.name=a\,b"));
}

#[test]
fn everything_and_nothing() {
    let fields = BTreeMap::from([("a".to_owned(), "b".to_owned())]);
    let everything = Selector::everything();
    assert!(everything.matches(&fields) && everything.is_empty() && !everything.matches_nothing());
    assert_eq!(everything, Selector::default());
    let nothing = Selector::nothing();
    assert!(!nothing.matches(&fields) && !nothing.is_empty() && nothing.matches_nothing());
    assert_eq!((nothing.requirements(), nothing.to_string()), (&[][..], String::new()));
    assert_eq!(nothing.transform(|_, _| Err("never called")), Ok(nothing.clone()));
    assert_eq!(everything.clone().and(nothing.clone()), nothing);
    assert_eq!(everything.and(Selector::equal("a", "b")), Selector::from_set(&fields));
}

#[test]
fn terms_are_joined_by_and() {
    let selector = Selector::equal("metadata.name", "a,b").and(Selector::not_equal("status.phase", ""));
    assert_eq!(selector.to_string(), r"metadata.name=a\,b,status.phase!=");
    assert_eq!(selector.to_string().parse(), Ok(selector));
}

#[test]
fn oversized_selectors_are_refused() {
    let long = "a".repeat(MAX_SELECTOR_BYTES + 1);
    assert_eq!(Selector::parse(&long), Err(ParseError::TooLong { bytes: MAX_SELECTOR_BYTES + 1 }));
    let many = vec!["a=b"; MAX_TERMS].join(",");
    assert!(Selector::parse(&many).is_ok());
    assert_eq!(Selector::parse(&format!("{many},a=b")), Err(ParseError::TooManyTerms));
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
    let pieces = ["a", "b", ",", "=", "!", "\\", " ", "é"];
    let mut dice = Dice(0xf1e1_d5ed);
    for _ in 0..2000 {
        // Terms are sorted when they are read, and one letter per field keeps that order here.
        let terms = ["a", "b", "c", "d"].iter().take(dice.below(5)).map(|field| Requirement {
            field: (*field).to_owned(),
            operator: if dice.below(2) == 0 { Operator::Equals } else { Operator::NotEquals },
            value: dice.text(&pieces, 6),
        });
        let selector = Selector::new(terms.collect());
        assert_eq!(Selector::parse(&selector.to_string()), Ok(selector));
    }
}

#[test]
fn any_text_is_read_or_refused_and_what_is_read_prints_the_same_terms() {
    let pieces = ["a", "b", ",", "=", "==", "!=", "!", "\\", "\\,", "\\=", "é", " "];
    let sorted = |selector: &Selector| {
        let mut terms = selector.requirements().to_vec();
        terms.sort();
        terms
    };
    let mut dice = Dice(0xabad_cafe);
    for round in 0..20_000 {
        let text = if round % 2 == 0 { dice.text(&pieces, 12) } else { dice.bytes(12) };
        if let Ok(selector) = Selector::parse(&text) {
            let again = Selector::parse(&selector.to_string()).expect("a printed selector");
            assert_eq!(sorted(&again), sorted(&selector), "{text:?}");
        }
    }
}
