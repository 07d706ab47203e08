//! Dotted field paths.

use regex::Regex;

use crate::fault::{Fault, Outcome, fail, quote};
use crate::fieldspec::split_path;
use crate::node::{Kind, Node};
use crate::read::parse;

/// Cuts a path at its dots, but for those in brackets.
pub(crate) fn split(path: &str) -> Vec<String> {
    let parts = split_path(path, '.');
    let mut result = Vec::new();
    let mut parts = parts.into_iter();
    while let Some(part) = parts.next() {
        if !part.starts_with('[') || part.ends_with(']') {
            result.push(part);
            continue;
        }
        let mut bracketed = part;
        for part in parts.by_ref() {
            bracketed.push('.');
            bracketed.push_str(&part);
            if part.ends_with(']') {
                break;
            }
        }
        if bracketed.contains('=') {
            result.push(bracketed);
        } else {
            result.push(bracketed.trim_matches(['[', ']']).to_owned());
        }
    }
    result
}

fn is_element(part: &str) -> bool {
    part.starts_with('[') && part.ends_with(']')
}

/// Returns the number that a part of a path is.
fn number(part: &str) -> Option<i64> {
    part.parse().ok()
}

fn is_index(part: &str) -> bool {
    number(part).is_some_and(|number| number >= 0)
}

/// Cuts `[name=value]`.
fn name_and_value(part: &str) -> Outcome<(&str, &str)> {
    let inner = part.strip_suffix(']').unwrap_or(part);
    let inner = inner.strip_prefix('[').unwrap_or(inner);
    inner.split_once('=').ok_or_else(|| {
        Fault::from("list path element must contain fieldName=fieldValue for element to match")
    })
}

/// Looks up the one node that a path leads to.
pub(crate) fn lookup<'n>(node: &'n Node, path: &[String]) -> Outcome<Option<&'n Node>> {
    let Some(places) = locate(node, path)? else { return Ok(None) };
    Ok(places.iter().try_fold(node, |node, place| match node {
        Node::Scalar(_) => None,
        Node::Sequence(items) => items.get(*place),
        Node::Mapping(entries) => entries.get(*place).map(|(_, value)| value),
    }))
}

/// Looks up the one node that a path leads to, to change it.
pub(crate) fn lookup_mut<'n>(node: &'n mut Node, path: &[String]) -> Outcome<Option<&'n mut Node>> {
    let Some(places) = locate(node, path)? else { return Ok(None) };
    Ok(places.iter().try_fold(node, |node, place| match node {
        Node::Scalar(_) => None,
        Node::Sequence(items) => items.get_mut(*place),
        Node::Mapping(entries) => entries.get_mut(*place).map(|(_, value)| value),
    }))
}

/// Returns the places in each collection on the way to the one node that a path leads to.
fn locate(node: &Node, path: &[String]) -> Outcome<Option<Vec<usize>>> {
    let mut node = node;
    let mut places = Vec::new();
    for part in path.iter().map(|part| part.trim()).filter(|part| !part.is_empty()) {
        let place = match number(part) {
            Some(index) if index < 0 => {
                return fail(format!("array index {index} cannot be negative"));
            }
            Some(index) => {
                node.expect(Kind::Sequence)?;
                usize::try_from(index).ok()
            }
            None if part == "-" => {
                node.expect(Kind::Sequence)?;
                node.items().len().checked_sub(1)
            }
            None if part == "*" => return fail("wildcard is not supported in PathGetter"),
            None if is_element(part) => {
                let (name, value) = name_and_value(part)?;
                node.expect(Kind::Sequence)?;
                node.items().iter().position(|item| {
                    if name.is_empty() {
                        item.text() == value
                    } else {
                        item.get(name).is_some_and(|found| found.text() == value)
                    }
                })
            }
            None => {
                node.expect(Kind::Mapping)?;
                node.entries().iter().position(|(key, _)| key == part)
            }
        };
        let next = place.and_then(|place| match node {
            Node::Scalar(_) => None,
            Node::Sequence(items) => items.get(place),
            Node::Mapping(entries) => entries.get(place).map(|(_, value)| value),
        });
        let (Some(place), Some(next)) = (place, next) else { return Ok(None) };
        places.push(place);
        node = next;
    }
    Ok(Some(places))
}

