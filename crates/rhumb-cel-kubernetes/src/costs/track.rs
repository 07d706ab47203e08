//! Costs of calls at run time.

use std::sync::Arc;

use rhumb_cel::cost::{REGEX_FACTOR, Range, STRING_FACTOR};
use rhumb_cel::eval::{CallCosts, actual_size};
use rhumb_cel::functions::CallCost;
use rhumb_cel::value::Value;

use super::estimate::selector_cost;
use super::{CHECK, ONE_UNIT};
use crate::library::{Cidr, Format};

/// What Kubernetes takes for calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct Costs;

/// Computes a cost from arguments and result.
type Rule = fn(&[Value<'_>], Option<&Value<'_>>) -> Option<u64>;

impl CallCosts for Costs {
    fn of(&self, function: &str, overload: &str) -> Option<CallCost> {
        let rule = rule(function, overload)?;
        Some(Arc::new(move |args, result| rule(args, result.as_ref().ok())))
    }
}

fn rule(function: &str, overload: &str) -> Option<Rule> {
    if ONE_UNIT.contains(&function) {
        let one: Rule = |_, _| Some(1);
        return Some(one);
    }
    let rule: Rule = match function {
        "check" => |_, _| Some(CHECK),
        "fieldSelector" | "labelSelector" => {
            |args, _| Some(selector_cost(Range::exactly(actual_size(args.get(1)?))).max)
        }
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
            |args, _| args.first().map(traversal)
        }
        "url"
        | "lowerAscii"
        | "upperAscii"
        | "substring"
        | "trim"
        | "jsonpatch.escapeKey"
        | "cidr"
        | "isIP"
        | "isCIDR"
        | "quantity"
        | "isQuantity"
        | "semver"
        | "isSemver" => |args, _| passes(args.first()?, 1.0),
        "replace" | "split" | "ip.isCanonical" => |args, _| passes(args.first()?, 2.0),
        "join" => |_, result| result.map_or(Some(0), |result| passes(result, 2.0)),
        "find" | "findAll" => |args, _| {
            let text = scaled(actual_size(args.first()?).saturating_add(1), STRING_FACTOR);
            Some(text.saturating_mul(scaled(actual_size(args.get(1)?), REGEX_FACTOR)))
        },
        "ip" if overload == "cidr_ip" => |_, _| Some(1),
        "ip" => |args, _| match args.first()? {
            Value::Opaque(_) => Some(1),
            text => passes(text, 1.0),
        },
        "containsIP" => |args, _| {
            let network = network_size(args.first()?)?;
            Some(scaled(2 * network, STRING_FACTOR) + parsed(args.get(1)?))
        },
        "containsCIDR" => |args, _| {
            let network = network_size(args.first()?)?;
            let compared = scaled(2 * network, STRING_FACTOR) + scaled(network, STRING_FACTOR) + 1;
            Some(compared + parsed(args.get(1)?))
        },
        "validate" => |args, _| {
            let Value::Opaque(format) = args.first()? else { return None };
            let format = format.as_any().downcast_ref::<Format>()?;
            let text = scaled(actual_size(args.get(1)?).saturating_add(1), STRING_FACTOR);
            Some(text.saturating_mul(scaled(format.regex_size(), REGEX_FACTOR)))
        },
        _ => return None,
    };
    Some(rule)
}

/// Returns the cost of going through a text so many times.
fn passes(value: &Value<'_>, times: f64) -> Option<u64> {
    Some(scaled(actual_size(value), times * STRING_FACTOR))
}

fn scaled(size: u64, factor: f64) -> u64 {
    (size as f64 * factor).ceil() as u64
}

/// Returns the bytes that a network's prefix has.
fn network_size(value: &Value<'_>) -> Option<u64> {
    let Value::Opaque(network) = value else { return None };
    network.as_any().downcast_ref::<Cidr>().map(|network| u64::from(network.bits).div_ceil(8))
}

/// Returns the cost of reading what is compared with a network, if it is a text.
fn parsed(value: &Value<'_>) -> u64 {
    match value {
        Value::String(_) => scaled(actual_size(value), STRING_FACTOR),
        _ => 0,
    }
}

/// Returns the cost of going through a value with all that is in it.
fn traversal(value: &Value<'_>) -> u64 {
    let tenth = |bytes: usize| (bytes as f64 * STRING_FACTOR) as u64;
    match value {
        Value::String(text) => tenth(text.len()),
        Value::Bytes(bytes) => tenth(bytes.len()),
        Value::List(list) => list.iter().fold(0, |sum, element| sum + traversal(&element)),
        Value::Map(map) => map.iter().fold(0, |sum, (key, value)| sum + traversal(&key) + traversal(&value)),
        _ => 1,
    }
}
