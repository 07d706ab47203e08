//! gettext PO files.

use std::collections::BTreeMap;

use super::BASE;
use super::catalogue::{Catalogue, Message, Source};
use super::plural::Rule;
use crate::problem::{Outcome, Place, Problem, Problems};

/// Reads the messages of a language. Entries marked as fuzzy count as not translated, as gettext's own tools have it,
/// and in the base language a message without a translation stands for itself.
pub(super) fn read(code: &str, source: &Source) -> Outcome<Catalogue> {
    let mut problems = Problems::default();
    let mut rule = Rule::known(code);
    let mut messages: BTreeMap<String, Message> = BTreeMap::new();
    for entry in entries(source, &mut problems) {
        if entry.id.is_empty() && entry.context.is_none() {
            let said = entry
                .texts
                .first()
                .and_then(|header| header.lines().find_map(|line| line.strip_prefix("Plural-Forms:")));
            match said.map(Rule::parse_header) {
                Some(Ok(said)) => rule = Some(said),
                Some(Err(error)) => {
                    problems.push(Problem::at(&entry.place, format!("Plural-Forms: {error}")))
                }
                None => {}
            }
            continue;
        }
        let id = match &entry.context {
            Some(context) => format!("{context}|{}", entry.id),
            None => entry.id.clone(),
        };
        let is_plural = entry.plural.is_some();
        let is_empty = entry.texts.iter().all(String::is_empty);
        let texts = match (is_empty, entry.plural) {
            (true, plural) if code == BASE => [entry.id].into_iter().chain(plural).collect(),
            (true, _) => continue,
            (false, _) if entry.is_fuzzy => continue,
            (false, _) => entry.texts,
        };
        if texts.iter().any(String::is_empty) {
            problems.push(Problem::at(&entry.place, format!("{id:?} is translated in part only")));
        }
        let message = Message { texts, is_plural, place: entry.place.clone() };
        if messages.insert(id.clone(), message).is_some() {
            problems.push(Problem::at(&entry.place, format!("{id:?} is there twice")));
        }
    }
    if rule.is_none() && messages.values().any(|message| message.is_plural) {
        let what = format!("the plural rule of {code} is not known: say it in the header, `Plural-Forms: …`");
        problems.push(Problem::file(&crate::problem::shown(&source.path), what));
    }
    let rule = rule.or_else(|| Rule::known(BASE));
    let Some(rule) = rule else { return Err(problems) };
    problems.or(Catalogue { code: code.to_owned(), file: source.path.clone(), rule, messages })
}

/// An entry of the file.
struct Entry {
    context: Option<String>,
    id: String,
    plural: Option<String>,
    texts: Vec<String>,
    is_fuzzy: bool,
    place: Place,
}

impl Entry {
    fn new(place: Place) -> Self {
        Entry { context: None, id: String::new(), plural: None, texts: Vec::new(), is_fuzzy: false, place }
    }
}

/// Field to which a continued string belongs.
#[derive(Clone, Copy)]
enum Part {
    Nothing,
    Context,
    Id,
    Plural,
    Text(usize),
}

fn entries(source: &Source, problems: &mut Problems) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut entry: Option<Entry> = None;
    let mut part = Part::Nothing;
    let mut is_fuzzy = false;
    for (index, line) in source.text.lines().enumerate() {
        let place = || source.place(index + 1);
        let line = line.trim();
        if let Some(flags) = line.strip_prefix("#,") {
            is_fuzzy |= flags.split(',').any(|flag| flag.trim() == "fuzzy");
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (keyword, literal) = match line.find('"') {
            Some(quote) => line.split_at(quote),
            None => (line, ""),
        };
        let text = match unquote(literal) {
            Ok(text) => text,
            Err(error) => {
                problems.push(Problem::at(&place(), error));
                continue;
            }
        };
        let begins = match keyword.trim() {
            "" => part,
            "msgctxt" => Part::Context,
            "msgid" => Part::Id,
            "msgid_plural" => Part::Plural,
            "msgstr" => Part::Text(0),
            keyword => match form(keyword) {
                Some(form) => Part::Text(form),
                None => {
                    problems.push(Problem::at(&place(), format!("{keyword:?} is no keyword of PO files")));
                    continue;
                }
            },
        };
        let is_new = !keyword.trim().is_empty();
        // An entry begins with its context or, without one, with its id.
        let after_texts = matches!(part, Part::Text(_) | Part::Nothing);
        if is_new && (matches!(begins, Part::Context) || matches!(begins, Part::Id) && after_texts) {
            entries.extend(entry.take());
            entry = Some(Entry { is_fuzzy: std::mem::take(&mut is_fuzzy), ..Entry::new(place()) });
        }
        part = begins;
        let Some(entry) = &mut entry else {
            problems.push(Problem::at(&place(), "no `msgid` stands before this"));
            continue;
        };
        match part {
            Part::Nothing => problems.push(Problem::at(&place(), "no `msgid` stands before this")),
            Part::Context => entry.context.get_or_insert_default().push_str(&text),
            Part::Id => entry.id.push_str(&text),
            Part::Plural => entry.plural.get_or_insert_default().push_str(&text),
            Part::Text(form) => {
                if entry.texts.len() <= form {
                    entry.texts.resize(form + 1, String::new());
                }
                if let Some(known) = entry.texts.get_mut(form) {
                    known.push_str(&text);
                }
            }
        }
    }
    entries.extend(entry);
    entries
}

/// Returns the number in `msgstr[1]`.
fn form(keyword: &str) -> Option<usize> {
    let number = keyword.strip_prefix("msgstr[")?.strip_suffix(']')?;
    number.parse().ok().filter(|form| *form < 9)
}

/// Returns the text of a string as C writes it.
fn unquote(literal: &str) -> Result<String, String> {
    let inner = literal.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let inner = inner.ok_or_else(|| format!("a string in quotes is expected, not {literal:?}"))?;
    let mut text = String::new();
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => return Err("there is a quote in the string: write `\\\"`".to_owned()),
            '\\' => match characters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                Some(plain @ ('"' | '\\')) => text.push(plain),
                other => {
                    let other = other.map_or_else(String::new, String::from);
                    return Err(format!(
                        "`\\{other}` is not known: there are `\\n`, `\\t`, `\\r`, `\\\"`, `\\\\`"
                    ));
                }
            },
            plain => text.push(plain),
        }
    }
    Ok(text)
}
