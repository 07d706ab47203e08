//! Pod specs of objects.

use rhumb_cli::Failure;
use rhumb_meta::GroupVersionKind;
use rhumb_scheme::Unstructured;
use serde_json::{Map, Value};

use crate::two_way::at_mut;
use crate::typed::kind_of;

/// Returns the path to the pod's specification in objects of a kind; `None` if they have none.
pub(crate) fn path(kind: &GroupVersionKind) -> Option<&'static [&'static str]> {
    match (&*kind.group, &*kind.kind) {
        ("", "Pod") => Some(&["spec"]),
        ("", "ReplicationController")
        | ("apps" | "extensions", "Deployment" | "DaemonSet" | "ReplicaSet" | "StatefulSet")
        | ("batch", "Job") => Some(&["spec", "template", "spec"]),
        ("batch", "CronJob") => Some(&["spec", "jobTemplate", "spec", "template", "spec"]),
        _ => None,
    }
}

/// Returns the pod's specification of an object, to change it.
pub(crate) fn of_mut(object: &mut Unstructured) -> Result<&mut Map<String, Value>, Failure> {
    let kind = kind_of(object);
    let path = path(&kind).ok_or_else(|| {
        Failure::message(format!(
            "the object is not a pod or does not have a pod template: *{}.{}",
            kind.version, kind.kind
        ))
    })?;
    Ok(at_mut(object.fields_mut(), path))
}

/// Does something with each container whose name a pattern fits, those for initialisation last; how many
/// there were.
pub(crate) fn each_container(
    spec: &mut Map<String, Value>,
    pattern: &str,
    mut visit: impl FnMut(&mut Map<String, Value>),
) -> usize {
    let mut count = 0;
    for list in ["containers", "initContainers"] {
        let containers = spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
        for container in containers.filter_map(Value::as_object_mut) {
            let name = container.get("name").and_then(Value::as_str).unwrap_or_default();
            if fits(name, pattern) {
                count += 1;
                visit(container);
            }
        }
    }
    count
}

/// Reports whether a name fits a pattern with stars. The parts between stars are looked for as kubectl does it, which
/// is not always what one would expect of several stars.
pub(crate) fn fits(name: &str, pattern: &str) -> bool {
    if pattern == "*" {
        return true;
    }
    if !pattern.contains('*') {
        return name == pattern;
    }
    let parts: Vec<&str> = pattern.split('*').collect();
    let mut position = 0;
    for (at, part) in parts.iter().enumerate().filter(|(_, part)| !part.is_empty()) {
        let Some(next) = name.get(position..).and_then(|rest| rest.find(part)) else { return false };
        let ends = at + 1 < parts.len() || name.len() == part.len() + next;
        if next < position || (at == 0 && position != 0) || !ends {
            return false;
        }
        position = next;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns_have_stars() {
        assert!(fits("web", "*"));
        assert!(fits("web", "w*"));
        assert!(fits("web", "*b"));
        assert!(!fits("web", "*x*"));
        assert!(!fits("web", "we"));
    }
}
