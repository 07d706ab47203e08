//! Prints how long expressions take to compile and to evaluate, beside cel-go's times if they are given:
//!
//! ```sh
//! cases=$PWD/crates/rhumb-cel/examples/timings/expressions.txt
//! (cd tools/record-cel-values && go run . timings < "$cases") > times.txt
//! cargo run --release -p rhumb-cel --example timings times.txt
//! ```
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "it measures, prints what it measured, and stops at the first surprise"
)]

#[path = "../../tests/values/environment.rs"]
mod environment;
#[path = "../../tests/values/json.rs"]
mod json;

use std::collections::HashMap;
use std::time::Instant;

use rhumb_cel::eval::{Limits, Options, Program};

/// Returns how many nanoseconds a call takes.
fn each(mut run: impl FnMut()) -> f64 {
    run();
    let mut times = 100u32;
    loop {
        let start = Instant::now();
        (0..times).for_each(|_| run());
        let took = start.elapsed();
        if took.as_millis() > 100 {
            return took.as_nanos() as f64 / f64::from(times);
        }
        times *= 4;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let recorded = std::env::args().nth(1).map(std::fs::read_to_string).transpose()?.unwrap_or_default();
    let recorded: HashMap<&str, (f64, f64)> = recorded
        .lines()
        .filter_map(|line| {
            let mut fields = line.split('\t');
            Some((fields.next()?, (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?)))
        })
        .collect();
    let environment = environment::environment();
    let variables = environment::Variables::new();
    println!("{:>9} {:>7} {:>9} {:>7}", "compile", "", "evaluate", "");
    for text in include_str!("expressions.txt").lines() {
        let options = || Options { fold_constants: true, ..Options::default() };
        let make = || -> Result<Program, Box<dyn std::error::Error>> {
            let checked = environment.compile(text)?;
            Ok(Program::new(&checked, &environment, options())?)
        };
        let program = make()?;
        let compile = each(|| _ = make());
        let evaluate = each(|| _ = program.evaluate(&variables, Limits::default()));
        let times = |theirs: Option<f64>, ours: f64| {
            theirs.map_or_else(String::new, |theirs| format!("{:.1}x", theirs / ours))
        };
        let theirs = recorded.get(text);
        let (compiled, evaluated) = (theirs.map(|theirs| theirs.0), theirs.map(|theirs| theirs.1));
        println!(
            "{compile:>7.0}ns {:>7} {evaluate:>7.0}ns {:>7}  {text}",
            times(compiled, compile),
            times(evaluated, evaluate)
        );
    }
    Ok(())
}
