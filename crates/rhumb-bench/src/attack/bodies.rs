//! Request bodies of attackers, built once.

use std::fmt::Write as _;
use std::io::Write as _;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Media types of bodies.
pub(crate) const YAML: &str = "application/yaml";
pub(crate) const STRATEGIC: &str = "application/strategic-merge-patch+json";
pub(crate) const MERGE: &str = "application/merge-patch+json";
pub(crate) const JSON_PATCH: &str = "application/json-patch+json";
pub(crate) const APPLY: &str = "application/apply-patch+yaml";
/// Number of arguments of the Deployment that patches insert into.
const LONG_LIST: usize = 60_000;

/// Bodies and selectors of requests.
pub(crate) struct Bodies {
    pub(crate) strategic: Bytes,
    pub(crate) spread: Bytes,
    pub(crate) owners: Bytes,
    pub(crate) long_list: Bytes,
    pub(crate) inserts: Bytes,
    pub(crate) apply: Bytes,
    pub(crate) merges: Bytes,
    pub(crate) defaults: Bytes,
    pub(crate) pattern: Bytes,
    /// Roles with three lists of 2,600: of what attackers have, and of what nobody has.
    pub(crate) roles: [Bytes; 2],
    /// Objects with many and with few items, each of which has a long key by default.
    pub(crate) keys: [Bytes; 2],
    /// A body that is a thousand times as long when it is unpacked.
    pub(crate) packed: Bytes,
    /// Two contents of an object that is watched, and of its annotations.
    pub(crate) watched: [Bytes; 2],
    pub(crate) noted: [Bytes; 2],
    /// Deep or large bodies with their media types.
    pub(crate) odd: Vec<(&'static str, Bytes)>,
    /// Queries.
    pub(crate) selectors: Vec<String>,
    /// Valid object of maximum size, for sending byte by byte.
    pub(crate) slow: Bytes,
    pub(crate) size: f64,
}

impl Bodies {
    /// Makes them: with a size of 1 as large as the attacks are known for.
    pub(crate) fn new(size: f64) -> Self {
        let of = |count: usize| scaled(count, size);
        let config_map = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"attack-""#;
        Bodies {
            strategic: list(
                r#"{"spec":{"containers":["#,
                of(100_000),
                |out, number| write!(out, r#"{{"name":"c{number}"}}"#),
                "]}}",
            ),
            spread: list(
                r#"{"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"attack-"},"spec":{
                "containers":[{"name":"c","image":"i"}],"topologySpreadConstraints":["#,
                of(38_000),
                |out, number| {
                    write!(
                        out,
                        r#"{{"maxSkew":1,"topologyKey":"k{number}","whenUnsatisfiable":"DoNotSchedule"}}"#
                    )
                },
                "]}}",
            ),
            owners: list(
                &format!(r#"{config_map},"ownerReferences":["#),
                of(20_000),
                |out, number| {
                    write!(
                        out,
                        r#"{{"apiVersion":"v1","kind":"ConfigMap","name":"o{number}","uid":"{number:08}"}}"#
                    )
                },
                "]}}",
            ),
            long_list: list(
                r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"long"},"spec":{"replicas":0,
                "selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{
                "containers":[{"name":"c","image":"i","args":["#,
                of(LONG_LIST),
                |out, _| write!(out, "\"a\""),
                "]}]}}}}",
            ),
            inserts: list(
                // What it inserts is never stored, because the last operation fails.
                "[",
                of(9_000),
                |out, _| {
                    let place = "/spec/template/spec/containers/0/args";
                    write!(out, r#"{{"op":"add","path":"{place}/{}","value":"b"}}"#, of(LONG_LIST) / 2)
                },
                r#",{"op":"test","path":"/spec/replicas","value":1}]"#,
            ),
            apply: list(
                r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"applied"},"spec":{"containers":["#,
                of(60_000),
                |out, number| write!(out, r#"{{"name":"c{number}","image":"i"}}"#),
                "]}}",
            ),
            merges: merges(of(300), 999),
            defaults: list(
                r#"{"apiVersion":"attack.example.com/v1","kind":"Bomb","metadata":{"generateName":"attack-"},
                "spec":{"items":["#,
                of(20_000),
                |out, _| out.write_str("{}"),
                "]}}",
            ),
            pattern: text(of(1_000_000)),
            roles: [role(of(2_600), "get"), role(of(2_600), "do")],
            keys: [of(2_000), of(20)].map(|count| {
                list(
                    r#"{"apiVersion":"attack.example.com/v1","kind":"Keyed","metadata":{"name":"keyed"},
                    "spec":{"items":["#,
                    count,
                    |out, number| write!(out, r#"{{"name":"n{number}"}}"#),
                    "]}}",
                )
            }),
            packed: packed(&format!("{config_map}}}"), of(256 << 20)),
            watched: ["x", "y"]
                .map(|letter| format!(r#"{{"data":{{"a":"{}"}}}}"#, letter.repeat(of(100_000))).into()),
            noted: ["x", "y"].map(|letter| {
                format!(r#"{{"metadata":{{"annotations":{{"a":"{}"}}}}}}"#, letter.repeat(of(100_000))).into()
            }),
            odd: odd(size),
            selectors: selectors(of(5_000)),
            slow: format!(r#"{config_map}}},"data":{{"a":"{}"}}}}"#, "x".repeat(900_000)).into(),
            size,
        }
    }
}

/// Scales a count by the size option.
pub(crate) fn scaled(count: usize, size: f64) -> usize {
    ((count as f64 * size) as usize).max(1)
}

/// A list of numbered elements between a beginning and an end.
fn list(
    begin: &str,
    count: usize,
    element: impl Fn(&mut String, usize) -> std::fmt::Result,
    end: &str,
) -> Bytes {
    let mut out = begin.to_owned();
    for number in 0..count {
        if number > 0 {
            out.push(',');
        }
        // Writing to a string doesn't fail.
        let _ = element(&mut out, number);
    }
    out.push_str(end);
    out.into()
}

/// A role of three lists of one length. `get` is always the same verb, and any other word gets a number.
fn role(count: usize, verb: &str) -> Bytes {
    let names = |letter: &str| (0..count).map(|number| format!("\"{letter}{number}\"")).collect::<Vec<_>>();
    let verbs = match verb {
        "get" => vec!["\"get\"".to_owned(); count],
        other => names(other),
    };
    format!(
        r#"{{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{{"generateName":"attack-"}},
        "rules":[{{"apiGroups":[{}],"resources":[{}],"verbs":[{}]}}]}}"#,
        names("g").join(","),
        names("r").join(","),
        verbs.join(",")
    )
    .into()
}

/// A document and spaces behind it, packed.
fn packed(document: &str, spaces: usize) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let some = [b' '; 64 << 10];
    // Writing to a vector doesn't fail.
    let _ = encoder.write_all(document.as_bytes());
    for _ in 0..spaces / some.len() {
        let _ = encoder.write_all(&some);
    }
    encoder.finish().unwrap_or_default().into()
}

/// A pod whose containers are merges of one mapping of fields that containers don't have. What pads it keeps the
/// share of aliases below what readers take.
fn merges(count: usize, fields: usize) -> Bytes {
    let mut out =
        "apiVersion: v1\nkind: Pod\nmetadata: {generateName: attack-}\nfields: &fields {".to_owned();
    for number in 0..fields {
        let _ = write!(out, "f{number}: 1, ");
    }
    out.push_str("}\npadding: [");
    out.push_str(&"0,".repeat(count * fields * 4 / 3));
    out.push_str("]\nspec:\n  containers:\n");
    out.push_str(&"  - <<: *fields\n".repeat(count));
    out.into()
}

/// Returns an object whose text almost matches what it must not, again and again.
fn text(length: usize) -> Bytes {
    let almost = format!("{}b", "a".repeat(499)).repeat(length.div_ceil(500));
    format!(
        r#"{{"apiVersion":"attack.example.com/v1","kind":"Pattern","metadata":{{"generateName":"attack-"}},
        "spec":{{"text":"{almost}"}}}}"#
    )
    .into()
}

fn odd(size: f64) -> Vec<(&'static str, Bytes)> {
    const JSON: &str = crate::server::https::JSON;
    let of = |count: usize| scaled(count, size);
    let keys = |open: &str, quote: &str, close: &str| {
        let mut out = open.to_owned();
        for number in 0..of(150_000) {
            let separator = if number == 0 || quote.is_empty() { "" } else { "," };
            let _ = match quote {
                "" => writeln!(out, "  k{number}: v"),
                quote => write!(out, "{separator}{quote}k{number}{quote}:{quote}v{quote}"),
            };
        }
        out.push_str(close);
        Bytes::from(out)
    };
    let large = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"attack-"},"data":{"#;
    vec![
        (JSON, "[".repeat(of(1 << 20)).into()),
        (JSON, r#"{"a":"#.repeat(of(200_000)).into()),
        (JSON, format!("{{\"data\":{}1{}}}", "{\"a\":".repeat(of(50_000)), "}".repeat(of(50_000))).into()),
        (JSON, keys(large, "\"", "}}")),
        (JSON, format!("{large}\"a\":\"{}\"}}}}", "x".repeat(4 << 20)).into()),
        (YAML, "[".repeat(of(300 << 10)).into()),
        (YAML, "- ".repeat(of(150 << 10)).into()),
        (YAML, "? ".repeat(of(150 << 10)).into()),
        (YAML, "&a b: *a\n".repeat(of(30 << 10)).into()),
        (YAML, keys("apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: attack-}\ndata:\n", "", "")),
        (super::PROTOBUF, deep_protobuf(of(2_000))),
        (super::PROTOBUF, wide_protobuf(of(150_000))),
    ]
}

/// A field of a message in protobuf that is a message or a text.
fn field(number: u8, content: &[u8], out: &mut Vec<u8>) {
    out.push(number << 3 | 2);
    let mut length = content.len();
    while length >= 0x80 {
        out.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend_from_slice(content);
}

/// Returns a message that holds itself.
fn deep_protobuf(depth: usize) -> Bytes {
    let mut message = Vec::new();
    for _ in 0..depth {
        let mut outer = Vec::with_capacity(message.len() + 4);
        field(1, &message, &mut outer);
        message = outer;
    }
    [b"k8s\0".as_slice(), &message].concat().into()
}

/// Returns a ConfigMap with many keys.
fn wide_protobuf(keys: usize) -> Bytes {
    let (mut kind, mut meta, mut map) = (Vec::new(), Vec::new(), Vec::new());
    field(1, b"v1", &mut kind);
    field(2, b"ConfigMap", &mut kind);
    field(2, b"attack-", &mut meta);
    field(1, &meta, &mut map);
    for number in 0..keys {
        let mut entry = Vec::new();
        field(1, format!("k{number}").as_bytes(), &mut entry);
        field(2, b"v", &mut entry);
        field(2, &entry, &mut map);
    }
    let mut envelope = b"k8s\0".to_vec();
    field(1, &kind, &mut envelope);
    field(2, &map, &mut envelope);
    envelope.into()
}

/// Queries with so many terms, or half as many if they are long: a path may have 64 KiB.
fn selectors(terms: usize) -> Vec<String> {
    let joined =
        |terms: usize, term: &dyn Fn(usize) -> String| (0..terms).map(term).collect::<Vec<_>>().join(",");
    vec![
        format!("labelSelector={}", joined(terms, &|number| format!("k{number}=v"))),
        format!("labelSelector={}", joined(terms, &|number| format!("k{number}!=v"))),
        format!("labelSelector=k%20notin%20({})", joined(terms, &|number| format!("v{number}"))),
        format!("labelSelector={}", joined(terms, &|_| "!k".to_owned())),
        format!("fieldSelector={}", joined(terms / 2, &|number| format!("metadata.name!=n{number}"))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Maximum body size of a server.
    const LARGEST: usize = 3 << 20;

    #[test]
    fn what_attacks_by_growing_is_small_enough_to_be_taken() {
        let bodies = Bodies::new(1.0);
        let taken = [
            &bodies.strategic,
            &bodies.spread,
            &bodies.owners,
            &bodies.long_list,
            &bodies.inserts,
            &bodies.apply,
            &bodies.merges,
            &bodies.defaults,
            &bodies.pattern,
            &bodies.roles[0],
            &bodies.roles[1],
            &bodies.keys[0],
            &bodies.packed,
            &bodies.watched[0],
            &bodies.noted[0],
        ];
        for body in taken {
            assert!(body.len() < LARGEST, "{} bytes: {:?}", body.len(), body.get(..100));
        }
        assert!(bodies.roles.iter().all(|role| (50_000..70_000).contains(&role.len())));
        let read = [&bodies.spread, &bodies.owners, &bodies.inserts, &bodies.apply, &bodies.pattern];
        for body in read.into_iter().chain(&bodies.roles).chain(&bodies.keys) {
            serde_json::from_slice::<serde_json::Value>(body).unwrap();
        }
        assert!(bodies.selectors.iter().all(|selector| selector.len() < 60_000));
    }

    #[test]
    fn a_smaller_size_makes_smaller_bodies() {
        let (whole, tenth) = (Bodies::new(1.0), Bodies::new(0.1));
        assert!(tenth.strategic.len() * 9 < whole.strategic.len());
        assert_eq!((scaled(300, 0.1), scaled(3, 0.001)), (30, 1));
    }
}
