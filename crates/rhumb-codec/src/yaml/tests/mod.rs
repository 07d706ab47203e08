//! Both directions against tables of what Kubernetes' own libraries give, and the limits.

#[path = "../../../../../testdata/kubernetes/read.rs"]
mod kubernetes;
mod read_table;
mod split_table;
mod write_table;

use serde_json::{Value, json};

use self::read_table::READ_TABLE;
use self::split_table::{IS_JSON_TABLE, SPLIT_TABLE};
use self::write_table::WRITE_TABLE;
use super::*;

fn read_with(yaml: &[u8], options: &ReadOptions) -> Result<(String, Report), String> {
    let mut out = b"before".to_vec();
    let result = to_json(yaml, options, &mut out);
    assert!(out.starts_with(b"before"));
    match result {
        Ok(report) => Ok((String::from_utf8(out.split_off(6)).unwrap(), report)),
        Err(error) => {
            assert_eq!(out, b"before", "an error leaves the output alone");
            Err(error.to_string())
        }
    }
}

fn read(yaml: &str, duplicate_keys: DuplicateKeys) -> Result<String, String> {
    let options = ReadOptions { duplicate_keys, ..ReadOptions::default() };
    read_with(yaml.as_bytes(), &options).map(|(json, _)| json)
}

fn write(value: &Value) -> String {
    let mut out = Vec::new();
    from_json_value(value, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn documents_read_as_in_the_table() {
    for (yaml, expected, strict) in READ_TABLE {
        let lenient = read(yaml, DuplicateKeys::Ignore);
        match (&lenient, expected) {
            (Ok(got), Ok(want)) => {
                let got: Value =
                    serde_json::from_str(got).unwrap_or_else(|e| panic!("{yaml:?} gave {got}: {e}"));
                let want: Value = serde_json::from_str(want).unwrap();
                assert_eq!(got, want, "{yaml:?}");
            }
            (Err(got), Err(want)) => assert_eq!(got, want, "{yaml:?}"),
            _ => panic!("{yaml:?} gave {lenient:?}, not {expected:?}"),
        }
        let rejecting = read(yaml, DuplicateKeys::Reject);
        match strict {
            Some(want) => assert_eq!(rejecting, Err((*want).to_owned()), "{yaml:?}"),
            None => assert_eq!(rejecting, lenient, "{yaml:?}"),
        }
        if let (Ok(_), Some(want)) = (expected, strict) {
            let options = ReadOptions { duplicate_keys: DuplicateKeys::Report, ..ReadOptions::default() };
            let (json, report) = read_with(yaml.as_bytes(), &options).unwrap();
            assert_eq!(Ok(json), lenient, "{yaml:?}");
            assert_eq!(report.strict_error().unwrap().to_string(), *want, "{yaml:?}");
        }
    }
}

#[test]
fn values_write_as_in_the_table() {
    for (json, expected) in WRITE_TABLE {
        let value: Value = serde_json::from_str(json).unwrap();
        assert_eq!(write(&value), *expected, "{json}");
    }
}

#[test]
fn what_is_written_reads_back() {
    for (json, _) in WRITE_TABLE {
        let value: Value = serde_json::from_str(json).unwrap();
        let yaml = write(&value);
        // go-yaml's own output for these does not read back: line separators get indentation of their own, and the
        // key `<<` is not quoted. Floats that are whole come back as integers.
        if json.contains("\\u2028") || json.contains("<<") || value.is_f64() {
            continue;
        }
        let back = read(&yaml, DuplicateKeys::Reject).unwrap_or_else(|e| panic!("{yaml:?}: {e}"));
        assert_eq!(serde_json::from_str::<Value>(&back).unwrap(), value, "{yaml:?}");
    }
}

#[test]
fn streams_split_as_in_the_table() {
    for (stream, expected) in SPLIT_TABLE {
        let got: Vec<Result<String, String>> = Documents::new(stream.as_bytes())
            .map(|document| match document {
                Ok(document) => {
                    let text = String::from_utf8(document.bytes.to_vec()).unwrap().replace("\r\n", "\n");
                    Ok(if text.ends_with('\n') { text } else { text + "\n" })
                }
                Err(error) => Err(error.to_string()),
            })
            .collect();
        let expected: Vec<Result<String, String>> =
            expected.iter().map(|d| d.map(str::to_owned).map_err(str::to_owned)).collect();
        assert_eq!(got, expected, "{stream:?}");
    }
    for (stream, expected) in IS_JSON_TABLE {
        assert_eq!(is_json(stream.as_bytes()), *expected, "{stream:?}");
    }
    assert!(!is_json(b"\xff{"));
}

#[test]
fn documents_know_their_first_line() {
    let lines: Vec<usize> =
        Documents::new(b"a\n---\nb\nc\n---\n---\nd\n").map(|document| document.unwrap().line).collect();
    assert_eq!(lines, [1, 3, 6]);
    let error = Documents::new(b"a\n--- b\n").next().unwrap().unwrap_err();
    assert_eq!((error.line, error.trailing.as_str()), (2, "b"));
}

#[test]
fn replaced_entries_leave_compact_json() {
    let json = read("a: 1\nb: {c: 1, d: 2, c: 3}\na: 4\n", DuplicateKeys::Ignore).unwrap();
    assert_eq!(json, r#"{"b":{"d":2,"c":3},"a":4}"#);
    let json = read("x: &x {a: 1, a: 2}\nw: {<<: *x, b: 1}\nz: [*x]\n", DuplicateKeys::Ignore).unwrap();
    assert_eq!(json, r#"{"x":{"a":2},"w":{"a":2,"b":1},"z":[{"a":2}]}"#);
}

#[test]
fn keys_of_large_mappings_are_found_again() {
    let mut yaml: String = (0..500).map(|i| format!("key{i}: {i}\n")).collect();
    yaml.push_str("key7: again\nkey499: again\nkey7: last\n");
    let options = ReadOptions { duplicate_keys: DuplicateKeys::Report, ..ReadOptions::default() };
    let (json, report) = read_with(yaml.as_bytes(), &options).unwrap();
    let value: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value.as_object().unwrap().len(), 500);
    assert_eq!((&value["key7"], &value["key499"]), (&json!("last"), &json!("again")));
    let lines: Vec<usize> = report.duplicates.iter().map(|key| key.line).collect();
    assert_eq!(lines, [501, 502, 503]);
}

#[test]
fn depth_is_bounded_as_in_go_yaml() {
    let too_deep = Err("yaml: exceeded max depth of 10000".to_owned());
    for (open, close) in [("[", "]"), ("{a: ", "}")] {
        let nested = |depth: usize| format!("{}{}", open.repeat(depth), close.repeat(depth));
        assert!(read(&nested(10_000), DuplicateKeys::Ignore).is_ok());
        assert_eq!(read(&nested(10_001), DuplicateKeys::Ignore), too_deep);
    }
    assert!(read(&"- ".repeat(10_000), DuplicateKeys::Ignore).is_ok());
    assert_eq!(read(&"- ".repeat(10_001), DuplicateKeys::Ignore), too_deep);
    let options = ReadOptions { max_depth: 3, ..ReadOptions::default() };
    assert!(read_with(b"a:\n  b: [1]\n", &options).is_ok());
    let error = read_with(b"a:\n  b:\n    c:\n      d: 1\n", &options).unwrap_err();
    assert_eq!(error, "yaml: line 4: exceeded max depth of 3");
}

#[test]
fn aliases_cannot_blow_a_document_up() {
    let excessive = Err("yaml: document contains excessive aliasing".to_owned());
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for i in 1..9 {
        let items = format!("*a{}, ", i - 1).repeat(10);
        bomb.push_str(&format!("a{i}: &a{i} [{items}]\n"));
    }
    assert_eq!(read(&bomb, DuplicateKeys::Ignore), excessive);
    // One long text many times is few nodes, which go-yaml would let pass.
    let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), "*a, ".repeat(1000));
    assert_eq!(read(&long, DuplicateKeys::Ignore), excessive);
    let modest = format!("a: &a [1, 2]\nb: [{}]\n", "*a, ".repeat(50));
    assert!(read(&modest, DuplicateKeys::Ignore).is_ok());
}

#[test]
fn a_key_reaches_1024_characters_far() {
    let missing = Err("yaml: line 2: could not find expected ':'".to_owned());
    for (letter, fits, too_long) in [("x", 1024, 1025), ("\u{e9}", 1024, 1025)] {
        assert!(read(&format!("a: 1\n{}: 1\n", letter.repeat(fits)), DuplicateKeys::Ignore).is_ok());
        assert_eq!(read(&format!("a: 1\n{}: 1\n", letter.repeat(too_long)), DuplicateKeys::Ignore), missing);
    }
}

#[test]
fn other_encodings_read() {
    let options = ReadOptions::default();
    let units: Vec<u16> = "\u{feff}a: \u{1f600}\n".encode_utf16().collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    for bytes in [little, big] {
        assert_eq!(read_with(&bytes, &options).unwrap().0, "{\"a\":\"\u{1f600}\"}");
    }
    for (bytes, problem) in [
        (&b"a: \xff\n"[..], "invalid leading UTF-8 octet"),
        (b"a: \xc3(\n", "invalid trailing UTF-8 octet"),
        (b"a: \xe2\x82", "incomplete UTF-8 octet sequence"),
        (b"a: \xc0\x80\n", "invalid length of a UTF-8 sequence"),
        (b"a: \xed\xa0\x80\n", "invalid Unicode character"),
        (b"a: \x01\n", "control characters are not allowed"),
        (b"\xff\xfea", "incomplete UTF-16 character"),
        (b"\xff\xfe\x00\xdc", "unexpected low surrogate area"),
    ] {
        assert_eq!(read_with(bytes, &options).unwrap_err(), format!("yaml: {problem}"));
    }
}

#[test]
fn no_mutilated_document_panics() {
    let options = ReadOptions { duplicate_keys: DuplicateKeys::Report, ..ReadOptions::default() };
    let (document, _, _) = READ_TABLE.iter().max_by_key(|row| row.0.len()).unwrap();
    let bytes = document.as_bytes();
    for at in 0..bytes.len() {
        for byte in *b"\n\t :-?[]{},&*!|>'\"%@`#\\<\xc2\xe2\xff" {
            let mut changed = bytes.to_vec();
            changed[at] = byte;
            let _ = read_with(&changed, &options);
            let _ = read_with(&changed[at..], &options);
        }
    }
}

#[test]
fn golden_objects_come_out_exactly() {
    let golden = kubernetes::document("golden");
    let mut compared = 0;
    for (name, yaml, release) in golden.as_object().unwrap().values().flat_map(|release| {
        let files = release.as_object().unwrap();
        files.iter().filter_map(move |(name, file)| Some((name.strip_suffix(".yaml")?, file, release)))
    }) {
        let yaml = yaml.as_str().unwrap();
        let value: Value = serde_json::from_str(release[format!("{name}.json")].as_str().unwrap()).unwrap();
        assert_eq!(write(&value), yaml, "{name}");
        let json = read(yaml, DuplicateKeys::Reject).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), value, "{name}");
        compared += 1;
    }
    assert!(compared > 140, "only {compared} golden objects were found");
}
