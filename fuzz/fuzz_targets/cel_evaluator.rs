//! Any text, evaluated as an expression over some variables: an error or a value, never a panic, and never more cost
//! than is allowed. Constants that are computed before change nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhumb_cel::eval::{Limits, Options, Program};
use rhumb_cel::value::Value;
use rhumb_fuzz::expressions;

/// What an evaluation may cost.
const COST: u64 = 100_000;

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let environment = expressions::environment();
    let Ok(parsed) = environment.parse(text) else { return };
    let variables = expressions::variables();
    let limits = Limits { cost: Some(COST), memory: 16 << 20, ..Limits::default() };
    if let Ok(program) = Program::unchecked(&parsed, environment, Options::default()) {
        let _ = program.evaluate(&variables, limits);
    }
    let Ok(checked) = environment.check(&std::sync::Arc::new(parsed)) else { return };
    let Ok(plain) = Program::new(&checked, environment, Options::default()) else { return };
    let folded = Program::new(&checked, environment, Options { fold_constants: true, ..Options::default() });
    let first = plain.evaluate(&variables, limits);
    let Ok(folded) = folded else { return };
    let second = folded.evaluate(&variables, limits);
    // What is computed before costs nothing, so that only the other way may pass the limit.
    if let (Ok(first), Ok(second)) = (&first.result, &second.result) {
        let is_nan = |value: &Value<'_>| matches!(value, Value::Double(number) if number.is_nan());
        assert!(is_nan(first) || first.type_().name() == second.type_().name(), "{first:?} {second:?}");
    }
    assert!(second.cost <= first.cost || first.result.is_err(), "{} {}", first.cost, second.cost);
});
