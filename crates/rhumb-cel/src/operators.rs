//! Names of operators. An operator is a function whose name no expression can write; this is the table of them.

/// `a ? b : c`
pub const CONDITIONAL: &str = "_?_:_";
/// `a && b`
pub const LOGICAL_AND: &str = "_&&_";
/// `a || b`
pub const LOGICAL_OR: &str = "_||_";
/// `!a`
pub const LOGICAL_NOT: &str = "!_";
/// `a == b`
pub const EQUALS: &str = "_==_";
/// `a != b`
pub const NOT_EQUALS: &str = "_!=_";
/// `a < b`
pub const LESS: &str = "_<_";
/// `a <= b`
pub const LESS_EQUALS: &str = "_<=_";
/// `a > b`
pub const GREATER: &str = "_>_";
/// `a >= b`
pub const GREATER_EQUALS: &str = "_>=_";
/// `a + b`
pub const ADD: &str = "_+_";
/// `a - b`
pub const SUBTRACT: &str = "_-_";
/// `a * b`
pub const MULTIPLY: &str = "_*_";
/// `a / b`
pub const DIVIDE: &str = "_/_";
/// `a % b`
pub const MODULO: &str = "_%_";
/// `-a`
pub const NEGATE: &str = "-_";
/// `a[b]`
pub const INDEX: &str = "_[_]";
/// `a[?b]`
pub const OPT_INDEX: &str = "_[?_]";
/// `a.?b`
pub const OPT_SELECT: &str = "_?._";
/// `a in b`
pub const IN: &str = "@in";
/// What loops ask of what they gathered: false only for `false`, so that errors don't end them.
pub const NOT_STRICTLY_FALSE: &str = "@not_strictly_false";
/// An older name of [`NOT_STRICTLY_FALSE`].
pub const OLD_NOT_STRICTLY_FALSE: &str = "__not_strictly_false__";
/// An older name of [`IN`].
pub const OLD_IN: &str = "_in_";

/// How an operator is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator {
    /// The function's name.
    pub function: &'static str,
    /// What stands before or between the operands; none where operands are enclosed.
    pub symbol: Option<&'static str>,
    /// How tightly it binds: operands with a larger number need parentheses.
    pub precedence: u8,
    /// The number of operands.
    pub operands: u8,
}

const fn row(function: &'static str, symbol: Option<&'static str>, precedence: u8, operands: u8) -> Operator {
    Operator { function, symbol, precedence, operands }
}

const OPERATORS: [Operator; 21] = [
    row(CONDITIONAL, None, 8, 3),
    row(LOGICAL_OR, Some("||"), 7, 2),
    row(LOGICAL_AND, Some("&&"), 6, 2),
    row(EQUALS, Some("=="), 5, 2),
    row(NOT_EQUALS, Some("!="), 5, 2),
    row(LESS, Some("<"), 5, 2),
    row(LESS_EQUALS, Some("<="), 5, 2),
    row(GREATER, Some(">"), 5, 2),
    row(GREATER_EQUALS, Some(">="), 5, 2),
    row(IN, Some("in"), 5, 2),
    row(OLD_IN, Some("in"), 5, 2),
    row(ADD, Some("+"), 4, 2),
    row(SUBTRACT, Some("-"), 4, 2),
    row(MULTIPLY, Some("*"), 3, 2),
    row(DIVIDE, Some("/"), 3, 2),
    row(MODULO, Some("%"), 3, 2),
    row(LOGICAL_NOT, Some("!"), 2, 1),
    row(NEGATE, Some("-"), 2, 1),
    row(INDEX, None, 1, 2),
    row(OPT_INDEX, None, 1, 2),
    row(OPT_SELECT, None, 1, 2),
];

/// Finds the operator that a function is.
pub fn find(function: &str) -> Option<&'static Operator> {
    OPERATORS.iter().find(|operator| operator.function == function)
}

/// Finds the symbol of a function that is an operator with a symbol between two operands.
pub fn binary_symbol(function: &str) -> Option<&'static str> {
    find(function).filter(|operator| operator.operands == 2).and_then(|operator| operator.symbol)
}

/// How tightly a function binds; 0 for calls that are written as such.
pub fn precedence(function: &str) -> u8 {
    find(function).map_or(0, |operator| operator.precedence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_name() {
        assert_eq!(binary_symbol(ADD), Some("+"));
        assert_eq!(binary_symbol(NEGATE), None);
        assert_eq!(binary_symbol(INDEX), None);
        assert_eq!(binary_symbol("size"), None);
        assert_eq!(precedence(CONDITIONAL), 8);
        assert_eq!(precedence("size"), 0);
    }
}
