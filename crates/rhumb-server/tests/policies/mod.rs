//! Validating admission policies: what they refuse, warn of and pass over. Messages are those of Kubernetes' source.

mod matching;
mod params;

use std::sync::Arc;

use http::Method;
use rhumb_server::ApiOptions;
use rhumb_server::identity::User;
use serde_json::{Value as Json, json};

use crate::inside::{Inside, Said};

const GROUP: &str = "/apis/admissionregistration.k8s.io/v1";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
const MERGE: &str = "application/merge-patch+json";

async fn start() -> Inside {
    Inside::admitting(ApiOptions::default()).await
}

/// A rule for a resource with all operations.
fn rule(group: &str, version: &str, resource: &str) -> Json {
    json!({"apiGroups": [group], "apiVersions": [version], "operations": ["*"], "resources": [resource]})
}

impl Inside {
    /// Makes a policy; without constraints it is about ConfigMaps.
    async fn policy(&self, name: &str, spec: Json) {
        let said = self.try_policy(name, spec).await;
        assert_eq!(said.code, 201, "{}", said.json);
    }

    async fn try_policy(&self, name: &str, mut spec: Json) -> Said {
        if spec.get("matchConstraints").is_none() {
            spec["matchConstraints"] = json!({"resourceRules": [rule("", "v1", "configmaps")]});
        }
        let policy = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": name}, "spec": spec});
        self.post(&format!("{GROUP}/validatingadmissionpolicies"), policy).await
    }

    /// Binds a policy by a binding of a name.
    async fn bind_policy(&self, policy: &str, name: &str, mut spec: Json) {
        spec["policyName"] = policy.into();
        if spec.get("validationActions").is_none() {
            spec["validationActions"] = json!(["Deny"]);
        }
        let binding = json!({"apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": name}, "spec": spec});
        let said = self.post(&format!("{GROUP}/validatingadmissionpolicybindings"), binding).await;
        assert_eq!(said.code, 201, "{}", said.json);
    }

    /// Makes a policy and binds it to everything.
    async fn bound(&self, name: &str, spec: Json) {
        self.policy(name, spec).await;
        self.bind_policy(name, &format!("{name}-binding"), json!({})).await;
    }

    async fn map(&self, name: &str, data: Json) -> Said {
        self.post(MAPS, map(name, data)).await
    }
}

fn map(name: &str, data: Json) -> Json {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

fn deployment(name: &str, replicas: i64) -> Json {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": {
        "replicas": replicas,
        "selector": {"matchLabels": {"app": name}},
        "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
    }})
}

/// Checks a refusal of a ConfigMap in full.
fn refused(said: &Said, name: &str, why: &str) {
    let cause = format!("ValidatingAdmissionPolicy {why}");
    let message = format!("configmaps \"{name}\" is forbidden: {cause}");
    assert_eq!(said.json["message"], message.as_str(), "{}", said.json);
    assert_eq!((said.code, &said.json["reason"]), (422, &"Invalid".into()));
    let details = json!({"name": name, "kind": "configmaps", "causes": [{"message": cause}]});
    assert_eq!(said.json["details"], details);
}

