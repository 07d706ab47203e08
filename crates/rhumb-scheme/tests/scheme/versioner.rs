//! Which version a target picks: a table of Kubernetes' answers.

use rhumb_meta::{GroupKind, GroupVersion, GroupVersionKind, GroupVersions, INTERNAL};
use rhumb_scheme::{GroupVersioner, Others, ToGroups, ToInternal, ToNone};

fn kind(text: &str) -> GroupVersionKind {
    let mut parts = text.split('/').map(str::to_owned);
    let mut part = || parts.next().unwrap_or_default();
    GroupVersionKind::new(part(), part(), part())
}

fn shown(kind: Option<GroupVersionKind>) -> String {
    kind.map_or_else(|| "-".to_owned(), |kind| format!("{}/{}/{}", kind.group, kind.version, kind.kind))
}

/// What an object could be, in the order of the columns below.
const KINDS: [&str; 10] = [
    "",
    "apps/v1/Deployment",
    "apps/v1beta1/Deployment apps/v1/Deployment",
    "apps/__internal/Deployment apps/v1/Deployment",
    "extensions/v1beta1/Deployment",
    "extensions/v1beta1/Ingress extensions/v1beta1/Deployment",
    "batch/v1beta1/CronJob apps/v1beta1/CronJob",
    "yetanother/v1/Baz anothergroup/v1/Bar",
    "yetanother/v1/Baz yetanother/v1/Bar",
    "/v1/Pod",
];

fn check(versioner: &dyn GroupVersioner, identifier: &str, quoted: &str, choices: [&str; 10]) {
    assert_eq!(versioner.identifier(), identifier);
    assert_eq!(versioner.quoted(), quoted);
    for (kinds, choice) in KINDS.into_iter().zip(choices) {
        let kinds: Vec<GroupVersionKind> = kinds.split_whitespace().map(kind).collect();
        assert_eq!(shown(versioner.kind_for(&kinds)), choice, "{identifier} out of {kinds:?}");
    }
}

fn apps() -> GroupVersion {
    GroupVersion::new_static("apps", "v1")
}

fn mine() -> GroupVersion {
    GroupVersion::new_static("mygroup", INTERNAL)
}

fn groups(target: GroupVersion, accepted: &[(&'static str, &'static str)], others: Others) -> ToGroups {
    let accepted = accepted.iter().map(|(group, kind)| GroupKind::new_static(group, kind)).collect();
    ToGroups::new(target, accepted, others)
}

const DEPLOYMENT: &str = "apps/v1/Deployment";
const CRON_JOB: &str = "apps/v1/CronJob";
const PLAIN: [&str; 10] = ["-", DEPLOYMENT, DEPLOYMENT, DEPLOYMENT, "-", "-", CRON_JOB, "-", "-", "-"];

#[test]
fn one_version() {
    check(&apps(), "apps/v1", r#""apps/v1""#, PLAIN);
}

#[test]
fn several_versions() {
    let several = GroupVersions(vec![
        GroupVersion::new_static("batch", "v1"),
        apps(),
        GroupVersion::new_static("apps", "v1beta1"),
    ]);
    check(
        &several,
        "[batch/v1,apps/v1,apps/v1beta1]",
        r#"["batch/v1" "apps/v1" "apps/v1beta1"]"#,
        ["-", DEPLOYMENT, DEPLOYMENT, DEPLOYMENT, "-", "-", "apps/v1beta1/CronJob", "-", "-", "-"],
    );
}

#[test]
fn the_internal_version_and_none() {
    check(
        &ToInternal,
        "internal",
        "{}",
        [
            "-",
            "apps/__internal/Deployment",
            "apps/__internal/Deployment",
            "apps/__internal/Deployment",
            "extensions/__internal/Deployment",
            "extensions/__internal/Ingress",
            "batch/__internal/CronJob",
            "yetanother/__internal/Baz",
            "yetanother/__internal/Baz",
            "/__internal/Pod",
        ],
    );
    check(&ToNone, "disabled", "{}", ["-"; 10]);
}

#[test]
fn several_groups() {
    check(
        &groups(apps(), &[("apps", ""), ("extensions", "Deployment")], Others::Refused),
        r#"{"accepted":".apps,Deployment.extensions","coerce":"false","name":"multi","target":"apps/v1"}"#,
        r#"{{"apps" "v1"} [{"apps" ""} {"extensions" "Deployment"}] %!q(bool=false)}"#,
        ["-", DEPLOYMENT, DEPLOYMENT, DEPLOYMENT, DEPLOYMENT, DEPLOYMENT, CRON_JOB, "-", "-", "-"],
    );
    check(
        &groups(apps(), &[("extensions", "")], Others::Refused),
        r#"{"accepted":".extensions","coerce":"false","name":"multi","target":"apps/v1"}"#,
        r#"{{"apps" "v1"} [{"extensions" ""}] %!q(bool=false)}"#,
        ["-", "-", "-", "-", DEPLOYMENT, "apps/v1/Ingress", "-", "-", "-", "-"],
    );
}

#[test]
fn no_group_besides_its_own_is_the_version_itself() {
    check(&groups(apps(), &[], Others::Refused), "apps/v1", r#""apps/v1""#, PLAIN);
    check(&groups(apps(), &[("apps", "Other")], Others::Refused), "apps/v1", r#""apps/v1""#, PLAIN);
}

#[test]
fn all_groups_with_some_preferred() {
    let coerced = [
        "-",
        "mygroup/__internal/Deployment",
        "mygroup/__internal/Deployment",
        "mygroup/__internal/Deployment",
        "mygroup/__internal/Deployment",
        "mygroup/__internal/Ingress",
        "mygroup/__internal/CronJob",
        "mygroup/__internal/Bar",
        "mygroup/__internal/Baz",
        "mygroup/__internal/Pod",
    ];
    check(
        &groups(mine(), &[("mygroup", "Foo"), ("anothergroup", "Bar")], Others::Coerced),
        r#"{"accepted":"Foo.mygroup,Bar.anothergroup","coerce":"true","name":"multi","target":"mygroup/__internal"}"#,
        r#"{{"mygroup" "__internal"} [{"mygroup" "Foo"} {"anothergroup" "Bar"}] %!q(bool=true)}"#,
        coerced,
    );
    check(
        &groups(mine(), &[("mygroup", ""), ("anothergroup", "")], Others::Coerced),
        r#"{"accepted":".mygroup,.anothergroup","coerce":"true","name":"multi","target":"mygroup/__internal"}"#,
        r#"{{"mygroup" "__internal"} [{"mygroup" ""} {"anothergroup" ""}] %!q(bool=true)}"#,
        coerced,
    );
    let baz = "apps/v1/Baz";
    check(
        &groups(apps(), &[], Others::Coerced),
        r#"{"accepted":"","coerce":"true","name":"multi","target":"apps/v1"}"#,
        r#"{{"apps" "v1"} [] %!q(bool=true)}"#,
        [
            "-",
            DEPLOYMENT,
            DEPLOYMENT,
            DEPLOYMENT,
            DEPLOYMENT,
            "apps/v1/Ingress",
            CRON_JOB,
            baz,
            baz,
            "apps/v1/Pod",
        ],
    );
}
