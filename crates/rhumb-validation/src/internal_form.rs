//! Values in errors as Kubernetes' internal types print.
//!
//! The internal types have no JSON names, so a field is shown by its Go name, absent or not, and in the order of the
//! Go struct. The `internal_layouts.txt` of a group has a line for each of its structs that an error can show: the
//! names of its fields, `Go=json` where they differ in more than case, `@Struct` for one whose fields are taken in,
//! and `^Field` for one that our types have in the struct around it. Structs without a line are shown as in the API.

use rhumb_schema::{Struct, StructDesc, Value, View};
use rhumb_scheme::validation::{BadValue, Named};

/// The layouts of each group that has some. A struct is looked for in its own group only: flowcontrol and rbac both
/// have a `Subject`.
const LAYOUTS: &[(&str, &str)] = &[
    ("certificates", include_str!("certificates/internal_layouts.txt")),
    ("core", include_str!("core/internal_layouts.txt")),
    ("flowcontrol", include_str!("flowcontrol/internal_layouts.txt")),
    ("networking", include_str!("networking/internal_layouts.txt")),
    ("resource", include_str!("resource/internal_layouts.txt")),
    ("storage", include_str!("storage/internal_layouts.txt")),
    ("storagemigration", include_str!("storagemigration/internal_layouts.txt")),
];

/// Returns the value as JSON of its internal type, which is only written if an error shows it.
pub(crate) fn internal(value: &dyn Value) -> Internal<'_> {
    Internal(value)
}

/// A value that is shown as JSON of its internal type.
pub(crate) struct Internal<'a>(&'a dyn Value);

impl BadValue for Internal<'_> {
    fn shown(&self) -> String {
        let mut out = String::new();
        write(self.0, None, &mut out);
        out
    }
}

/// Returns the module of the struct's group.
fn group_of(desc: &StructDesc) -> Option<&'static str> {
    desc.module.strip_prefix("rhumb_api::")?.split("::").next()
}

/// Returns the words of a struct's line.
fn layout(desc: &StructDesc) -> Option<impl Iterator<Item = &'static str>> {
    let group = group_of(desc)?;
    let (_, layouts) = LAYOUTS.iter().find(|(owner, _)| *owner == group)?;
    let is_its = |line: &&str| line.strip_prefix(desc.name).is_some_and(|rest| rest.starts_with(':'));
    let mut lines = layouts.lines().skip_while(move |line| !is_its(line));
    let (_, first) = lines.next()?.split_once(':')?;
    // Lines that start with a space go on with the one before.
    let more = lines.take_while(|line| line.starts_with(' '));
    Some(std::iter::once(first).chain(more).flat_map(str::split_whitespace))
}

fn write(value: &dyn Value, around: Option<&dyn Struct>, out: &mut String) {
    match value.view() {
        View::Struct(inner) => match layout(inner.desc()) {
            Some(words) => {
                out.push('{');
                write_fields(inner, around, words, out);
                out.push('}');
            }
            None => out.push_str(&value.shown()),
        },
        View::List(list) if !list.is_empty() => {
            out.push('[');
            for index in 0..list.len() {
                separate(out);
                if let Some(element) = list.get(index) {
                    write(element, None, out);
                }
            }
            out.push(']');
        }
        View::List(_) => out.push_str("null"),
        View::Map(map) if map.is_empty() => out.push_str("null"),
        _ => out.push_str(&value.shown()),
    }
}

fn separate(out: &mut String) {
    if !out.ends_with(['{', '[']) {
        out.push(',');
    }
}

fn write_fields<'a>(
    value: &dyn Struct,
    around: Option<&dyn Struct>,
    words: impl Iterator<Item = &'a str>,
    out: &mut String,
) {
    for word in words {
        if let Some(name) = word.strip_prefix('@') {
            write_taken_in(value, name, out);
            continue;
        }
        let (owner, word) = match word.strip_prefix('^') {
            Some(word) => (around, word),
            None => (Some(value), word),
        };
        let (name, json) = word.split_once('=').unwrap_or((word, word));
        separate(out);
        out.push_str(&Named(name).shown());
        out.push(':');
        match owner.and_then(|owner| field(owner, json)) {
            Some(found) => write(found, Some(value), out),
            None => out.push_str("null"),
        }
    }
}

fn field<'a>(owner: &'a dyn Struct, json: &str) -> Option<&'a dyn Value> {
    let position = owner.desc().fields.iter().position(|field| field.json.eq_ignore_ascii_case(json))?;
    Some(owner.field(position))
}

