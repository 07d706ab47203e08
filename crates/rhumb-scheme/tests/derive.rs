//! What the derives refuse, and in which words: every mistake is one error that names the field.
//!
//! After a change of the words, `TRYBUILD=overwrite cargo test -p rhumb-scheme --test derive` writes them anew; read
//! what it wrote.

#[test]
fn mistakes_are_refused_by_name() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/derive/schema/*.rs");
    cases.compile_fail("tests/derive/object/*.rs");
    cases.compile_fail("tests/derive/resource/*.rs");
    cases.compile_fail("tests/derive/convert/*.rs");
}
