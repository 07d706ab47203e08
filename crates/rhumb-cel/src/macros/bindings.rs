//! `cel.bind`: a name for a value that is used more than once.

use super::quantifiers::take;
use super::{Call, Context, Error, Expansion, Macro, is_named, method};
use crate::ast::ExprKind;

/// Returns the macro that binds names.
pub fn bindings() -> Vec<Macro> {
    vec![method("bind", 3, bind)]
}

/// `cel.bind(name, value, body)`
fn bind(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    if !is_named(call.target.as_ref(), "cel") {
        return Ok(Expansion::None(call));
    }
    let [name, value, body] = take(call.args)?;
    let ExprKind::Ident(var) = &name.kind else {
        return Err(Error::new(&name, "cel.bind() variable names must be simple identifiers"));
    };
    let range = context.list(Vec::new());
    Ok(Expansion::Expr(context.bind(range, var, value, body)))
}
