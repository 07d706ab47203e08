//! Roles and bindings by users who may not grant more than they have: what a role allows is compared with what its
//! writer has, and several lists of a rule that are long at once make many combinations.

use http::Method;
use serde_json::{Value as Json, json};

use crate::inside::eventually;
use crate::meter::{Ask, Costs, Who};
use crate::world::World;

const JSON: &str = "application/json";
const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
const GROUP: &str = "rbac.authorization.k8s.io";

/// What a role has beside what is long, so that it shows whether the server knows the role.
const MARK: &str = "marks";

/// A role with much of something.
pub(crate) struct Long {
    pub(crate) name: &'static str,
    /// Whether it is looked at as one who has the role, too. Each of many rules that are granted is compared with each
    /// of many that one has, as long as the request may take.
    is_owned: bool,
    make: fn(usize) -> Json,
}

fn names(letter: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{letter}{number}")).collect()
}

fn lists(groups: Vec<String>, resources: Vec<String>, verbs: Vec<String>) -> Json {
    json!([{"apiGroups": groups, "resources": resources, "verbs": verbs}])
}

fn rule(number: usize, verb: &str) -> Json {
    json!({"apiGroups": [""], "resources": [format!("r{number}")], "verbs": [verb]})
}

/// All of them, as their rules.
pub(crate) const ROLES_OF_LENGTH: &[Long] = &[
    Long {
        name: "three lists that nobody has",
        is_owned: true,
        make: |count| lists(names("g", count), names("r", count), names("v", count)),
    },
    Long {
        name: "three lists that keepers have",
        is_owned: true,
        make: |count| lists(names("g", count), names("r", count), vec!["get".to_owned(); count]),
    },
    Long {
        name: "three lists of equals",
        is_owned: true,
        make: |count| {
            let equals = |letter: &str| vec![letter.to_owned(); count];
            lists(equals("g"), equals("r"), equals("v"))
        },
    },
    Long {
        name: "resources and their names",
        is_owned: true,
        make: |count| {
            json!([{"apiGroups": [""], "resources": names("r", count), "resourceNames": names("n", count),
                "verbs": names("v", count)}])
        },
    },
    Long {
        name: "rules",
        is_owned: false,
        make: |count| (0..count).map(|number| rule(number, &format!("v{number}"))).collect(),
    },
    Long {
        name: "rules that keepers have",
        is_owned: true,
        make: |count| (0..count).map(|number| rule(number, "get")).collect(),
    },
];

fn roles() -> String {
    format!("{RBAC}/namespaces/growth/roles")
}

fn bindings() -> String {
    format!("{RBAC}/namespaces/growth/rolebindings")
}

fn binding(name: &str, kind: &str, role: &str, users: &[Who]) -> Json {
    let subject = |user: &Who| json!({"apiGroup": GROUP, "kind": "User", "name": user.name()});
    json!({"apiVersion": format!("{GROUP}/v1"), "kind": "RoleBinding", "metadata": {"name": name},
        "roleRef": {"apiGroup": GROUP, "kind": kind, "name": role},
        "subjects": users.iter().map(subject).collect::<Vec<_>>()})
}

/// Whether a user may get the mark.
async fn has_mark(world: &World, user: Who) -> bool {
    let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
        "spec": {"user": user.name(), "resourceAttributes":
            {"namespace": "growth", "verb": "mark", "resource": MARK}}});
    let said = world.server.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", review).await;
    said.json["status"]["allowed"] == true
}

async fn until_mark(world: &World, wanted: bool) {
    eventually(async || (has_mark(world, Who::Owner).await == wanted).then_some(())).await;
}

/// Makes the users what they are: both keep the namespace, and one has the role that is looked at.
pub(crate) async fn prepare(world: &World) {
    let verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
    let role = json!({"apiVersion": format!("{GROUP}/v1"), "kind": "ClusterRole", "metadata": {"name": "keeper"},
        "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": verbs}]});
    assert_eq!(world.server.post(&format!("{RBAC}/clusterroles"), role).await.code, 201);
    for object in [
        binding("keepers", "ClusterRole", "keeper", &[Who::Keeper, Who::Owner]),
        binding("owner", "Role", "long", &[Who::Owner]),
    ] {
        assert_eq!(world.server.post(&bindings(), object).await.code, 201);
    }
    // The rights are there as soon as one of them is.
    let asked = async || {
        let list = Ask::new(Method::GET, roles()).by(Who::Keeper);
        (world.cost(list).await.code == 200).then_some(())
    };
    eventually(asked).await;
}

impl Long {
    /// Writes the role and binds it, by those who have what it allows and by those who don't, and asks what that is.
    pub(crate) async fn run(&self, world: &World, count: usize) -> Costs {
        let mut rules = (self.make)(count);
        let mark = json!({"apiGroups": [""], "resources": [MARK], "verbs": ["mark"]});
        let role = |rules: &Json| {
            json!({"apiVersion": format!("{GROUP}/v1"), "kind": "Role", "metadata": {"name": "long"},
                "rules": rules})
            .to_string()
        };
        let mut costs = Costs::new();
        let mut note = async |label: &str, ask: Ask| {
            let cost = world.cost(ask).await;
            costs.push((label.to_owned(), cost));
            cost.code
        };
        let dry = |path: String| path + "?dryRun=All&fieldManager=growth";
        let create = |path: String, body: String| Ask::new(Method::POST, path).sending(JSON, body);
        note("create", create(dry(roles()), role(&rules)).by(Who::Keeper)).await;
        let plain = role(&rules);
        rules.as_array_mut().expect("rules").push(mark);
        if note("store", create(roles(), role(&rules))).await != 201 {
            return costs;
        }
        until_mark(world, true).await;
        let one = format!("{}/long", roles());
        let little = role(&json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]));
        let asking: &[Who] = if self.is_owned { &[Who::Keeper, Who::Owner] } else { &[Who::Keeper] };
        for who in asking.iter().copied() {
            let mut asked =
                async |label: &str, ask: Ask| note(&format!("{label} as {}", who.name()), ask.by(who)).await;
            asked("create", create(dry(roles()), plain.clone())).await;
            asked("replace", Ask::new(Method::PUT, dry(one.clone())).sending(JSON, plain.clone())).await;
            asked("replace by little", Ask::new(Method::PUT, dry(one.clone())).sending(JSON, little.clone()))
                .await;
            let apply = Ask::new(Method::PATCH, dry(one.clone()) + "&force=true");
            asked("apply", apply.sending("application/apply-patch+yaml", plain.clone())).await;
            let bound = binding("another", "Role", "long", &[Who::Keeper]).to_string();
            asked("bind", create(dry(bindings()), bound)).await;
            let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
                "spec": {"namespace": "growth"}});
            let path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews".to_owned();
            asked("ask for rules", create(path, review.to_string())).await;
            asked("get", Ask::new(Method::GET, one.clone())).await;
        }
        note("delete", Ask::new(Method::DELETE, one)).await;
        until_mark(world, false).await;
        costs
    }
}
