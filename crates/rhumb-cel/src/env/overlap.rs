//! When two declarations are the same, or could both be meant by one call.

use std::sync::Arc;

use crate::decls::OverloadDecl;
use crate::types::Type;

/// Reports whether two types are the same but for the names of type parameters.
pub(crate) fn equivalent(left: &Type, right: &Type) -> bool {
    match (left.unwrapped(), right.unwrapped()) {
        (Type::Param(_), Type::Param(_)) => true,
        (Type::List(_) | Type::Map(_) | Type::Opaque(_) | Type::Type(_), _) => {
            left.name() == right.name()
                && left.parameters().count() == right.parameters().count()
                && left.parameters().zip(right.parameters()).all(|(left, right)| equivalent(left, right))
        }
        (left, right) => left == right,
    }
}

/// Reports whether two overloads of one name have the same parameters and result.
pub(super) fn same_signature(left: &OverloadDecl, right: &OverloadDecl) -> bool {
    left.member == right.member
        && left.params.len() == right.params.len()
        && left.params.iter().zip(&right.params).all(|(left, right)| equivalent(left, right))
        && equivalent(&left.result, &right.result)
}

/// Reports whether there is a call that both overloads take.
pub(super) fn overlaps(left: &OverloadDecl, right: &OverloadDecl) -> bool {
    left.member == right.member
        && left.params.len() == right.params.len()
        && left.params.iter().zip(&right.params).all(|(left, right)| takes(left, right) || takes(right, left))
}

/// Reports whether a parameter takes every value of a type.
pub(crate) fn takes(param: &Type, type_: &Type) -> bool {
    match param {
        Type::Dyn | Type::Any | Type::Param(_) | Type::Var(_) => true,
        Type::Wrapper(inner) => *type_ == Type::Null || takes(inner, type_.unwrapped()),
        Type::List(_) | Type::Map(_) | Type::Opaque(_) | Type::Type(_) => {
            std::mem::discriminant(param) == std::mem::discriminant(type_)
                && param.name() == type_.name()
                && param.parameters().count() == type_.parameters().count()
                && param.parameters().zip(type_.parameters()).all(|(param, type_)| takes(param, type_))
        }
        param => param == type_.unwrapped(),
    }
}

/// Lists the names of the type parameters of an overload.
pub(super) fn type_params(overload: &OverloadDecl) -> Vec<Arc<str>> {
    fn collect(type_: &Type, names: &mut Vec<Arc<str>>) {
        match type_ {
            Type::Param(name) if !names.contains(name) => names.push(Arc::clone(name)),
            other => other.parameters().for_each(|param| collect(param, names)),
        }
    }
    let mut names = Vec::new();
    collect(&overload.result, &mut names);
    overload.params.iter().for_each(|param| collect(param, &mut names));
    names
}
