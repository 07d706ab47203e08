//! Messages about conversions to write by hand: a module with two functions per field.

use crate::namer::{Namers, snake_case};
use crate::problem::Problem;
use crate::universe::{Member, Type};

/// Returns the name of the module that a field's functions are looked for in first.
pub(super) fn module(ty: &Type, member: &Member) -> String {
    format!("{}_{}", snake_case(&ty.name.name), member.name)
}

/// Reports a field whose types have no conversion.
pub(super) fn differs(ty: &Type, member: &Member, hub: &Type, peer: &Member) -> Problem {
    let (own_type, hub_type) = (shown(member), shown(peer));
    let what = format!(
        "`{}.{}` is `{own_type}`, and in the hub ({}, {}) it is `{hub_type}`: nothing converts one to the other",
        ty.name.name, member.name, hub.name, peer.place
    );
    let advice = written(
        &module(ty, member),
        &format!("own: {own_type}, scope: &Scope) -> Result<{hub_type}, ConvertError>"),
        &format!("hub: {hub_type}, scope: &Scope) -> Result<{own_type}, ConvertError>"),
    );
    Problem::at(&member.place, format!("{what}. Write {advice}"))
}

/// Reports a field whose name in the hub doesn't exist.
pub(super) fn no_such_peer(ty: &Type, member: &Member, hub: &Type, hub_name: &str) -> Problem {
    let what = format!(
        "`{}.{}` is said to be `{hub_name}` in the hub ({}, {}), which has no such field",
        ty.name.name, member.name, hub.name, hub.place
    );
    Problem::at(&member.place, what)
}

/// Reports a field that only the version has.
pub(super) fn only_here(ty: &Type, member: &Member, hub: &Type) -> Problem {
    let own_type = shown(member);
    let what = format!(
        "`{}.{}` (`{own_type}`) has no peer in the hub ({}, {}). If it is called otherwise there, say \
         `+rhumb:convert=rename = NAME`; if it shall be lost, `+k8s:conversion-fn=drop`",
        ty.name.name, member.name, hub.name, hub.place
    );
    let advice = written(
        &module(ty, member),
        &format!("own: {own_type}, hub: &mut {}, scope: &Scope) -> Result<(), ConvertError>", hub.name),
        &format!("hub: &{}, scope: &Scope) -> Result<{own_type}, ConvertError>", hub.name),
    );
    Problem::at(&member.place, format!("{what}. Else write {advice}"))
}

/// Reports a field that only the hub has.
pub(super) fn only_there(ty: &Type, hub: &Type, peer: &Member) -> Problem {
    let hub_type = shown(peer);
    let what = format!(
        "`{}` has no field for `{}` (`{hub_type}`) of the hub ({}, {}). If it shall be lost, say \
         `+rhumb:convert=lacks({})` above the struct, or `+k8s:conversion-fn=drop` above the field of the hub",
        ty.name.name, peer.name, hub.name, peer.place, peer.name
    );
    let advice = written(
        &module(ty, peer),
        &format!("own: &{}, scope: &Scope) -> Result<{hub_type}, ConvertError>", ty.name),
        &format!("hub: {hub_type}, own: &mut {}, scope: &Scope) -> Result<(), ConvertError>", ty.name),
    );
    Problem::at(&ty.place, format!("{what}. Else write {advice}"))
}

fn shown(member: &Member) -> String {
    Namers::default().raw(&member.ty)
}

fn written(module: &str, to_hub: &str, from_hub: &str) -> String {
    format!(
        "a module `{module}` beside the types with\n  pub(super) fn to_hub({to_hub}\n  \
         pub(super) fn from_hub({from_hub}"
    )
}
