//! Constants and statics with their values, as far as the source tells.

use syn::{Attribute, Expr, Ident, ItemConst, ItemStatic, Lit, Type, UnOp, Visibility};

use super::Constant;

/// A constant or static as syntax.
pub(super) struct Declared<'a> {
    pub(super) attributes: &'a [Attribute],
    pub(super) visibility: &'a Visibility,
    pub(super) name: &'a Ident,
    pub(super) ty: &'a Type,
    pub(super) expression: &'a Expr,
    pub(super) mutable: bool,
    /// The constants beside it, whose names may stand in its value.
    beside: &'a [ItemConst],
}

impl<'a> Declared<'a> {
    pub(super) fn of_constant(item: &'a ItemConst, beside: &'a [ItemConst]) -> Self {
        Declared {
            attributes: &item.attrs,
            visibility: &item.vis,
            name: &item.ident,
            ty: &item.ty,
            expression: &item.expr,
            mutable: false,
            beside,
        }
    }

    pub(super) fn of_static(item: &'a ItemStatic, beside: &'a [ItemConst]) -> Self {
        Declared {
            attributes: &item.attrs,
            visibility: &item.vis,
            name: &item.ident,
            ty: &item.ty,
            expression: &item.expr,
            mutable: matches!(item.mutability, syn::StaticMutability::Mut(_)),
            beside,
        }
    }

    /// Returns the value, if it is known without evaluation.
    pub(super) fn value(&self) -> Option<Constant> {
        value(self.expression, self.beside)
    }
}

/// Returns the referent of a reference type, else the type.
pub(super) fn borrowed(ty: &Type) -> &Type {
    match ty {
        Type::Reference(reference) => borrowed(&reference.elem),
        other => other,
    }
}

/// Returns the value of an expression: a literal, a list of texts, or the name of a constant beside it.
fn value(expression: &Expr, beside: &[ItemConst]) -> Option<Constant> {
    let elements = match expression {
        Expr::Lit(literal) => return of_literal(&literal.lit),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            return match value(&unary.expr, &[])? {
                Constant::Integer(number) => number.checked_neg().map(Constant::Integer),
                _ => None,
            };
        }
        Expr::Path(path) => {
            let name = path.path.get_ident()?;
            let constant = beside.iter().find(|constant| constant.ident == *name)?;
            return value(&constant.expr, &[]);
        }
        Expr::Reference(reference) => match &*reference.expr {
            Expr::Array(array) => &array.elems,
            _ => return None,
        },
        Expr::Array(array) => &array.elems,
        _ => return None,
    };
    let text = |element: &Expr| match value(element, beside)? {
        Constant::Text(text) => Some(text),
        _ => None,
    };
    elements.iter().map(text).collect::<Option<Vec<_>>>().map(Constant::Texts)
}

fn of_literal(literal: &Lit) -> Option<Constant> {
    match literal {
        Lit::Str(text) => Some(Constant::Text(text.value())),
        Lit::Int(number) => number.base10_parse().ok().map(Constant::Integer),
        Lit::Bool(truth) => Some(Constant::Truth(truth.value)),
        _ => None,
    }
}
