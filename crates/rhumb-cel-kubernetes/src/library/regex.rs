//! Regular expressions: `find` and `findAll`.

use rhumb_cel::eval::{Context, Error};
use rhumb_cel::functions::Function;
use rhumb_cel::library::Library;
use rhumb_cel::pattern::Finder;
use rhumb_cel::types::Type;
use rhumb_cel::value::Value;

use super::text;

/// The library of regular expressions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Regexes;

/// Checks an expression that is constant.
fn check(pattern: &Value<'_>) -> Result<(), String> {
    match pattern {
        Value::String(pattern) => Finder::new(pattern).map(drop).map_err(|error| error.to_string()),
        _ => Ok(()),
    }
}

/// Returns the parts of a text that an expression matches, at most `most` of them.
fn find(args: &[Value<'_>], most: usize) -> Result<Vec<String>, Error> {
    let (searched, pattern) = (text(args, 0)?, text(args, 1)?);
    let finder = Finder::new(pattern).map_err(|error| Error::new(format!("Illegal regex: {error}")))?;
    Ok(finder.find_all(searched, most).into_iter().map(str::to_owned).collect())
}

/// Returns a list of the parts of a text that an expression matches.
fn find_all<'a>(context: &mut Context<'_>, args: &[Value<'a>], most: usize) -> Result<Value<'a>, Error> {
    let found = find(args, most)?;
    context.allocate(found.iter().map(|part| part.len() + size_of::<Value<'_>>()).sum())?;
    Ok(Value::from(found.into_iter().map(Value::from).collect::<Vec<_>>()))
}

impl Library for Regexes {
    fn name(&self) -> &str {
        "kubernetes.regex"
    }

    fn functions(&self) -> Vec<Function> {
        let two = || vec![Type::String, Type::String];
        vec![
            Function::member("find", "string_find_string", two(), Type::String)
                .checking(1, check)
                .with(|_, args| Ok(Value::from(find(args, 1)?.pop().unwrap_or_default()))),
            Function::member("findAll", "string_find_all_string", two(), Type::list(Type::String))
                .checking(1, check)
                .with(|context, args| find_all(context, args, usize::MAX)),
            Function::member(
                "findAll",
                "string_find_all_string_int",
                vec![Type::String, Type::String, Type::Int],
                Type::list(Type::String),
            )
            .checking(1, check)
            .with(|context, args| {
                let most = match args.get(2) {
                    // A negative number means all.
                    Some(Value::Int(most)) => usize::try_from(*most).unwrap_or(usize::MAX),
                    _ => return Err(Error::no_such_overload()),
                };
                find_all(context, args, most)
            }),
        ]
    }
}
