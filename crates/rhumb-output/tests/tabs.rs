//! Text in columns, beside what Go's `text/tabwriter` made of it, and the variant of it that remembers
//! widths.

use std::io::Write;

use rhumb_output::tabs::{Align, EmptyColumns, Indent, TabLayout, TabWriter, Widths};
use serde_json::Value as Json;

#[test]
fn columns_line_up_as_in_go() {
    let cases: Vec<Json> = serde_json::from_str(include_str!("tabs.json")).expect("JSON");
    for case in cases {
        let size = |key: &str| usize::try_from(case[key].as_u64().expect("a size")).expect("a size");
        let flag = |key: &str| case[key] == true;
        let layout = TabLayout {
            min_width: size("min"),
            tab_width: size("tab"),
            padding: size("padding"),
            pad: case["pad"].as_str().and_then(|pad| pad.chars().next()).expect("a character"),
            align: if flag("right") { Align::Right } else { Align::Left },
            empty_columns: if flag("discard") { EmptyColumns::Discard } else { EmptyColumns::Keep },
            indent: if flag("tab_indent") { Indent::Tabs } else { Indent::Padding },
            widths: if flag("remember") { Widths::Remember } else { Widths::Forget },
        };
        let mut tabs = TabWriter::new(Vec::new(), layout);
        for part in case["input"].as_array().expect("texts") {
            tabs.write_all(part.as_str().expect("a text").as_bytes()).expect("memory");
            tabs.flush().expect("memory");
        }
        let out = String::from_utf8(tabs.into_inner().expect("memory")).expect("text");
        assert_eq!(out, case["output"].as_str().expect("a text"), "{case}");
    }
}

#[test]
fn text_may_come_in_any_pieces() {
    let text = "NAME\tAGE\nweb\t5d\ta\n\té\n";
    let whole = |pieces: &[&[u8]]| {
        let mut tabs = TabWriter::table(Vec::new());
        pieces.iter().for_each(|piece| tabs.write_all(piece).expect("memory"));
        tabs.into_inner().expect("memory")
    };
    let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
    assert_eq!(whole(&bytes), whole(&[text.as_bytes()]));
}
