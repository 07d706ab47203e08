//! Any text, read as an expression: errors or a tree, never a panic. What a tree is written as reads back as a tree
//! that is written in the same way.

#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use rhumb_cel::macros;
use rhumb_cel::parser::{Options, parse};
use rhumb_cel::source::Source;
use rhumb_cel::unparse::unparse;

static OPTIONS: LazyLock<[Options; 2]> = LazyLock::new(|| {
    let all =
        [macros::standard(), macros::optional(), macros::bindings(), macros::two_variables(), macros::math()];
    let extended = Options {
        macros: all.concat().into(),
        optional_syntax: true,
        escaped_fields: true,
        macro_calls: true,
        ..Options::default()
    };
    [Options { macro_calls: true, ..Options::default() }, extended]
});

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    for options in OPTIONS.iter() {
        let ast = match parse(&Arc::new(Source::new(text)), options) {
            Ok(ast) => ast,
            Err(errors) => {
                assert!(!errors.is_empty());
                assert!(errors.to_string().starts_with("ERROR: <input>:"));
                continue;
            }
        };
        let Some(printed) = unparse(&ast.expr, &ast.info) else { continue };
        // What is off in the options can't be read again, and neither can what is too deep with its parentheses.
        let Ok(again) = parse(&Arc::new(Source::new(printed.as_str())), &OPTIONS[1]) else { continue };
        let reprinted = unparse(&again.expr, &again.info);
        assert!(reprinted.is_some(), "{printed}");
    }
});
