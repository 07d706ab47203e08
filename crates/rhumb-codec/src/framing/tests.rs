//! Expectations printed by Kubernetes 1.36's own framers for the same bytes.

use super::*;

/// Everything a reader gives when the bytes come in pieces of this size: frames, and the error that ended them.
fn read(framing: Framing, limit: usize, bytes: &[u8], piece: usize) -> (Vec<String>, String) {
    let mut reader = FrameReader::new(framing, limit);
    let mut frames = Vec::new();
    for piece in bytes.chunks(piece) {
        reader.feed(piece);
        loop {
            match reader.next_frame() {
                Ok(Some(frame)) => frames.push(String::from_utf8_lossy(frame).into_owned()),
                Ok(None) => break,
                Err(FrameError::TooLarge) => frames.push("too large".into()),
                Err(error) => return (frames, error.to_string()),
            }
        }
    }
    match reader.finish() {
        Ok(last) => {
            frames.extend(last.map(|last| String::from_utf8_lossy(&last).into_owned()));
            (frames, String::new())
        }
        Err(error) => (frames, error.to_string()),
    }
}

fn check(framing: Framing, bytes: &[u8], frames: &[&str], error: &str) {
    for piece in 1..=bytes.len().max(1) {
        let (found, end) = read(framing, MAX_FRAME, bytes, piece);
        assert_eq!((found, &*end), (owned(frames), error), "{bytes:?} by {piece}");
    }
}

