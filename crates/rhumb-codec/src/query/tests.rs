//! Expectations printed by Kubernetes 1.36's own conversions, and by Go's `net/url`, for the same queries.

use rhumb_meta::Time;
use rhumb_meta::v1::{
    ApplyOptions, CreateOptions, DeleteOptions, GetOptions, ListOptions, PatchOptions, TableOptions,
    UpdateOptions,
};
use rhumb_schema::{RawJson, Schema, from_tree, to_tree};
use std::collections::BTreeMap;

use super::*;

/// The options of `pods/log`, as far as they have other shapes than those of `meta.k8s.io`.
#[derive(Clone, Default, Schema)]
struct LogOptions {
    #[field(1)]
    container: String,
    #[field(2)]
    follow: bool,
    #[field(3)]
    previous: bool,
    #[field(4)]
    since_seconds: Option<i64>,
    #[field(5)]
    since_time: Option<Time>,
    #[field(6)]
    timestamps: bool,
    #[field(7)]
    tail_lines: Option<i64>,
    #[field(8)]
    limit_bytes: Option<i64>,
    #[field(9, json = "insecureSkipTLSVerifyBackend")]
    insecure_skip_tls_verify_backend: bool,
    #[field(10)]
    stream: Option<String>,
}

/// The options of `pods/portforward`.
#[derive(Clone, Default, Schema)]
struct PortOptions {
    #[field(1)]
    ports: Vec<i32>,
}

/// Shapes that no options of Kubernetes have.
#[derive(Clone, Default, Schema)]
struct OddOptions {
    #[field(1)]
    map: BTreeMap<String, String>,
    #[field(2)]
    raw: Option<RawJson>,
    #[field(3)]
    ratio: f64,
    #[field(4)]
    small: i32,
    #[field(5)]
    nested: PortOptions,
    #[field(6)]
    list: Vec<PortOptions>,
    #[field(7, required)]
    must: Option<i64>,
}

fn fresh(kind: &str) -> Box<dyn Struct> {
    match kind {
        "List" => Box::new(ListOptions::default()),
        "Delete" => Box::new(DeleteOptions::default()),
        "Patch" => Box::new(PatchOptions::default()),
        "Create" => Box::new(CreateOptions::default()),
        "Update" => Box::new(UpdateOptions::default()),
        "Get" => Box::new(GetOptions::default()),
        "Table" => Box::new(TableOptions::default()),
        "Apply" => Box::new(ApplyOptions::default()),
        "Log" => Box::new(LogOptions::default()),
        "Ports" => Box::new(PortOptions::default()),
        other => panic!("no such options: {other}"),
    }
}

fn check_from(kind: &str, query: &str, expect: &str) {
    let mut options = fresh(kind);
    match from_query(query, &mut *options) {
        Err(error) => assert_eq!(format!("error: {error}"), expect, "{kind} {query}"),
        Ok(()) => {
            assert!(!expect.starts_with("error"), "{kind} {query}: {expect}");
            let expect: serde_json::Value = serde_json::from_str(expect).expect("the table holds JSON");
            assert_eq!(to_tree(&*options), expect, "{kind} {query}");
        }
    }
}

fn check_parse(query: &str, pairs: &str, error: &str) {
    let mut found = parse(query);
    found.pairs.sort_by(|(left, _), (right, _)| left.cmp(right));
    assert_eq!(encode(&found.pairs), pairs, "{query}");
    assert_eq!(found.error.map(|error| error.to_string()).unwrap_or_default(), error, "{query}");
}

#[test]
fn queries_become_options() {
    for (kind, query, expect) in FROM {
        check_from(kind, query, expect);
    }
}

#[test]
fn options_become_queries() {
    for (kind, json, expect) in TO {
        let mut options = fresh(kind);
        let tree = serde_json::from_str(json).expect("the table holds JSON");
        from_tree(&tree, &mut *options).expect("the table holds options");
        assert_eq!(encode(&to_query(&*options)), *expect, "{kind} {json}");
    }
}

#[test]
fn queries_are_parsed() {
    for (query, pairs, error) in PARSE {
        check_parse(query, pairs, error);
    }
}

