//! `sortBy`: a list sorted by what its elements come to.

use super::quantifiers::{map, take};
use super::{Call, Context, Error, Expansion, Macro, method};
use crate::ast::ExprKind;

/// Returns the macro that sorts lists.
pub fn lists() -> Vec<Macro> {
    vec![method("sortBy", 2, sort_by)]
}

/// The name of the list while its keys are computed.
const INPUT: &str = "@__sortBy_input__";

/// `list.sortBy(x, key)`
fn sort_by(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    let Some(target) = call.target else { return Ok(Expansion::None(call)) };
    if !matches!(
        target.kind,
        ExprKind::List(_)
            | ExprKind::Select(_)
            | ExprKind::Ident(_)
            | ExprKind::Comprehension(_)
            | ExprKind::Call(_)
    ) {
        let problem =
            "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
        return Err(Error::new(&target, problem));
    }
    let [element, key] = take(call.args)?;
    let input = context.ident(INPUT);
    let keys = match map(context, Call { target: Some(input), args: vec![element, key] })? {
        Expansion::Expr(keys) => keys,
        unchanged => return Ok(unchanged),
    };
    let input = context.ident(INPUT);
    let sorted = context.method("@sortByAssociatedKeys", input, vec![keys]);
    let range = context.list(Vec::new());
    Ok(Expansion::Expr(context.bind(range, &INPUT.into(), target, sorted)))
}
