//! What is the same for all kinds: queries, headers, options of deletions, and what texts in the formats may have.

use http::Method;
use serde_json::{Map, Value as Json, json};

use crate::fill::{Variety, filled};
use crate::meter::Ask;
use crate::walk::places;
use crate::world::World;

const MAPS: &str = "/api/v1/namespaces/growth/configmaps";
const JSON: &str = "application/json";
const YAML: &str = "application/yaml";

/// The longest path with a query that there can be.
const LONGEST_PATH: usize = 60_000;

/// A way to ask with a length.
pub(crate) struct Text {
    pub(crate) name: String,
    /// How many of its parts there can be at most.
    pub(crate) most: usize,
    pub(crate) ask: Box<dyn Fn(usize) -> Ask>,
}

fn text(name: &str, most: usize, ask: impl Fn(usize) -> Ask + 'static) -> Text {
    Text { name: name.to_owned(), most, ask: Box::new(ask) }
}

/// All of them.
pub(crate) fn texts(world: &World) -> Vec<Text> {
    let mut all = queries();
    all.extend(headers());
    all.extend(options(world));
    all.extend(documents());
    all
}

fn queries() -> Vec<Text> {
    let query = |name: &str, part: fn(usize) -> String, prefix: &'static str, method: Method| {
        let most = LONGEST_PATH / part(10_000).len();
        let name = format!("query {prefix}{} of {method}", part(1).replace('&', " ")) + name;
        text(&name, most, move |count| {
            let parts: String = (0..count).map(part).collect();
            Ask::new(method.clone(), format!("{MAPS}?{prefix}{}", parts.trim_end_matches("%2C")))
        })
    };
    let label = "labelSelector=";
    let field = "fieldSelector=";
    let values: fn(usize) -> String = |number| format!("v{number}%2C");
    let one: fn(usize) -> String = |_| "a".to_owned();
    vec![
        query("", |number| format!("a{number}%3Db%2C"), label, Method::GET),
        query("", |number| format!("a{number}%2C"), label, Method::GET),
        query("", |number| format!("!a{number}%2C"), label, Method::GET),
        query("", |_| "a%3Db%2C".to_owned(), label, Method::GET),
        query(" within in()", values, "labelSelector=a%20in%20(", Method::GET),
        query(" within notin()", values, "labelSelector=a%20notin%20(", Method::DELETE),
        query("", |_| "(".to_owned(), label, Method::GET),
        query("", |_| "%20".to_owned(), label, Method::GET),
        query("", one, label, Method::GET),
        query("", |number| format!("metadata.name!%3Da{number}%2C"), field, Method::GET),
        query("", |_| "metadata.name%3Da%2C".to_owned(), field, Method::GET),
        query("", |_| "%5C".to_owned(), field, Method::GET),
        query("", one, "continue=", Method::GET),
        query("", |_| "1".to_owned(), "resourceVersion=", Method::GET),
        query("", |_| "1".to_owned(), "limit=", Method::GET),
        query("", |_| "dryRun=All&".to_owned(), "", Method::DELETE),
        query("", |number| format!("a{number}=b&"), "", Method::GET),
        query("", |_| "limit=1&".to_owned(), "", Method::GET),
        query("", |_| "%25".to_owned(), "", Method::GET),
        query("", one, "dryRun=All&fieldManager=", Method::POST),
        query("", one, "fieldValidation=", Method::POST),
    ]
}

fn headers() -> Vec<Text> {
    let header = |name: &'static str, part: fn(usize) -> String| {
        let shown = format!("header {name}: {}", part(1));
        text(&shown, 100_000, move |count| {
            let parts: String = (0..count).map(part).collect();
            Ask::new(Method::GET, MAPS).with(name, parts)
        })
    };
    vec![
        header("accept", |number| format!("a/b{number}, ")),
        header("accept", |_| "application/json;as=Table;g=a;v=b, ".to_owned()),
        header("accept", |number| format!("application/x;a{number}=\"b\";q=0.1, ")),
        header("accept", |_| ";".to_owned()),
        header("accept", |_| "\\\"".to_owned()),
        header("accept-encoding", |number| format!("x{number};q=0.1, ")),
        header("user-agent", |_| "a/".to_owned()),
        text("header content-type", 100_000, |count| {
            let parts: String = (0..count).map(|number| format!(";a{number}=b")).collect();
            Ask::new(Method::POST, MAPS).sending(&format!("application/json{parts}"), "{}")
        }),
    ]
}

