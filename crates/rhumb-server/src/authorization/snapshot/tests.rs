//! Roles and bindings together.

use std::time::Duration;

use rhumb_api::rbac::v1::{RoleRef, Subject};

use super::*;
use crate::authorization::attributes::AskedResource;
use crate::base::environment::{Clock, SystemClock};

fn rule(verb: &str, resource: &str) -> Vec<PolicyRule> {
    let one = |text: &str| vec![text.to_owned()];
    vec![PolicyRule {
        verbs: one(verb),
        api_groups: one(""),
        resources: one(resource),
        ..PolicyRule::default()
    }]
}

fn subject(kind: &str, name: &str, namespace: &str) -> Subject {
    Subject { kind: kind.into(), name: name.into(), namespace: namespace.into(), ..Subject::default() }
}

fn binding(namespace: &str, name: &str, role: (&str, &str), subjects: Vec<Subject>) -> Binding {
    let role = RoleRef { kind: role.0.into(), name: role.1.into(), ..RoleRef::default() };
    Binding { name: name.into(), namespace: namespace.into(), role, subjects }
}

fn user(name: &str, groups: &[&str]) -> User {
    let groups = groups.iter().map(|group| (*group).to_owned()).collect();
    User { name: name.into(), groups, ..User::default() }
}

fn ask(snapshot: &Snapshot, user: &User, verb: &str, resource: &str, namespace: &str) -> (bool, String) {
    let asked = AskedResource { resource, namespace, ..AskedResource::default() };
    let decision = snapshot.decide(&Attributes::resource(user, verb, asked));
    (decision.is_allowed(), decision.reason())
}

#[test]
fn cluster_bindings_hold_everywhere_and_others_at_home() {
    let mut snapshot = Snapshot::default();
    snapshot.put_role("", "reader", rule("get", "pods"));
    snapshot.put_role("a", "reader", rule("list", "pods"));
    snapshot.put_binding(binding("", "all", ("ClusterRole", "reader"), vec![subject("User", "tom", "")]));
    snapshot.put_binding(binding("a", "some", ("Role", "reader"), vec![subject("Group", "devs", "")]));
    let tom = user("tom", &["devs"]);
    let everywhere = r#"RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "reader" to User "tom""#;
    assert_eq!(ask(&snapshot, &tom, "get", "pods", ""), (true, everywhere.to_owned()));
    assert_eq!(ask(&snapshot, &tom, "get", "pods", "b"), (true, everywhere.to_owned()));
    let home = r#"RBAC: allowed by RoleBinding "some/a" of Role "reader" to Group "devs""#;
    assert_eq!(ask(&snapshot, &tom, "list", "pods", "a"), (true, home.to_owned()));
    assert_eq!(ask(&snapshot, &tom, "list", "pods", "b"), (false, String::new()));
    assert_eq!(ask(&snapshot, &tom, "list", "pods", ""), (false, String::new()));
}

#[test]
fn service_accounts_are_users_of_their_namespace() {
    let mut snapshot = Snapshot::default();
    snapshot.put_role("", "reader", rule("get", "pods"));
    let (robot, role) = (vec![subject("ServiceAccount", "robot", "")], ("ClusterRole", "reader"));
    snapshot.put_binding(binding("a", "robots", role, robot.clone()));
    // Nobody knows whose account that is.
    snapshot.put_binding(binding("", "nobody", role, robot));
    let account = user("system:serviceaccount:a:robot", &[]);
    let told =
        r#"RBAC: allowed by RoleBinding "robots/a" of ClusterRole "reader" to ServiceAccount "robot/a""#;
    assert_eq!(ask(&snapshot, &account, "get", "pods", "a"), (true, told.to_owned()));
    assert!(!ask(&snapshot, &account, "get", "pods", "").0);
    assert!(!ask(&snapshot, &user("system:serviceaccount::robot", &[]), "get", "pods", "a").0);
    assert!(!ask(&snapshot, &user("robot", &[]), "get", "pods", "a").0);
}

