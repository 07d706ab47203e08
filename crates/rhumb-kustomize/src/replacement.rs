//! Replacements: copy a value of one object to fields of others.

use serde_json::Value;

use crate::decode::{Strictness, decode};
use crate::fault::{Fault, Outcome, fail, quote};
use crate::files::Loader;
use crate::kustomization::{FieldOptions, Replacement, ReplacementField, Source, Target, yaml_to_json};
use crate::node::{Kind, Node};
use crate::path::{lookup, lookup_mut, split, visit};
use crate::read::parse;
use crate::resource::{Matcher, Resource, Resources, Selector, fits_selector};

/// Default field.
const DEFAULT_FIELD: &str = "metadata.name";

/// Collects the replacements of a kustomization, those in files too.
pub(crate) fn configure(fields: &[ReplacementField], loader: &Loader<'_>) -> Outcome<Vec<Replacement>> {
    let mut replacements = Vec::new();
    for field in fields {
        if field.path.is_empty() {
            replacements.push(field.replacement.clone());
            continue;
        }
        let has_targets = field.replacement.targets.as_ref().is_some_and(|targets| !targets.is_empty());
        if field.replacement.source.is_some() || has_targets {
            return fail("cannot specify both path and inline replacement");
        }
        let json = yaml_to_json(&loader.load(&field.path)?)
            .map_err(|error| error.under("error converting YAML to JSON"))?;
        let read = |value: &Value| {
            decode::<Replacement>(value, Strictness::Lenient)
                .map_err(|problem| Fault(format!("error unmarshaling JSON: while decoding JSON: {problem}")))
        };
        match &json {
            Value::Array(items) => {
                for item in items {
                    replacements.push(read(item)?);
                }
            }
            Value::Object(_) => replacements.push(read(&json)?),
            other => {
                let kind = match other {
                    Value::Null => "invalid",
                    Value::Bool(_) => "bool",
                    Value::Number(_) => "float64",
                    _ => "string",
                };
                return fail(format!(
                    "unsupported replacement type encountered within replacement path: {kind}"
                ));
            }
        }
    }
    Ok(replacements)
}

/// Applies replacements in their order.
pub(crate) fn apply(resources: &mut Resources, replacements: &[Replacement]) -> Outcome<()> {
    for replacement in replacements {
        let has_source = replacement.source.is_some() || replacement.source_value.is_some();
        let Some(targets) = replacement.targets.as_ref().filter(|_| has_source) else {
            return fail("replacements must specify a source and at least one target");
        };
        let value = value_of(resources, replacement)?;
        for target in targets {
            copy_to(resources, &value, target)?;
        }
    }
    Ok(())
}

fn value_of(resources: &Resources, replacement: &Replacement) -> Outcome<Node> {
    match (&replacement.source_value, &replacement.source) {
        (Some(_), Some(_)) => fail("value and resource selectors are mutually exclusive"),
        (Some(value), None) => Ok(Node::unset(value.as_str())),
        (None, Some(source)) => source_value(resources, source),
        (None, None) => fail("replacements must specify a source and at least one target"),
    }
}

fn source_value(resources: &Resources, source: &Source) -> Outcome<Node> {
    let resource = source_object(resources, source)?;
    let field_path = if source.field_path.is_empty() { DEFAULT_FIELD } else { &source.field_path };
    let found = lookup(resource.node(), &split(field_path))
        .map_err(|error| error.under("error looking up replacement source"))?;
    let Some(node) = found.filter(|node| !node.is_null_or_empty()) else {
        return fail(format!("fieldPath `{field_path}` is missing for replacement source {}", source.id));
    };
    refine(source.options.as_ref(), node)
}

fn source_object<'r>(resources: &'r Resources, source: &Source) -> Outcome<&'r Resource> {
    let mut found = None;
    for resource in &resources.list {
        if resource.all_ids().iter().any(|id| id.is_selected_by(&source.id))
            && found.replace(resource).is_some()
        {
            return fail(format!("multiple matches for selector {}", shown(source)));
        }
    }
    found.ok_or_else(|| Fault(format!("nothing selected by {}", shown(source))))
}

fn shown(source: &Source) -> String {
    let mut parts = vec![source.id.to_string()];
    if !source.field_path.is_empty() {
        parts.push(source.field_path.clone());
    }
    if let Some(options) =
        source.options.as_ref().filter(|options| !options.delimiter.is_empty() || options.create)
    {
        parts.push(format!("{}({}), create={}", options.delimiter, options.index, options.create));
    }
    parts.join(":")
}

/// Returns the part of a value that the options ask for.
fn refine(options: Option<&FieldOptions>, node: &Node) -> Outcome<Node> {
    let Some(options) = options.filter(|options| !options.delimiter.is_empty()) else {
        return Ok(node.clone());
    };
    let Node::Scalar(scalar) = node else {
        return fail("delimiter option can only be used with scalar nodes");
    };
    let text = node.value_text();
    let part = usize::try_from(options.index).ok().and_then(|at| text.split(&options.delimiter).nth(at));
    let Some(part) = part else {
        return fail(format!("options.index {} is out of bounds for value {text}", options.index));
    };
    let mut scalar = scalar.clone();
    part.clone_into(&mut scalar.text);
    Ok(Node::Scalar(scalar))
}

