//! TOML catalogues.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::BASE;
use super::catalogue::{Catalogue, Message, Source};
use super::plural::Rule;
use crate::problem::{Outcome, Problem, Problems};

/// Key of a language's plural rule, if it is not a known one.
const RULE: &str = "plural-forms";

/// Reads the messages of a language.
pub(super) fn read(code: &str, source: &Source) -> Outcome<Catalogue> {
    let table = DeTable::parse(&source.text).map_err(|error| {
        let place = source.place_of(error.span().map_or(0, |span| span.start));
        Problem::at(&place, error.message())
    })?;
    let mut problems = Problems::default();
    let mut rule = Rule::known(code);
    for (key, value) in table.get_ref() {
        if key.get_ref() != RULE {
            continue;
        }
        match value
            .get_ref()
            .as_str()
            .ok_or_else(|| "must be a string".to_owned())
            .and_then(Rule::parse_header)
        {
            Ok(said) => rule = Some(said),
            Err(error) => {
                let place = source.place_of(value.span().start);
                problems.push(Problem::at(&place, format!("{RULE}: {error}")));
            }
        }
    }
    let mut messages = BTreeMap::new();
    for (key, value) in table.get_ref() {
        if key.get_ref() == RULE {
            continue;
        }
        let place = source.place_of(key.span().start);
        let id = key.get_ref().to_string();
        match texts(value, rule.as_ref(), code) {
            Ok((texts, _)) if texts.iter().all(String::is_empty) => {}
            Ok((texts, is_plural)) => {
                messages.insert(id, Message { texts, is_plural, place });
            }
            Err(error) => problems.push(Problem::at(&place, format!("{id:?}: {error}"))),
        }
    }
    // A language without plurals in it needs no rule; that of the base does no harm there.
    let Some(rule) = rule.or_else(|| Rule::known(BASE)) else { return Err(problems) };
    problems.or(Catalogue { code: code.to_owned(), file: source.path.clone(), rule, messages })
}

/// Returns the texts of a message, and whether they are plural forms.
fn texts(
    value: &Spanned<DeValue<'_>>,
    rule: Option<&Rule>,
    code: &str,
) -> Result<(Vec<String>, bool), String> {
    if let Some(text) = value.get_ref().as_str() {
        return Ok((vec![text.to_owned()], false));
    }
    // Where a rule of gettext's is given, the forms have no names, but an order.
    if let Some(list) = value.get_ref().as_array() {
        let texts = list.iter().map(|text| text.get_ref().as_str().map(str::to_owned));
        let texts: Option<Vec<String>> = texts.collect();
        return texts.map(|texts| (texts, true)).ok_or_else(|| "plural forms are strings".to_owned());
    }
    let Some(table) = value.get_ref().as_table() else {
        return Err("a message is a string, or a table or list of plural forms".to_owned());
    };
    let rule = rule.ok_or_else(|| {
        format!("the plural rule of {code} is not known: say it, `{RULE} = \"nplurals=…; plural=…;\"`")
    })?;
    if rule.names.is_empty() {
        return Err(format!("with `{RULE}` the forms are a list, in the order of the rule"));
    }
    let names = rule.names.join(", ");
    if let Some((key, _)) = table.iter().find(|(key, _)| !rule.names.contains(&key.get_ref().as_ref())) {
        return Err(format!("{:?} is no plural form of {code}: there are {names}", key.get_ref()));
    }
    let form = |name: &&str| {
        let text = table.iter().find(|(key, _)| key.get_ref() == name).map(|(_, text)| text.get_ref());
        let text = text.ok_or_else(|| format!("the plural form {name:?} is missing: {code} has {names}"))?;
        text.as_str().map(str::to_owned).ok_or_else(|| "plural forms are strings".to_owned())
    };
    Ok((rule.names.iter().map(form).collect::<Result<_, _>>()?, true))
}
