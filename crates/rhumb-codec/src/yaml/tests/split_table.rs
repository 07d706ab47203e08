//! Streams and the documents that Kubernetes' YAML reader v0.36.4 cuts them into, with its line ends.

type Row = (&'static str, &'static [Result<&'static str, &'static str>]);

#[rustfmt::skip]
pub(super) const SPLIT_TABLE: &[Row] = &[
    ("", &[]),
    ("\n", &[Ok("\n")]),
    ("a: 1\n", &[Ok("a: 1\n")]),
    ("a: 1", &[Ok("a: 1\n")]),
    ("---\n", &[Ok("---\n")]),
    ("---", &[Ok("---\n")]),
    ("---\na: 1\n", &[Ok("---\na: 1\n")]),
    ("a: 1\n---\nb: 2\n", &[Ok("a: 1\n"), Ok("b: 2\n")]),
    ("a: 1\n---\n", &[Ok("a: 1\n")]),
    ("---\na\n---\nb\n---\n", &[Ok("---\na\n"), Ok("b\n")]),
    ("a\n---\n---\nb\n", &[Ok("a\n"), Ok("---\nb\n")]),
    ("---\n---\na\n", &[Ok("---\n"), Ok("a\n")]),
    ("a\n--- # c\nb\n", &[Ok("a\n"), Ok("b\n")]),
    ("a\n---   \nb\n", &[Ok("a\n"), Ok("b\n")]),
    ("a\n---\t#x\nb\n", &[Ok("a\n"), Ok("b\n")]),
    ("a\n--- b\nc\n---\nd\n", &[Err("invalid Yaml document separator: b"), Ok("c\n"), Ok("d\n")]),
    ("a\n---b\nc\n", &[Err("invalid Yaml document separator: b"), Ok("c\n")]),
    ("----\na\n", &[Err("invalid Yaml document separator: -"), Ok("a\n")]),
    ("a\n ---\nb\n", &[Ok("a\n ---\nb\n")]),
    ("a\n...\n---\nb\n", &[Ok("a\n...\n"), Ok("b\n")]),
    ("# c\n---\n# d\na\n", &[Ok("# c\n"), Ok("# d\na\n")]),
    ("a\r\n---\r\nb\r\n", &[Ok("a\n"), Ok("b\n")]),
    ("\u{feff}---\na\n---\nb\n", &[Ok("\u{feff}---\na\n"), Ok("b\n")]),
    ("a: |\n  x\n---\n  y\n", &[Ok("a: |\n  x\n"), Ok("  y\n")]),
    ("\n\n---\n\n", &[Ok("\n\n"), Ok("\n")]),
    ("a\n---", &[Ok("a\n")]),
    ("a\n---\n\n---\nb", &[Ok("a\n"), Ok("\n"), Ok("b\n")]),
];

#[rustfmt::skip]
pub(super) const IS_JSON_TABLE: &[(&str, bool)] = &[
    ("{", true),
    ("  {", true),
    ("\n\t{\"a\":1}", true),
    ("a: 1", false),
    ("[1]", false),
    ("", false),
    ("\u{feff}{", false),
    ("\u{a0}{", true),
    ("\u{85}{", true),
    ("# {", false),
];
