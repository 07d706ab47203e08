//! Any text, read as a version, a kind, a resource, a time, a duration, a number or a text: an error or a value,
//! never a panic. What a value prints reads back as an equal one.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhumb_meta::version::{ApiVersion, compare};
use rhumb_meta::{
    Duration, GroupKind, GroupResource, GroupVersion, GroupVersionKind, GroupVersionResource, IntOrString,
    MicroTime, Rounding, Time,
};

fn check_names(text: &str) {
    if let Ok(version) = GroupVersion::parse(text) {
        assert_eq!(GroupVersion::parse(&version.to_string()).as_ref(), Ok(&version));
        version.identifier();
    }
    assert_eq!(GroupKind::parse(&GroupKind::parse(text).to_string()), GroupKind::parse(text));
    assert_eq!(GroupResource::parse(&GroupResource::parse(text).to_string()), GroupResource::parse(text));
    let (kind, group_kind) = GroupVersionKind::parse_arg(text);
    assert_eq!(group_kind, GroupKind::parse(text));
    if let Some(kind) = kind {
        assert_eq!(format!("{}.{}.{}", kind.kind, kind.version, kind.group), text);
    }
    let (resource, _) = GroupVersionResource::parse_arg(text);
    if let Some(resource) = resource {
        assert_eq!(format!("{}.{}.{}", resource.resource, resource.version, resource.group), text);
    }
    if let Some((api_version, kind)) = text.split_once(',') {
        let gvk = GroupVersionKind::from_api_version_and_kind(api_version, kind);
        let (api_version, kind) = gvk.to_api_version_and_kind();
        assert_eq!(GroupVersionKind::from_api_version_and_kind(&api_version, &kind), gvk);
        assert_eq!(compare(&api_version, &kind), compare(&kind, &api_version).reverse());
    }
    if let Some(version) = ApiVersion::parse(text) {
        assert_eq!(ApiVersion::parse(&version.to_string()), Some(version));
    }
}

fn check_times(text: &str) {
    if let Ok(time) = Time::parse(text) {
        let mut printed = Vec::new();
        time.write_rfc3339(&mut printed);
        let printed = String::from_utf8(printed).expect("times print as ASCII");
        // An offset can lead to a year that four digits can't write, which no one reads back.
        if let Ok(read) = Time::parse(&printed) {
            assert_eq!(read.unix_seconds(), time.unix_seconds(), "{printed}");
        } else {
            assert!(!(-62_167_219_200..253_402_300_800).contains(&time.unix_seconds()), "{printed}");
        }
        let (seconds, nanos) = time.to_timestamp();
        assert_eq!(Time::from_timestamp(seconds, nanos).to_timestamp(), (seconds, nanos));
    }
    if let Ok(time) = MicroTime::parse(text) {
        let mut printed = Vec::new();
        time.write_rfc3339(&mut printed);
        let printed = String::from_utf8(printed).expect("times print as ASCII");
        if let Ok(read) = MicroTime::parse(&printed) {
            assert_eq!(read, time, "{printed}");
        } else {
            assert!(!(-62_167_219_200..253_402_300_800).contains(&time.unix_seconds()), "{printed}");
        }
    }
    if let Ok(duration) = Duration::parse(text) {
        assert_eq!(Duration::parse(&duration.to_string()), Ok(duration));
    }
}

fn check_numbers(text: &str) {
    let value = IntOrString::parse(text);
    assert_eq!(IntOrString::parse(&value.to_string()), value);
    value.int_value();
    for total in [i64::MIN, -1, 0, 7, i64::MAX] {
        for rounding in [Rounding::Up, Rounding::Down] {
            let _ = value.scaled_value(total, rounding);
        }
    }
}

/// Points in time that no text stands for come from protobuf; they print too.
fn check_timestamps(bytes: &[u8]) {
    let Some((seconds, rest)) = bytes.split_first_chunk() else { return };
    let Some((nanos, _)) = rest.split_first_chunk() else { return };
    let (seconds, nanos) = (i64::from_le_bytes(*seconds), i32::from_le_bytes(*nanos));
    let mut printed = Vec::new();
    Time::from_timestamp(seconds, nanos).write_rfc3339(&mut printed);
    Time::from_unix(seconds, i64::from(nanos)).write_rfc3339(&mut printed);
    let micro = MicroTime::from_timestamp(seconds, nanos);
    micro.write_rfc3339(&mut printed);
    let (seconds, nanos) = micro.to_timestamp();
    assert_eq!(MicroTime::from_timestamp(seconds, nanos), micro);
    assert_eq!(Duration(seconds).to_string().parse(), Ok(Duration(seconds)));
}

fuzz_target!(|input: &[u8]| {
    check_timestamps(input);
    let Ok(text) = std::str::from_utf8(input) else { return };
    check_names(text);
    check_times(text);
    check_numbers(text);
});
