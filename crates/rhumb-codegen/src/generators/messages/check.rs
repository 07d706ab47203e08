//! Consistency of catalogues: the same messages with the same placeholders and all plural forms.

use super::BASE;
use super::catalogue::{Catalogue, Message};
use super::placeholders::{self, COUNT};
use crate::problem::{Outcome, Problem, Problems, shown};

/// Checks all languages against the first, and gives what they lack.
///
/// # Errors
/// What no program could show: placeholders that differ, messages that the base doesn't have.
pub(super) fn check(catalogues: &[Catalogue]) -> Outcome<Problems> {
    let mut problems = Problems::default();
    let mut missing = Problems::default();
    let Some((base, others)) = catalogues.split_first() else { return Ok(missing) };
    for catalogue in catalogues {
        for (id, message) in &catalogue.messages {
            let wanted = if message.is_plural { catalogue.rule.forms } else { 1 };
            if message.texts.len() != wanted {
                let (has, code) = (message.texts.len(), &catalogue.code);
                let what = format!("{id:?} has {has} plural forms, but {code} has {wanted}");
                problems.push(Problem::at(&message.place, what));
            }
            match base.messages.get(id) {
                Some(original) => compare(id, original, message, &mut problems),
                None => problems.push(Problem::at(
                    &message.place,
                    format!(
                        "{id:?} is no message of {}: remove it, or add it there",
                        shown(&base.file).display()
                    ),
                )),
            }
        }
    }
    for other in others {
        let lacks: Vec<&str> =
            base.messages.keys().filter(|id| !other.messages.contains_key(*id)).map(String::as_str).collect();
        if !lacks.is_empty() {
            let (count, all) = (lacks.len(), base.messages.len());
            let what = format!("{count} of {all} messages are not translated: {}", lacks.join(", "));
            missing.push(Problem::file(&shown(&other.file), what));
        }
    }
    problems.or(missing)
}

fn compare(id: &str, original: &Message, message: &Message, problems: &mut Problems) {
    if original.is_plural != message.is_plural {
        let what = match original.is_plural {
            true => format!("{id:?} has plural forms in {BASE}, and needs them here too"),
            false => format!("{id:?} has no plural forms in {BASE}, and can have none here"),
        };
        problems.push(Problem::at(&message.place, what));
        return;
    }
    // The last form is the one for most numbers, so it is the one with everything in it.
    let wanted = original.texts.last().map(|text| placeholders::of(text)).unwrap_or_default();
    for text in &message.texts {
        let found = placeholders::of(text);
        let lacks = wanted.iter().filter(|(name, count)| {
            // A form for one number can spell it out.
            let may_lack = message.is_plural && is_count(name);
            found.get(*name) != Some(count) && !may_lack
        });
        for (name, _) in lacks {
            let what = format!("{id:?}: {text:?} must have the placeholder {name} as often as {BASE} has it");
            problems.push(Problem::at(&message.place, what));
        }
        for name in found.keys().filter(|name| !wanted.contains_key(*name)) {
            let what = format!("{id:?}: {text:?} has the placeholder {name}, which {BASE} doesn't have");
            problems.push(Problem::at(&message.place, what));
        }
    }
}

fn is_count(name: &str) -> bool {
    name.trim_start_matches('{').trim_end_matches('}') == COUNT || name == "%d"
}