#[tokio::test]
async fn policies_refuse_what_does_not_hold() {
    let server = start().await;
    let rules = json!({"resourceRules": [rule("apps", "v1", "deployments")]});
    let validation = json!({"expression": "object.spec.replicas <= 5 "});
    server.policy("limits", json!({"matchConstraints": rules, "validations": [validation]})).await;
    assert_eq!(server.post(DEPLOYMENTS, deployment("unbound", 6)).await.code, 201, "nothing is bound");
    server.bind_policy("limits", "limits-binding", json!({})).await;
    let said = server.post(DEPLOYMENTS, deployment("web", 6)).await;
    let cause = "ValidatingAdmissionPolicy 'limits' with binding 'limits-binding' denied request: failed expression: \
                 object.spec.replicas <= 5";
    let message = format!("deployments.apps \"web\" is forbidden: {cause}");
    assert_eq!(
        said.json,
        json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message,
            "reason": "Invalid", "code": 422,
            "details": {"name": "web", "group": "apps", "kind": "deployments", "causes": [{"message": cause}]}})
    );
    assert_eq!(server.post(DEPLOYMENTS, deployment("web", 5)).await.code, 201);
    let patch = json!({"spec": {"replicas": 7}});
    assert_eq!(server.patch(&format!("{DEPLOYMENTS}/web"), MERGE, patch.clone()).await.code, 422);
    assert_eq!(
        server.patch(&format!("{DEPLOYMENTS}/web"), MERGE, json!({"spec": {"replicas": 4}})).await.code,
        200
    );

    let binding = format!("{GROUP}/validatingadmissionpolicybindings/limits-binding");
    assert_eq!(server.delete(&binding).await.code, 200);
    assert_eq!(server.patch(&format!("{DEPLOYMENTS}/web"), MERGE, patch).await.code, 200, "nothing is bound");
}

#[tokio::test]
async fn policies_that_change_are_in_force_at_once() {
    let server = start().await;
    server.bound("data", json!({"validations": [{"expression": "has(object.data.a)"}]})).await;
    assert_eq!(server.map("one", json!({"b": ""})).await.code, 422);
    let policy = format!("{GROUP}/validatingadmissionpolicies/data");
    let patch = json!({"spec": {"validations": [{"expression": "has(object.data.b)"}]}});
    assert_eq!(server.patch(&policy, MERGE, patch).await.code, 200);
    assert_eq!(server.map("one", json!({"b": ""})).await.code, 201);
    assert_eq!(server.map("two", json!({"a": ""})).await.code, 422);
    assert_eq!(server.delete(&policy).await.code, 200);
    assert_eq!(server.map("two", json!({"a": ""})).await.code, 201);
}

#[tokio::test]
async fn policies_choose_messages_and_reasons() {
    let server = start().await;
    let validations = json!([
        {"expression": "object.data.which != 'own'", "message": " too bad ", "reason": "Forbidden"},
        {"expression": "object.data.which != 'made'", "message": "own", "reason": "RequestEntityTooLarge",
            "messageExpression": "'  not ' + object.data.which + ' '"},
        {"expression": "object.data.which != 'failing'", "message": "own",
            "messageExpression": "string(object.data.nope)"},
        {"expression": "object.data.which != 'lines'", "messageExpression": "'a\\nb'"},
        {"expression": "object.data.which != 'empty'", "messageExpression": "' '"},
    ]);
    server.bound("texts", json!({"validations": validations})).await;
    let check = async |which: &str, code: u16, reason: &str, message: &str| {
        let said = server.map("m", json!({"which": which})).await;
        let prefix = "configmaps \"m\" is forbidden: ValidatingAdmissionPolicy 'texts' with binding 'texts-binding' \
                      denied request: ";
        assert_eq!(said.json["message"], format!("{prefix}{message}"), "{which}");
        assert_eq!(
            (said.code, &said.json["reason"], &said.json["code"]),
            (code, &reason.into(), &code.into())
        );
    };
    check("own", 403, "Forbidden", "too bad").await;
    check("made", 413, "RequestEntityTooLarge", "not made").await;
    check("failing", 422, "Invalid", "own").await;
    check("lines", 422, "Invalid", "failed expression: object.data.which != 'lines'").await;
    check("empty", 422, "Invalid", "failed expression: object.data.which != 'empty'").await;
    assert_eq!(server.map("m", json!({"which": "none"})).await.code, 201);
}

