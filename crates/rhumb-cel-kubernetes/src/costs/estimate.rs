//! Static estimates of calls.

use rhumb_cel::ast::{ExprKind, Literal};
use rhumb_cel::cost::{CallEstimate, CostEstimator, LIST, Node, REGEX_FACTOR, Range, STRING_FACTOR};
use rhumb_cel::types::Type;

use super::{CHECK, ONE_UNIT, REQUIREMENT, REQUIREMENTS_PER_CHARACTER};
use crate::limits::{FORMAT_REGEX_SIZE, FORMAT_SIZE};
use crate::schema::Sizes;

const ONE: Range = Range::exactly(1);

/// The bytes of an address.
const ADDRESS: Range = Range { min: 4, max: 16 };

/// An estimator with the sizes of variables.
#[derive(Clone, Debug, Default)]
pub struct Estimator {
    /// The sizes.
    pub sizes: Sizes,
}

impl Estimator {
    fn size_of(&self, node: &Node<'_>) -> Range {
        node.computed.or_else(|| self.size(node)).unwrap_or(Range::UNKNOWN)
    }

    /// Returns the cost of going through a text or list.
    fn passes(&self, node: &Node<'_>, times: f64) -> Range {
        self.size_of(node).scaled(times * STRING_FACTOR)
    }
}

impl CostEstimator for Estimator {
    fn size(&self, node: &Node<'_>) -> Option<Range> {
        self.sizes.size(node)
    }

    fn presence_test(&self) -> Range {
        Range::exactly(0)
    }

