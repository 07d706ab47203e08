//! Any text, parsed and checked as an expression: errors or types, never a panic. What was checked can be planned, and
//! checking it again comes to the same.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use rhumb_cel::eval::{Options, Program};
use rhumb_fuzz::expressions;

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let environment = expressions::environment();
    let Ok(parsed) = environment.parse(text) else { return };
    let parsed = Arc::new(parsed);
    match environment.check(&parsed) {
        Ok(checked) => {
            let again = environment.check(&parsed).expect("what was checked can be checked");
            assert_eq!(again.result(), checked.result());
            let _ = Program::new(&checked, environment, Options::default());
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            assert!(errors.to_string().starts_with("ERROR: <input>:"));
        }
    }
});
