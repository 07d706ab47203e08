//! `--authentication-config`: issuers, rules and expressions of a file, what is wrong with one, and one that changes.

use std::error::Error;
use std::time::Duration;

use http::Method;
use rhumb_server::environment::{Clock, SystemClock};
use rhumb_server::{Server, StartError};
use serde_json::{Value, json};

use crate::authority::Authority;
use crate::client::Client;
use crate::issuer::{ELSEWHERE, Issuer};
use crate::knowing::{Directory, ask, options, until, with_token};

/// An issuer, and who vouches for it.
async fn issuer(name: &str) -> (Issuer, String) {
    let authority = Authority::new(name);
    let (certificate, private) = authority.server();
    (Issuer::start(&certificate, &private).await, authority.certificate)
}

/// A configuration of these authenticators.
fn configuration(version: &str, jwt: &Value) -> String {
    let group = "apiserver.config.k8s.io";
    json!({"apiVersion": format!("{group}/{version}"), "kind": "AuthenticationConfiguration", "jwt": jwt})
        .to_string()
}

/// What a token of an issuer says, good for a minute.
fn claims(issuer: &str, others: &Value) -> Value {
    let mut claims = json!({"iss": issuer, "aud": "kubernetes", "exp": SystemClock::default().now().0 + 60});
    for (name, value) in others.as_object().unwrap() {
        claims[name] = value.clone();
    }
    claims
}

/// What a review says of a token: its user, or why there is none.
async fn review(admin: &mut Client, token: &str) -> Value {
    let body = json!({"spec": {"token": token}});
    let (code, made) = ask(admin, Method::POST, "/apis/authentication.k8s.io/v1/tokenreviews", &body).await;
    assert_eq!(code, 201, "{made}");
    let mut status = made["status"].clone();
    if status["authenticated"] == true { status["user"].take() } else { status["error"].take() }
}

async fn start(file: &str) -> (Server, Client) {
    let options = options(&[("authentication-config", file)]);
    let builder = Server::builder().options(options).look_again_every(Duration::from_millis(10));
    let server = builder.start().await.unwrap();
    let admin = Client::http2(&server, Some(server.admin_certificate())).await;
    (server, admin)
}

#[tokio::test]
async fn tokens_of_several_issuers_become_users_by_claims() {
    let directory = Directory::new("config-issuers");
    let ((first, first_ca), (second, second_ca)) = (issuer("first").await, issuer("second").await);
    let indented = |pem: &str| pem.lines().collect::<Vec<_>>().join("\n      ");
    let yaml = format!(
        "apiVersion: apiserver.config.k8s.io/v1beta1
kind: AuthenticationConfiguration
jwt:
- issuer:
    url: {}
    certificateAuthority: |
      {}
    audiences: [kubernetes, other]
    audienceMatchPolicy: MatchAny
  claimMappings:
    username: {{claim: sub, prefix: 'first:'}}
    groups: {{claim: roles, prefix: 'role:'}}
    uid: {{claim: id}}
- issuer:
    url: {ELSEWHERE}
    discoveryURL: {}/elsewhere
    certificateAuthority: |
      {}
    audiences: [kubernetes]
  claimValidationRules:
  - {{claim: hd, requiredValue: example.com}}
  claimMappings:
    username: {{claim: email, prefix: ''}}
",
        first.url,
        indented(&first_ca),
        second.url,
        indented(&second_ca)
    );
    let (server, mut admin) = start(&directory.write("config.yaml", &yaml)).await;
    let said = claims(&first.url, &json!({"sub": "jane", "roles": ["dev"], "id": "7", "jti": "t"}));
    let jane = json!({
        "username": "first:jane", "uid": "7", "groups": ["role:dev", "system:authenticated"],
        "extra": {"authentication.kubernetes.io/credential-id": ["JTI=t"]},
    });
    assert_eq!(review(&mut admin, &first.token("one", &said)).await, jane);
    // One of the audiences is enough.
    for (audience, code) in [("other", 403), ("third", 401)] {
        let mut said = said.clone();
        said["aud"] = json!([audience, "x"]);
        assert_eq!(with_token(&server, &first.token("one", &said)).await, code, "{audience}");
    }
    let said = claims(ELSEWHERE, &json!({"email": "joe@example.com", "hd": "example.com"}));
    assert_eq!(review(&mut admin, &second.token("one", &said)).await["username"], "joe@example.com");
    // An issuer doesn't vouch for the users of another, nor is one known by what is not its name.
    let stranger = claims(&second.url, &json!({"email": "joe@example.com", "hd": "example.com"}));
    let mut unverified = said.clone();
    unverified["email_verified"] = json!(false);
    for (token, why) in [
        (second.token("one", &stranger), "invalid bearer token".to_owned()),
        (second.token("one", &unverified), "[invalid bearer token, oidc: email not verified]".to_owned()),
        (
            first.token("one", &claims(&first.url, &json!({"sub": "jane"}))),
            "[invalid bearer token, oidc: parse uid claim \"id\": claim not present]".to_owned(),
        ),
    ] {
        assert_eq!(review(&mut admin, &token).await, json!(why));
    }
}

