//! Zones made of bytes, compared with what `date` says.

use rhumb_meta::Time;

use super::{Zone, ZoneError};

/// A file of version 2 with one change, in April 1938, to what the rule for the future says of that day.
fn file((offset, is_summer, name): (i32, bool, &str), footer: &str) -> Vec<u8> {
    let head = |changes: u32, kinds: u32, names: u32| {
        let mut head = b"TZif2".to_vec();
        head.extend([0; 15]);
        for count in [0, 0, 0, changes, kinds, names] {
            head.extend(count.to_be_bytes());
        }
        head
    };
    let mut bytes = head(0, 1, 4);
    bytes.extend([0; 6]);
    bytes.extend(b"UTC\0");
    bytes.extend(head(1, 2, 5 + u32::try_from(name.len()).unwrap()));
    bytes.extend((-1_000_000_000i64).to_be_bytes());
    bytes.push(1);
    for (offset, is_summer, name) in [(3208i32, false, 0u8), (offset, is_summer, 4)] {
        bytes.extend(offset.to_be_bytes());
        bytes.extend([u8::from(is_summer), name]);
    }
    bytes.extend(format!("LMT\0{name}\0").as_bytes());
    bytes.extend(format!("\n{footer}\n").as_bytes());
    bytes
}

#[track_caller]
fn check(zone: &Zone, time: &str, mail: &str, plain: &str) {
    let time = Time::parse(time).unwrap();
    assert_eq!(zone.mail_date(&time), mail);
    assert_eq!(zone.plain_date(&time), plain);
}

#[test]
fn dates_in_utc() {
    let utc = Zone::utc();
    check(&utc, "2024-02-29T12:00:05Z", "Thu, 29 Feb 2024 12:00:05 +0000", "2024-02-29 12:00:05 +0000 UTC");
    check(&utc, "1969-12-31T23:59:59Z", "Wed, 31 Dec 1969 23:59:59 +0000", "1969-12-31 23:59:59 +0000 UTC");
    check(&utc, "0001-01-01T00:00:00Z", "Mon, 01 Jan 0001 00:00:00 +0000", "0001-01-01 00:00:00 +0000 UTC");
}

#[test]
fn dates_north_of_the_equator() {
    let zone = Zone::from_tzif(&file((7200, true, "CEST"), "CET-1CEST,M3.5.0,M10.5.0/3")).unwrap();
    check(&zone, "2024-03-31T00:59:59Z", "Sun, 31 Mar 2024 01:59:59 +0100", "2024-03-31 01:59:59 +0100 CET");
    check(&zone, "2024-03-31T01:00:00Z", "Sun, 31 Mar 2024 03:00:00 +0200", "2024-03-31 03:00:00 +0200 CEST");
    check(&zone, "2024-10-27T01:00:00Z", "Sun, 27 Oct 2024 02:00:00 +0100", "2024-10-27 02:00:00 +0100 CET");
    check(&zone, "1900-01-01T00:00:00Z", "Mon, 01 Jan 1900 00:53:28 +0053", "1900-01-01 00:53:28 +0053 LMT");
    check(&zone, "0001-01-01T00:00:00Z", "Mon, 01 Jan 0001 00:00:00 +0000", "0001-01-01 00:00:00 +0000 UTC");
}

#[test]
fn dates_south_of_the_equator() {
    let zone =
        Zone::from_tzif(&file((37800, false, "+1030"), "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0")).unwrap();
    check(&zone, "2024-01-01T00:00:00Z", "Mon, 01 Jan 2024 11:00:00 +1100", "2024-01-01 11:00:00 +1100 +11");
    check(
        &zone,
        "2024-07-01T00:00:00Z",
        "Mon, 01 Jul 2024 10:30:00 +1030",
        "2024-07-01 10:30:00 +1030 +1030",
    );
}

#[test]
fn other_ways_to_name_a_day() {
    let zone = Zone::from_tzif(&file((-7200, true, "BBB"), "AAA3BBB,J60/0,300")).unwrap();
    check(&zone, "2024-03-01T02:59:59Z", "Thu, 29 Feb 2024 23:59:59 -0300", "2024-02-29 23:59:59 -0300 AAA");
    check(&zone, "2024-03-01T03:00:00Z", "Fri, 01 Mar 2024 01:00:00 -0200", "2024-03-01 01:00:00 -0200 BBB");
    check(&zone, "2024-10-27T04:00:00Z", "Sun, 27 Oct 2024 01:00:00 -0300", "2024-10-27 01:00:00 -0300 AAA");
}

#[test]
fn bytes_that_are_no_zone() {
    assert_eq!(Zone::from_tzif(b"").unwrap_err(), ZoneError::Format);
    assert_eq!(Zone::from_tzif(b"PK\x03\x04 and so on").unwrap_err(), ZoneError::Format);
    let whole = file((0, false, "UTC"), "UTC0");
    let length = whole.len() - "\nUTC0\n".len();
    for end in 4..length {
        assert!(Zone::from_tzif(&whole[..end]).is_err(), "{end}");
    }
}