#[tokio::test]
async fn policies_warn_where_bindings_say_so() {
    let server = start().await;
    let spec = json!({"validations": [
        {"expression": "has(object.data.a)", "message": "a is missing"},
        {"expression": "has(object.data.b)", "message": "b is missing"},
    ]});
    server.policy("data", spec).await;
    server.bind_policy("data", "warning", json!({"validationActions": ["Warn", "Audit"]})).await;
    let said = server.map("m", json!({"x": ""})).await;
    assert_eq!(said.code, 201, "{}", said.json);
    let warnings: Vec<&str> =
        said.headers.get_all("warning").iter().map(|value| value.to_str().unwrap()).collect();
    let warning = |what: &str| {
        format!(
            "299 - \"Validation failed for ValidatingAdmissionPolicy 'data' with binding 'warning': {what}\""
        )
    };
    assert_eq!(warnings, [warning("a is missing"), warning("b is missing")]);
}

#[tokio::test]
async fn variables_are_shared_by_expressions() {
    let server = start().await;
    let spec = json!({
        "variables": [
            {"name": "names", "expression": "object.data.names.split(',')"},
            {"name": "upper", "expression": "variables.names.filter(n, n.matches('^[A-Z]'))"},
        ],
        "validations": [{
            "expression": "!has(object.data.names) || size(variables.upper) == 0",
            "messageExpression": "'capitals in ' + variables.upper.join(' and ')",
        }],
    });
    server.bound("names", spec).await;
    assert_eq!(server.map("m", json!({"other": ""})).await.code, 201, "variables are not computed in vain");
    let said = server.map("n", json!({"names": "a,B,c,D"})).await;
    refused(&said, "n", "'names' with binding 'names-binding' denied request: capitals in B and D");
}

#[tokio::test]
async fn errors_are_refusals_unless_policies_say_otherwise() {
    let server = start().await;
    let validations = json!([{"expression": "object.data.a.size() > 0"}]);
    server.bound("strict", json!({"validations": validations})).await;
    let said = server.map("m", json!({"b": ""})).await;
    let why = "'strict' with binding 'strict-binding' denied request: expression 'object.data.a.size() > 0' resulted in \
               error: no such key: a";
    refused(&said, "m", why);
    server.delete(&format!("{GROUP}/validatingadmissionpolicies/strict")).await;
    server.bound("lax", json!({"validations": validations, "failurePolicy": "Ignore"})).await;
    assert_eq!(server.map("m", json!({"b": ""})).await.code, 201);
    assert_eq!(server.map("n", json!({"a": ""})).await.code, 422, "a value is no error");
}

#[tokio::test]
async fn policies_end_when_they_cost_too_much() {
    let server = start().await;
    let ten = "[0,1,2,3,4,5,6,7,8,9]";
    let loops = format!(
        "{ten}.all(a, {ten}.all(b, {ten}.all(c, {ten}.all(d, {ten}.all(e, a + b + c + d + e >= 0)))))"
    );
    server.bound("costly", json!({"validations": [{"expression": loops}]})).await;
    let said = server.map("m", json!({})).await;
    let why = format!(
        "'costly' with binding 'costly-binding' denied request: expression '{loops}' resulted in error: operation \
         cancelled: actual cost limit exceeded"
    );
    refused(&said, "m", &why);
    server.delete(&format!("{GROUP}/validatingadmissionpolicies/costly")).await;
    let validations: Vec<Json> = (0..12).map(|_| json!({"expression": loops})).collect();
    server.bound("many", json!({"validations": validations})).await;
    let why = "'many' with binding 'many-binding' denied request: validation failed due to running out of cost budget, \
               no further validation rules will be run";
    refused(&server.map("m", json!({})).await, "m", why);
}