/// Expressions for everything, and rules about claims and users.
fn expressive(issuer: &Issuer, authority: &str) -> Value {
    json!([{
        "issuer": {"url": issuer.url, "certificateAuthority": authority, "audiences": ["kubernetes"]},
        "claimValidationRules": [
            {"expression": "claims.exp - claims.nbf <= 3600.0", "message": "the token lives too long"},
            {"expression": "claims.?email_verified.orValue(false) == true", "message": "the address is unverified"},
        ],
        "claimMappings": {
            "username": {"expression": "'mail:' + claims.email"},
            "groups": {"expression": "claims.roles.split(',').map(role, 'role:' + role)"},
            "uid": {"expression": "string(int(claims.number))"},
            "extra": [
                {"key": "example.com/tenant", "valueExpression": "claims.example__dot__com.tenant"},
                {"key": "example.com/none", "valueExpression": "[]"},
            ],
        },
        "userValidationRules": [
            {"expression": "!user.username.startsWith('mail:system:')", "message": "the name is reserved"},
            {"expression": "user.groups.all(group, group != 'role:admin') && user.uid != '0'",
             "message": "admins are elsewhere"},
            {"expression": "user.extra['example.com/tenant'] == ['a']", "message": "the tenant is unknown"},
        ],
    }])
}