/// The options of a deletion, from their table.
fn options(world: &World) -> Vec<Text> {
    let kind = rhumb_meta::GroupVersionKind::new("", "v1", "DeleteOptions");
    let base = json!({"apiVersion": "v1", "kind": "DeleteOptions", "dryRun": ["All"]});
    let places = places(world.desc(&kind)).into_iter();
    let all = places.flat_map(|place| {
        [MAPS, "/api/v1/namespaces/growth/configmaps/growth"].map(|path| {
            let (place, base) = (place.clone(), base.clone());
            text(&format!("DELETE {path} with {}", place.shown()), 400_000, move |count| {
                let mut options = filled(&base, &place, count, Variety::Equal);
                if place.is_below("dryRun") && options["dryRun"].as_array().is_some() {
                    options["dryRun"] = vec!["All"; count].into();
                }
                Ask::new(Method::DELETE, path).sending(JSON, options.to_string())
            })
        })
    });
    all.collect()
}

/// Bodies with many of something that each format has.
fn documents() -> Vec<Text> {
    let mut all = Vec::new();
    for validation in ["Ignore", "Warn", "Strict"] {
        let post = move |form: &'static str, body: String| {
            let path = format!("{MAPS}?dryRun=All&fieldValidation={validation}");
            Ask::new(Method::POST, path).sending(form, body)
        };
        let pods = move |containers: Json| {
            let path = format!("/api/v1/namespaces/growth/pods?dryRun=All&fieldValidation={validation}");
            let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "growth"},
                "spec": {"containers": containers}});
            Ask::new(Method::POST, path).sending(JSON, pod.to_string())
        };
        let map = |rest: &str| {
            format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"g"}},{rest}}}"#)
        };
        let yaml = |rest: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: g}}\n{rest}\n");
        let list =
            |count: usize, part: fn(usize) -> String| (0..count).map(part).collect::<Vec<_>>().join(",");
        let lines =
            |count: usize, part: fn(usize) -> String| (0..count).map(part).collect::<Vec<_>>().join("\n");
        let json = |name: &str, part: fn(usize) -> String| {
            text(&format!("JSON with {name}, {validation}"), 100_000, move |count| {
                post(JSON, map(&list(count, part)))
            })
        };
        let yamls = |name: &str, most: usize, part: fn(usize) -> String| {
            text(&format!("YAML with {name}, {validation}"), most, move |count| {
                post(YAML, yaml(&lines(count, part)))
            })
        };
        all.extend([
            json("unknown fields", |number| format!(r#""f{number}":{number}"#)),
            json("a field many times", |_| r#""data":{"a":"b"}"#.to_owned()),
            json("an unknown field many times", |_| r#""f":{"a":"b"}"#.to_owned()),
            text(&format!("JSON with spaces, {validation}"), 1 << 19, move |count| {
                post(JSON, map(&format!(r#""data":{{}}{}"#, " ".repeat(count))))
            }),
            text(&format!("JSON with a long number, {validation}"), 1 << 19, move |count| {
                post(JSON, map(&format!(r#""metadata":{{"generation":1{}}}"#, "0".repeat(count))))
            }),
            text(&format!("JSON with a long fraction, {validation}"), 1 << 19, move |count| {
                post(JSON, map(&format!(r#""metadata":{{"generation":0.{}1}}"#, "0".repeat(count))))
            }),
            text(&format!("JSON with escapes, {validation}"), 1 << 18, move |count| {
                post(JSON, map(&format!(r#""data":{{"a":"{}"}}"#, r"\ud83d\ude00".repeat(count / 12))))
            }),
            text(&format!("JSON with a long key, {validation}"), 1 << 19, move |count| {
                post(JSON, map(&format!(r#""{}":1"#, "k".repeat(count))))
            }),
            text(&format!("JSON with keys of a map many times, {validation}"), 100_000, move |count| {
                post(JSON, map(&format!(r#""data":{{{}}}"#, list(count, |_| r#""a":"b""#.to_owned()))))
            }),
            text(&format!("JSON nested, {validation}"), 9_000 / 8, move |count| {
                post(JSON, map(&format!(r#""f":{}{}"#, "[".repeat(count), "]".repeat(count))))
            }),
            text(&format!("a pod with unknown fields in containers, {validation}"), 20_000, move |count| {
                let one = |number: usize| {
                    let mut one = json!({"name": format!("n{number}"), "image": "n"});
                    one[format!("f{number}")] = json!(1);
                    one
                };
                pods((0..count).map(one).collect())
            }),
            text(&format!("a pod with containers of another type, {validation}"), 100_000, move |count| {
                pods(vec![json!("n"); count].into())
            }),
            yamls("unknown fields", 50_000, |number| format!("f{number}: {number}")),
            yamls("a field many times", 50_000, |_| "f: 1".to_owned()),
            yamls("comments", 50_000, |number| format!("# {number}")),
            yamls("anchors", 50_000, |number| format!("f{number}: &a{number} 1")),
            yamls("one anchor many times", 50_000, |number| format!("f{number}: &a 1")),
            yamls("folded texts", 50_000, |number| format!("f{number}: >-\n  a\n  b\n")),
            yamls("dates and numbers", 50_000, |number| {
                format!("f{number}: [2024-01-0{}, 0x1F, 1_0, .inf]", number % 9 + 1)
            }),
            yamls("tags", 50_000, |number| format!("f{number}: !!str {number}")),
            text(&format!("YAML with aliases, {validation}"), 50_000, move |count| {
                post(YAML, yaml(&format!("a: &a {{x: y}}\nb: [{}]", list(count, |_| "*a".to_owned()))))
            }),
            text(&format!("YAML with merges of one alias, {validation}"), 20_000, move |count| {
                let merges = lines(count, |number| format!("f{number}: {{<<: *a, c: d}}"));
                post(YAML, yaml(&format!("a: &a {{x: y, c: e}}\n{merges}")))
            }),
            text(&format!("YAML with merges in one mapping, {validation}"), 20_000, move |count| {
                post(YAML, yaml(&format!("a: &a {{x: y}}\nb:\n{}", lines(count, |_| "  <<: *a".to_owned()))))
            }),
            text(&format!("YAML with a merge of a list, {validation}"), 20_000, move |count| {
                post(
                    YAML,
                    yaml(&format!("a: &a {{x: y}}\nb: {{<<: [{}]}}", list(count, |_| "*a".to_owned()))),
                )
            }),
            text(&format!("YAML with a block text, {validation}"), 50_000, move |count| {
                post(YAML, yaml(&format!("data:\n  a: |\n{}", lines(count, |_| "    x".to_owned()))))
            }),
            text(&format!("YAML with a quoted text over lines, {validation}"), 50_000, move |count| {
                post(YAML, yaml(&format!("data:\n  a: \"{}\"", lines(count, |_| "    x\\".to_owned()))))
            }),
            text(&format!("YAML with documents, {validation}"), 50_000, move |count| {
                post(YAML, yaml(&lines(count, |_| "---\na: b".to_owned())))
            }),
            text(&format!("YAML nested, {validation}"), 9_000 / 8, move |count| {
                post(YAML, yaml(&format!("f: {}{}", "[".repeat(count), "]".repeat(count))))
            }),
        ]);
    }
    all.extend(patches());
    all
}

/// Patches that do much to an object with little.
fn patches() -> Vec<Text> {
    let patch = |name: &str, most: usize, form: &'static str, body: fn(usize) -> Json| {
        text(&format!("patch with {name}"), most, move |count| {
            let path = format!("{MAPS}/growth?dryRun=All&fieldManager=growth");
            Ask::new(Method::PATCH, path).sending(&format!("application/{form}"), body(count).to_string())
        })
    };
    const JSON_PATCH: &str = "json-patch+json";
    vec![
        patch("tests", 9_900 / 8, JSON_PATCH, |count| {
            vec![json!({"op": "test", "path": "/kind", "value": "ConfigMap"}); count].into()
        }),
        patch("copies of what is there", 9_900 / 8, JSON_PATCH, |count| {
            (0..count)
                .map(|number| json!({"op": "copy", "from": "/kind", "path": format!("/data/n{number}")}))
                .collect()
        }),
        patch("moves to and fro", 9_900 / 8, JSON_PATCH, |count| {
            let names = |number: usize| (format!("/x{number}"), format!("/x{}", number + 1));
            let first = json!({"op": "add", "path": "/x0", "value": vec![json!({"a": "b"}); count]});
            let moves = (0..count).map(|number| {
                let (from, path) = names(number);
                json!({"op": "move", "from": from, "path": path})
            });
            std::iter::once(first).chain(moves).collect()
        }),
        patch("inserts at the front of a long list", 9_900 / 8, JSON_PATCH, |count| {
            let first = json!({"op": "add", "path": "/x", "value": vec![json!({"a": "b"}); count * 4]});
            let inserts = (0..count).map(|_| json!({"op": "add", "path": "/x/0", "value": "c"}));
            std::iter::once(first).chain(inserts).collect()
        }),
        patch("removals from the front of a long list", 9_900 / 8, JSON_PATCH, |count| {
            let first = json!({"op": "add", "path": "/x", "value": vec![json!({"a": "b"}); count * 4]});
            let removals = (0..count).map(|_| json!({"op": "remove", "path": "/x/0"}));
            std::iter::once(first).chain(removals).collect()
        }),
        patch("tests of a short part of a long list", 9_900 / 8, JSON_PATCH, |count| {
            let first = json!({"op": "add", "path": "/x", "value": vec![json!({"a": "b"}); count * 4]});
            let tests = (0..count).map(|_| json!({"op": "test", "path": "/x/-1", "value": {"a": "b"}}));
            std::iter::once(first).chain(tests).collect()
        }),
        patch(
            "long paths",
            1 << 18,
            JSON_PATCH,
            |count| json!([{"op": "test", "path": "/a".repeat(count / 2), "value": 1}]),
        ),
        patch("directives in a list", 20_000, "strategic-merge-patch+json", |count| {
            let one = |number: usize| {
                let uid = format!("u{number}");
                json!({"$patch": "delete", "uid": uid, "apiVersion": "v1", "kind": "a", "name": "b"})
            };
            json!({"metadata": {"ownerReferences": (0..count).map(one).collect::<Vec<_>>()}})
        }),
        patch("an order for a list", 20_000, "strategic-merge-patch+json", |count| {
            let key = |number: usize| json!({"uid": format!("u{number}")});
            let one = |number: usize| {
                let uid = format!("u{number}");
                json!({"uid": uid, "apiVersion": "v1", "kind": "a", "name": "b"})
            };
            json!({"metadata": {
                "$setElementOrder/ownerReferences": (0..count).rev().map(key).collect::<Vec<_>>(),
                "ownerReferences": (0..count).map(one).collect::<Vec<_>>(),
            }})
        }),
        patch("an order for a set", 20_000, "strategic-merge-patch+json", |count| {
            let one = |number: usize| json!(format!("example.com/n{number}"));
            json!({"metadata": {
                "$setElementOrder/finalizers": (0..count).rev().map(one).collect::<Vec<_>>(),
                "finalizers": (0..count).map(one).collect::<Vec<_>>(),
            }})
        }),
        patch("what to take from a set", 20_000, "strategic-merge-patch+json", |count| {
            let one = |number: usize| json!(format!("example.com/n{number}"));
            json!({"metadata": {
                "$deleteFromPrimitiveList/finalizers": (0..count).rev().map(one).collect::<Vec<_>>(),
                "finalizers": (0..count).map(one).collect::<Vec<_>>(),
            }})
        }),
        patch("keys to retain", 20_000, "strategic-merge-patch+json", |count| {
            let keys: Vec<_> = (0..count).map(|number| json!(format!("n{number}"))).collect();
            let data: Map<_, _> = (0..count).map(|number| (format!("n{number}"), json!("v"))).collect();
            json!({"data": data, "$retainKeys": keys})
        }),
        patch("nulls", 50_000, "merge-patch+json", |count| {
            let data: Map<_, _> = (0..count).map(|number| (format!("n{number}"), Json::Null)).collect();
            json!({"data": data})
        }),
    ]
}