#[test]
fn too_many_pairs_are_none() {
    let query = |count: usize| vec!["limit=5"; count].join("&");
    check_from("List", &query(MAX_PAIRS), r#"{"limit":5}"#);
    check_from("List", &query(MAX_PAIRS + 1), "{}");
    check_parse(&query(MAX_PAIRS + 1), "", "number of URL query parameters exceeded limit");
}

#[test]
fn options_not_given_become_empty() {
    let mut options = ListOptions { limit: 5, timeout_seconds: Some(1), ..ListOptions::default() };
    from_query("", &mut options).expect("nothing is wrong with nothing");
    assert_eq!((options.limit, options.timeout_seconds), (5, Some(1)), "without parameters nothing changes");
    from_query("other=1", &mut options).expect("unknown keys are passed over");
    assert_eq!((options.limit, options.timeout_seconds), (0, None));
}

#[test]
fn errors_name_the_parameter() {
    let mut options = ListOptions::default();
    let error = from_query("limit=x", &mut options).expect_err("not a number");
    assert_eq!(error.key, "limit");
}

#[test]
fn shapes_without_a_form_are_left_alone() {
    let mut options = OddOptions {
        map: BTreeMap::from([("a".into(), "b".into())]),
        raw: Some(RawJson(b"{}".to_vec())),
        ratio: 0.5,
        small: -3,
        nested: PortOptions { ports: vec![1] },
        list: vec![PortOptions::default()],
        must: None,
    };
    assert_eq!(encode(&to_query(&options)), "must=&ports=1&ratio=0.5&small=-3");
    from_query("map=x&raw=y&nested=z&list=w&ports=7&ratio=1e-7&small=9&must=4", &mut options)
        .expect("what has a form can be read");
    assert_eq!((options.ratio, options.small, options.must), (1e-7, 9, Some(4)));
    assert_eq!((options.map.len(), options.list.len(), options.nested.ports.len()), (1, 1, 1));
    assert_eq!(encode(&to_query(&options)), "must=4&ports=1&ratio=1e-07&small=9");
    options.nested = PortOptions::default();
    assert_eq!(encode(&to_query(&options)), "must=4&ratio=1e-07&small=9");
    let error = from_query("small=2147483648", &mut options).expect_err("too large");
    assert_eq!(error.to_string(), r#"strconv.ParseInt: parsing "2147483648": value out of range"#);
    let error = from_query("ratio=1e999", &mut options).expect_err("too large");
    assert_eq!(error.to_string(), r#"strconv.ParseFloat: parsing "1e999": value out of range"#);
}

#[test]
fn the_first_and_all_values() {
    let query = parse("a=1&b=2&a=3");
    assert_eq!(query.first("a"), Some("1"));
    assert_eq!(query.all("a").collect::<Vec<_>>(), ["1", "3"]);
    assert_eq!(query.first("c"), None);
}

const FROM: &[(&str, &str, &str)] = &[
    ("List", "", r#"{}"#),
    ("List", "watch=true", r#"{"watch":true}"#),
    ("List", "watch", r#"{"watch":true}"#),
    ("List", "watch=", r#"{"watch":true}"#),
    ("List", "watch=1", r#"{"watch":true}"#),
    ("List", "watch=0", r#"{}"#),
    ("List", "watch=false", r#"{}"#),
    ("List", "watch=FALSE", r#"{}"#),
    ("List", "watch=f", r#"{"watch":true}"#),
    ("List", "watch=no", r#"{"watch":true}"#),
    ("List", "watch=00", r#"{"watch":true}"#),
    ("List", "watch=fal%C5%BFe", r#"{}"#),
    ("List", "watch=false&watch=true", r#"{}"#),
    ("List", "watch=true&watch=false", r#"{"watch":true}"#),
    ("List", "Watch=true", r#"{}"#),
    ("List", "sendInitialEvents=true", r#"{"sendInitialEvents":true}"#),
    ("List", "sendInitialEvents=false", r#"{"sendInitialEvents":false}"#),
    ("List", "sendInitialEvents=", r#"{"sendInitialEvents":true}"#),
    ("List", "allowWatchBookmarks=yes", r#"{"allowWatchBookmarks":true}"#),
    ("List", "limit=500&continue=abc", r#"{"limit":500,"continue":"abc"}"#),
    ("List", "limit=", r#"error: strconv.ParseInt: parsing "": invalid syntax"#),
    ("List", "limit=x", r#"error: strconv.ParseInt: parsing "x": invalid syntax"#),
    ("List", "limit=1.5", r#"error: strconv.ParseInt: parsing "1.5": invalid syntax"#),
    ("List", "limit=-1", r#"{"limit":-1}"#),
    ("List", "limit=+7", r#"error: strconv.ParseInt: parsing " 7": invalid syntax"#),
    ("List", "limit=+", r#"error: strconv.ParseInt: parsing " ": invalid syntax"#),
    ("List", "limit=0x10", r#"error: strconv.ParseInt: parsing "0x10": invalid syntax"#),
    ("List", "limit=1_000", r#"error: strconv.ParseInt: parsing "1_000": invalid syntax"#),
    ("List", "limit=%201", r#"error: strconv.ParseInt: parsing " 1": invalid syntax"#),
    ("List", "limit=9223372036854775807", r#"{"limit":9223372036854775807}"#),
    (
        "List",
        "limit=9223372036854775808",
        r#"error: strconv.ParseInt: parsing "9223372036854775808": value out of range"#,
    ),
    ("List", "limit=-9223372036854775808", r#"{"limit":-9223372036854775808}"#),
    (
        "List",
        "limit=-9223372036854775809",
        r#"error: strconv.ParseInt: parsing "-9223372036854775809": value out of range"#,
    ),
    (
        "List",
        "limit=18446744073709551616",
        r#"error: strconv.ParseInt: parsing "18446744073709551616": value out of range"#,
    ),
    (
        "List",
        "limit=99999999999999999999x",
        r#"error: strconv.ParseInt: parsing "99999999999999999999x": value out of range"#,
    ),
    ("List", "limit=5&limit=x", r#"{"limit":5}"#),
    ("List", "limit=x&limit=5", r#"error: strconv.ParseInt: parsing "x": invalid syntax"#),
    (
        "List",
        "limit=a%22b%5C%0A%00%7F%C2%A0%C3%A9%F0%9F%98%80%E2%80%8B",
        r#"error: strconv.ParseInt: parsing "a\"b\\\n\x00\x7f\u00a0é😀\u200b": invalid syntax"#,
    ),
    ("List", "timeoutSeconds=30", r#"{"timeoutSeconds":30}"#),
    ("List", "timeoutSeconds=", r#"error: strconv.ParseInt: parsing "": invalid syntax"#),
    ("List", "timeoutSeconds=abc&limit=abc", r#"error: strconv.ParseInt: parsing "abc": invalid syntax"#),
    ("List", "limit=abc&timeoutSeconds=def", r#"error: strconv.ParseInt: parsing "def": invalid syntax"#),
    (
        "List",
        "labelSelector=a%3Db%2Cc+in+%28d%29&fieldSelector=metadata.name=x",
        r#"{"labelSelector":"a=b,c in (d)","fieldSelector":"metadata.name=x"}"#,
    ),
    ("List", "labelSelector=a=b", r#"{"labelSelector":"a=b"}"#),
    ("List", "labelSelector=a;b&limit=3", r#"{"limit":3}"#),
    ("List", "labelSelector=%zz&limit=3", r#"{"limit":3}"#),
    (
        "List",
        "resourceVersion=0&resourceVersionMatch=NotOlderThan",
        r#"{"resourceVersion":"0","resourceVersionMatch":"NotOlderThan"}"#,
    ),
    ("List", "resourceVersionMatch=bogus", r#"{"resourceVersionMatch":"bogus"}"#),
    ("List", "resourceVersion=&resourceVersion=5", r#"{}"#),
    ("List", "kind=x&apiVersion=y&limit=1", r#"{"limit":1}"#),
    ("List", "unknown=1", r#"{}"#),
    ("List", "shardSelector=x", r#"{"shardSelector":"x"}"#),
    ("Get", "resourceVersion=12", r#"{"resourceVersion":"12"}"#),
    (
        "Create",
        "dryRun=All&dryRun=None&fieldManager=me&fieldValidation=Strict",
        r#"{"dryRun":["All","None"],"fieldManager":"me","fieldValidation":"Strict"}"#,
    ),
    ("Create", "dryRun=", r#"{"dryRun":[""]}"#),
    ("Create", "dryRun", r#"{"dryRun":[""]}"#),
    ("Create", "dryRun=All,None", r#"{"dryRun":["All,None"]}"#),
    ("Update", "fieldManager=%F0%9F%98%80", r#"{"fieldManager":"😀"}"#),
    ("Patch", "force=true", r#"{"force":true}"#),
    ("Patch", "force=0", r#"{"force":false}"#),
    ("Patch", "force", r#"{"force":true}"#),
    ("Patch", "fieldManager=a+b%20c", r#"{"fieldManager":"a b c"}"#),
    ("Delete", "gracePeriodSeconds=0", r#"{"gracePeriodSeconds":0}"#),
    ("Delete", "gracePeriodSeconds=", r#"error: strconv.ParseInt: parsing "": invalid syntax"#),
    (
        "Delete",
        "gracePeriodSeconds=5&propagationPolicy=Foreground&orphanDependents=false",
        r#"{"gracePeriodSeconds":5,"orphanDependents":false,"propagationPolicy":"Foreground"}"#,
    ),
    ("Delete", "propagationPolicy=", r#"{"propagationPolicy":""}"#),
    ("Delete", "propagationPolicy=bogus", r#"{"propagationPolicy":"bogus"}"#),
    ("Delete", "uid=abc", r#"{"preconditions":{"uid":"abc"}}"#),
    ("Delete", "uid=abc&resourceVersion=7", r#"{"preconditions":{"uid":"abc","resourceVersion":"7"}}"#),
    ("Delete", "uid=&resourceVersion=7", r#"{"preconditions":{"resourceVersion":"7"}}"#),
    ("Delete", "uid=&uid=x", r#"{}"#),
    ("Delete", "uid=&resourceVersion=", r#"{}"#),
    ("Delete", "preconditions=x", r#"{}"#),
    ("Delete", "preconditions.uid=x", r#"{}"#),
    (
        "Delete",
        "ignoreStoreReadErrorWithClusterBreakingPotential=true",
        r#"{"ignoreStoreReadErrorWithClusterBreakingPotential":true}"#,
    ),
    ("Delete", "dryRun=All&gracePeriodSeconds=x", r#"error: strconv.ParseInt: parsing "x": invalid syntax"#),
    ("Table", "includeObject=None", r#"{"includeObject":"None"}"#),
    ("Table", "includeObject=bogus", r#"{"includeObject":"bogus"}"#),
    (
        "Log",
        "container=c&follow=1&tailLines=10&sinceSeconds=3&limitBytes=4&timestamps=yes&previous=0",
        r#"{"container":"c","follow":true,"sinceSeconds":3,"timestamps":true,"tailLines":10,"limitBytes":4}"#,
    ),
    ("Log", "sinceTime=2020-01-02T03:04:05Z", r#"{"sinceTime":"2020-01-02T03:04:05Z"}"#),
    ("Log", "sinceTime=2020-01-02T03:04:05%2B02:00", r#"{"sinceTime":"2020-01-02T01:04:05Z"}"#),
    (
        "Log",
        "sinceTime=2020-01-02T03:04:05+02:00",
        r#"error: parsing time "2020-01-02T03:04:05 02:00" as "2006-01-02T15:04:05Z07:00": cannot parse " 02:00" as "Z07:00""#,
    ),
    ("Log", "sinceTime=", r#"{"sinceTime":null}"#),
    ("Log", "sinceTime=null", r#"{"sinceTime":null}"#),
    (
        "Log",
        "sinceTime=yesterday",
        r#"error: parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006""#,
    ),
    (
        "Log",
        "sinceTime=%222020-01-02T03:04:05Z%22",
        r#"error: parsing time "\"2020-01-02T03:04:05Z\"" as "2006-01-02T15:04:05Z07:00": cannot parse "\"2020-01-02T03:04:05Z\"" as "2006""#,
    ),
    ("Log", "stream=Stdout", r#"{"stream":"Stdout"}"#),
    ("Log", "stream=", r#"{"stream":""}"#),
    ("Log", "tailLines=x", r#"error: strconv.ParseInt: parsing "x": invalid syntax"#),
    ("Ports", "ports=80", r#"{"ports":[80]}"#),
    ("Ports", "ports=80,443&ports=8080", r#"{"ports":[80,443,8080]}"#),
    ("Ports", "ports=", r#"error: cannot convert to []int32: strconv.ParseUint: parsing "": invalid syntax"#),
    (
        "Ports",
        "ports=80,",
        r#"error: cannot convert to []int32: strconv.ParseUint: parsing "": invalid syntax"#,
    ),
    ("Ports", "ports=65535", r#"{"ports":[65535]}"#),
    (
        "Ports",
        "ports=65536",
        r#"error: cannot convert to []int32: strconv.ParseUint: parsing "65536": value out of range"#,
    ),
    (
        "Ports",
        "ports=-1",
        r#"error: cannot convert to []int32: strconv.ParseUint: parsing "-1": invalid syntax"#,
    ),
    (
        "Ports",
        "ports=+1",
        r#"error: cannot convert to []int32: strconv.ParseUint: parsing " 1": invalid syntax"#,
    ),
    (
        "Ports",
        "ports=655360x",
        r#"error: cannot convert to []int32: strconv.ParseUint: parsing "655360x": value out of range"#,
    ),
];

const TO: &[(&str, &str, &str)] = &[
    ("List", r#"{}"#, ""),
    (
        "List",
        r#"{"labelSelector":"a=b,c in (d)","fieldSelector":"metadata.name=x","limit":500,"continue":"a/b+c"}"#,
        "continue=a%2Fb%2Bc&fieldSelector=metadata.name%3Dx&labelSelector=a%3Db%2Cc+in+%28d%29&limit=500",
    ),
    (
        "List",
        r#"{"watch":true,"allowWatchBookmarks":true,"sendInitialEvents":false,"timeoutSeconds":0,"resourceVersion":"0","resourceVersionMatch":"NotOlderThan"}"#,
        "allowWatchBookmarks=true&resourceVersion=0&resourceVersionMatch=NotOlderThan&sendInitialEvents=false&timeoutSeconds=0&watch=true",
    ),
    ("List", r#"{"kind":"ListOptions","apiVersion":"v1","limit":-1}"#, "limit=-1"),
    (
        "List",
        r#"{"continue":"~-._ !*'()é\u0000/?#[]@&=+$,;:%"}"#,
        "continue=~-._+%21%2A%27%28%29%C3%A9%00%2F%3F%23%5B%5D%40%26%3D%2B%24%2C%3B%3A%25",
    ),
    (
        "Create",
        r#"{"dryRun":["All"],"fieldManager":"kubectl","fieldValidation":"Strict"}"#,
        "dryRun=All&fieldManager=kubectl&fieldValidation=Strict",
    ),
    ("Create", r#"{"dryRun":["b","","a"]}"#, "dryRun=b&dryRun=a"),
    ("Patch", r#"{"force":true}"#, "force=true"),
    ("Patch", r#"{"force":false}"#, "force=false"),
    ("Apply", r#"{"force":false,"fieldManager":""}"#, "fieldManager=&force=false"),
    (
        "Apply",
        r#"{"force":true,"fieldManager":"me","dryRun":["All"]}"#,
        "dryRun=All&fieldManager=me&force=true",
    ),
    (
        "Delete",
        r#"{"gracePeriodSeconds":0,"propagationPolicy":"","orphanDependents":false}"#,
        "gracePeriodSeconds=0&orphanDependents=false&propagationPolicy=",
    ),
    (
        "Delete",
        r#"{"preconditions":{"uid":"u","resourceVersion":"7"},"dryRun":["All"]}"#,
        "dryRun=All&resourceVersion=7&uid=u",
    ),
    ("Delete", r#"{"preconditions":{}}"#, ""),
    ("Delete", r#"{"preconditions":{"uid":""}}"#, "uid="),
    ("Table", r#"{"includeObject":"Object"}"#, "includeObject=Object"),
    (
        "Log",
        r#"{"container":"c","follow":true,"sinceTime":"2020-01-02T03:04:05+02:00","tailLines":0}"#,
        "container=c&follow=true&sinceTime=2020-01-02T01%3A04%3A05Z&tailLines=0",
    ),
    ("Log", r#"{"stream":"","limitBytes":5}"#, "limitBytes=5&stream="),
    ("Ports", r#"{"ports":[80,443]}"#, "ports=80&ports=443"),
    ("Ports", r#"{"ports":[0,443]}"#, "ports=443"),
];

/// A query, its pairs by key, and the error.
const PARSE: &[(&str, &str, &str)] = &[
    ("", "", ""),
    ("a", "a=", ""),
    ("a=", "a=", ""),
    ("=", "=", ""),
    ("=b", "=b", ""),
    ("&&a&&", "a=", ""),
    ("a=1&a=2", "a=1&a=2", ""),
    ("b=1&a=2&b=0", "a=2&b=1&b=0", ""),
    ("a=b=c", "a=b%3Dc", ""),
    ("a+b=c+d", "a+b=c+d", ""),
    ("a%20b=%2B", "a+b=%2B", ""),
    ("%", "", "invalid URL escape \"%\""),
    ("%4", "", "invalid URL escape \"%4\""),
    ("%4g", "", "invalid URL escape \"%4g\""),
    ("a=%4", "", "invalid URL escape \"%4\""),
    ("a=%zzz", "", "invalid URL escape \"%zz\""),
    ("a=%zz&b=%yy&c=1", "c=1", "invalid URL escape \"%zz\""),
    ("a=1;b=2", "", "invalid semicolon separator in query"),
    ("a=1;b=2&c=%zz&d=1", "d=1", "invalid semicolon separator in query"),
    ("c=%zz&a;b&d=1", "d=1", "invalid semicolon separator in query"),
    ("a=%\u{e9}", "", "invalid URL escape \"%\u{e9}\""),
    ("a=%FFx%C3", "a=%EF%BF%BDx%EF%BF%BD", ""),
    ("\u{e9}=\u{fc}", "%C3%A9=%C3%BC", ""),
    ("a=%41%7e", "a=A~", ""),
    ("a#b=c", "a%23b=c", ""),
    ("a=%1%41", "", "invalid URL escape \"%1%\""),
];
