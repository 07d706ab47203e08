//! Semantic versions: `semver`, `isSemver`, their order and parts.

use std::any::Any;
use std::cmp::Ordering;
use std::fmt;

use rhumb_cel::eval::Error;
use rhumb_cel::functions::Function;
use rhumb_cel::library::Library;
use rhumb_cel::types::Type;
use rhumb_cel::value::{Opaque, Value};
use rhumb_schema::text::quoted;

use super::{opaque, text, wrap};

/// The library of semantic versions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Semvers;

/// A version. Its build is no part of what it is compared by.
#[derive(Clone, Debug)]
pub(crate) struct Semver {
    numbers: [u64; 3],
    pre: Vec<Identifier>,
}

/// A part of what stands behind the dash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    /// Numbers go before texts.
    Number(u64),
    Text(String),
}

impl Semver {
    /// Returns the type of versions.
    pub(crate) fn type_() -> Type {
        Type::object("kubernetes.Semver")
    }

    fn compare(&self, other: &Self) -> Ordering {
        let pre = match (self.pre.is_empty(), other.pre.is_empty()) {
            // A release goes after what was tried before it.
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            _ => self.pre.cmp(&other.pre),
        };
        self.numbers.cmp(&other.numbers).then(pre)
    }

    /// Reads a version.
    fn parse(written: &str) -> Result<Self, Wrong> {
        if written.is_empty() {
            return Err(Wrong::new("Version string empty"));
        }
        let mut parts = written.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(Wrong::new("No Major.Minor.Patch elements found"));
        };
        let major = number(major, "Major")?;
        let minor = number(minor, "Minor")?;
        let (rest, build) = rest.split_once('+').map_or((rest, None), |(rest, build)| (rest, Some(build)));
        let (patch, pre) = rest.split_once('-').map_or((rest, None), |(patch, pre)| (patch, Some(pre)));
        let patch = number(patch, "Patch")?;
        let pre =
            pre.map_or(Ok(Vec::new()), |pre| pre.split('.').map(identifier).collect::<Result<_, _>>())?;
        for part in build.iter().flat_map(|build| build.split('.')) {
            if part.is_empty() {
                return Err(Wrong::new("Build meta data is empty"));
            }
            if !part.bytes().all(is_identifier) {
                return Err(Wrong(format!("Invalid character(s) found in build meta data {}", quoted(part))));
            }
        }
        Ok(Self { numbers: [major, minor, patch], pre })
    }

    /// Reads a version with what people leave out or add: a `v`, missing numbers, leading zeros.
    fn parse_tolerantly(written: &str) -> Result<Self, Wrong> {
        let written = written.strip_prefix('v').unwrap_or(written);
        let mut parts: Vec<String> = written
            .splitn(3, '.')
            .map(|part| {
                if part.len() <= 1 {
                    return part.to_owned();
                }
                let stripped = part.trim_start_matches('0');
                let zero = if stripped.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
                format!("{zero}{stripped}")
            })
            .collect();
        if parts.len() < 3 {
            if parts.last().is_some_and(|last| last.contains(['+', '-'])) {
                return Err(Wrong::new("short version cannot contain PreRelease/Build meta data"));
            }
            parts.resize(3, "0".to_owned());
        }
        Self::parse(&parts.join("."))
    }
}

impl Opaque for Semver {
    fn type_(&self) -> Type {
        Self::type_()
    }

    fn equal(&self, other: &dyn Opaque) -> bool {
        other.as_any().downcast_ref().is_some_and(|other| self.compare(other).is_eq())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Why a text is no version.
#[derive(Debug)]
struct Wrong(String);

impl Wrong {
    fn new(problem: &str) -> Self {
        Self(problem.to_owned())
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Reads one of the three numbers.
fn number(written: &str, name: &str) -> Result<u64, Wrong> {
    if !written.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Wrong(format!(
            "Invalid character(s) found in {} number {}",
            name.to_lowercase(),
            quoted(written)
        )));
    }
    if written.len() > 1 && written.starts_with('0') {
        return Err(Wrong(format!("{name} number must not contain leading zeroes {}", quoted(written))));
    }
    parse_number(written)
}

/// Reads a number with the errors of Go's `strconv.ParseUint`.
fn parse_number(written: &str) -> Result<u64, Wrong> {
    written.parse().map_err(|_| {
        let problem = if written.is_empty() { "invalid syntax" } else { "value out of range" };
        Wrong(format!("strconv.ParseUint: parsing {}: {problem}", quoted(written)))
    })
}

/// Reads a part of what stands behind the dash.
fn identifier(written: &str) -> Result<Identifier, Wrong> {
    if written.is_empty() {
        return Err(Wrong::new("Prerelease is empty"));
    }
    if written.bytes().all(|byte| byte.is_ascii_digit()) {
        if written.len() > 1 && written.starts_with('0') {
            return Err(Wrong(format!(
                "Numeric PreRelease version must not contain leading zeroes {}",
                quoted(written)
            )));
        }
        return parse_number(written).map(Identifier::Number);
    }
    if written.bytes().all(is_identifier) {
        return Ok(Identifier::Text(written.to_owned()));
    }
    Err(Wrong(format!("Invalid character(s) found in prerelease {}", quoted(written))))
}

const fn is_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

/// Reads a version as a function was asked to.
fn read(args: &[Value<'_>]) -> Result<Result<Semver, Wrong>, Error> {
    let written = text(args, 0)?;
    Ok(match args.get(1) {
        Some(Value::Bool(true)) => Semver::parse_tolerantly(written),
        _ => Semver::parse(written),
    })
}

/// Declares a comparison of two versions.
fn comparison(name: &str, id: &str, result: Type, answer: fn(Ordering) -> Value<'static>) -> Function {
    Function::member(name, id, vec![Semver::type_(), Semver::type_()], result)
        .with(move |_, args| Ok(answer(opaque::<Semver>(args, 0)?.compare(opaque(args, 1)?))))
}

/// Declares one of the three numbers.
fn part(name: &str, id: &str, index: usize) -> Function {
    Function::member(name, id, vec![Semver::type_()], Type::Int).with(move |_, args| {
        let number = opaque::<Semver>(args, 0)?.numbers.get(index).copied().unwrap_or_default();
        Ok(Value::Int(number.cast_signed()))
    })
}

impl Library for Semvers {
    fn name(&self) -> &str {
        "kubernetes.Semver"
    }

    fn functions(&self) -> Vec<Function> {
        let make = |id: &str, params: Vec<Type>| {
            Function::global("semver", id, params, Semver::type_())
                .with(|_, args| read(args)?.map(wrap).map_err(|wrong| Error::new(wrong.to_string())))
        };
        let ask = |id: &str, params: Vec<Type>| {
            Function::global("isSemver", id, params, Type::Bool)
                .with(|_, args| Ok(Value::Bool(read(args)?.is_ok())))
        };
        vec![
            make("string_to_semver", vec![Type::String]),
            make("string_bool_to_semver", vec![Type::String, Type::Bool]),
            ask("is_semver_string", vec![Type::String]),
            ask("is_semver_string_bool", vec![Type::String, Type::Bool]),
            comparison("isGreaterThan", "semver_is_greater_than", Type::Bool, |order| {
                Value::Bool(order.is_gt())
            }),
            comparison("isLessThan", "semver_is_less_than", Type::Bool, |order| Value::Bool(order.is_lt())),
            comparison("compareTo", "semver_compare_to", Type::Int, |order| Value::Int(order as i64)),
            part("major", "semver_major", 0),
            part("minor", "semver_minor", 1),
            part("patch", "semver_patch", 2),
        ]
    }
}