fn copy_to(resources: &mut Resources, value: &Node, target: &Target) -> Outcome<()> {
    let Some(select) = &target.select else { return fail("target must specify resources to select") };
    let matcher = |selector: &Selector| {
        Matcher::new(selector).map_err(|error| error.under("error creating target selector"))
    };
    let chosen = matcher(select)?;
    let rejected: Vec<(&Selector, Matcher)> =
        target.reject.iter().map(|selector| Ok((selector, matcher(selector)?))).collect::<Outcome<_>>()?;
    for resource in &mut resources.list {
        if !fits_texts(resource, select)? {
            continue;
        }
        let mut is_rejected = false;
        for (selector, _) in &rejected {
            let says_nothing = selector.annotations.is_empty() && selector.labels.is_empty();
            is_rejected |= !says_nothing && fits_texts(resource, selector)?;
        }
        let ids = resource.all_ids();
        let fits = |matcher: &Matcher| {
            ids.iter().any(|id| {
                matcher.fits_kind(&id.gvk)
                    && matcher.fits_name(&id.name)
                    && matcher.fits_namespace(&id.namespace)
            })
        };
        is_rejected |= rejected.iter().any(|(selector, matcher)| !selector.id.is_empty() && fits(matcher));
        if !is_rejected && fits(&chosen) {
            resource.edit(|node| copy_into(node, value, target))?;
        }
    }
    Ok(())
}

fn fits_texts(resource: &Resource, selector: &Selector) -> Outcome<bool> {
    Ok(fits_selector(&selector.annotations, &resource.node().annotations())?
        && fits_selector(&selector.labels, &resource.node().labels())?)
}

fn copy_into(node: &mut Node, value: &Node, target: &Target) -> Outcome<()> {
    let options = target.options.as_ref();
    let create = options.filter(|options| options.create).map(|_| value.kind_of_node());
    let default = [DEFAULT_FIELD.to_owned()];
    let paths = if target.field_paths.is_empty() { &default[..] } else { &target.field_paths[..] };
    for path in paths {
        let parts = split(path);
        if set_within_text(node, value, &parts, create).is_ok() {
            continue;
        }
        let missing = || {
            let verb = if create.is_some() { "find or create" } else { "find" };
            format!("unable to {verb} field {} in replacement target", quote(path))
        };
        let mut wrong = None;
        let count = visit(node, &parts, create, &mut |field| {
            set(options, field, value).inspect_err(|error| wrong = Some(error.clone()))
        });
        match (count, wrong) {
            (_, Some(error)) => return Err(error),
            (Err(error), None) => return Err(error.under(missing())),
            (Ok(0), None) => return fail(missing()),
            (Ok(_), None) => {}
        }
    }
    Ok(())
}

fn set(options: Option<&FieldOptions>, field: &mut Node, value: &Node) -> Outcome<()> {
    let mut value = value.clone();
    if let Some(options) = options.filter(|options| !options.delimiter.is_empty()) {
        if field.kind_of_node() != Kind::Scalar {
            return fail("delimiter option can only be used with scalar nodes");
        }
        let text = value.value_text().to_owned();
        let mut parts: Vec<&str> = field.text().split(&options.delimiter).collect();
        match usize::try_from(options.index) {
            Err(_) => parts.insert(0, &text),
            Ok(at) => match parts.get_mut(at) {
                Some(part) => *part = &text,
                None => parts.push(&text),
            },
        }
        let joined = parts.join(&options.delimiter);
        if let Node::Scalar(scalar) = &mut value {
            scalar.text = joined;
        }
    }
    put(field, value);
    Ok(())
}

/// Only the text of a scalar changes; anything else is replaced.
fn put(field: &mut Node, value: Node) {
    match field {
        Node::Scalar(scalar) => value.text().clone_into(&mut scalar.text),
        other => *other = value,
    }
}

/// Sets a field of a document that stands as text in a field.
fn set_within_text(node: &mut Node, value: &Node, path: &[String], create: Option<Kind>) -> Outcome<()> {
    for end in 1..path.len() {
        let (outer, inner) = path.split_at(end);
        let text = match lookup(node, outer) {
            Ok(Some(Node::Scalar(scalar))) => scalar.text.clone(),
            _ => continue,
        };
        let Ok(document) = parse(text.as_bytes()) else { continue };
        let Some(mut document) = document else { return fail("no structured data found in path") };
        let count = visit(&mut document, inner, create, &mut |field| {
            put(field, value.clone());
            Ok(())
        })?;
        if count == 0 {
            return fail("unable to find field in structured data");
        }
        let new = written(&document, &text)?;
        if let Some(field) = lookup_mut(node, outer)? {
            put(field, Node::unset(new));
        }
        return Ok(());
    }
    fail("no structured data found in path")
}

/// Writes a document in the manner of the text that it was read from.
fn written(document: &Node, original: &str) -> Outcome<String> {
    let json = document.to_json()?;
    if original.trim_start().starts_with(['{', '[']) {
        let text = if original.contains('\n') && original.contains("  ") {
            serde_json::to_string_pretty(&json)
        } else {
            serde_json::to_string(&json)
        };
        return text.map_err(|error| Fault(error.to_string()));
    }
    Ok(crate::text::write(document).trim().to_owned())
}
