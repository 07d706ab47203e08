//! Audit, compared with the log of a real API server and with what it says about policies it can't use.

use std::fs;
use std::path::Path;

use rhumb_codec::Strictness;
use rhumb_policy::audit::{Decision, Facts, Level, Policy, Resource, Stage, Stages, v1};
use serde_json::Value as Json;

use crate::recorded::{answers, text};

/// What the server was told whose log is kept.
const POLICY: &str = r#"
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: Metadata
  resources: [{group: "", resources: [secrets]}]
- level: RequestResponse
  namespaces: [audit-rr]
- level: Request
  namespaces: [audit-r]
- level: Metadata
  nonResourceURLs: ["/version"]
  omitStages: [RequestReceived]
- level: None
"#;

fn log() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replay/answers/audit_events.jsonl");
    let log = fs::read_to_string(path).expect("the log");
    let lines: Vec<String> = log.lines().map(str::to_owned).collect();
    assert!(lines.len() >= 40, "only {} lines are left", lines.len());
    lines
}

#[test]
fn events_are_written_as_by_the_real_server() {
    for line in log() {
        let mut event = v1::Event::default();
        let notes = rhumb_codec::json::decode_into(line.as_bytes(), &mut event, Strictness::Strict);
        assert_eq!(notes.expect("an event").found(), [""; 0], "{line}");
        let mut ours = Vec::new();
        event.write_line(&mut ours);
        assert_eq!(String::from_utf8(ours).expect("text"), format!("{line}\n"));
    }
}

#[test]
fn levels_are_those_of_the_real_server() {
    let (policy, warnings) = Policy::parse(POLICY.as_bytes()).expect("a policy");
    assert_eq!(warnings, [""; 0]);
    assert_eq!(policy.most(), Level::RequestResponse);
    for line in log() {
        let event: Json = serde_json::from_str(&line).expect("JSON");
        let about = &event["objectRef"];
        let resource = about.is_object().then(|| Resource {
            group: text(&about["apiGroup"]),
            resource: text(&about["resource"]),
            subresource: text(&about["subresource"]),
            namespace: text(&about["namespace"]),
            name: text(&about["name"]),
        });
        let path = text(&event["requestURI"]).split('?').next().unwrap_or_default();
        let decision =
            policy.decide(&Facts { verb: text(&event["verb"]), path, resource, ..Facts::default() });
        assert_eq!(decision.level.as_str(), text(&event["level"]), "{line}");
        let stage: Stage = text(&event["stage"]).parse().expect("a stage");
        assert!(!decision.omit_stages.contains(stage), "{line}");
    }
}

#[test]
fn policies_are_refused_in_the_words_of_the_real_server() {
    for answer in answers("audit_policies") {
        let ours = Policy::parse(text(&answer["policy"]).as_bytes()).expect_err("it is no policy");
        assert_eq!(ours.to_string(), text(&answer["text"]), "{}", answer["policy"]);
    }
}

/// A rule, requests that fit it, and requests that don't.
#[test]
fn rules_fit_what_they_name() {
    let check = |rule: &str, facts: Facts<'_>, expected: bool| {
        let text =
            format!("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n  {rule}\n");
        let (policy, _) = Policy::parse(text.as_bytes()).expect(rule);
        let level = if expected { Level::Metadata } else { Level::None };
        assert_eq!(policy.decide(&facts).level, level, "{rule} {facts:?}");
    };
    let groups = ["ops".to_owned()];
    let pods = Resource { resource: "pods", namespace: "one", name: "p", ..Resource::default() };
    let log = Resource { subresource: "log", ..pods };
    let scale = Resource { group: "apps", resource: "deployments", subresource: "scale", ..pods };
    let of = |resource| Facts { verb: "get", resource: Some(resource), ..Facts::default() };
    let path = |path| Facts { verb: "get", path, ..Facts::default() };
    check("users: [ann]", Facts { user: Some("ann"), ..of(pods) }, true);
    check("users: [ann]", Facts { user: Some("bob"), ..of(pods) }, false);
    check("users: [ann]", of(pods), false);
    check("userGroups: [dev, ops]", Facts { user: Some("ann"), groups: &groups, ..of(pods) }, true);
    check("userGroups: [dev]", Facts { user: Some("ann"), groups: &groups, ..of(pods) }, false);
    check("verbs: [get, list]", of(pods), true);
    check("verbs: [list]", of(pods), false);
    check("namespaces: [one]", of(pods), true);
    check("namespaces: ['']", of(pods), false);
    check("namespaces: ['']", path("/version"), false);
    check("resources: [{resources: [pods]}]", of(pods), true);
    check("resources: [{resources: [pods]}]", of(log), false);
    check("resources: [{resources: [pods/log]}]", of(log), true);
    check("resources: [{resources: [pods/*]}]", of(log), true);
    check("resources: [{resources: [pods/*]}]", of(pods), true);
    check("resources: [{resources: ['*']}]", of(log), true);
    check("resources: [{resources: ['*/log']}]", of(log), true);
    check("resources: [{resources: ['*/log']}]", of(pods), false);
    check("resources: [{}]", of(log), true);
    check("resources: [{}]", of(scale), false);
    check("resources: [{group: '*', resources: ['*/scale']}]", of(scale), true);
    check("resources: [{group: apps}]", of(scale), true);
    check("resources: [{resources: [pods], resourceNames: [p]}]", of(pods), true);
    check("resources: [{resources: [pods], resourceNames: [q]}]", of(pods), false);
    check("nonResourceURLs: [/healthz*]", path("/healthz/etcd"), true);
    check("nonResourceURLs: [/healthz]", path("/healthz/etcd"), false);
    check("nonResourceURLs: ['*']", path("/x"), true);
    check("nonResourceURLs: ['*']", of(pods), false);
    check("omitStages: [Panic]", path("/x"), true);
}

#[test]
fn a_rule_says_more_than_its_policy() {
    let text =
        "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nomitManagedFields: true
rules:\n- {level: Request, users: [a], omitStages: [Panic], omitManagedFields: false}
- {level: Request, users: [b], extra: 1}\n";
    let (policy, warnings) = Policy::parse(text.as_bytes()).expect("a policy");
    assert_eq!(warnings, [r#"unknown field "rules[1].extra""#]);
    let decide = |user| policy.decide(&Facts { user: Some(user), ..Facts::default() });
    let received = Stages::from_iter([Stage::RequestReceived]);
    assert_eq!(
        decide("a"),
        Decision {
            level: Level::Request,
            omit_stages: received.with(Stage::Panic),
            omit_managed_fields: false
        }
    );
    assert_eq!(
        decide("b"),
        Decision { level: Level::Request, omit_stages: received, omit_managed_fields: true }
    );
    assert_eq!(decide("c").level, Level::None);
}