fn owned(frames: &[&str]) -> Vec<String> {
    frames.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn json_frames() {
    for (bytes, frames, error) in JSON {
        check(Framing::Json, bytes, frames, error);
    }
}

#[test]
fn length_delimited_frames() {
    for (bytes, frames, error) in LENGTH_DELIMITED {
        check(Framing::LengthDelimited, bytes, frames, error);
    }
}

#[test]
fn frames_are_written() {
    let mut out = Vec::new();
    for frame in [&b"abc"[..], b"", b"\0\0\0\x01", &[b'z'; 300]] {
        Framing::LengthDelimited.write(frame, &mut out).expect("short enough");
    }
    assert!(out.starts_with(b"\0\0\0\x03abc\0\0\0\0\0\0\0\x04\0\0\0\x01\0\0\x01,zzzzzzz"));

    out.clear();
    Framing::Json.write(b"{}", &mut out).expect("any length will do");
    Framing::Json.write(b"[]\n", &mut out).expect("any length will do");
    assert_eq!(out, b"{}\n[]\n");
}

#[test]
fn what_is_written_is_read_back() {
    for framing in [Framing::Json, Framing::LengthDelimited] {
        let frames = [r#"{"type":"ADDED","object":{"a":"}\"{"}}"#, "{}", r#"{"b":[[],{}]}"#];
        let mut out = Vec::new();
        for frame in frames {
            framing.write(frame.as_bytes(), &mut out).expect("short enough");
        }
        check(framing, &out, &frames, "");
    }
}

/// Kubernetes reports a frame that is too large and reads on behind it.
#[test]
fn large_frames_are_passed_over() {
    let json = br#"{"a":1} {"b":"0123456789}"} {"c":2} [1,2,3,4,5,6,7] 7 123456789012 {}"#;
    let mut counted = Vec::new();
    for frame in ["1234567", "12345678", "", "123456789012345", "x"] {
        Framing::LengthDelimited.write(frame.as_bytes(), &mut counted).expect("short enough");
    }
    for piece in 1..=json.len() {
        let (frames, error) = read(Framing::Json, 7, json, piece);
        let expect = [r#"{"a":1}"#, "too large", r#"{"c":2}"#, "too large", "7", "too large", "{}"];
        assert_eq!((frames, &*error), (owned(&expect), ""), "by {piece}");
        let (frames, error) = read(Framing::LengthDelimited, 7, &counted, piece);
        let expect = ["1234567", "too large", "", "too large", "x"];
        assert_eq!((frames, &*error), (owned(&expect), ""), "by {piece}");
    }
    assert_eq!(FrameError::TooLarge.to_string(), "object to decode was longer than maximum allowed size");
}

#[test]
fn a_stream_that_ends_within_a_large_frame() {
    let (frames, error) = read(Framing::Json, 4, b"{\"a\":\"b\"", 3);
    assert_eq!((frames, &*error), (vec!["too large".to_owned()], "unexpected EOF"));
    let (frames, error) = read(Framing::LengthDelimited, 4, b"\xff\xff\xff\xffabc", 3);
    assert_eq!((frames, &*error), (vec!["too large".to_owned()], "unexpected EOF"));
}

#[test]
fn large_frames_do_not_pile_up() {
    let mut reader = FrameReader::new(Framing::Json, 100);
    reader.feed(b"[");
    let mut errors = 0;
    for _ in 0..10_000 {
        reader.feed(b"1,2,3,4,5,");
        errors += usize::from(reader.next_frame().is_err());
    }
    assert_eq!(errors, 1);
    assert!(reader.buffer.capacity() < 1000);
    reader.feed(b"6]{}");
    assert_eq!(reader.next_frame(), Ok(Some(&b"{}"[..])));
}

#[test]
fn memory_of_a_large_frame_is_given_back() {
    let mut reader = FrameReader::new(Framing::LengthDelimited, MAX_FRAME);
    let mut bytes = Vec::new();
    Framing::LengthDelimited.write(&vec![0; 1 << 20], &mut bytes).expect("short enough");
    reader.feed(&bytes);
    assert_eq!(reader.next_frame().map(|frame| frame.map(<[u8]>::len)), Ok(Some(1 << 20)));
    reader.feed(b"\0");
    assert!(reader.buffer.capacity() <= 64 * 1024);
}

#[test]
fn what_is_no_json_stays_an_error() {
    let mut reader = FrameReader::new(Framing::Json, MAX_FRAME);
    reader.feed(b"{}<html>");
    assert_eq!(reader.next_frame(), Ok(Some(&b"{}"[..])));
    assert_eq!(reader.next_frame(), Err(FrameError::NotJson(b'<')));
    reader.feed(b"{}");
    assert_eq!(reader.next_frame(), Err(FrameError::NotJson(b'<')));
    assert_eq!(reader.finish(), Err(FrameError::NotJson(b'<')));
}

const JSON: &[(&[u8], &[&str], &str)] = &[
    (b"", &[], ""),
    (b" \n", &[], ""),
    (b"{}", &["{}"], ""),
    (b"{}\n", &["{}"], ""),
    (b"{}{}", &["{}", "{}"], ""),
    (b"{\"a\":1}\n{\"b\":[{}]}\n", &["{\"a\":1}", "{\"b\":[{}]}"], ""),
    (b"[1,{\"a\":[]}] \"x\" ", &["[1,{\"a\":[]}]", "\"x\""], ""),
    (b"1 2", &["1", "2"], ""),
    (b"12", &["12"], ""),
    (b"-1.5e+3\ntrue false null", &["-1.5e+3", "true", "false", "null"], ""),
    (b"null{}", &["null", "{}"], ""),
    (b"true[]", &["true", "[]"], ""),
    (b"\"a\\\"b\\\\\"{}", &["\"a\\\"b\\\\\"", "{}"], ""),
    (b"{\"a\":\"}\"}{\"b\":\"\\\\\"}", &["{\"a\":\"}\"}", "{\"b\":\"\\\\\"}"], ""),
    (b"{\"a\":\"\\\"}\"}", &["{\"a\":\"\\\"}\"}"], ""),
    (b"{", &[], "unexpected EOF"),
    (b"{\"a\":\"", &[], "unexpected EOF"),
    (b"{}{\"a", &["{}"], "unexpected EOF"),
    (b"}", &[], "invalid character '}' looking for beginning of value"),
    (b"{}]", &["{}"], "invalid character ']' looking for beginning of value"),
    (b"{}x", &["{}"], "invalid character 'x' looking for beginning of value"),
    (b"{}'", &["{}"], "invalid character '\\'' looking for beginning of value"),
    (b"{},{}", &["{}"], "invalid character ',' looking for beginning of value"),
    (b"{}\0", &["{}"], "invalid character '\\x00' looking for beginning of value"),
    (b"{}\xc3\xa9", &["{}"], "invalid character '\u{c3}' looking for beginning of value"),
    (b"{\"a\": \"\xc3\xa9}\"}", &["{\"a\": \"\u{e9}}\"}"], ""),
    (b"\t\r\n {\n  \"a\": 1\n}\n\n", &["{\n  \"a\": 1\n}"], ""),
];

const LENGTH_DELIMITED: &[(&[u8], &[&str], &str)] = &[
    (b"", &[], ""),
    (b"\0\0\0\x03abc", &["abc"], ""),
    (b"\0\0\0\x03abc\0\0\0\0\0\0\0\x01x", &["abc", "", "x"], ""),
    (b"\0\0", &[], "unexpected EOF"),
    (b"\0\0\0\x03ab", &[], "unexpected EOF"),
    (b"\0\0\0\x01x\0", &["x"], "unexpected EOF"),
    // Kubernetes takes this for a clean end; a frame was announced and did not come, so it is none here.
    (b"\0\0\0\x03", &[], "unexpected EOF"),
];
