//! Objects as Kubernetes' own code holds them, which shows in errors that print a part of one.
//!
//! Inside, the types have no JSON names: a struct prints with the names of its Go fields, every field of it, in the
//! order of Kubernetes' internal types. Types of `meta/v1` are the same inside and outside and keep their names.

mod names;
mod unified_diff;

use rhumb_schema::text::{encode, indent, write_str};
use rhumb_schema::{Struct, Value, View};
use rhumb_scheme::validation::Shown;

/// A value as its internal form prints, for an error.
pub fn shown(value: &dyn Value) -> Shown {
    let mut out = Vec::new();
    write(value, &mut out);
    Shown(String::from_utf8_lossy(&out).into_owned())
}

/// How one value differs from another: both printed over many lines, and these compared.
pub fn difference(old: &dyn Value, new: &dyn Value) -> String {
    unified_diff::unified_diff(&lines(old), &lines(new))
}

/// The value with one space of indentation a level.
fn lines(value: &dyn Value) -> String {
    let mut text = Vec::new();
    indent(shown(value).0.as_bytes(), &mut text);
    let text = String::from_utf8_lossy(&text);
    let narrow = text.lines().map(|line| {
        let wide = line.len() - line.trim_start_matches(' ').len();
        line.get(wide / 2..).unwrap_or(line)
    });
    narrow.collect::<Vec<_>>().join("\n")
}

fn write(value: &dyn Value, out: &mut Vec<u8>) {
    let view = value.view();
    if matches!(view, View::Null) || view.is_nil() {
        out.extend_from_slice(b"null");
        return;
    }
    match view {
        View::Struct(value) if value.desc().transparent => write(value.field(0), out),
        View::Struct(value) => {
            out.push(b'{');
            fields(value, out);
            out.push(b'}');
        }
        View::List(list) => {
            out.push(b'[');
            for (index, element) in (0..list.len()).filter_map(|at| list.get(at)).enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write(element, out);
            }
            out.push(b']');
        }
        View::Map(map) => {
            out.push(b'{');
            for (index, (key, value)) in map.entries().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_str(key, out);
                out.push(b':');
                write(value, out);
            }
            out.push(b'}');
        }
        _ => encode(value, out),
    }
}

/// The fields of a struct, without the braces around them.
fn fields(value: &dyn Struct, out: &mut Vec<u8>) {
    let desc = value.desc();
    if !desc.module.starts_with("rhumb_api") {
        let mut text = Vec::new();
        encode(value, &mut text);
        out.extend_from_slice(text.get(1..text.len().saturating_sub(1)).unwrap_or_default());
        return;
    }
    for (position, field) in names::order(desc) {
        let inner = value.field(position);
        // Metadata has no name of its own inside either.
        let embedded = field.inline || field.name == "metadata";
        let mut text = Vec::new();
        match inner.view() {
            View::Struct(inner) if embedded => fields(inner, &mut text),
            _ => {
                write_str(&names::name(desc.name, field.name), &mut text);
                text.push(b':');
                write(inner, &mut text);
            }
        }
        if !text.is_empty() {
            if !matches!(out.last(), None | Some(b'{')) {
                out.push(b',');
            }
            out.append(&mut text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rhumb_api::core::v1::{HostPathVolumeSource, PersistentVolumeSource, ServicePort};

    #[test]
    fn every_field_is_shown_under_its_go_name() {
        let port = ServicePort { protocol: "TCP".into(), port: 80, ..ServicePort::default() };
        let text = r#"{"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}"#;
        assert_eq!(shown(&port).0, text);
    }

    #[test]
    fn differences_show_three_lines_around_them() {
        let of = |path: &str| PersistentVolumeSource {
            host_path: Some(Box::new(HostPathVolumeSource { path: path.into(), type_: None })),
            ..PersistentVolumeSource::default()
        };
        let text = concat!(
            "@@ -2,7 +2,7 @@\n \"GCEPersistentDisk\": null,\n  \"AWSElasticBlockStore\": null,\n  \"HostPath\": {\n",
            "-  \"Path\": \"/a\",\n+  \"Path\": \"/b\",\n   \"Type\": null\n  },\n  \"Glusterfs\": null,\n"
        );
        assert_eq!(difference(&of("/a"), &of("/b")).replacen("@@\n  ", "@@\n ", 1), text);
        assert_eq!(difference(&of("/a"), &of("/a")), "");
    }
}
