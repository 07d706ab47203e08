//! Import rules.

use serde_json::{Map, Value};

/// Matches the imports that a rule applies to.
pub type Selector = Box<dyn Fn(&str) -> bool>;

/// Compiles a selector from a regular expression, in the caller's dialect.
pub type Compile<'a> = &'a dyn Fn(&str) -> Result<Selector, String>;

/// Rules of one file.
#[derive(Default)]
pub struct Restrictions {
    /// Rules for what the modules of the directory import.
    pub rules: Vec<Rule>,
    /// Rules for what imports them.
    pub inverse_rules: Vec<Rule>,
}

/// One rule.
pub struct Rule {
    /// The imports that it is for.
    pub selector: Selector,
    /// Prefixes of what is allowed. The empty one is a prefix of everything.
    pub allowed: Vec<String>,
    /// Prefixes of what is forbidden, allowed or not.
    pub forbidden: Vec<String>,
    /// Whether it is also for what is imported through others.
    pub transitive: bool,
}

/// Decision of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disposition {
    Allowed,
    Forbidden,
    Unknown,
}

impl Rule {
    /// Decides about an import that the selector matches.
    pub(super) fn evaluate(&self, import: &str) -> Disposition {
        let is_below = |prefixes: &[String]| prefixes.iter().any(|prefix| has_prefix(import, prefix));
        match (is_below(&self.forbidden), is_below(&self.allowed)) {
            (true, _) => Disposition::Forbidden,
            (false, true) => Disposition::Allowed,
            (false, false) => Disposition::Unknown,
        }
    }
}

/// Reports whether a path is another or below it.
fn has_prefix(path: &str, prefix: &str) -> bool {
    let prefix = prefix.trim_end_matches("::");
    prefix.is_empty()
        || path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

impl Restrictions {
    /// Reads the document of a file: `rules` and `inverseRules`, each with `selectorRegexp`, `allowedPrefixes`,
    /// `forbiddenPrefixes` and `transitive`. Capitals don't matter in the names of fields.
    ///
    /// # Errors
    /// If a field is not known or has another type, or a selector can't be compiled.
    pub fn from_json(document: &Value, compile: Compile<'_>) -> Result<Restrictions, String> {
        let mut found = Restrictions::default();
        // A file with nothing but comments has no rules.
        if document.is_null() {
            return Ok(found);
        }
        for (name, value) in fields(document, "a file with restrictions")? {
            match name.to_lowercase().as_str() {
                "rules" => found.rules = rules(value, name, compile)?,
                "inverserules" => found.inverse_rules = rules(value, name, compile)?,
                _ => return Err(format!("{name:?} is neither `rules` nor `inverseRules`")),
            }
        }
        Ok(found)
    }
}

fn fields<'a>(value: &'a Value, what: &str) -> Result<&'a Map<String, Value>, String> {
    value.as_object().ok_or_else(|| format!("{what} is an object with fields, not {value}"))
}

fn rules(value: &Value, name: &str, compile: Compile<'_>) -> Result<Vec<Rule>, String> {
    let list = match value {
        Value::Null => return Ok(Vec::new()),
        value => value.as_array().ok_or_else(|| format!("`{name}` is a list of rules, not {value}"))?,
    };
    list.iter().map(|value| rule(value, compile)).collect()
}

fn rule(value: &Value, compile: Compile<'_>) -> Result<Rule, String> {
    let mut expression = "";
    let (mut allowed, mut forbidden, mut transitive) = (Vec::new(), Vec::new(), false);
    for (name, value) in fields(value, "a rule")? {
        let wrong = |wanted: &str| format!("`{name}` is {wanted}, not {value}");
        match name.to_lowercase().as_str() {
            "selectorregexp" => expression = value.as_str().ok_or_else(|| wrong("a regular expression"))?,
            "allowedprefixes" => allowed = texts(value).ok_or_else(|| wrong("a list of prefixes"))?,
            "forbiddenprefixes" => forbidden = texts(value).ok_or_else(|| wrong("a list of prefixes"))?,
            "transitive" => transitive = value.as_bool().ok_or_else(|| wrong("true or false"))?,
            _ => {
                return Err(format!(
                    "a rule has `selectorRegexp`, `allowedPrefixes`, `forbiddenPrefixes` and `transitive`, not {name:?}"
                ));
            }
        }
    }
    let selector = compile(expression)
        .map_err(|error| format!("the selector {expression:?} is no regular expression: {error}"))?;
    Ok(Rule { selector, allowed, forbidden, transitive })
}

fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Null => Some(Vec::new()),
        value => value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_where_a_part_of_a_path_ends() {
        for (path, prefix, expected) in [
            ("", "", true),
            ("a::b", "", true),
            ("", "a", false),
            ("a", "a", true),
            ("a::b", "a", true),
            ("a::b", "a::", true),
            ("ab::c", "a", false),
            ("a::b::c::d", "a::b", true),
        ] {
            assert_eq!(has_prefix(path, prefix), expected, "{path} {prefix}");
        }
    }

    #[test]
    fn what_is_wrong_in_a_file_is_named() {
        let compile = |text: &str| match text {
            "(" => Err("it is open".to_owned()),
            text => {
                let text = text.to_owned();
                Ok(Box::new(move |path: &str| path.contains(&text)) as Selector)
            }
        };
        let read = |text: &str| {
            let document = serde_json::from_str(text).expect("it is JSON");
            Restrictions::from_json(&document, &compile)
        };
        let good = read(
            r#"{"Rules": [{"SelectorRegexp": "a", "allowedPrefixes": ["b"], "transitive": true}],
                "inverserules": null}"#,
        );
        let good = good.unwrap_or_else(|error| panic!("{error}"));
        let [rule] = good.rules.as_slice() else { panic!("it has one rule") };
        assert!((rule.selector)("xa") && !(rule.selector)("b") && rule.transitive);
        assert_eq!(rule.evaluate("b::c"), Disposition::Allowed);
        assert!(read("null").is_ok_and(|none| none.rules.is_empty() && none.inverse_rules.is_empty()));
        for (text, said) in [
            (r#"[]"#, "a file with restrictions is an object with fields, not []"),
            (r#"{"rule": []}"#, "\"rule\" is neither `rules` nor `inverseRules`"),
            (r#"{"rules": {}}"#, "`rules` is a list of rules, not {}"),
            (r#"{"rules": [{"prefixes": []}]}"#, "`transitive`, not \"prefixes\""),
            (
                r#"{"rules": [{"allowedPrefixes": "a"}]}"#,
                "`allowedPrefixes` is a list of prefixes, not \"a\"",
            ),
            (
                r#"{"rules": [{"selectorRegexp": "("}]}"#,
                "the selector \"(\" is no regular expression: it is open",
            ),
        ] {
            let error = read(text).err().unwrap_or_default();
            assert!(error.contains(said), "{error}");
        }
    }
}
