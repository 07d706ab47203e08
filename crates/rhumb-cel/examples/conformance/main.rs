//! Runs the conformance tests of the language (`tests/simple` of cel.dev/expr) and tells what fails.
//!
//! ```console
//! $ cargo run -p rhumb-cel --example conformance -- DIRECTORY
//! ```
//!
//! DIRECTORY has the `.textproto` files. What can't pass is listed in `listed.txt` beside this file, with the
//! reason: it fails if one of these passes, and if another does not.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it tells what passes and what fails")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use rhumb_cel::checker::CheckedAst;
use rhumb_cel::container::Container;
use rhumb_cel::decls::{FunctionDecl, OverloadDecl};
use rhumb_cel::env::Environment;
use rhumb_cel::eval::{self, Limits, Program};
use rhumb_cel::library::{
    Bindings, Comprehensions, Encoders, Library, Lists, Math, Optional, Sets, Standard, Strings,
};
use rhumb_cel::time::TimeZones;
use rhumb_cel::value::{List, Map, Value};

mod block;
mod cases;
mod textproto;
mod values;

use cases::{Case, Expected};

/// The cases that can't pass: on each line a reason, a tab, and the case's name.
const LISTED: &str = include_str!("listed.txt");

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool, String> {
    let directory = PathBuf::from(std::env::args_os().nth(1).ok_or("usage: conformance DIRECTORY")?);
    let base = environment()?;
    let listed: BTreeSet<&str> =
        LISTED.lines().filter_map(|line| line.split_once('\t')).map(|(_, name)| name).collect();
    let mut files: Vec<PathBuf> = std::fs::read_dir(&directory)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect())
        .map_err(|error| format!("{}: {error}", directory.display()))?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "textproto"));
    files.sort();
    let (mut passed, mut failed) = (BTreeMap::<String, usize>::new(), Vec::new());
    let (mut expected_to_fail, mut seen) = (0, BTreeSet::new());
    for path in &files {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let file = textproto::read(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        for case in cases::cases(&file) {
            let outcome = check(&case, &base);
            seen.insert(case.name.clone());
            match (outcome, listed.contains(case.name.as_str())) {
                (Ok(()), false) => *passed.entry(file.text("name")).or_default() += 1,
                (Err(_), true) => expected_to_fail += 1,
                (Ok(()), true) => failed.push(format!("{}: passes, but is listed in listed.txt", case.name)),
                (Err(reason), false) => failed.push(format!("{}: {reason}", case.name)),
            }
        }
    }
    let missing = listed.into_iter().filter(|name| !seen.contains(*name));
    failed.extend(missing.map(|name| format!("{name}: is listed in listed.txt, but there is no such case")));
    for (file, count) in &passed {
        println!("{file}: {count} passed");
    }
    for failure in &failed {
        println!("FAIL {failure}");
    }
    let total: usize = passed.values().sum();
    println!("{total} cases passed, {expected_to_fail} are listed, {} failed", failed.len());
    if total == 0 {
        return Err(format!("{}: there are no cases", directory.display()));
    }
    Ok(failed.is_empty())
}

/// What all cases may use.
fn environment() -> Result<Environment, String> {
    let libraries: [&dyn Library; 9] = [
        &Standard,
        &Strings { version: 4 },
        &Lists { version: 3 },
        &Sets,
        &Math { version: 2 },
        &Encoders,
        &Comprehensions,
        &Optional { version: 2 },
        &Bindings,
    ];
    let mut builder =
        libraries.into_iter().fold(Environment::builder(), |builder, added| builder.library(added));
    for added in block::macros() {
        builder = builder.macro_(added);
    }
    builder
        .options(|options| {
            options.parser.optional_syntax = true;
            options.parser.escaped_fields = true;
        })
        .build()
        .map_err(|error| error.to_string())
}

