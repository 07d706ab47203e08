//! The expected texts are what Kubernetes 1.36 prints for the same input.

use super::*;

type Parsed = Result<(&'static str, &'static str, &'static str), &'static str>;

fn check_group_version(text: &str, expect: Parsed) {
    let parsed = GroupVersion::parse(text);
    let printed = parsed.as_ref().map(|gv| (gv.group.as_ref(), gv.version.as_ref(), gv.to_string()));
    let expect = expect.map(|(group, version, printed)| (group, version, printed.to_owned()));
    assert_eq!(printed.map_err(|error| error.to_string()), expect.map_err(str::to_owned), "{text:?}");
    assert_eq!(text.parse::<GroupVersion>(), parsed);
}

fn check_group_kind(text: &str, (group, name, printed): (&str, &str, &str)) {
    let kind = GroupKind::parse(text);
    assert_eq!((kind.group.as_ref(), kind.kind.as_ref()), (group, name), "{text:?}");
    assert_eq!(kind.to_string(), printed);
    let resource = GroupResource::parse(text);
    assert_eq!((resource.group.as_ref(), resource.resource.as_ref()), (group, name), "{text:?}");
    assert_eq!(resource.to_string(), printed);
}

fn check_arg(text: &str, resource: Option<&str>, kind: Option<&str>, short: &str) {
    let (full, unversioned) = GroupVersionResource::parse_arg(text);
    assert_eq!(full.map(|name| name.to_string()).as_deref(), resource, "{text:?}");
    assert_eq!(unversioned.to_string(), short);
    let (full, unversioned) = GroupVersionKind::parse_arg(text);
    assert_eq!(full.map(|name| name.to_string()).as_deref(), kind, "{text:?}");
    assert_eq!(unversioned.to_string(), short);
}

fn check_kind((api_version, kind): (&str, &str), printed: &str, back: (&str, &str)) {
    let name = GroupVersionKind::from_api_version_and_kind(api_version, kind);
    assert_eq!(name.to_string(), printed);
    assert_eq!(name.to_api_version_and_kind(), (back.0.to_owned(), back.1.to_owned()));
    assert_eq!(name.group_version().to_string(), name.api_version());
}

fn check_preferred(wanted: &str, kinds: &str, identifier: &str, expect: Option<&str>) {
    let wanted: GroupVersions = wanted.split_whitespace().flat_map(GroupVersion::parse).collect();
    let kind = |(api_version, kind)| GroupVersionKind::from_api_version_and_kind(api_version, kind);
    let kinds: Vec<_> = kinds.split_whitespace().filter_map(|text| text.split_once(':')).map(kind).collect();
    assert_eq!(wanted.identifier(), identifier);
    let chosen = wanted.kind_for_group_version_kinds(&kinds).map(|name| name.to_string());
    assert_eq!(chosen.as_deref(), expect, "{identifier} {kinds:?}");
    if let [only] = wanted.0.as_slice() {
        let chosen = only.kind_for_group_version_kinds(&kinds).map(|name| name.to_string());
        assert_eq!(chosen.as_deref(), expect);
        assert_eq!(format!("[{}]", only.identifier()), identifier);
    }
}

#[test]
fn group_versions() {
    check_group_version("", Ok(("", "", "")));
    check_group_version("/", Ok(("", "", "")));
    check_group_version("v1", Ok(("", "v1", "v1")));
    check_group_version("apps/v1", Ok(("apps", "v1", "apps/v1")));
    check_group_version("/v1", Ok(("", "v1", "v1")));
    check_group_version("apps/", Ok(("apps", "", "apps/")));
    check_group_version("__internal", Ok(("", "__internal", "__internal")));
    check_group_version("apps/__internal", Ok(("apps", "__internal", "apps/__internal")));
    check_group_version("/__internal", Ok(("", "__internal", "__internal")));
    check_group_version("a/b/c", Err("unexpected GroupVersion string: a/b/c"));
    check_group_version("//", Err("unexpected GroupVersion string: //"));
    check_group_version("a//b", Err("unexpected GroupVersion string: a//b"));
    check_group_version("é/v1", Ok(("é", "v1", "é/v1")));
}

#[test]
fn kinds_and_resources_without_version() {
    check_group_kind("", ("", "", ""));
    check_group_kind(".", ("", "", ""));
    check_group_kind("Pod", ("", "Pod", "Pod"));
    check_group_kind("Deployment.apps", ("apps", "Deployment", "Deployment.apps"));
    check_group_kind(".apps", ("apps", "", ".apps"));
    check_group_kind("Pod.", ("", "Pod", "Pod"));
    check_group_kind(
        "Ingress.networking.k8s.io",
        ("networking.k8s.io", "Ingress", "Ingress.networking.k8s.io"),
    );
    check_group_kind("a..b", (".b", "a", "a..b"));
}

#[test]
fn arguments_are_read_both_ways() {
    check_arg("", None, None, "");
    check_arg("pods", None, None, "pods");
    check_arg("deployments.apps", None, None, "deployments.apps");
    check_arg(
        "deployments.v1.apps",
        Some("apps/v1, Resource=deployments"),
        Some("apps/v1, Kind=deployments"),
        "deployments.v1.apps",
    );
    check_arg(
        "ingresses.v1.networking.k8s.io",
        Some("networking.k8s.io/v1, Resource=ingresses"),
        Some("networking.k8s.io/v1, Kind=ingresses"),
        "ingresses.v1.networking.k8s.io",
    );
    check_arg("a..b", Some("b/, Resource=a"), Some("b/, Kind=a"), "a..b");
    check_arg("..", Some("/, Resource="), Some("/, Kind="), "..");
    check_arg("...", Some("./, Resource="), Some("./, Kind="), "...");
    check_arg(".v1.", Some("/v1, Resource="), Some("/v1, Kind="), ".v1.");
}

#[test]
fn kinds_from_type_meta() {
    check_kind(("", ""), "/, Kind=", ("", ""));
    check_kind(("v1", "Pod"), "/v1, Kind=Pod", ("v1", "Pod"));
    check_kind(("apps/v1", "Deployment"), "apps/v1, Kind=Deployment", ("apps/v1", "Deployment"));
    check_kind(("apps/", ""), "apps/, Kind=", ("apps/", ""));
    check_kind(("", "Pod"), "/, Kind=Pod", ("", "Pod"));
    check_kind(("/__internal", "Pod"), "/__internal, Kind=Pod", ("__internal", "Pod"));
    check_kind(("a/b/c", "Pod"), "/, Kind=Pod", ("", "Pod"));
    check_kind(("apps/v1", ""), "apps/v1, Kind=", ("apps/v1", ""));
    check_kind(("/", "K"), "/, Kind=K", ("", "K"));
}

#[test]
fn the_preferred_kind() {
    check_preferred("", "apps/v1:A", "[]", None);
    check_preferred("apps/v1", "", "[apps/v1]", None);
    check_preferred("apps/v1", "apps/v1:A", "[apps/v1]", Some("apps/v1, Kind=A"));
    check_preferred("apps/v2", "apps/v1:A apps/v1beta1:B", "[apps/v2]", Some("apps/v2, Kind=A"));
    check_preferred("apps/v2", "batch/v1:A", "[apps/v2]", None);
    check_preferred("apps/v2 apps/v1", "apps/v1:A", "[apps/v2,apps/v1]", Some("apps/v1, Kind=A"));
    check_preferred("batch/v1 apps/v2", "apps/v1:A", "[batch/v1,apps/v2]", Some("apps/v2, Kind=A"));
    check_preferred(
        "apps/v3 batch/v1",
        "apps/v1:A batch/v1:B",
        "[apps/v3,batch/v1]",
        Some("batch/v1, Kind=B"),
    );
    check_preferred(
        "apps/v3 batch/v3",
        "batch/v1:B apps/v1:A",
        "[apps/v3,batch/v3]",
        Some("apps/v3, Kind=A"),
    );
    check_preferred("v1", "v1:Pod apps/v1:A", "[v1]", Some("/v1, Kind=Pod"));
    check_preferred("__internal", "v1:Pod", "[__internal]", Some("/__internal, Kind=Pod"));
}

#[test]
fn constants_and_owned_names_are_equal() {
    const POD: GroupVersionKind = GroupVersionKind::new_static("", "v1", "Pod");
    const PODS: GroupVersionResource = GroupVersionResource::new_static("", "v1", "pods");
    const CORE: GroupVersion = GroupVersion::new_static("", "v1");
    const DEPLOYMENT: GroupKind = GroupKind::new_static("apps", "Deployment");
    const DEPLOYMENTS: GroupResource = GroupResource::new_static("apps", "deployments");
    assert_eq!(POD, GroupVersionKind::new(String::new(), "v1".to_owned(), "Pod".to_owned()));
    assert_eq!(POD, CORE.with_kind("Pod".to_owned()));
    assert_eq!(POD, POD.group_kind().with_version("v1"));
    assert_eq!(PODS, CORE.with_resource("pods"));
    assert_eq!(PODS, PODS.group_resource().with_version("v1".to_owned()));
    assert_eq!((POD.group_version(), PODS.group_version()), (CORE, CORE));
    assert_eq!(DEPLOYMENT, GroupKind::parse("Deployment.apps"));
    assert_eq!(DEPLOYMENTS, GroupResource::parse("deployments.apps"));
    assert_eq!(CORE.with_kind("Pod").group_version().with_kind(INTERNAL).to_string(), "/v1, Kind=__internal");
}

#[test]
fn only_names_without_any_part_are_empty() {
    assert!(GroupVersion::default().is_empty() && !GroupVersion::new_static("", "v1").is_empty());
    assert!(GroupKind::default().is_empty() && !GroupKind::new_static("apps", "").is_empty());
    assert!(GroupResource::default().is_empty() && !GroupResource::new_static("", "pods").is_empty());
    assert!(GroupVersionKind::default().is_empty() && !GroupVersionKind::new_static("", "v1", "").is_empty());
    assert!(GroupVersionResource::default().is_empty());
    assert!(!GroupVersionResource::new_static("", "", "pods").is_empty());
}

#[test]
fn names_are_ordered_by_group_first() {
    let apps = GroupVersionKind::new_static("apps", "v1", "Deployment");
    let batch = GroupVersionKind::new_static("batch", "v1", "CronJob");
    assert!(GroupVersionKind::new_static("", "v1", "Service") < apps && apps < batch);
}
