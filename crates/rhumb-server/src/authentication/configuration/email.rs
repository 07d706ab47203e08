//! The rule about e-mail addresses: whoever is named by one must have shown that it is theirs.

use rhumb_cel::ast::{Expr, ExprKind, Literal};
use rhumb_cel::operators::OPT_SELECT;

/// The claim with an e-mail address.
pub(super) const EMAIL: &str = "email";

/// The claim that says whether the address was verified.
pub(super) const EMAIL_VERIFIED: &str = "email_verified";

/// Reports whether an expression looks at a claim, as `claims.name` or `claims.?name`.
pub(super) fn uses(expression: &Expr, claim: &str) -> bool {
    let mut pending = vec![expression];
    while let Some(expression) = pending.pop() {
        let found = match &expression.kind {
            ExprKind::Select(select) => is_claims(&select.operand) && *select.field == *claim,
            ExprKind::Call(call) if call.target.is_none() && *call.function == *OPT_SELECT => {
                matches!(call.args.as_slice(), [of, field] if is_claims(of) && is_text(field, claim))
            }
            _ => false,
        };
        if found {
            return true;
        }
        expression.each_child(&mut |child| pending.push(child));
    }
    false
}

fn is_claims(expression: &Expr) -> bool {
    matches!(&expression.kind, ExprKind::Ident(name) if **name == *"claims")
}

fn is_text(expression: &Expr, expected: &str) -> bool {
    matches!(&expression.kind, ExprKind::Literal(Literal::String(text)) if **text == *expected)
}
