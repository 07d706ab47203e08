//! What calls of Kubernetes' functions cost, statically and at run time.

mod estimate;
mod track;

pub use estimate::Estimator;
pub use track::Costs;

/// What a check by the authorizer costs: two of them are within the limit of one expression.
const CHECK: u64 = 350_000;

/// The shortest requirement of a selector has two characters.
const REQUIREMENTS_PER_CHARACTER: f64 = 0.5;

/// What a requirement costs: an object and a list.
const REQUIREMENT: f64 = 50.0;

/// Functions that cost one unit whatever they are called with.
const ONE_UNIT: &[&str] = &[
    "serviceAccount",
    "path",
    "group",
    "resource",
    "subresource",
    "namespace",
    "name",
    "allowed",
    "reason",
    "error",
    "errored",
    "masked",
    "prefixLength",
    "family",
    "isUnspecified",
    "isLoopback",
    "isLinkLocalMulticast",
    "isLinkLocalUnicast",
    "isGlobalUnicast",
    "format.named",
    "sign",
    "asInteger",
    "isInteger",
    "asApproximateFloat",
    "isGreaterThan",
    "isLessThan",
    "compareTo",
    "add",
    "sub",
    "major",
    "minor",
    "patch",
    "getScheme",
    "getHostname",
    "getHost",
    "getPort",
    "getEscapedPath",
    "getQuery",
];
