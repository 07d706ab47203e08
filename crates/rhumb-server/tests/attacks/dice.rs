//! Requests by chance, the same in every run: mostly almost right, because what is all wrong is refused at the door.

use http::Method;
use serde_json::{Value, json};

/// Numbers that look like chance and are not.
pub(crate) struct Dice(pub(crate) u64);

/// A request to be.
#[derive(Clone, Debug)]
pub(crate) struct Roll {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: Vec<(&'static str, Vec<u8>)>,
    pub(crate) body: Vec<u8>,
}

impl Roll {
    /// Whether the answer may be one that goes on until somebody ends it.
    pub(crate) fn may_go_on(&self) -> bool {
        self.path.contains("watch") || self.path.contains("follow")
    }
}

const METHODS: &[&str] = &[
    "GET", "GET", "GET", "POST", "POST", "PUT", "PATCH", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE",
    "ODD", "get",
];
const COLLECTIONS: &[&str] = &[
    "/api/v1/namespaces/default/configmaps",
    "/api/v1/namespaces/default/secrets",
    "/api/v1/namespaces/default/pods",
    "/api/v1/namespaces/default/services",
    "/api/v1/namespaces/default/serviceaccounts",
    "/api/v1/namespaces/default/resourcequotas",
    "/api/v1/namespaces/default/limitranges",
    "/api/v1/nodes",
    "/api/v1/persistentvolumes",
    "/apis/apps/v1/namespaces/default/deployments",
    "/apis/batch/v1/namespaces/default/cronjobs",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    "/apis/authentication.k8s.io/v1/tokenreviews",
    "/apis/coordination.k8s.io/v1/namespaces/default/leases",
    "/apis/certificates.k8s.io/v1/certificatesigningrequests",
    "/apis/machines.example.com/v1/namespaces/default/gears",
];
const OTHER: &[&str] = &[
    "/",
    "//",
    "/api",
    "/apis",
    "/api/v1",
    "/apis/apps",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/apis/apps/v1",
    "/version",
    "/metrics",
    "/readyz?verbose",
    "/livez/ping",
    "/.well-known/openid-configuration",
    "/openid/v1/jwks",
    "/api/v1/namespaces/default/pods/a/log",
    "/api/v1/watch/pods",
    "/api/v1/namespaces",
    "/debug/pprof",
    "/registry/secrets",
    "/api/v1/componentstatuses/x",
    "/apis/apps/v1/namespaces//deployments",
];
const BELOW: &[&str] =
    &["", "", "", "/status", "/scale", "/token", "/binding", "/eviction", "/resize", "/approval", "/x"];
const NAMES: &[&str] = &[
    "a",
    "b",
    "m",
    "..",
    ".",
    "%2e%2e",
    "..%2f..%2fx",
    "%00",
    "%",
    "%zz",
    "%ff%fe",
    "a%20b",
    "A",
    "-",
    "a.b",
    "%F0%9F%90%99",
    "*",
    "a;b",
    "a,b",
    "%0d%0aX:y",
    "~",
    "$(x)",
    "%25",
    "a%2fstatus",
    "'",
    "(",
    "@",
    ":",
    "!",
];
const KEYS: &[&str] = &[
    "limit",
    "continue",
    "resourceVersion",
    "resourceVersionMatch",
    "fieldSelector",
    "labelSelector",
    "timeoutSeconds",
    "watch",
    "allowWatchBookmarks",
    "sendInitialEvents",
    "dryRun",
    "fieldManager",
    "force",
    "fieldValidation",
    "pretty",
    "gracePeriodSeconds",
    "propagationPolicy",
    "orphanDependents",
    "timeout",
    "includeObject",
    "tailLines",
    "container",
    "%00",
    "",
];
const VALUES: &[&str] = &[
    "",
    "0",
    "1",
    "-1",
    "2",
    "500",
    "true",
    "false",
    "yes",
    "9223372036854775808",
    "-9223372036854775809",
    "1e9",
    "0x10",
    "NaN",
    "abc",
    "a%3Db",
    "a%3D%3D",
    "a%3D%3Db%2C",
    "metadata.name%3Da",
    "metadata.name!%3Da",
    "spec.x%3D1",
    "%3D",
    ",,,",
    "a+in+(b%2Cc)",
    "a+in+(",
    "a+notin+()",
    "!a",
    "!!a",
    "a%3Eb",
    "%22",
    "%5C",
    "%5C%3D",
    "a%3Db%5C",
    "All",
    "Exact",
    "NotOlderThan",
    "Strict",
    "Odd",
    "%",
    "%zz",
    "%ff",
    "%00",
    "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi8uLiJ9",
    "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTUsInN0YXJ0IjoiYVx1MDAwMCJ9",
    "eyJ2Ijoi",
    "e30",
    "bnVsbA",
    "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OTIyMzM3MjAzNjg1NDc3NTgwNywic3RhcnQiOiJhIn0",
    "-1s",
    "1h1h",
    "Background",
    "%F0%9F%90%99",
    "a%0Ab",
    "..",
];
const CONTENTS: &[&str] = &[
    "application/json",
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "application/cbor",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
    "application/apply-patch+cbor",
    "text/plain",
    "",
    "a/b/c",
    "application/json; charset=\"",
    "application/json;;;",
    "multipart/form-data",
];
/// Where the forms of patches are among these.
const PATCHES: std::ops::Range<usize> = 5..9;
const ACCEPTS: &[&str] = &[
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "*/*",
    "",
    "application/cbor",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    "application/json;as=Odd;v=v9;g=x",
    "application/json;stream=watch",
    "text/html",
    "a/b;q=2",
    "q=",
    ";;;,,,",
    "application/json;q=0",
    "application/yaml;as=Table;v=v1;g=meta.k8s.io,*/*;q=0.1",
    "\"",
    "application/*",
];
const EXTRA: &[(&str, &[u8])] = &[
    ("impersonate-user", b"ann"),
    ("impersonate-user", b""),
    ("impersonate-user", b"system:serviceaccount:a:b:c"),
    ("impersonate-user", b"\xff\xfe"),
    ("impersonate-user", b"system:serviceaccount:default:default"),
    ("accept-encoding", b"gzip;q=0.001, *;q=9"),
    ("content-encoding", b"gzip"),
    ("if-none-match", b"\"\xff\""),
    ("if-modified-since", b"never"),
    ("expect", b"200-ok"),
    ("x-forwarded-for", b"::1, ,,,"),
    ("x-remote-user", b"root"),
    ("x-remote-group", b"system:masters"),
    ("audit-id", b"\xf0\x9f\x90\x99 {}"),
    ("traceparent", b"00-zz-zz-zz"),
    ("cookie", b"a=b;;;"),
    ("range", b"bytes=0-18446744073709551615"),
    ("user-agent", b"\xff\"}"),
];

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end.max(1)).unwrap()).unwrap()
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    /// True once in so many times.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A request in which little is wrong, so that it gets far: an object near one of those given, where such are.
    pub(crate) fn near(&mut self, objects: &[(&'static str, Vec<u8>)]) -> Roll {
        let (collection, object) = objects[self.below(objects.len())].clone();
        let one = format!("{collection}/a");
        let patches = &CONTENTS[PATCHES];
        let (method, mut path, content) = match self.below(8) {
            0..=2 => (Method::POST, collection.to_owned(), "application/json"),
            3 | 4 => (Method::PUT, one, "application/json"),
            5 | 6 => (Method::PATCH, format!("{one}?fieldManager=me"), self.one(patches)),
            _ => (Method::DELETE, one, "application/json"),
        };
        if self.once_in(8) && method != Method::POST {
            path = match path.split_once('?') {
                Some((path, query)) => format!("{path}{}?{query}", self.one(BELOW)),
                None => format!("{path}{}", self.one(BELOW)),
            };
        }
        let headers = vec![("content-type", content.as_bytes().to_vec())];
        Roll { method, path, headers, body: self.body(&[object]) }
    }

    /// A request, with a body that is near one of those given.
    pub(crate) fn request(&mut self, bodies: &[Vec<u8>]) -> Roll {
        let method = self.one(METHODS);
        let mut headers = vec![
            ("content-type", self.one(CONTENTS).as_bytes().to_vec()),
            ("accept", self.one(ACCEPTS).as_bytes().to_vec()),
        ];
        if self.once_in(4) {
            let (name, value) = EXTRA[self.below(EXTRA.len())];
            headers.push((name, value.to_vec()));
        }
        let body = match method {
            "GET" | "HEAD" if !self.once_in(20) => Vec::new(),
            _ => self.body(bodies),
        };
        Roll { method: Method::from_bytes(method.as_bytes()).unwrap(), path: self.path(), headers, body }
    }

    fn path(&mut self) -> String {
        let mut path = if self.once_in(6) {
            self.one(OTHER).to_owned()
        } else {
            let mut path = self.one(COLLECTIONS).to_owned();
            if !self.once_in(3) {
                path = format!("{path}/{}{}", self.one(NAMES), self.one(BELOW));
            }
            path
        };
        if self.once_in(6) {
            path = self.spelled(&path);
        }
        let count = if self.once_in(2) { 0 } else { 1 + self.below(4) };
        for number in 0..count {
            let sign = if number == 0 && !path.contains('?') { '?' } else { '&' };
            path = format!("{path}{sign}{}={}", self.one(KEYS), self.one(VALUES));
        }
        if self.once_in(100) {
            path = format!("{path}?a={}", "%41x".repeat(self.below(1500)));
        }
        path
    }

    /// The path, written so that somebody may take it for another.
    fn spelled(&mut self, path: &str) -> String {
        let slashes: Vec<usize> = path.match_indices('/').map(|(at, _)| at).collect();
        let at = slashes[self.below(slashes.len())];
        let (before, after) = path.split_at(at);
        let new = self.one(&[
            "/", "//", "/./", "/../", "/%2e%2e/", "%2f", "/;/", "/%00/", "/x/", "/%252e/", "/%c0%af/",
        ]);
        // A path begins with a slash, or it is none.
        format!("{}{new}{}", if before.is_empty() { "/" } else { before }, after.trim_start_matches('/'))
    }

    fn body(&mut self, bodies: &[Vec<u8>]) -> Vec<u8> {
        let mut body = bodies[self.below(bodies.len())].clone();
        match self.below(8) {
            0 => {}
            1 => body.truncate(self.below(body.len())),
            2 => {
                let (open, close) =
                    *[("[", "]"), ("{\"a\":", "}"), ("- ", ""), ("(", ")")].get(self.below(4)).unwrap();
                let depth = self.below(3000);
                body = [open.repeat(depth).as_bytes(), &body, close.repeat(depth).as_bytes()].concat();
            }
            3 | 4 => {
                if let Ok(mut value) = serde_json::from_slice(&body) {
                    for _ in 0..=self.below(3) {
                        self.disturb(&mut value);
                    }
                    body = value.to_string().into_bytes();
                }
            }
            _ => {
                for _ in 0..=self.below(6) {
                    self.scratch(&mut body);
                }
            }
        }
        body
    }

    /// Changes a few bytes.
    fn scratch(&mut self, body: &mut Vec<u8>) {
        let at = self.below(body.len());
        let end = (at + self.below(16)).min(body.len());
        match self.below(4) {
            0 => {
                if let Some(byte) = body.get_mut(at) {
                    *byte ^= 1 << (self.next() % 8);
                }
            }
            1 => drop(body.drain(at..end)),
            2 => {
                let part = body[at..end].to_vec();
                body.splice(at..at, part);
            }
            _ => {
                let words: &[&[u8]] = &[
                    b"null",
                    b"-1",
                    b"1e999",
                    b"\\ud800",
                    b"{}",
                    b"[]",
                    b"\0",
                    b"\xff",
                    b"\xff\xff\xff\xff\x7f",
                    b"18446744073709551616",
                    b"*a",
                    b"&a ",
                    b"\"",
                    b"\n",
                    b"---\n",
                    b"<<: ",
                    b"!!binary ",
                    b"\xef\xbb\xbf",
                ];
                let word = self.one(words);
                body.splice(at..at, word.iter().copied());
            }
        }
    }

    /// Puts something else somewhere into a value.
    fn disturb(&mut self, value: &mut Value) {
        let stay = self.once_in(5);
        match value {
            Value::Object(fields) if !fields.is_empty() && !stay => {
                let at = self.below(fields.len());
                if let Some((_, inner)) = fields.iter_mut().nth(at) {
                    self.disturb(inner);
                }
            }
            Value::Array(items) if !items.is_empty() && !stay => {
                let at = self.below(items.len());
                self.disturb(&mut items[at]);
            }
            other => {
                let odd = [
                    json!(null),
                    json!({}),
                    json!([]),
                    json!(""),
                    json!(-1),
                    json!(i64::MIN),
                    json!(u64::MAX),
                    json!(1.5e300),
                    json!("\u{0}"),
                    json!("9".repeat(400)),
                    json!(true),
                    json!([null]),
                    json!({"": null}),
                    json!("1e999999999"),
                    json!("-9223372036854775809"),
                    json!("../.."),
                    json!("(((("),
                    json!("2024-13-45T99:99:99Z"),
                    json!({"$patch": "replace"}),
                    json!([{"$patch": "delete"}]),
                    json!({"$setElementOrder/a": 1, "$retainKeys": [1], "$deleteFromPrimitiveList/a": {}}),
                    json!("🐙"),
                ];
                *other = odd[self.below(odd.len())].clone();
            }
        }
    }
}