    fn call(
        &self,
        function: &str,
        overload: &str,
        target: Option<&Node<'_>>,
        args: &[Node<'_>],
    ) -> Option<CallEstimate> {
        if ONE_UNIT.contains(&function) {
            return Some(ONE.into());
        }
        Some(match (function, target, args) {
            ("check", ..) => Range::exactly(CHECK).into(),
            ("fieldSelector" | "labelSelector", _, [selector]) => {
                selector_cost(self.size_of(selector)).into()
            }
            ("isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf", Some(target), _) => {
                match target.items() {
                    Some(element) => {
                        let mut each = ONE;
                        if matches!(element.type_.unwrapped(), Type::String | Type::Bytes) {
                            each = each.plus(self.passes(&element, 1.0));
                        }
                        self.size_of(target).times(each).into()
                    }
                    None => self.passes(target, 1.0).into(),
                }
            }
            ("url" | "jsonpatch.escapeKey", _, [text])
            | ("lowerAscii" | "upperAscii" | "substring" | "trim", Some(text), _) => {
                CallEstimate { cost: self.passes(text, 1.0), result: Some(self.size_of(text)) }
            }
            ("replace", Some(text), [old, new, ..]) => {
                let result = replaced(self.size_of(text), self.size_of(old), self.size_of(new));
                CallEstimate { cost: self.passes(text, 2.0), result: Some(result) }
            }
            ("split", Some(text), _) => {
                let most = match args.get(1).and_then(|limit| limit.expr).map(|limit| &limit.kind) {
                    Some(ExprKind::Literal(Literal::Int(limit))) => limit.cast_unsigned(),
                    _ => self.size_of(text).max,
                };
                CallEstimate { cost: self.passes(text, 2.0), result: Some(Range::up_to(most)) }
            }
            ("join", Some(list), _) => {
                let length = self.size_of(list);
                let element = list.items().map(|element| self.size_of(&element));
                let mut size = element.map_or(Range::exactly(0), |element| length.times(element));
                if let Some(separator) = args.first() {
                    let separators =
                        Range { min: length.min.saturating_sub(1), max: length.max.saturating_sub(1) };
                    size = size.plus(self.size_of(separator).times(separators));
                }
                CallEstimate { cost: size.scaled(STRING_FACTOR), result: Some(size) }
            }
            ("find" | "findAll", Some(text), [pattern, ..]) => {
                let size = self.size_of(text);
                let cost =
                    size.plus(ONE).scaled(STRING_FACTOR).times(self.size_of(pattern).scaled(REGEX_FACTOR));
                CallEstimate { cost, result: Some(Range::up_to(size.max)) }
            }
            ("ip", ..) if overload == "cidr_ip" => ONE.into(),
            (
                "cidr" | "isIP" | "isCIDR" | "ip" | "quantity" | "isQuantity" | "semver" | "isSemver",
                _,
                [text, ..],
            ) => self.passes(text, 1.0).into(),
            ("ip.isCanonical", _, [text, ..]) => self.passes(text, 2.0).into(),
            ("containsIP", _, [other, ..]) => {
                let mut cost = ADDRESS.plus(ADDRESS).scaled(STRING_FACTOR);
                if overload == "cidr_contains_ip_string" {
                    cost = cost.plus(self.passes(other, 1.0));
                }
                cost.into()
            }
            ("containsCIDR", _, [other, ..]) => {
                let compared = ADDRESS.plus(ADDRESS).scaled(STRING_FACTOR);
                let mut cost = compared.plus(ADDRESS.scaled(STRING_FACTOR)).plus(ONE);
                if overload == "cidr_contains_cidr_string" {
                    cost = cost.plus(self.passes(other, 1.0));
                }
                cost.into()
            }
            ("validate", _, [text, ..]) => {
                self.passes(text, 1.0).scaled(FORMAT_REGEX_SIZE * REGEX_FACTOR).into()
            }
            ("_==_", _, [left, right]) => equality(left, right)?.into(),
            _ => return None,
        })
    }
}

/// Returns the cost of reading a selector of this length.
pub(super) fn selector_cost(length: Range) -> Range {
    let requirements = length.scaled(REQUIREMENTS_PER_CHARACTER).scaled(REQUIREMENT);
    Range::exactly(LIST).plus(length.scaled(STRING_FACTOR)).plus(requirements)
}

/// Returns the size of a text in which parts were replaced.
fn replaced(text: Range, old: Range, new: Range) -> Range {
    let times = |length: u64, part: u64| (length as f64 / part as f64).ceil() as u64;
    let mut count = Range::exactly(0);
    let mut kept = Range::exactly(0);
    if old.min == 0 {
        // What is empty is found around each character.
        count.max = text.max.saturating_add(1);
        kept.max = text.max;
    } else if new.max <= old.min {
        kept.max = text.max;
    } else {
        count.max = times(text.max, old.min);
    }
    if old.max == 0 {
        count.min = text.min.saturating_add(1);
        kept.min = text.min;
    } else if old.max <= new.min {
        kept.min = text.min;
    } else {
        count.min = times(text.min, old.max);
    }
    count.times(new).plus(kept)
}

/// Returns the cost of comparing two values of a type of the library.
fn equality(left: &Node<'_>, right: &Node<'_>) -> Option<Range> {
    if left.type_.name() != right.type_.name() {
        return None;
    }
    match left.type_ {
        Type::Opaque(opaque) if matches!(&*opaque.name, "net.IP" | "net.CIDR") => Some(ONE),
        Type::Object(name) => match &**name {
            "kubernetes.Quantity"
            | "kubernetes.Semver"
            | "kubernetes.authorization.Authorizer"
            | "kubernetes.authorization.PathCheck"
            | "kubernetes.authorization.GroupCheck"
            | "kubernetes.authorization.ResourceCheck"
            | "kubernetes.authorization.Decision" => Some(ONE),
            "kubernetes.NamedFormat" => Some(Range { min: 1, max: FORMAT_SIZE }.scaled(STRING_FACTOR)),
            "kubernetes.URL" => {
                let most = right.computed.map_or(1, |size| size.max);
                Some(Range { min: 1, max: most }.scaled(STRING_FACTOR))
            }
            _ => None,
        },
        _ => None,
    }
}
