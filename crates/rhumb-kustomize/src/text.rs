//! YAML output that keeps key order and quotes, for nested documents.

use serde_json::Value;

use crate::node::{Node, yaml_text};
use crate::scalar::Scalar;

/// Writes a tree.
pub(crate) fn write(node: &Node) -> String {
    let mut out = String::new();
    write_node(node, 0, &mut out);
    out
}

fn write_node(node: &Node, indent: usize, out: &mut String) {
    match node {
        Node::Scalar(scalar) => {
            out.push_str(&scalar_text(scalar, indent));
            out.push('\n');
        }
        Node::Sequence(items) if items.is_empty() => out.push_str("[]\n"),
        Node::Mapping(entries) if entries.is_empty() => out.push_str("{}\n"),
        Node::Sequence(items) => {
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    pad(indent, out);
                }
                out.push_str("- ");
                write_node(item, indent + 2, out);
            }
        }
        Node::Mapping(entries) => {
            for (at, (key, value)) in entries.iter().enumerate() {
                if at > 0 {
                    pad(indent, out);
                }
                out.push_str(yaml_text(&Value::String(key.clone())).trim_end());
                out.push(':');
                match value {
                    Node::Mapping(inner) if !inner.is_empty() => {
                        out.push('\n');
                        pad(indent + 2, out);
                        write_node(value, indent + 2, out);
                    }
                    Node::Sequence(inner) if !inner.is_empty() => {
                        out.push('\n');
                        pad(indent, out);
                        write_node(value, indent, out);
                    }
                    _ => {
                        out.push(' ');
                        write_node(value, indent + 2, out);
                    }
                }
            }
        }
    }
}

fn pad(indent: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', indent));
}

fn scalar_text(scalar: &Scalar, indent: usize) -> String {
    if scalar.quoted && !scalar.text.contains('\n') {
        return crate::fault::quote(&scalar.text);
    }
    let text = match scalar.meaning() {
        Ok(value @ Value::String(_)) => yaml_text(&value),
        _ => scalar.text.clone(),
    };
    // The lines of a block stand deeper than what they belong to.
    let mut lines = text.trim_end_matches('\n').lines();
    let mut out = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        out.push('\n');
        if !line.is_empty() {
            pad(indent, &mut out);
            out.push_str(line.strip_prefix("  ").unwrap_or(line));
        }
    }
    out
}
