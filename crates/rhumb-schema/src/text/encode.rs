//! Any value as JSON text: compact, with the fields in the order of their tables and the keys of maps sorted.

use serde_json::Value as Json;

use super::write::{write_f64, write_i64, write_str};
use super::write_base64;
use crate::shape::Omit;
use crate::value::{Struct, Value, View};

/// Appends a value as compact JSON text, exactly as Kubernetes writes it.
pub fn encode(value: &dyn Value, out: &mut Vec<u8>) {
    write_view(value.view(), out);
}

fn write_view(view: View<'_>, out: &mut Vec<u8>) {
    match view {
        View::Null => out.extend_from_slice(b"null"),
        View::Bool(true) => out.extend_from_slice(b"true"),
        View::Bool(false) => out.extend_from_slice(b"false"),
        View::Int32(value) => write_i64(i64::from(value), out),
        View::Int64(value) => write_i64(value, out),
        View::Double(value) => write_f64(value, out),
        View::Str(value) => write_str(value, out),
        View::Bytes(value) => {
            out.push(b'"');
            write_base64(value, out);
            out.push(b'"');
        }
        View::Struct(value) if value.desc().transparent => write_view(value.field(0).view(), out),
        View::Struct(value) => {
            out.push(b'{');
            write_fields(value, out);
            out.push(b'}');
        }
        View::List(list) => {
            out.push(b'[');
            for index in 0..list.len() {
                separate(out);
                if let Some(element) = list.get(index) {
                    write_view(element.view(), out);
                }
            }
            out.push(b']');
        }
        View::Map(map) => {
            out.push(b'{');
            for (key, value) in map.entries() {
                separate(out);
                write_str(key, out);
                out.push(b':');
                write_view(value.view(), out);
            }
            out.push(b'}');
        }
        View::Leaf(leaf) => leaf.write_json(out),
        View::Json(tree) => write_tree(tree, out),
    }
}

/// A comma, except where something was just opened. No value ends in an opening bracket, so the last byte tells.
#[inline]
fn separate(out: &mut Vec<u8>) {
    if !matches!(out.last(), Some(b'{' | b'[')) {
        out.push(b',');
    }
}

fn write_fields(value: &dyn Struct, out: &mut Vec<u8>) {
    for (position, desc) in value.desc().fields.iter().enumerate() {
        let view = value.field(position).view();
        if desc.inline {
            if let View::Struct(inner) = view {
                write_fields(inner, out);
            }
            continue;
        }
        match desc.omit {
            Omit::Absent if matches!(view, View::Null) => continue,
            Omit::Empty if view.is_empty() => continue,
            _ => {}
        }
        separate(out);
        out.extend_from_slice(desc.json_key.as_bytes());
        if desc.omit == Omit::Never && view.is_nil() {
            out.extend_from_slice(b"null");
        } else {
            write_view(view, out);
        }
    }
}

fn write_tree(tree: &Json, out: &mut Vec<u8>) {
    match tree {
        Json::Null => out.extend_from_slice(b"null"),
        Json::Bool(value) => write_view(View::Bool(*value), out),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(value), _) => write_i64(value, out),
            (None, Some(value)) => out.extend_from_slice(value.to_string().as_bytes()),
            (None, None) => write_f64(number.as_f64().unwrap_or_default(), out),
        },
        Json::String(value) => write_str(value, out),
        Json::Array(items) => {
            out.push(b'[');
            for item in items {
                separate(out);
                write_tree(item, out);
            }
            out.push(b']');
        }
        Json::Object(map) => {
            out.push(b'{');
            for (key, value) in map {
                separate(out);
                write_str(key, out);
                out.push(b':');
                write_tree(value, out);
            }
            out.push(b'}');
        }
    }
}