#[tokio::test]
async fn conditions_decide_whether_policies_are_asked() {
    let server = start().await;
    let spec = |conditions: Json, failure: &str| {
        json!({"matchConditions": conditions, "failurePolicy": failure,
        "validations": [{"expression": "false"}]})
    };
    let labelled =
        json!([{"name": "labelled", "expression": "has(object.data) && 'checked' in object.data"}]);
    server.bound("some", spec(labelled, "Fail")).await;
    assert_eq!(server.map("a", json!({"other": ""})).await.code, 201);
    let why = "'some' with binding 'some-binding' denied request: failed expression: false";
    refused(&server.map("b", json!({"checked": ""})).await, "b", why);
    server.delete(&format!("{GROUP}/validatingadmissionpolicies/some")).await;

    let failing = json!([
        {"name": "one", "expression": "object.data.nope == ''"},
        {"name": "two", "expression": "object.data.none == ''"},
        {"name": "three", "expression": "object.data.size() == 1"},
    ]);
    server.bound("failing", spec(failing.clone(), "Fail")).await;
    let why = "'failing' with binding 'failing-binding' denied request: [expression 'object.data.nope == ''' resulted in \
               error: no such key: nope, expression 'object.data.none == ''' resulted in error: no such key: none]";
    refused(&server.map("c", json!({"x": ""})).await, "c", why);
    assert_eq!(server.map("d", json!({"x": "", "y": ""})).await.code, 201, "one that is false decides");
    server.delete(&format!("{GROUP}/validatingadmissionpolicies/failing")).await;
    server.bound("ignoring", spec(failing, "Ignore")).await;
    assert_eq!(server.map("c", json!({"x": ""})).await.code, 201);
}

#[tokio::test]
async fn expressions_see_the_request_and_the_namespace() {
    let server = start().await;
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace",
        "metadata": {"name": "seen", "labels": {"team": "a"}, "annotations": {"x": "y"}}});
    assert_eq!(server.post("/api/v1/namespaces", namespace).await.code, 201);
    let expressions = [
        "request.operation in ['CREATE', 'UPDATE', 'DELETE']",
        "request.kind.group == '' && request.kind.version == 'v1' && request.requestKind.kind == 'ConfigMap'",
        "request.resource.resource == 'configmaps' && request.requestResource.version == 'v1'",
        "request.name == 'm' && request.namespace == 'seen' && !has(request.subResource)",
        "request.userInfo.username == 'admin' && 'system:masters' in request.userInfo.groups",
        "request.operation != 'CREATE' || (request.dryRun && request.options.fieldManager == 'me')",
        "request.operation != 'CREATE' || request.options.kind == 'CreateOptions'",
        "request.operation != 'DELETE' || request.options.kind == 'DeleteOptions'",
        "request.operation != 'CREATE' || (oldObject == null && object.metadata.name == 'm')",
        "request.operation != 'UPDATE' || oldObject.data.a == 'old' && object.data.a == 'new'",
        "request.operation != 'DELETE' || object == null && oldObject.data.a == 'new'",
        "namespaceObject.metadata.name == 'seen' && namespaceObject.metadata.labels['team'] == 'a'",
        "namespaceObject.metadata.annotations['x'] == 'y' && namespaceObject.status.phase == 'Active'",
        "dyn(namespaceObject).metadata.?managedFields.orValue('none') == 'none' && !has(dyn(namespaceObject).kind)",
        "object == null || object.kind == 'ConfigMap' && object.apiVersion == 'v1'",
    ];
    let validations: Vec<Json> = expressions.iter().map(|text| json!({"expression": text})).collect();
    server.bound("seen", json!({"validations": validations})).await;
    let path = "/api/v1/namespaces/seen/configmaps";
    let said =
        server.post(&format!("{path}?dryRun=All&fieldManager=me"), map("m", json!({"a": "old"}))).await;
    assert_eq!(said.code, 201, "{}", said.json["message"]);
    server.delete(&format!("{GROUP}/validatingadmissionpolicybindings/seen-binding")).await;
    assert_eq!(server.post(path, map("m", json!({"a": "old"}))).await.code, 201);
    server.bind_policy("seen", "again", json!({})).await;
    let said = server.put(&format!("{path}/m"), map("m", json!({"a": "new"}))).await;
    assert_eq!(said.code, 200, "{}", said.json["message"]);
    let said = server.delete(&format!("{path}/m")).await;
    assert_eq!(said.code, 200, "{}", said.json["message"]);
}