/// Returns the type of a node to create, by the next part of the path.
fn kind_for(next: Option<&String>, last: Kind) -> Kind {
    match next {
        None => last,
        Some(next) if is_element(next) || is_index(next) => Kind::Sequence,
        Some(next) if next.is_empty() => last,
        Some(_) => Kind::Mapping,
    }
}

/// Function called for each node of a path.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(&mut Node) -> Outcome<()>;

/// Visits every node that a path leads to and says how many they were; `create` is what a missing one is made
/// as.
pub(crate) fn visit(
    node: &mut Node,
    path: &[String],
    create: Option<Kind>,
    found: Visit<'_>,
) -> Outcome<usize> {
    let Some((part, rest)) = path.split_first() else {
        found(node)?;
        return Ok(1);
    };
    if is_index(part) {
        return visit_index(node, part, rest, create, found);
    }
    if is_element(part) {
        return visit_matching(node, part, rest, create, found);
    }
    if part == "*" {
        node.expect(Kind::Sequence)?;
        let Node::Sequence(items) = node else { return Ok(0) };
        let mut count = 0;
        for item in items {
            count += visit(item, rest, create, found)?;
        }
        return Ok(count);
    }
    visit_field(node, part, rest, create, found)
}

fn visit_index(
    node: &mut Node,
    part: &str,
    rest: &[String],
    create: Option<Kind>,
    found: Visit<'_>,
) -> Outcome<usize> {
    node.expect(Kind::Sequence)?;
    let index = number(part).and_then(|index| usize::try_from(index).ok()).unwrap_or(usize::MAX);
    let Node::Sequence(items) = node else {
        return fail(format!("index {index} specified but only 0 elements found"));
    };
    if let Some(last) = create
        && items.len() == index
    {
        items.push(kind_for(rest.first(), last).empty());
    }
    let length = items.len();
    match items.get_mut(index) {
        Some(item) => visit(item, rest, create, found),
        None => fail(format!("index {index} specified but only {length} elements found")),
    }
}

fn visit_matching(
    node: &mut Node,
    part: &str,
    rest: &[String],
    create: Option<Kind>,
    found: Visit<'_>,
) -> Outcome<usize> {
    let (name, value) = name_and_value(part)?;
    node.expect(Kind::Sequence)?;
    let pattern = Regex::new(value).map_err(|error| Fault(format!("error parsing regexp: {error}")))?;
    let Node::Sequence(items) = node else { return Ok(0) };
    let mut count = 0;
    let text = |node: &Node| match node {
        Node::Scalar(scalar) => scalar.text.trim().to_owned(),
        other => other.to_yaml_text().trim().to_owned(),
    };
    for item in items.iter_mut() {
        if name.is_empty() {
            if pattern.is_match(&text(item)) {
                found(item)?;
                count += 1;
            }
        } else if item.get(name).is_some_and(|value| pattern.is_match(&text(value))) {
            count += visit(item, rest, create, found)?;
        }
    }
    if count > 0 || create.is_none() {
        return Ok(count);
    }
    let mut item = if name.is_empty() {
        Node::unset(value)
    } else {
        Node::Mapping(vec![(name.to_owned(), Node::unset(value))])
    };
    if !pattern.is_match(value) {
        // kustomize looks for what it made, and would do so for ever.
        return fail(format!("failed to create element for {}", quote(part)));
    }
    let count = if name.is_empty() {
        found(&mut item)?;
        1
    } else {
        visit(&mut item, rest, create, found)?
    };
    items.push(item);
    Ok(count)
}

fn visit_field(
    node: &mut Node,
    part: &str,
    rest: &[String],
    create: Option<Kind>,
    found: Visit<'_>,
) -> Outcome<usize> {
    if node.is_null() && create.is_none() {
        return Ok(0);
    }
    node.expect(Kind::Mapping)?;
    let field = match create {
        None => node.get_mut(part),
        Some(last) => node.get_or_create(part, kind_for(rest.first(), last))?,
    };
    let Some(field) = field else { return Ok(0) };
    if !rest.is_empty()
        && let Node::Scalar(scalar) = &*field
    {
        // What is in a document within a text is looked at, but stays as it is.
        return match parse(scalar.text.as_bytes())? {
            Some(mut inner) => visit(&mut inner, rest, create, found),
            None => Ok(0),
        };
    }
    visit(field, rest, create, found)
}