/// The fields of a struct that stands inline in the API too, or of metadata, which doesn't.
fn write_taken_in(value: &dyn Struct, name: &str, out: &mut String) {
    let fields = value.desc().fields.iter();
    let position =
        fields.into_iter().position(|f| f.shape.element_struct().is_some_and(|desc| desc.name == name));
    let Some(inner) = position.map(|position| value.field(position)) else { return };
    let view = inner.view();
    let words = if let View::Struct(inner) = &view { layout(inner.desc()) } else { None };
    match (view, words) {
        (View::Struct(inner), Some(words)) => write_fields(inner, None, words, out),
        _ => {
            let shown = inner.shown();
            let fields = shown.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default();
            if !fields.is_empty() {
                separate(out);
                out.push_str(fields);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rhumb_api::core::v1::{PodSecurityContext, PodSpec, SeccompProfile, SecurityContext, Volume};

    use std::collections::HashSet;

    use super::*;

    /// Returns all structs that kinds are made of.
    fn all_structs() -> Vec<&'static StructDesc> {
        let scheme = crate::scheme().expect("the scheme");
        let mut open: Vec<&StructDesc> = scheme.all_known_types().iter().map(|known| known.desc).collect();
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        while let Some(desc) = open.pop() {
            if seen.insert((desc.module, desc.name)) {
                found.push(desc);
                open.extend(desc.fields.iter().filter_map(|field| field.shape.element_struct()));
            }
        }
        found
    }

    fn has_field(desc: &StructDesc, word: &str) -> bool {
        let (_, json) = word.split_once('=').unwrap_or((word, word));
        desc.fields.iter().any(|field| match word.strip_prefix('@') {
            Some(taken_in) => field.shape.element_struct().is_some_and(|inner| inner.name == taken_in),
            None => word.starts_with('^') || field.json.eq_ignore_ascii_case(json),
        })
    }

    #[test]
    fn layouts_are_those_of_structs_of_their_group() {
        let structs = all_structs();
        for (group, layouts) in LAYOUTS {
            let mut names = HashSet::new();
            for line in layouts.lines().filter(|line| !line.starts_with(' ')) {
                let (name, _) = line.split_once(':').expect("a name before a colon");
                assert!(names.insert(name), "{group} has two layouts of {name}");
                let mut its =
                    structs.iter().filter(|desc| group_of(desc) == Some(group) && desc.name == name);
                assert!(
                    its.any(|desc| layout(desc).is_some_and(|mut words| words.all(|it| has_field(desc, it)))),
                    "no {name} of {group} has all of these fields",
                );
            }
        }
    }

    #[test]
    fn structs_of_one_name_are_told_apart_by_their_group() {
        use rhumb_api::{flowcontrol, rbac};
        let shown = internal(&flowcontrol::v1::Subject::default()).shown();
        assert!(shown.starts_with(r#"{"Kind":"","User":null,"#), "{shown}");
        let shown = internal(&rbac::v1::Subject::default()).shown();
        assert!(shown.starts_with(r#"{"kind":"","#), "{shown}");
    }

    #[test]
    fn fields_have_their_go_names_and_absent_ones_are_shown() {
        let profile = SeccompProfile { type_: "Unconfined".into(), localhost_profile: Some("<".into()) };
        assert_eq!(internal(&profile).shown(), r#"{"Type":"Unconfined","LocalhostProfile":"\u003c"}"#);
        let shown =
            internal(&SecurityContext { privileged: Some(true), ..SecurityContext::default() }).shown();
        assert!(
            shown.starts_with(r#"{"Capabilities":null,"Privileged":true,"SELinuxOptions":null,"#),
            "{shown}"
        );
    }

    #[test]
    fn host_namespaces_stand_in_the_security_context() {
        let security_context = Some(Box::new(PodSecurityContext::default()));
        let shown = internal(&PodSpec { host_network: true, security_context, ..PodSpec::default() }).shown();
        assert!(shown.contains(r#""SecurityContext":{"HostNetwork":true,"HostPID":false,"#), "{shown}");
    }

    #[test]
    fn inlined_structs_are_taken_in() {
        let shown = internal(&Volume { name: "a".into(), ..Volume::default() }).shown();
        assert!(shown.starts_with(r#"{"Name":"a","HostPath":null,"#), "{shown}");
    }
}
