//! `rhumb scheme show`: prints the fields of a kind.

use anyhow::{Result, bail};
use rhumb_meta::GroupVersion;
use rhumb_schema::{FieldDesc, ListType, Shape, StructDesc};
use rhumb_scheme::{ConversionKind, KnownType, Scheme};

use super::{compare, table};

/// Describes a kind and the structs below it, each struct once.
pub(super) fn kind(scheme: &Scheme, version: &str, kind: &str) -> Result<String> {
    let Ok(gv) = GroupVersion::parse(&version.to_lowercase()) else {
        bail!("{version:?} is not a version; expected GROUP/VERSION, such as apps/v1");
    };
    let Some(known) = find(scheme, &gv, kind) else {
        let kinds: Vec<String> =
            scheme.known_types(&gv).iter().map(|known| known.gvk.kind.to_string()).collect();
        if kinds.is_empty() {
            let versions: Vec<String> =
                scheme.prioritized_versions_all_groups().iter().map(ToString::to_string).collect();
            bail!("unknown version {version:?}. Known are: {}", versions.join(", "));
        }
        bail!("no kind {kind:?} in {version}. Known are: {}", kinds.join(", "));
    };
    let gvk = known.gvk;
    let mut out = format!("{gvk}\n");
    if !known.desc.doc.is_empty() {
        out.push_str(&format!("{}\n", known.desc.doc));
    }
    out.push_str(&format!("type: {}\n", known.rust_name));
    out.push_str(match scheme.conversion_kind(gvk) {
        ConversionKind::SameType => "hub:  the same type, conversion is free\n",
        ConversionKind::Function => "hub:  through a conversion function\n",
        ConversionKind::None => "hub:  none\n",
    });
    let others: Vec<String> = scheme
        .prioritized_versions(&gv.group)
        .iter()
        .filter(|other| **other != gv && scheme.recognizes(&other.with_kind(gvk.kind.clone())))
        .map(|other| other.version.to_string())
        .collect();
    if !others.is_empty() {
        out.push_str(&format!("also: {}\n", others.join(", ")));
    }
    for (title, lines) in [
        ("Different from the hub", compare::with_hub(scheme, gvk)),
        ("Filled into an empty object", compare::defaults(scheme, gvk)),
    ] {
        if !lines.is_empty() {
            out.push_str(&format!("\n{title}\n  {}\n", lines.join("\n  ")));
        }
    }
    let mut shown: Vec<*const StructDesc> = Vec::new();
    let mut queue = vec![known.desc];
    let mut at = 0;
    while let Some(desc) = queue.get(at).copied() {
        at += 1;
        if shown.iter().any(|other| std::ptr::eq(*other, desc)) {
            continue;
        }
        shown.push(desc);
        out.push_str(&structure(desc, known.desc.retired));
        queue.extend(desc.fields.iter().filter_map(|field| field.shape.element_struct()));
    }
    Ok(out)
}

/// Finds a kind of a version; an exact match goes before one that ignores case.
fn find<'a>(scheme: &'a Scheme, gv: &GroupVersion, kind: &str) -> Option<KnownType<'a>> {
    let all = scheme.known_types(gv);
    let exact = all.iter().find(|known| known.gvk.kind == kind);
    exact.or_else(|| all.iter().find(|known| known.gvk.kind.eq_ignore_ascii_case(kind))).copied()
}

fn structure(desc: &StructDesc, retired: bool) -> String {
    let mut rows = vec![["FIELD", "NUMBER", "TYPE", "NOTES"].map(str::to_owned).to_vec()];
    for field in desc.fields.iter().filter(|field| field.exists(retired)) {
        let name = if field.inline { format!("({})", field.name) } else { field.json.to_owned() };
        let number = if field.number == 0 { "-".to_owned() } else { field.number.to_string() };
        rows.push(vec![name, number, shape(&field.shape), notes(field)]);
    }
    format!("\n{}\n{}", desc.name, table(&rows))
}

fn shape(shape: &Shape) -> String {
    match shape {
        Shape::Option(inner) => format!("{}?", self::shape(inner)),
        Shape::List(inner) => format!("[]{}", self::shape(inner)),
        Shape::Map(inner) => format!("map[string]{}", self::shape(inner)),
        Shape::Struct(desc) => desc().name.to_owned(),
        Shape::Leaf(desc) => desc.go_type.rsplit('.').next().unwrap_or(desc.go_type).to_owned(),
        Shape::Bytes => "bytes".to_owned(),
        other => other.go_type(),
    }
}

fn notes(field: &FieldDesc) -> String {
    let mut notes: Vec<String> = Vec::new();
    if field.inline {
        notes.push("inlined".into());
    }
    if field.presence.is_required() {
        notes.push("required".into());
    }
    if let Some(default) = field.default {
        notes.push(format!("default {default}"));
    }
    if !field.values.is_empty() {
        notes.push(format!("one of {}", field.values.join("|")));
    }
    match field.list_type {
        ListType::Unspecified => {}
        ListType::Atomic => notes.push("atomic list".into()),
        ListType::Set => notes.push("set".into()),
        ListType::Map(keys) => notes.push(format!("list by {}", keys.join("+"))),
    }
    if field.atomic {
        notes.push("atomic".into());
    }
    if !field.patch_strategy.is_empty() {
        let key = if field.patch_merge_key.is_empty() {
            String::new()
        } else {
            format!(" by {}", field.patch_merge_key)
        };
        notes.push(format!("patch {}{key}", field.patch_strategy));
    }
    notes.join("; ")
}