/// Runs a case; an error is what was wrong.
fn check(case: &Case, base: &Environment) -> Result<(), String> {
    if let Some(unsupported) = &case.unsupported {
        return Err(unsupported.clone());
    }
    let environment = extended(case, base)?;
    let parsed = environment.parse(&case.expr).map_err(|errors| errors.to_string())?;
    let program = if case.check {
        let checked: CheckedAst = match environment.check(&Arc::new(parsed)) {
            Ok(checked) => checked,
            Err(_) if matches!(case.expected, Expected::Error) => return Ok(()),
            Err(errors) => return Err(errors.to_string()),
        };
        if let Some(type_) = &case.type_
            && checked.result().to_string() != type_.to_string()
        {
            return Err(format!("the type is {}, not {type_}", checked.result()));
        }
        Program::new(&checked, &environment, eval::Options::default())
    } else {
        Program::unchecked(&Arc::new(parsed), &environment, eval::Options::default())
    };
    if !case.evaluate {
        return Ok(());
    }
    let program = match program {
        Ok(program) => program,
        Err(_) if matches!(case.expected, Expected::Error) => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    let bindings: HashMap<&str, Value<'_>> =
        case.bindings.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    let limits = Limits { zones: Some(&Zones), ..Limits::default() };
    let found = program.evaluate(&bindings, limits).result;
    match (&case.expected, found) {
        (Expected::Nothing, _) | (Expected::Error, Err(_)) => Ok(()),
        (Expected::Value(expected), Ok(found)) if same(expected, &found) => Ok(()),
        (Expected::Value(expected), Ok(found)) => Err(format!("{found:?} in place of {expected:?}")),
        (Expected::Value(expected), Err(error)) => {
            Err(format!("{} in place of {expected:?}", error.message()))
        }
        (Expected::Error, Ok(found)) => Err(format!("{found:?} in place of an error")),
    }
}

fn extended(case: &Case, base: &Environment) -> Result<Environment, String> {
    let mut builder = base.extend();
    if !case.container.is_empty() {
        builder = builder.container(Container::new(&case.container).map_err(|error| error.to_string())?);
    }
    for (name, type_) in &case.variables {
        builder = builder.variable(name, type_.clone());
    }
    for function in &case.functions {
        let Some(declared) = function.message("function") else { continue };
        let mut overloads = Vec::new();
        for overload in declared.messages("overloads") {
            let params: Result<Vec<_>, String> = overload.messages("params").map(values::type_).collect();
            overloads.push(OverloadDecl {
                id: overload.text("overload_id").into(),
                member: overload.flag("is_instance_function"),
                params: params?,
                result: overload
                    .message("result_type")
                    .map(values::type_)
                    .ok_or("a function has no result")??,
            });
        }
        builder = builder.declare_function(FunctionDecl { name: function.text("name").into(), overloads });
    }
    if !case.macros {
        builder = builder.options(|options| options.parser.macros = Arc::from([]));
    }
    builder.build().map_err(|error| error.to_string())
}

/// The time zones that the cases name, as they were in February 2009.
struct Zones;

impl TimeZones for Zones {
    fn offset(&self, name: &str, _: i64) -> Option<i32> {
        let minutes = match name {
            "America/St_Johns" => -210,
            "Asia/Kathmandu" => 345,
            "Australia/Sydney" => 660,
            "US/Central" => -360,
            _ => return None,
        };
        Some(minutes * 60)
    }
}

/// Whether two values are the same, numbers also by their types; NaN is the same as itself.
fn same(one: &Value<'_>, two: &Value<'_>) -> bool {
    match (one, two) {
        (Value::Double(one), Value::Double(two)) => one == two || (one.is_nan() && two.is_nan()),
        (Value::List(one), Value::List(two)) => same_lists(one, two),
        (Value::Map(one), Value::Map(two)) => same_maps(one, two),
        (Value::Type(one), Value::Type(two)) => one.name() == two.name(),
        _ => std::mem::discriminant(one) == std::mem::discriminant(two) && one.equal(two),
    }
}

fn same_lists(one: &List<'_>, two: &List<'_>) -> bool {
    one.len() == two.len() && one.iter().zip(two.iter()).all(|(one, two)| same(&one, &two))
}

fn same_maps(one: &Map<'_>, two: &Map<'_>) -> bool {
    let same_entry =
        |(key, value): (Value<'_>, Value<'_>)| two.get(&key).is_some_and(|other| same(&value, &other));
    one.len() == two.len() && one.iter().all(same_entry)
}