#[tokio::test]
async fn deletions_and_connections_are_refused_as_well() {
    let server = start().await;
    assert_eq!(server.map("kept", json!({})).await.code, 201);
    let deletes = json!({"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["DELETE"],
        "resources": ["configmaps"]}]});
    let validation = json!({"expression": "oldObject.metadata.name != 'kept'", "message": "it stays"});
    server.bound("keep", json!({"matchConstraints": deletes, "validations": [validation]})).await;
    let said = server.delete(&format!("{MAPS}/kept")).await;
    refused(&said, "kept", "'keep' with binding 'keep-binding' denied request: it stays");
    assert_eq!(server.ask(Method::DELETE, MAPS, &[], bytes::Bytes::new()).await.code, 422);

    let connects = json!({"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CONNECT"],
        "resources": ["pods/exec"]}]});
    let validation = json!({"messageExpression": "object.kind + ': ' + object.command.join(' ')",
        "expression": "object.command != ['rm'] || request.kind.kind != 'PodExecOptions'"});
    server.bound("exec", json!({"matchConstraints": connects, "validations": [validation]})).await;
    let said = server.get("/api/v1/namespaces/default/pods/p/exec?command=rm&stdout=1").await;
    let message = "pods \"p\" is forbidden: ValidatingAdmissionPolicy 'exec' with binding 'exec-binding' denied request: \
                   PodExecOptions: rm";
    assert_eq!((said.code, said.json["message"].as_str()), (422, Some(message)), "{}", said.json);
}

#[tokio::test]
async fn the_authorizer_is_asked_for_whoever_sends_the_request() {
    let server = start().await;
    let validation = json!({"message": "only for breakers",
        "expression": "authorizer.group('').resource('configmaps').namespace('default').check('break').allowed()"});
    server.bound("breakers", json!({"validations": [validation]})).await;
    let rbac = "/apis/rbac.authorization.k8s.io/v1";
    for (name, verbs) in [("maker", json!(["create"])), ("breaker", json!(["create", "break"]))] {
        let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": name},
            "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": verbs}]});
        assert_eq!(server.post(&format!("{rbac}/clusterroles"), role).await.code, 201);
        let binding = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
            "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name}]});
        assert_eq!(server.post(&format!("{rbac}/clusterrolebindings"), binding).await.code, 201);
    }
    let by = |name: &str| Inside {
        api: Arc::clone(&server.api),
        user: User {
            name: name.to_owned(),
            groups: vec!["system:authenticated".to_owned()],
            ..User::default()
        },
    };
    let (maker, breaker) = (by("maker"), by("breaker"));
    let said = crate::inside::eventually(async || {
        Some(maker.map("m", json!({})).await).filter(|said| said.code != 403)
    })
    .await;
    refused(&said, "m", "'breakers' with binding 'breakers-binding' denied request: only for breakers");
    let said = crate::inside::eventually(async || {
        Some(breaker.map("b", json!({})).await).filter(|said| said.code != 403)
    })
    .await;
    assert_eq!(said.code, 201, "{}", said.json);
    // Masters may do everything.
    assert_eq!(server.map("c", json!({})).await.code, 201);
    let asked = json!({"message": "no",
        "expression": "authorizer.requestResource.check('create').allowed() && \
                       !authorizer.serviceAccount('default', 'nobody').path('/metrics').check('get').allowed()"});
    server.delete(&format!("{GROUP}/validatingadmissionpolicies/breakers")).await;
    server.bound("resource", json!({"validations": [asked]})).await;
    assert_eq!(maker.map("n", json!({})).await.code, 201);
}

#[tokio::test]
async fn policies_are_not_about_policies_and_reviews() {
    let server = start().await;
    let all = json!({"resourceRules": [rule("*", "*", "*")]});
    server.bound("nothing", json!({"matchConstraints": all, "validations": [{"expression": "false"}]})).await;
    assert_eq!(server.map("m", json!({})).await.code, 422);
    let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
        "spec": {"nonResourceAttributes": {"path": "/", "verb": "get"}}});
    assert_eq!(server.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review).await.code, 201);
    server.policy("other", json!({"validations": [{"expression": "true"}]})).await;
    let binding = format!("{GROUP}/validatingadmissionpolicybindings/nothing-binding");
    assert_eq!(server.delete(&binding).await.code, 200, "there is a way back");
    assert_eq!(server.map("m", json!({})).await.code, 201);
}