#[tokio::test]
async fn expressions_map_claims_and_rules_refuse_them() {
    let directory = Directory::new("config-expressions");
    let (issuer, authority) = issuer("expressive").await;
    let text = configuration("v1", &expressive(&issuer, &authority));
    let (_server, mut admin) = start(&directory.write("config.json", &text)).await;
    let now = SystemClock::default().now().0;
    let good = json!({
        "email": "jane@example.com", "email_verified": true, "roles": "dev,ops", "number": 7, "nbf": now,
        "example.com": {"tenant": "a"},
    });
    let jane = json!({
        "username": "mail:jane@example.com", "uid": "7",
        "groups": ["role:dev", "role:ops", "system:authenticated"], "extra": {"example.com/tenant": ["a"]},
    });
    let token = issuer.token("one", &claims(&issuer.url, &good));
    for _ in 0..2 {
        assert_eq!(review(&mut admin, &token).await, jane);
    }
    let claim_rule = "oidc: error evaluating claim validation expression: ";
    let user_rule = "oidc: error evaluating user info validation rule: ";
    for (claim, value, expect) in [
        (
            "nbf",
            json!(now - 7200),
            format!(
                "{claim_rule}validation expression 'claims.exp - claims.nbf <= 3600.0' failed: the token lives too long"
            ),
        ),
        (
            "email_verified",
            json!(false),
            format!(
                "{claim_rule}validation expression 'claims.?email_verified.orValue(false) == true' failed: the address \
                 is unverified"
            ),
        ),
        (
            "email",
            json!("system:x"),
            format!(
                "{user_rule}validation expression '!user.username.startsWith('mail:system:')' failed: the name is \
                 reserved"
            ),
        ),
        (
            "roles",
            json!("dev,admin"),
            format!(
                "{user_rule}validation expression 'user.groups.all(group, group != 'role:admin') && user.uid != \
                 '0'' failed: admins are elsewhere"
            ),
        ),
        (
            "example.com",
            json!({"tenant": ["b"]}),
            format!(
                "{user_rule}validation expression 'user.extra['example.com/tenant'] == ['a']' failed: the tenant is \
                 unknown"
            ),
        ),
        // What a claim is nobody is told, but where it is missing.
        (
            "number",
            json!("secret"),
            "oidc: error evaluating uid claim expression: expression 'string(int(claims.number))' resulted in \
             error: evaluation failed"
                .to_owned(),
        ),
        (
            "email",
            Value::Null,
            "oidc: error evaluating username claim expression: expression ''mail:' + claims.email' resulted in \
             error: no such overload"
                .to_owned(),
        ),
        (
            "example.com",
            json!({"secret": "secret"}),
            "expression 'claims.example__dot__com.tenant' resulted in error: no such key: tenant".to_owned(),
        ),
        (
            "example.com",
            json!({"tenant": {"secret": 1}}),
            "oidc: error evaluating extra claim expression: claims.example__dot__com.tenant: expression must return \
             a string or a list of strings"
                .to_owned(),
        ),
    ] {
        let mut said = good.clone();
        said[claim] = value.clone();
        let told = review(&mut admin, &issuer.token("one", &claims(&issuer.url, &said))).await;
        let told = told.as_str().unwrap_or_else(|| panic!("{claim}={value}: {told}"));
        assert_eq!(told, format!("[invalid bearer token, {expect}]"), "{claim}={value}");
        assert!(!told.contains("secret"), "{told}");
    }
}

#[tokio::test]
async fn an_evaluation_ends_at_its_limit() {
    let directory = Directory::new("config-limits");
    let (issuer, authority) = issuer("limits").await;
    let all = "dyn(claims.all)";
    let expression = format!("{all}.map(a, {all}.map(b, {all}.map(c, a + b + c))).size() > 0 ? 'x' : 'y'");
    let jwt = json!([{
        "issuer": {"url": issuer.url, "certificateAuthority": authority, "audiences": ["kubernetes"]},
        "claimMappings": {"username": {"expression": expression}},
    }]);
    let (_server, mut admin) = start(&directory.write("c.json", &configuration("v1", &jwt))).await;
    let review_of = async |admin: &mut Client, length: usize| {
        let said = claims(&issuer.url, &json!({"all": vec!["a"; length]}));
        review(admin, &issuer.token("one", &said)).await
    };
    assert_eq!(review_of(&mut admin, 3).await["username"], "x");
    let told = review_of(&mut admin, 2000).await;
    assert!(told.as_str().unwrap().contains("operation cancelled: actual cost limit exceeded"), "{told}");
}

/// Why a server can't start with a configuration.
async fn refusal(directory: &Directory, text: &str) -> String {
    let file = directory.write("config", text);
    let settings = [("authentication-config", file.as_str()), ("service-account-issuer", "https://accounts")];
    let error = Server::builder().options(options(&settings)).start().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("failed to load authentication configuration from file \"{file}\"")
    );
    error.source().unwrap().to_string()
}

