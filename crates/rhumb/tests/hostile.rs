//! Hostile input: whatever the bytes are, a decoder answers with an error or an object. It never panics, never runs
//! out of stack, and takes no more memory than a bounded multiple of the input.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::thread;

use rhumb_codec::yaml::{self, ReadOptions};
use rhumb_codec::{
    CodecError, Codecs, Format, JsonSerializer, Serializer, Strictness, UnstructuredCreater, YamlSerializer,
    json, proto,
};
use rhumb_meta::v1::WatchEvent;
use rhumb_meta::{Duration, IntOrString, MicroTime, Object, Quantity, Time};
use rhumb_schema::wire::{put_bytes_field, put_varint_field};

fn codecs() -> &'static Codecs {
    static CODECS: OnceLock<Codecs> = OnceLock::new();
    CODECS.get_or_init(|| Codecs::new(Arc::new(rhumb_api::scheme().expect("the built-in scheme freezes"))))
}

const STRICTNESSES: [Strictness; 3] = [Strictness::Ignore, Strictness::Warn, Strictness::Strict];
const FORMATS: [Format; 3] = [Format::Json, Format::Yaml, Format::Protobuf];

fn decode(format: Format, data: &[u8]) -> Result<Box<dyn Object>, CodecError> {
    Ok(codecs().serializer(format, false).decode(data, None, codecs().scheme())?.object)
}

/// Reads bytes in every way there is for a format. If there is an object, it is written in every format, as text that
/// is UTF-8. Raw JSON inside an object is the exception: Kubernetes gives it back byte for byte.
fn survives(format: Format, data: &[u8]) -> bool {
    for strictness in STRICTNESSES {
        match format {
            Format::Json => {
                drop(JsonSerializer { pretty: false, strictness }.decode(data, None, &UnstructuredCreater))
            }
            Format::Yaml => drop(YamlSerializer { strictness }.decode(data, None, &UnstructuredCreater)),
            Format::Protobuf => {}
        }
    }
    let strict = codecs().clone().with_strictness(Strictness::Strict);
    let strictly = strict.serializer(format, false).decode(data, None, codecs().scheme());
    let Ok(object) = decode(format, data) else {
        assert!(strictly.is_err(), "strictness makes nothing good");
        return false;
    };
    for target in FORMATS {
        let mut out = Vec::new();
        let written = codecs().serializer(target, true).encode(&*object, &mut out);
        if target != Format::Protobuf {
            written.expect("everything has a form as text");
            let raw_json =
                format == Format::Json && std::str::from_utf8(data).is_err() && keeps_raw_json(&*object);
            assert!(raw_json || std::str::from_utf8(&out).is_ok(), "{}", String::from_utf8_lossy(&out));
        }
    }
    true
}

fn keeps_raw_json(object: &dyn Object) -> bool {
    let managed = object.metadata().is_some_and(|metadata| !metadata.managed_fields.is_empty());
    managed || object.downcast_ref::<WatchEvent>().is_some() || object.type_meta().1 == "List"
}

/// Runs in a thread with as little stack as threads usually have.
fn in_a_small_stack(test: impl FnOnce() + Send + 'static) {
    codecs();
    let thread = thread::Builder::new().stack_size(2 << 20).spawn(test).expect("a thread starts");
    thread.join().expect("the test passes");
}

/// What may be nested: how a level opens, what stands innermost, how a level closes.
const NESTINGS: &[(&str, &str, &str)] = &[
    ("[", "1", "]"),
    ("{\"a\":", "1", "}"),
    ("[{\"a\":", "null", "}]"),
    ("{\"f:a\":{},\"f:b\":", "{}", "}"),
];

