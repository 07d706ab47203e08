//! Variables: `$(NAME)` in strings, with values from fields of objects.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::fault::{Outcome, fail};
use crate::fieldspec::FieldSpec;
use crate::kustomization::Var;
use crate::node::Node;
use crate::path::{lookup, split};
use crate::resource::Resources;
use crate::scalar::{Scalar, Tag};

/// Notes at the objects which variables they give values to.
pub(crate) fn mark(resources: &mut Resources, vars: &[Var]) -> Outcome<()> {
    for var in vars {
        // What a variable names has no kind that could be looked up for its scope.
        let found = if var.id.namespace.is_empty() {
            resources.known_by(|id| var.id.same_kind_and_name(id))
        } else {
            resources.known_by(|id| var.id.equals(id))
        };
        match found.as_slice() {
            [] => {}
            [at] => {
                if let Some(resource) = resources.list.get_mut(*at) {
                    resource.variables.push(var.name.clone());
                }
            }
            found => {
                return fail(format!(
                    "found {} resId matches for var {var} (unable to disambiguate)",
                    found.len()
                ));
            }
        }
    }
    Ok(())
}

/// Adds variables to those known, each of them once.
pub(crate) fn add(known: &mut BTreeMap<String, Var>, vars: impl IntoIterator<Item = Var>) -> Outcome<()> {
    for var in vars {
        if known.contains_key(&var.name) {
            return fail(format!("var '{}' already encountered", var.name));
        }
        known.insert(var.name.clone(), var);
    }
    Ok(())
}

/// Returns a variable's value: one that can stand in a text, or `None` for a collection.
fn value_of(resources: &Resources, var: &Var) -> Outcome<Option<Scalar>> {
    for resource in &resources.list {
        if !resource.variables.contains(&var.name) {
            continue;
        }
        let path: Vec<String> = split(&var.field_path).iter().flat_map(|part| indexed(part)).collect();
        return match lookup(resource.node(), &path) {
            Ok(Some(Node::Scalar(scalar))) => Ok(Some(scalar.clone())),
            Ok(Some(_)) => Ok(None),
            _ => fail(format!("field specified in var '{var}' not found in corresponding resource")),
        };
    }
    fail(format!("var '{var}' cannot be mapped to a field in the set of known resources"))
}

/// Cuts `name[3]` into the name and the number.
fn indexed(part: &str) -> Vec<String> {
    let cut = part.strip_suffix(']').and_then(|inner| inner.rsplit_once('['));
    match cut {
        Some((name, index)) if !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit()) => {
            let mut parts = vec![index.to_owned()];
            if !name.is_empty() {
                parts.insert(0, name.to_owned());
            }
            parts
        }
        _ => vec![part.to_owned()],
    }
}

/// Puts values in the place of variables; gives the names of those that nothing uses.
pub(crate) fn resolve(
    resources: &mut Resources,
    vars: &BTreeMap<String, Var>,
    fields: &[FieldSpec],
) -> Outcome<Vec<String>> {
    let mut values = BTreeMap::new();
    for (name, var) in vars {
        values.insert(name.clone(), value_of(resources, var)?);
    }
    if values.is_empty() {
        return Ok(Vec::new());
    }
    let mut replacer = Replacer { values, used: BTreeSet::new() };
    for resource in &mut resources.list {
        for field in fields {
            resource.edit(|node| field.apply(node, None, &mut |value| replacer.visit(value)))?;
        }
    }
    let unused = replacer.values.keys().filter(|name| !replacer.used.contains(*name));
    Ok(unused.cloned().collect())
}

struct Replacer {
    values: BTreeMap<String, Option<Scalar>>,
    used: BTreeSet<String>,
}

impl Replacer {
    fn visit(&mut self, node: &mut Node) -> Outcome<()> {
        match node {
            Node::Scalar(scalar) => {
                if !scalar.is_null() && scalar.is_string() {
                    self.replace(scalar);
                }
                Ok(())
            }
            Node::Mapping(entries) => {
                for (_, value) in entries {
                    if let Node::Scalar(scalar) = value
                        && scalar.is_string()
                    {
                        self.replace(scalar);
                    }
                }
                Ok(())
            }
            Node::Sequence(items) => items.iter_mut().try_for_each(|item| match item {
                Node::Scalar(scalar) if scalar.is_string() => {
                    self.replace(scalar);
                    Ok(())
                }
                _ => fail("invalid value type expect a string"),
            }),
        }
    }

    /// Replaces the variables of one text. A text that is nothing but a variable takes over the value's type.
    fn replace(&mut self, scalar: &mut Scalar) {
        let input = std::mem::take(&mut scalar.text);
        let mut out = String::with_capacity(input.len());
        let mut rest = input.as_str();
        while let Some(at) = rest.find('$') {
            let (before, from) = rest.split_at(at);
            let after = from.get(1..).unwrap_or_default();
            if after.is_empty() {
                break;
            }
            out.push_str(before);
            rest = if let Some(tail) = after.strip_prefix('$') {
                out.push('$');
                tail
            } else if let Some((name, tail)) = after.strip_prefix('(').and_then(|inner| inner.split_once(')'))
            {
                let value = self.value(name);
                if tail.is_empty() && before.is_empty() && input.len() == name.len() + 3 {
                    *scalar = value;
                    return;
                }
                out.push_str(&value.text);
                tail
            } else {
                let end = after.chars().next().map_or(0, char::len_utf8);
                out.push('$');
                out.push_str(after.get(..end).unwrap_or_default());
                after.get(end..).unwrap_or_default()
            };
        }
        out.push_str(rest);
        *scalar = Scalar::string(out);
    }

    fn value(&mut self, name: &str) -> Scalar {
        match self.values.get(name) {
            Some(Some(value)) => {
                self.used.insert(name.to_owned());
                typed(value)
            }
            _ => Scalar::string(format!("$({name})")),
        }
    }
}

/// Returns a value as it is written into a text.
fn typed(value: &Scalar) -> Scalar {
    match (value.tag, value.meaning()) {
        (Tag::Int, Ok(Value::Number(_))) if value.text.parse::<i64>().is_ok() => {
            Scalar::of(value.text.clone(), Tag::Int)
        }
        (Tag::Float, Ok(Value::Number(number))) => {
            Scalar::of(number.as_f64().unwrap_or_default().to_string(), Tag::Float)
        }
        (Tag::Bool, Ok(Value::Bool(value))) => Scalar::of(value.to_string(), Tag::Bool),
        _ => Scalar::string(value.text.clone()),
    }
}