/// The texts are those of kube-apiserver v1.36, but for what is said about egress selectors.
#[tokio::test]
async fn what_is_wrong_with_a_configuration_is_told_with_its_place() {
    const EMAIL: &str = "claims.email_verified must be used in claimMappings.username.expression or \
        claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in \
        claimMappings.username.expression";
    const UNDECLARED: &str = "compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in container \
        '')\n | foo.bar\n | ^";
    const BOTH: &str = "claim and expression can't both be set";
    const PREFIX: &str = "Required value: prefix is required when claim is set. It can be set to an empty string to \
        disable prefixing";
    const RESERVED: &str = "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use";
    let email = |expression: &str| format!("username.expression: Invalid value: {expression:?}: {EMAIL}");
    let extra = |key: &str, expression: &str| json!([{"key": key, "valueExpression": expression}]);
    let issuer = [
        ("url", json!(""), "url: Required value".to_owned()),
        ("url", json!("invalid-url"), "url: Invalid value: \"invalid-url\": URL scheme must be https".to_owned()),
        ("url", json!("http://a"), "url: Invalid value: \"http://a\": URL scheme must be https".to_owned()),
        (
            "url",
            json!("https://a:port"),
            "url: Invalid value: \"https://a:port\": parse \"https://a:port\": invalid port \":port\" after host"
                .to_owned(),
        ),
        (
            "url",
            json!("https://u:p@a"),
            "url: Invalid value: \"https://u:p@a\": URL must not contain a username or password".to_owned(),
        ),
        ("url", json!("https://a?q"), "url: Invalid value: \"https://a?q\": URL must not contain a query".to_owned()),
        (
            "url",
            json!("https://a#f"),
            "url: Invalid value: \"https://a#f\": URL must not contain a fragment".to_owned(),
        ),
        (
            "url",
            json!("https://accounts"),
            "url: Invalid value: \"https://accounts\": URL must not overlap with disallowed issuers: \
             [https://accounts]"
                .to_owned(),
        ),
        (
            "discoveryURL",
            json!("https://issuer//"),
            "discoveryURL: Invalid value: \"https://issuer//\": discoveryURL must be different from URL".to_owned(),
        ),
        (
            "discoveryURL",
            json!("http://a"),
            "discoveryURL: Invalid value: \"http://a\": URL scheme must be https".to_owned(),
        ),
        (
            "discoveryURL",
            json!("https://a?q"),
            "discoveryURL: Invalid value: \"https://a?q\": URL must not contain a query".to_owned(),
        ),
        (
            "audiences",
            json!([]),
            "audiences: Required value: at least one jwt[0].issuer.audiences is required".to_owned(),
        ),
        ("audiences", json!([""]), "audiences[0]: Required value".to_owned()),
        (
            "audiences",
            json!(["a", "b"]),
            "audienceMatchPolicy: Invalid value: \"\": audienceMatchPolicy must be MatchAny for multiple audiences"
                .to_owned(),
        ),
        (
            "audienceMatchPolicy",
            json!("MatchExact"),
            "audienceMatchPolicy: Invalid value: \"MatchExact\": audienceMatchPolicy must be empty or MatchAny for \
             single audience"
                .to_owned(),
        ),
        (
            "certificateAuthority",
            json!("invalid"),
            "certificateAuthority: Invalid value: \"<omitted>\": data does not contain any valid RSA or ECDSA \
             certificates"
                .to_owned(),
        ),
        (
            "egressSelectorType",
            json!("panda"),
            "egressSelectorType: Invalid value: \"panda\": egress selector must be either controlplane or cluster"
                .to_owned(),
        ),
        (
            "egressSelectorType",
            json!("cluster"),
            "egressSelectorType: Invalid value: \"cluster\": egress selectors are not supported: the issuer is \
             connected to directly"
                .to_owned(),
        ),
    ];
    let mappings = [
        ("username", json!({}), "username: Required value: claim or expression is required".to_owned()),
        ("username", json!({"claim": "a"}), format!("username.prefix: {PREFIX}")),
        (
            "username",
            json!({"claim": "a", "expression": "claims.sub"}),
            format!("username: Invalid value: \"\": {BOTH}"),
        ),
        (
            "username",
            json!({"prefix": "p", "expression": "claims.sub"}),
            "username.prefix: Invalid value: \"p\": may not be specified when expression is set".to_owned(),
        ),
        (
            "username",
            json!({"expression": "claims.a.map(i, i)[0]"}),
            "username.expression: Invalid value: \"claims.a.map(i, i)[0]\": compilation failed: ERROR: <input>:1:7: \
             expression of type 'any' cannot be range of a comprehension (must be list, map, or dynamic)\n | \
             claims.a.map(i, i)[0]\n | ......^"
                .to_owned(),
        ),
        (
            "username",
            json!({"expression": "foo.bar"}),
            format!("username.expression: Invalid value: \"foo.bar\": {UNDECLARED}"),
        ),
        ("username", json!({"expression": "claims.email"}), email("claims.email")),
        ("username", json!({"expression": "claims.?email"}), email("claims.?email")),
        ("username", json!({"expression": "{'a': claims.?email}"}), email("{'a': claims.?email}")),
        (
            "username",
            json!({"expression": "['a'].map(i, i + claims.email)"}),
            email("['a'].map(i, i + claims.email)"),
        ),
        ("groups", json!({"claim": "a"}), format!("groups.prefix: {PREFIX}")),
        (
            "groups",
            json!({"claim": "a", "expression": "claims.sub"}),
            format!("groups: Invalid value: \"\": {BOTH}"),
        ),
        (
            "groups",
            json!({"expression": "foo.bar"}),
            format!("groups.expression: Invalid value: \"foo.bar\": {UNDECLARED}"),
        ),
        (
            "uid",
            json!({"claim": "a", "expression": "claims.sub"}),
            format!("uid: Invalid value: \"\": {BOTH}"),
        ),
        (
            "uid",
            json!({"expression": "foo.bar"}),
            format!("uid.expression: Invalid value: \"foo.bar\": {UNDECLARED}"),
        ),
        ("extra", extra("", "claims.a"), "extra[0].key: Required value".to_owned()),
        (
            "extra",
            extra("foo", "claims.a"),
            "extra[0].key: Invalid value: \"foo\": must be a domain-prefixed path (such as \"acme.io/foo\")"
                .to_owned(),
        ),
        (
            "extra",
            extra("example.org/Foo", "claims.a"),
            "extra[0].key: Invalid value: \"example.org/Foo\": must be lowercase".to_owned(),
        ),
        (
            "extra",
            extra("kubernetes.io/foo", "claims.a"),
            format!("extra[0].key: Invalid value: \"kubernetes.io/foo\": {RESERVED}"),
        ),
        (
            "extra",
            extra("a.k8s.io/foo", "claims.a"),
            format!("extra[0].key: Invalid value: \"a.k8s.io/foo\": {RESERVED}"),
        ),
        ("extra", extra("example.org/foo", ""), "extra[0].valueExpression: Required value".to_owned()),
        (
            "extra",
            extra("example.org/foo", "foo.bar"),
            format!("extra[0].valueExpression: Invalid value: \"foo.bar\": {UNDECLARED}"),
        ),
        (
            "extra",
            json!([
                {"key": "example.org/foo", "valueExpression": "claims.a"},
                {"key": "example.org/foo", "valueExpression": "claims.b"},
            ]),
            "extra[1].key: Duplicate value: \"example.org/foo\"".to_owned(),
        ),
    ];
    let rules = [
        (
            "claimValidationRules",
            json!([{}]),
            "claimValidationRules[0]: Required value: claim or expression is required".to_owned(),
        ),
        (
            "claimValidationRules",
            json!([{"claim": "a", "expression": "true"}]),
            format!("claimValidationRules[0]: Invalid value: \"a\": {BOTH}"),
        ),
        (
            "claimValidationRules",
            json!([{"claim": "a", "message": "m"}]),
            "claimValidationRules[0].message: Invalid value: \"m\": may not be specified when claim is set".to_owned(),
        ),
        (
            "claimValidationRules",
            json!([{"expression": "true", "requiredValue": "v"}]),
            "claimValidationRules[0].requiredValue: Invalid value: \"v\": may not be specified when expression is set"
                .to_owned(),
        ),
        (
            "claimValidationRules",
            json!([{"claim": "a"}, {"claim": "a"}]),
            "claimValidationRules[1].claim: Duplicate value: \"a\"".to_owned(),
        ),
        (
            "claimValidationRules",
            json!([{"expression": "claims.a == 'b'"}, {"expression": "claims.a == 'b'"}]),
            "claimValidationRules[1].expression: Duplicate value: \"claims.a == 'b'\"".to_owned(),
        ),
        (
            "claimValidationRules",
            json!([{"expression": "claims.a"}]),
            "claimValidationRules[0].expression: Invalid value: \"claims.a\": must evaluate to bool".to_owned(),
        ),
        (
            "claimValidationRules",
            json!([{"expression": "foo.bar"}]),
            format!("claimValidationRules[0].expression: Invalid value: \"foo.bar\": {UNDECLARED}"),
        ),
        ("userValidationRules", json!([{}]), "userValidationRules[0].expression: Required value".to_owned()),
        (
            "userValidationRules",
            json!([{"expression": "user.uid == 'b'"}, {"expression": "user.uid == 'b'"}]),
            "userValidationRules[1].expression: Duplicate value: \"user.uid == 'b'\"".to_owned(),
        ),
        (
            "userValidationRules",
            json!([{"expression": "user.uid"}]),
            "userValidationRules[0].expression: Invalid value: \"user.uid\": must evaluate to bool".to_owned(),
        ),
        (
            "userValidationRules",
            json!([{"expression": "user.foo == 'a'"}]),
            "userValidationRules[0].expression: Invalid value: \"user.foo == 'a'\": compilation failed: ERROR: \
             <input>:1:5: undefined field 'foo'\n | user.foo == 'a'\n | ....^"
                .to_owned(),
        ),
    ];
    let good = json!({
        "issuer": {"url": "https://issuer", "audiences": ["a"]},
        "claimMappings": {"username": {"claim": "sub", "prefix": ""}},
    });
    let directory = Directory::new("config-wrong");
    for (below, cases) in [("issuer", &issuer[..]), ("claimMappings", &mappings), ("", &rules)] {
        for (field, value, expect) in cases {
            let mut authenticator = good.clone();
            let dotted = if below.is_empty() { String::new() } else { format!("{below}.") };
            let place = if below.is_empty() { &mut authenticator } else { &mut authenticator[below] };
            place[field] = value.clone();
            let told = refusal(&directory, &configuration("v1", &json!([authenticator]))).await;
            let expect = format!("invalid authentication configuration: jwt[0].{dotted}{expect}");
            assert_eq!(told, expect, "{below} {field}: {value}");
        }
    }
    // Several errors, several authenticators, and what is wrong with the whole.
    let mut other = good.clone();
    other["issuer"]["discoveryURL"] = json!("https://d");
    let mut third = other.clone();
    third["issuer"]["url"] = json!("https://third");
    for (jwt, expect) in [
        (json!([good, good]), "jwt[1].issuer.url: Duplicate value: \"https://issuer\""),
        (json!([other, third]), "jwt[1].issuer.discoveryURL: Duplicate value: \"https://d\""),
        (
            json!([{"claimMappings": good["claimMappings"], "issuer": {}}]),
            "[jwt[0].issuer.url: Required value, jwt[0].issuer.audiences: Required value: at least one \
             jwt[0].issuer.audiences is required]",
        ),
        (json!(vec![good.clone(); 65]), "jwt: Too many: 65: must have at most 64 items"),
    ] {
        let told = refusal(&directory, &configuration("v1alpha1", &jwt)).await;
        assert_eq!(told, format!("invalid authentication configuration: {expect}"));
    }
    let disabled = json!({"enabled": false, "conditions": [{"path": "/livez"}]});
    let header = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n";
    assert_eq!(
        refusal(&directory, &format!("{header}anonymous: {disabled}")).await,
        "invalid authentication configuration: anonymous.conditions: Invalid value: [{\"Path\":\"/livez\"}]: enabled \
         should be set to true when conditions are defined"
    );
    for (text, expect) in [
        (String::new(), "empty config data"),
        (format!("{header}jwtt: []"), "strict decoding error: unknown field \"jwtt\""),
        (
            format!("{header}jwt:\n- issuer: {{urll: a}}"),
            "strict decoding error: unknown field \"jwt[0].issuer.urll\"",
        ),
        (format!("{header}jwt: []\njwt: []"), "key \"jwt\" already set in map"),
        ("jwt: []".to_owned(), "Object 'Kind' is missing in"),
        (
            "apiVersion: apiserver.config.k8s.io/v2\nkind: AuthenticationConfiguration".to_owned(),
            "no kind \"AuthenticationConfiguration\" is registered for version \"apiserver.config.k8s.io/v2\"",
        ),
        ("apiVersion: v1\nkind: Pod".to_owned(), "no kind \"Pod\" is registered for version \"v1\""),
    ] {
        let told = refusal(&directory, &text).await;
        assert!(told.contains(expect), "{text:?}: {told}");
    }
    // What looks at whether an address was verified is taken.
    for rules in [
        json!({"claimValidationRules": [{"expression": "claims.email_verified == true"}]}),
        json!({"claimMappings": {"extra": [
            {"key": "example.com/v", "valueExpression": "string(claims.?email_verified.orValue(false))"},
        ]}}),
    ] {
        let mut authenticator = good.clone();
        for (name, value) in rules.as_object().unwrap() {
            authenticator[name] = value.clone();
        }
        authenticator["claimMappings"]["username"] = json!({"expression": "claims.email"});
        let file = directory.write("good", &configuration("v1", &json!([authenticator])));
        let options = options(&[("authentication-config", file.as_str())]);
        Server::builder().options(options).start().await.unwrap();
    }
}