/// Where it may stand: a field with a type, ones that no type has, and all places where any JSON is kept.
const PLACES: &[(&str, &str)] = &[
    ("", ""),
    (r#"{"apiVersion":"v1","kind":"ConfigMap","data":"#, "}"),
    (r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"#, "}}"),
    (r#"{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"resources":{"limits":{"cpu":"#, "}}}]}}"),
    (r#"{"apiVersion":"v1","kind":"Pod","spec":{"nope":"#, "}}"),
    (r#"{"apiVersion":"v1","kind":"#, "}"),
    (r#"{"nope":"#, r#","apiVersion":"v1","kind":"Pod"}"#),
    (r#"{"apiVersion":"v1","kind":"List","items":["#, "]}"),
    (r#"{"apiVersion":"v1","kind":"WatchEvent","type":"ADDED","object":"#, "}"),
    (r#"{"apiVersion":"meta.k8s.io/v1","kind":"Table","rows":[{"cells":["#, "]}]}"),
    (r#"{"apiVersion":"v1","kind":"Pod","metadata":{"managedFields":[{"fieldsV1":"#, "}]}}"),
];

fn nested(place: (&str, &str), nesting: (&str, &str, &str), depth: usize) -> String {
    let (open, core, close) = nesting;
    [place.0, &open.repeat(depth), core, &close.repeat(depth), place.1].concat()
}

#[test]
fn deep_json_is_refused_wherever_it_stands() {
    in_a_small_stack(|| {
        for place in PLACES {
            for nesting in NESTINGS {
                for depth in [600, 10_001, 50_000] {
                    let text = nested(*place, *nesting, depth);
                    for cut in [text.len(), place.0.len() + nesting.0.len() * depth] {
                        let text = text.as_bytes().get(..cut).expect("the cut lies within");
                        let refused = !survives(Format::Json, text) && !survives(Format::Yaml, text);
                        assert!(refused, "{depth} of {} in {}", nesting.0, place.0);
                        for strictness in STRICTNESSES {
                            assert!(json::decode_tree(text, strictness).is_err());
                        }
                    }
                }
            }
        }
    });
}

#[test]
fn json_below_the_limit_fits_a_small_stack() {
    in_a_small_stack(|| {
        let mut good = 0;
        for place in PLACES {
            for nesting in NESTINGS {
                // The mixed level is two levels.
                let text = nested(*place, *nesting, 220);
                json::decode_tree(text.as_bytes(), Strictness::Strict).expect("the text is JSON");
                good += usize::from(survives(Format::Json, text.as_bytes()));
                survives(Format::Yaml, text.as_bytes());
            }
        }
        assert!(good >= 20, "only {good} objects can be this deep");
    });
}

#[test]
fn deep_yaml_is_refused() {
    in_a_small_stack(|| {
        let stairs = |depth: usize, line: &str| {
            (0..depth).fold(String::new(), |mut text, level| {
                writeln!(text, "{:level$}{line}", "").expect("texts take everything");
                text
            })
        };
        let mut texts =
            vec![stairs(1500, "a:"), stairs(1500, "-"), stairs(1500, "? a"), stairs(1500, "- a:")];
        for depth in [600, 10_001, 200_000] {
            for open in ["[", "{a: ", "- ", "? ", "[{a: ", "{[", "!!seq [", "&a [", "- ? ", "{? "] {
                texts.push(open.repeat(depth));
                texts.push(format!("apiVersion: v1\nkind: ConfigMap\ndata:\n  a: {}", open.repeat(depth)));
            }
            texts.push(format!("{}x{}", "[".repeat(depth), "]".repeat(depth)));
            texts.push(format!("{}x{}", "{a: ".repeat(depth), "}".repeat(depth)));
            texts.push(format!("{}x", "- ".repeat(depth)));
        }
        for text in texts {
            let shown: String = text.chars().take(40).collect();
            assert!(!survives(Format::Yaml, text.as_bytes()), "{shown}");
        }
    });
}

/// Each level has nine of the level before.
fn laughs(levels: usize, join: impl Fn(&str) -> String) -> String {
    let mut text = String::from("l0: &l0 {lol: lol}\n");
    for level in 1..levels {
        let below = join(&format!("*l{}", level - 1));
        writeln!(text, "l{level}: &l{level} {below}").expect("texts take everything");
    }
    text
}

#[test]
fn alias_bombs_are_refused() {
    let bombs = [
        laughs(20, |alias| format!("[{}]", [alias; 9].join(","))),
        laughs(200, |alias| format!("[{}]", [alias; 2].join(","))),
        laughs(20, |alias| {
            let entries: Vec<String> = (0..9).map(|entry| format!("k{entry}: {alias}")).collect();
            format!("{{{}}}", entries.join(","))
        }),
        // Few nodes, but a long text.
        format!("a: &a {}\nb: [{}]", "x".repeat(100_000), ["*a"; 1000].join(",")),
        format!("a: &a\n  k: {}\nb:\n{}", "x".repeat(100_000), "- {<<: *a}\n".repeat(1000)),
    ];
    for bomb in bombs {
        let mut out = Vec::new();
        let error = yaml::to_json(bomb.as_bytes(), &ReadOptions::default(), &mut out).expect_err("a bomb");
        assert_eq!(error.to_string(), "yaml: document contains excessive aliasing");
        assert!(out.len() < 16 << 20, "{} bytes of JSON from {}", out.len(), bomb.len());
        assert!(!survives(Format::Yaml, bomb.as_bytes()));
    }
    let own = "a: &a [*a]";
    assert!(!survives(Format::Yaml, own.as_bytes()));
}

#[test]
fn huge_numbers_are_errors_where_they_do_not_fit() {
    let digits = "9".repeat(100_000);
    let fraction = format!("0.{}1", "0".repeat(100_000));
    let exponent = format!("1e{}", "9".repeat(1000));
    let numbers =
        ["1e999999", "-1e999999", "1e-999999", &digits, &fraction, &exponent, "9223372036854775808"];
    let places = [
        ("int32", true, r#"{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":"#, "}}"),
        ("int64", true, r#"{"apiVersion":"v1","kind":"Pod","spec":{"activeDeadlineSeconds":"#, "}}"),
        ("status", true, r#"{"apiVersion":"v1","kind":"Status","code":"#, "}"),
        (
            "int or string",
            true,
            r#"{"apiVersion":"apps/v1","kind":"Deployment","spec":{"strategy":{"rollingUpdate":{"maxSurge":"#,
            "}}}}",
        ),
        ("time", true, r#"{"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"#, "}}"),
        ("bytes", true, r#"{"apiVersion":"v1","kind":"ConfigMap","binaryData":{"a":["#, "]}}"),
        (
            "quantity",
            false,
            r#"{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"resources":{"limits":{"cpu":"#,
            "}}}]}}",
        ),
        ("any", false, r#"{"apiVersion":"meta.k8s.io/v1","kind":"Table","rows":[{"cells":["#, "]}]}"),
        ("raw", false, r#"{"apiVersion":"v1","kind":"List","items":["#, "]}"),
    ];
    for number in numbers {
        for (name, refuses, before, after) in places {
            let text = [before, number, after].concat();
            let taken = survives(Format::Json, text.as_bytes());
            assert!(!(refuses && taken), "{name} takes {number:.20}");
            // In YAML a number that is too large for a float is a text, which some of these take.
            survives(Format::Yaml, text.as_bytes());
            survives(Format::Json, [before, "\"", number, "\"", after].concat().as_bytes());
        }
        for suffix in ["", "Ki", "Ei", "m", "n", "E", "e5", "e-5", "h", "s", "ns", "%"] {
            let text = format!("{number}{suffix}");
            if let Ok(quantity) = text.parse::<Quantity>() {
                assert!(quantity.to_string().len() <= text.len() + 8, "{text:.20} prints long");
                let _ =
                    (quantity.value(), quantity.milli_value(), (quantity.clone() - &quantity).to_string());
            }
            let _ = IntOrString::parse(&text).int_value();
            let _ = (Time::parse(&text), MicroTime::parse(&text), Duration::parse(&text).is_ok());
        }
    }
    assert!(Duration::parse(&format!("{digits}h")).is_err());
    assert!(Duration::parse("9223372036854775808ns").is_err());
    assert!(json::decode_tree(b"1e999999", Strictness::Ignore).is_err());
}

/// What is not UTF-8: a byte that never occurs, a cut-off character, a surrogate, one beyond the last, an overlong
/// one.
const NOT_UTF8: &[&[u8]] =
    &[b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", b"\xe2\x82"];

#[test]
fn bytes_that_are_no_utf8_never_come_out_again() {
    for bytes in NOT_UTF8 {
        for (before, after) in PLACES {
            let at = [before.as_bytes(), b"\"a", bytes, b"z\"", after.as_bytes()].concat();
            survives(Format::Json, &at);
            survives(Format::Yaml, &at);
            let key = [before.as_bytes(), b"{\"", bytes, b"\":\"", bytes, b"\"}", after.as_bytes()].concat();
            survives(Format::Json, &key);
            survives(Format::Yaml, &key);
            let bare = [before.as_bytes(), bytes, after.as_bytes()].concat();
            assert!(!survives(Format::Json, &bare));
        }
        let block =
            [&b"apiVersion: v1\nkind: ConfigMap\ndata:\n  a: x"[..], bytes, b"\n# ", bytes, b"\n"].concat();
        survives(Format::Yaml, &block);
        let mut labels = Vec::new();
        put_bytes_field(1, bytes, &mut labels);
        put_bytes_field(2, bytes, &mut labels);
        let mut metadata = Vec::new();
        put_bytes_field(1, bytes, &mut metadata);
        put_bytes_field(11, &labels, &mut metadata);
        let mut pod = Vec::new();
        put_bytes_field(1, &metadata, &mut pod);
        survives(Format::Protobuf, &enveloped(b"v1", b"Pod", &pod));
        assert!(!survives(Format::Protobuf, &enveloped(bytes, b"Pod", &pod)));
        assert!(!survives(Format::Protobuf, &enveloped(b"v1", bytes, &pod)));
    }
}

/// The golden files of a format.
fn golden(extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let files = std::fs::read_dir(folder).expect("the folder can be read").filter_map(|entry| {
        let path = entry.ok()?.path();
        path.extension().is_some_and(|found| found == extension).then_some(path)
    });
    let mut files: Vec<_> = files.collect();
    files.sort();
    assert!(files.len() >= 40, "only {} golden files end in {extension}", files.len());
    files
}

const EXTENSIONS: [(Format, &str); 3] =
    [(Format::Json, "json"), (Format::Yaml, "yaml"), (Format::Protobuf, "pb")];

#[test]
fn truncated_objects_are_errors_or_objects() {
    for (format, extension) in EXTENSIONS {
        for path in golden(extension) {
            let bytes = std::fs::read(&path).expect("the golden file can be read");
            assert!(survives(format, &bytes), "{} is good", path.display());
            for end in (0..bytes.len()).step_by(7) {
                let Some(cut) = bytes.get(..end) else { break };
                let good = decode(format, cut).is_ok();
                // An object in JSON ends with its last bracket.
                assert!(!(good && format == Format::Json && end + 2 < bytes.len()), "{}", path.display());
            }
        }
    }
}

#[test]
fn changed_bytes_give_errors_or_objects() {
    for (format, extension) in EXTENSIONS {
        for path in golden(extension) {
            let bytes = std::fs::read(&path).expect("the golden file can be read");
            if bytes.len() > 2000 {
                continue;
            }
            let mut changed = bytes.clone();
            for position in (0..bytes.len()).step_by(5) {
                for flip in [0x01, 0x08, 0x80, 0xff] {
                    let (Some(byte), Some(was)) = (changed.get_mut(position), bytes.get(position)) else {
                        break;
                    };
                    *byte = *was ^ flip;
                    if format == Format::Protobuf {
                        survives(format, &changed);
                    } else {
                        let _ = decode(format, &changed);
                    }
                }
                if let (Some(byte), Some(was)) = (changed.get_mut(position), bytes.get(position)) {
                    *byte = *was;
                }
            }
        }
    }
}

/// A message in its envelope.
fn enveloped(api_version: &[u8], kind: &[u8], message: &[u8]) -> Vec<u8> {
    let mut type_meta = Vec::new();
    put_bytes_field(1, api_version, &mut type_meta);
    put_bytes_field(2, kind, &mut type_meta);
    let mut out = proto::MAGIC.to_vec();
    put_bytes_field(1, &type_meta, &mut out);
    put_bytes_field(2, message, &mut out);
    out
}

#[test]
fn protobuf_that_lies_about_lengths_is_refused() {
    let lengths: [&[u8]; 7] = [
        b"\x01",
        b"\x7f",
        b"\xff\xff\xff\xff\x07",
        b"\xff\xff\xff\xff\x0f",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    ];
    for length in lengths {
        // Metadata, spec, an unknown field, and one inside another.
        for tag in [&b"\x0a"[..], b"\x12", b"\xfa\x01", b"\x0a\x80\x02\x0a"] {
            let lie = [tag, length].concat();
            assert!(!survives(Format::Protobuf, &enveloped(b"v1", b"Pod", &lie)), "{lie:?}");
            let bare = [proto::MAGIC, &lie[..]].concat();
            assert!(!survives(Format::Protobuf, &bare), "{lie:?}");
        }
    }
    for broken in [&b""[..], b"k8s", b"k8s\0", b"k8s\0\0", b"k8s\0\x02\x00", b"k8s\0\xff\xff\xff\xff\xff"] {
        assert!(!survives(Format::Protobuf, broken), "{broken:?}");
    }
}

#[test]
fn deep_groups_and_messages_do_not_end_the_stack() {
    in_a_small_stack(|| {
        for depth in [100, 10_000, 500_000] {
            let open = [0xfb, 0x01].repeat(depth);
            assert!(!survives(Format::Protobuf, &enveloped(b"v1", b"Pod", &open)), "groups without an end");
            let closed = [open, [0xfc, 0x01].repeat(depth)].concat();
            survives(Format::Protobuf, &enveloped(b"v1", b"Pod", &closed));
            let in_envelope = [&enveloped(b"v1", b"Pod", b"")[..], &closed].concat();
            survives(Format::Protobuf, &in_envelope);
        }
        let mut message = Vec::new();
        for _ in 0..2000 {
            let mut outer = Vec::new();
            put_bytes_field(2, &message, &mut outer);
            message = outer;
        }
        for kind in ["Pod", "PodList", "Status", "List", "ConfigMap", "Namespace"] {
            survives(Format::Protobuf, &enveloped(b"v1", kind.as_bytes(), &message));
        }
    });
}

#[test]
fn packed_numbers_are_read_within_bounds() {
    // supplementalGroups of a security context, as one packed field.
    let pod = |packed: &[u8]| {
        let (mut context, mut spec, mut pod) = (Vec::new(), Vec::new(), Vec::new());
        put_bytes_field(4, packed, &mut context);
        put_bytes_field(14, &context, &mut spec);
        put_bytes_field(2, &spec, &mut pod);
        enveloped(b"v1", b"Pod", &pod)
    };
    assert!(survives(Format::Protobuf, &pod(b"")));
    assert!(survives(Format::Protobuf, &pod(&[1; 100_000])));
    assert!(!survives(Format::Protobuf, &pod(&[0x80; 100_000])));
    assert!(!survives(Format::Protobuf, &pod(b"\x01\x80")));
    let mut wrong = Vec::new();
    put_varint_field(2, u64::MAX, &mut wrong);
    assert!(!survives(Format::Protobuf, &enveloped(b"v1", b"Pod", &wrong)));
}

/// What a run of the binary under a limit of memory came to.
struct Ended {
    code: Option<i32>,
    error: String,
}

/// Transcodes an input with an address space of so many MiB. An allocation beyond it aborts the program.
fn transcode_within(mebibytes: usize, input: &[u8]) -> Ended {
    let script = format!("ulimit -v {} && exec \"$0\" transcode -f - -o json", mebibytes * 1024);
    let mut child = Command::new("bash")
        .args(["-c", &script, env!("CARGO_BIN_EXE_rhumb")])
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("bash starts");
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    // Whoever refuses early doesn't read to the end.
    let _ = stdin.write_all(input);
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    let error = String::from_utf8_lossy(&output.stderr).chars().take(300).collect();
    Ended { code: output.status.code(), error }
}

const HOSTILE_SIZE: usize = 1 << 20;

fn filled(before: &str, element: &str, after: &str) -> Vec<u8> {
    let count = (HOSTILE_SIZE - before.len() - after.len()) / element.len();
    [before, &element.repeat(count), after].concat().into_bytes()
}

#[test]
fn a_mebibyte_of_text_takes_bounded_memory() {
    // Refused for what its elements would take, how deep it is, or what its aliases stand for.
    let pod = r#"{"apiVersion":"v1","kind":"Pod","spec":{"containers":["#;
    let refused = [
        filled(pod, "{},", "{}]}}"),
        filled(pod, "null,", "null]}}"),
        filled(r#"{"apiVersion":"v1","kind":"PodList","items":["#, "{},", "{}]}"),
        filled("{apiVersion: v1, kind: PodList, items: [", "{},", "{}]}"),
        filled("apiVersion: v1\nkind: PodList\nitems:\n", "- {}\n", ""),
        filled(r#"{"apiVersion":"v1","kind":"List","items":["#, "[", ""),
        filled(r#"{"apiVersion":"v1","kind":"Pod","nope":"#, r#"{"a":"#, ""),
        filled("apiVersion: v1\nkind: List\nitems:\n", "- ", ""),
        filled("a: &a [x]\nb: [", "*a,", "]"),
        laughs(20, |alias| format!("[{}]", [alias; 9].join(","))).into_bytes(),
    ];
    for input in refused {
        let shown = String::from_utf8_lossy(input.get(..60).unwrap_or_default()).into_owned();
        let ended = transcode_within(LIMIT, &input);
        assert_eq!(ended.code, Some(1), "{shown}: {}", ended.error);
        assert!(ended.error.starts_with("error: "), "{shown}: {}", ended.error);
    }
    // Good as far as the budget goes, and bounded either way.
    let good = [
        filled(r#"{"apiVersion":"v1","kind":"Pod","spec":{"tolerations":["#, "{},", "{}]}}"),
        filled(r#"{"apiVersion":"v1","kind":"List","items":["#, "{},", "{}]}"),
        filled(r#"{"apiVersion":"meta.k8s.io/v1","kind":"Table","rows":[{"cells":["#, r#"{"":0},"#, "0]}]}"),
        filled(r#"{"apiVersion":"meta.k8s.io/v1","kind":"Table","rows":[{"cells":["#, "[],", "0]}]}"),
        filled(r#"{"apiVersion":"v1","kind":"ConfigMap","data":{"#, r#""a":"","#, r#""b":""}}"#),
        filled(r#"{"apiVersion":"v1","kind":"ConfigMap","data":{"a":""#, r"\n", r#""}}"#),
    ];
    for input in good {
        let shown = String::from_utf8_lossy(input.get(..60).unwrap_or_default()).into_owned();
        let ended = transcode_within(LIMIT, &input);
        assert!(matches!(ended.code, Some(0 | 1)), "{shown}: {:?} {}", ended.code, ended.error);
    }
}

#[test]
fn a_mebibyte_of_protobuf_takes_bounded_memory() {
    let empty = |number: u32| {
        let mut field = Vec::new();
        put_bytes_field(number, b"", &mut field);
        field.repeat(HOSTILE_SIZE / field.len())
    };
    let mut spec = Vec::new();
    put_bytes_field(2, &empty(2), &mut spec);
    let mut metadata = Vec::new();
    put_bytes_field(1, &empty(11), &mut metadata);
    // Pods of a list, containers of a pod, labels of a pod.
    for (kind, message) in [("PodList", empty(2)), ("Pod", spec), ("Pod", metadata)] {
        let ended = transcode_within(LIMIT, &enveloped(b"v1", kind.as_bytes(), &message));
        assert!(matches!(ended.code, Some(0 | 1)), "{kind}: {:?} {}", ended.code, ended.error);
        assert!(ended.code == Some(1) || kind != "PodList", "a pod is more than the two bytes it takes here");
    }
}

/// MiB of address space for a MiB of input: 32 times the input for elements, three times that while a list grows, and
/// what the program has anyway.
const LIMIT: usize = 320;