#[test]
fn roles_that_are_not_there_are_told_of() {
    let mut snapshot = Snapshot::default();
    let tom = || vec![subject("User", "tom", "")];
    snapshot.put_binding(binding("", "x", ("ClusterRole", "gone"), tom()));
    let told = r#"RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found"#;
    assert_eq!(ask(&snapshot, &user("tom", &[]), "get", "pods", "").1, told);
    snapshot.put_binding(binding("a", "y", ("Role", "gone"), tom()));
    snapshot.put_binding(binding("a", "z", ("Role", "gone"), tom()));
    let told = "RBAC: [clusterrole.rbac.authorization.k8s.io \"gone\" not found, \
                role.rbac.authorization.k8s.io \"gone\" not found]";
    assert_eq!(ask(&snapshot, &user("tom", &[]), "get", "pods", "a").1, told);
}

#[test]
fn what_is_taken_away_no_longer_holds() {
    let mut snapshot = Snapshot::default();
    let before = snapshot.clone();
    snapshot.put_role("a", "reader", rule("get", "pods"));
    snapshot.put_binding(binding("a", "b", ("Role", "reader"), vec![subject("User", "tom", "")]));
    let held = snapshot.clone();
    let may = |snapshot: &Snapshot, name: &str| ask(snapshot, &user(name, &[]), "get", "pods", "a").0;
    snapshot.put_binding(binding("a", "b", ("Role", "reader"), vec![subject("User", "ann", "")]));
    assert!(!may(&snapshot, "tom") && may(&snapshot, "ann") && may(&held, "tom") && !may(&before, "tom"));
    snapshot.drop_binding("a", "b");
    assert!(!may(&snapshot, "ann"));
    snapshot.drop_role("a", "reader");
    assert!(snapshot.spaces.is_empty());
    let mut again = held.clone();
    again.clear_bindings(true);
    assert!(!may(&again, "tom") && may(&held, "tom"));
}

#[test]
fn a_user_with_two_subjects_has_the_rules_once() {
    let mut snapshot = Snapshot::default();
    snapshot.put_role("", "r", rule("get", "pods"));
    let both = vec![subject("Group", "devs", ""), subject("User", "tom", ""), subject("User", "tom", "")];
    snapshot.put_binding(binding("", "b", ("ClusterRole", "r"), both));
    assert_eq!(snapshot.rules_of(&user("tom", &["devs"]), "").0.len(), 1);
}

#[test]
fn a_role_that_is_bound_very_often_is_looked_at_once() {
    let mut snapshot = Snapshot::default();
    let rules: Vec<PolicyRule> = (0..20_000).flat_map(|number| rule("get", &format!("r{number}"))).collect();
    snapshot.put_role("", "large", rules);
    snapshot.put_role("", "last", rule("get", "pods"));
    for number in 0..5000 {
        let name = format!("b{number:04}");
        snapshot.put_binding(binding("", &name, ("ClusterRole", "large"), vec![subject("User", "tom", "")]));
        snapshot.put_binding(binding(
            "",
            &format!("gone{number}"),
            ("ClusterRole", "gone"),
            vec![subject("User", "ann", "")],
        ));
    }
    snapshot.put_binding(binding("", "z", ("ClusterRole", "last"), vec![subject("User", "tom", "")]));
    let tom = user("tom", &[]);
    let clock = SystemClock::default();
    let begun = clock.elapsed();
    for _ in 0..20 {
        assert!(ask(&snapshot, &tom, "get", "pods", "").0);
        assert!(!ask(&snapshot, &tom, "list", "pods", "").0);
    }
    let taken = clock.elapsed() - begun;
    assert!(taken < Duration::from_secs(5), "40 decisions took {taken:?}");
    assert_eq!(snapshot.rules_of(&tom, "").0.len(), 20_001);
    // Reviews list a role as often as it is bound, as Kubernetes does.
    assert_eq!(snapshot.roles_of(&tom, "").0.len(), 5001);
    let told = r#"RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found"#;
    assert_eq!(ask(&snapshot, &user("ann", &[]), "get", "pods", "").1, told);
}

#[test]
fn of_very_many_problems_some_are_told() {
    let mut problems = Problems::default();
    (0..50_000).for_each(|number| problems.add(format!("problem {}", number / 2)));
    assert_eq!(problems.in_one().matches("problem").count(), MOST_PROBLEMS);
}