#[tokio::test]
async fn flags_and_a_configuration_are_not_taken_together() {
    let directory = Directory::new("config-flags");
    let header = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n";
    let file = directory.write("config", &format!("{header}anonymous: {{enabled: true}}"));
    for (flag, expect) in [
        (("oidc-client-id", "a"), "authentication-config file and oidc-* flags are mutually exclusive"),
        (
            ("anonymous-auth", "false"),
            "anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured in \
             authentication configuration file",
        ),
    ] {
        let settings = [flag, ("authentication-config", file.as_str())];
        let error = Server::builder().options(options(&settings)).start().await.unwrap_err();
        assert!(matches!(error, StartError::Settings(_)), "{error:?}");
        assert_eq!(error.to_string(), expect);
    }
    let settings = [("authentication-config", "/nowhere/config")];
    let error = Server::builder().options(options(&settings)).start().await.unwrap_err();
    let expect = "failed to load authentication configuration from file \"/nowhere/config\"";
    assert_eq!(error.to_string(), expect);
}

#[tokio::test]
async fn anonymous_requests_reach_the_paths_of_conditions_alone() {
    let directory = Directory::new("config-anonymous");
    let header = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\nanonymous: ";
    // The anonymous user may see the version, and no nodes.
    for (anonymous, livez, version, nodes) in [
        ("{enabled: false}", 401, 401, 401),
        ("{enabled: true}", 200, 200, 403),
        ("{enabled: true, conditions: [{path: /livez}]}", 200, 401, 401),
        ("{enabled: true, conditions: [{path: /version}, {path: /api/v1/nodes}]}", 401, 200, 403),
    ] {
        let (server, _) = start(&directory.write("config", &format!("{header}{anonymous}\n"))).await;
        let mut client = Client::http1(&server, None).await;
        let mut found = Vec::new();
        for path in ["/livez", "/version", "/api/v1/nodes"] {
            found.push(client.get(path).await.code);
        }
        assert_eq!(found, [livez, version, nodes], "{anonymous}");
        // Only the whole path counts, and a bad credential is not made good by it.
        let beyond = client.get("/livez/ping").await.code;
        assert!(anonymous == "{enabled: true}" || beyond == 401, "{anonymous}: {beyond}");
        let bad = [("authorization", "Bearer bad")];
        assert_eq!(client.get_with("/livez", &bad).await.code, 401, "{anonymous}");
    }
}

