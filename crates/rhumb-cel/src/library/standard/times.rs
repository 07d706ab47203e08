//! Functions of durations and timestamps.

use crate::eval::Error;
use crate::functions::Function;
use crate::time::{Civil, Duration};
use crate::types::Type;
use crate::value::Value;

/// What is taken from a calendar: the function's name, the overload's with and without a zone, the part.
type Part = (&'static str, &'static str, &'static str, fn(&Civil) -> i64);

const PARTS: &[Part] = &[
    ("getFullYear", "timestamp_to_year", "timestamp_to_year_with_tz", |civil| civil.year),
    ("getMonth", "timestamp_to_month", "timestamp_to_month_with_tz", |civil| i64::from(civil.month) - 1),
    ("getDayOfYear", "timestamp_to_day_of_year", "timestamp_to_day_of_year_with_tz", |civil| {
        i64::from(civil.day_of_year) - 1
    }),
    ("getDayOfMonth", "timestamp_to_day_of_month", "timestamp_to_day_of_month_with_tz", |civil| {
        i64::from(civil.day) - 1
    }),
    ("getDate", "timestamp_to_day_of_month_1_based", "timestamp_to_day_of_month_1_based_with_tz", |civil| {
        i64::from(civil.day)
    }),
    ("getDayOfWeek", "timestamp_to_day_of_week", "timestamp_to_day_of_week_with_tz", |civil| {
        i64::from(civil.weekday)
    }),
    ("getHours", "timestamp_to_hours", "timestamp_to_hours_with_tz", |civil| i64::from(civil.hour)),
    ("getMinutes", "timestamp_to_minutes", "timestamp_to_minutes_with_tz", |civil| i64::from(civil.minute)),
    ("getSeconds", "timestamp_to_seconds", "timestamp_to_seconds_tz", |civil| i64::from(civil.second)),
];

/// Adds the functions.
pub(super) fn declare(functions: &mut Vec<Function>) {
    for (name, id, zoned_id, part) in PARTS {
        let zoned = vec![Type::Timestamp, Type::String];
        functions.push(Function::member(name, id, vec![Type::Timestamp], Type::Int).with(move |_, args| {
            let [Value::Timestamp(timestamp)] = args else { return Err(Error::no_such_overload()) };
            Ok(Value::Int(part(&timestamp.civil())))
        }));
        functions.push(Function::member(name, zoned_id, zoned, Type::Int).with(move |context, args| {
            let [Value::Timestamp(timestamp), Value::String(zone)] = args else {
                return Err(Error::no_such_overload());
            };
            timestamp
                .civil_in(zone, context.zones())
                .map(|civil| Value::Int(part(&civil)))
                .map_err(Error::new)
        }));
        if let Some((_, id, whole)) = SPANS.iter().find(|(span, ..)| span == name) {
            functions.push(span(name, id, *whole));
        }
    }
    milliseconds(functions);
}

/// What is taken from a duration: the function's name, the overload's, how many whole units it has.
type Span = (&'static str, &'static str, fn(Duration) -> i64);

const SPANS: &[Span] = &[
    ("getHours", "duration_to_hours", |duration| duration.nanos() / 3_600_000_000_000),
    ("getMinutes", "duration_to_minutes", |duration| duration.nanos() / 60_000_000_000),
    ("getSeconds", "duration_to_seconds", |duration| duration.nanos() / 1_000_000_000),
];

fn span(name: &str, id: &str, whole: fn(Duration) -> i64) -> Function {
    Function::member(name, id, vec![Type::Duration], Type::Int).with(move |_, args| match args {
        [Value::Duration(duration)] => Ok(Value::Int(whole(*duration))),
        _ => Err(Error::no_such_overload()),
    })
}

fn milliseconds(functions: &mut Vec<Function>) {
    let name = "getMilliseconds";
    let zoned = vec![Type::Timestamp, Type::String];
    functions.extend([
        Function::member(name, "timestamp_to_milliseconds", vec![Type::Timestamp], Type::Int).with(
            |_, args| match args {
                [Value::Timestamp(timestamp)] => Ok(Value::Int(i64::from(timestamp.nanos() / 1_000_000))),
                _ => Err(Error::no_such_overload()),
            },
        ),
        Function::member(name, "timestamp_to_milliseconds_with_tz", zoned, Type::Int).with(
            |context, args| {
                let [Value::Timestamp(timestamp), Value::String(zone)] = args else {
                    return Err(Error::no_such_overload());
                };
                timestamp.civil_in(zone, context.zones()).map_err(Error::new)?;
                Ok(Value::Int(i64::from(timestamp.nanos() / 1_000_000)))
            },
        ),
        span(name, "duration_to_milliseconds", |duration| duration.nanos() / 1_000_000),
    ]);
}