#[tokio::test]
async fn wrong_expressions_are_refused_when_policies_are_written() {
    let server = start().await;
    let said =
        server.try_policy("wrong", json!({"validations": [{"expression": "object.spec.replicas <"}]})).await;
    let message = "ValidatingAdmissionPolicy.admissionregistration.k8s.io \"wrong\" is invalid: \
                   spec.validations[0].expression: Invalid value: \"object.spec.replicas <\": compilation failed: \
                   ERROR: <input>:1:23: Syntax error: mismatched input '<EOF>' expecting";
    let told = said.json["message"].as_str().unwrap_or_default();
    assert!(said.code == 422 && told.starts_with(message), "{}", said.json);
    let wrong = json!({
        "matchConditions": [{"name": "c", "expression": "1"}],
        "variables": [{"name": "a", "expression": "variables.b"}, {"name": "b", "expression": "1"}],
        "validations": [
            {"expression": "variables.b", "messageExpression": "authorizer.path('/').check('get').reason()"},
            {"expression": "params.a == 1", "messageExpression": "1"},
        ],
        "auditAnnotations": [{"key": "k", "valueExpression": " 1 "}],
    });
    let said = server.try_policy("wrong", wrong).await;
    let causes = said.json["details"]["causes"].as_array().cloned().unwrap_or_default();
    let told: Vec<(&str, &str)> = causes
        .iter()
        .map(|cause| (cause["field"].as_str().unwrap(), cause["message"].as_str().unwrap()))
        .collect();
    let undeclared = |text: &str, name: &str, at: usize, dots: &str| {
        format!(
            "Invalid value: {text:?}: compilation failed: ERROR: <input>:1:{at}: undeclared reference to '{name}' (in \
             container '')\n | {text}\n | {dots}^"
        )
    };
    let message = undeclared("authorizer.path('/').check('get').reason()", "authorizer", 1, "");
    let params = undeclared("params.a == 1", "params", 1, "");
    assert_eq!(
        told,
        [
            ("spec.matchConditions[0].expression", "Invalid value: \"1\": must evaluate to bool but got int"),
            (
                "spec.variables[0].expression",
                "Invalid value: \"variables.b\": compilation failed: ERROR: <input>:1:10: undefined field 'b'\n | \
                 variables.b\n | .........^"
            ),
            (
                "spec.validations[0].expression",
                "Invalid value: \"variables.b\": must evaluate to bool but got int"
            ),
            ("spec.validations[0].messageExpression", message.as_str()),
            ("spec.validations[1].expression", params.as_str()),
            (
                "spec.validations[1].messageExpression",
                "Invalid value: \"1\": must evaluate to string but got int"
            ),
            (
                "spec.auditAnnotations[0].valueExpression",
                "Invalid value: \" 1 \": must evaluate to one of [string null_type] but got int"
            ),
        ]
    );
}

#[tokio::test]
async fn annotations_that_fail_are_refusals() {
    let server = start().await;
    let annotations = json!([
        {"key": "k", "valueExpression": "string(object.data.nope)"},
        {"key": "none", "valueExpression": "null"},
    ]);
    server.bound("lax", json!({"failurePolicy": "Ignore", "auditAnnotations": annotations})).await;
    assert_eq!(server.map("m", json!({})).await.code, 201);
    server.bound("strict", json!({"auditAnnotations": annotations})).await;
    let why = "'strict' with binding 'strict-binding' denied request: expression 'string(object.data.nope)' resulted in \
               error: no such key: nope";
    refused(&server.map("n", json!({"a": ""})).await, "n", why);
}