#[tokio::test]
async fn a_configuration_that_changes_is_read_again() {
    let directory = Directory::new("config-reload");
    let ((first, first_ca), (second, second_ca)) = (issuer("first").await, issuer("second").await);
    let authenticator = |issuer: &Issuer, authority: &str| {
        json!({
            "issuer": {"url": issuer.url, "certificateAuthority": authority, "audiences": ["kubernetes"]},
            "claimMappings": {"username": {"claim": "sub", "prefix": ""}},
        })
    };
    let (one, two) = (authenticator(&first, &first_ca), authenticator(&second, &second_ca));
    let file = directory.write("config", &configuration("v1", &json!([one])));
    let (server, mut admin) = start(&file).await;
    let jane = first.token("one", &claims(&first.url, &json!({"sub": "jane"})));
    let joe = second.token("one", &claims(&second.url, &json!({"sub": "joe"})));
    assert_eq!((with_token(&server, &jane).await, with_token(&server, &joe).await), (403, 401));
    let metric = async |admin: &mut Client, name: &str| {
        let text = admin.get("/metrics").await.body;
        let begin = format!("apiserver_authentication_config_controller_{name}");
        let line = text.lines().find(|line| line.starts_with(&begin)).unwrap_or_default().to_owned();
        line.rsplit_once(' ').map(|(labels, value)| (labels.to_owned(), value.to_owned())).unwrap_or_default()
    };
    let (loaded, _) = metric(&mut admin, "last_config_info{apiserver_id_hash=\"\",hash=\"sha256:").await;
    assert!(!loaded.is_empty());
    let total =
        |status: &str| format!("automatic_reloads_total{{apiserver_id_hash=\"\",status=\"{status}\"}}");
    assert_eq!(metric(&mut admin, &total("success")).await.1, "");

    // What can't be used changes nothing, and is counted once.
    let mut failures = 0;
    let changed_anonymous = format!(
        "{}\n",
        configuration("v1", &json!([two])).replacen(
            "\"jwt\"",
            "\"anonymous\": {\"enabled\": true}, \"jwt\"",
            1
        )
    );
    for bad in ["jwt: [", "kind: x", &configuration("v1", &json!([two, two])), &changed_anonymous] {
        directory.write("config", bad);
        failures += 1;
        let expect = failures.to_string();
        until(async || metric(&mut admin, &total("failure")).await.1 == expect).await;
        assert_eq!((with_token(&server, &jane).await, with_token(&server, &joe).await), (403, 401));
    }
    let info = metric(&mut admin, "last_config_info").await.0;
    assert_eq!(info, loaded);

    directory.write("config", &configuration("v1beta1", &json!([one, two])));
    until(async || with_token(&server, &joe).await == 403).await;
    assert_eq!(with_token(&server, &jane).await, 403);
    until(async || metric(&mut admin, &total("success")).await.1 == "1").await;
    assert_ne!(metric(&mut admin, "last_config_info").await.0, loaded);
    // Whose issuer is gone is not known any more, though the token was looked at a moment ago.
    directory.write("config", &configuration("v1", &json!([two])));
    until(async || with_token(&server, &jane).await == 401).await;
    assert_eq!(with_token(&server, &joe).await, 403);
    directory.write("config", &configuration("v1", &json!([])));
    until(async || with_token(&server, &joe).await == 401).await;
    assert_eq!(metric(&mut admin, &total("failure")).await.1, failures.to_string());
}
