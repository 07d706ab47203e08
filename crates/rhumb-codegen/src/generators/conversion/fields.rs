//! What becomes of each field of a struct on its way to the hub.

use std::collections::BTreeSet;

use syn::Attribute;
use syn::punctuated::Punctuated;

use super::{Peers, TAG};
use crate::namer::{Namers, snake_case};
use crate::problem::{Outcome, Problem, Problems};
use crate::universe::{Member, Package, Type, TypeRef, Universe};

/// What is to be said of a struct's conversion.
pub(super) struct Plan {
    /// Fields that only the hub has.
    pub(super) lacks: BTreeSet<String>,
    /// The fields of the struct, in its order.
    pub(super) fields: Vec<FieldWords>,
}

/// What is to be said of a field.
#[derive(Default)]
pub(super) struct FieldWords {
    /// Whether its attributes say all there is to say.
    pub(super) is_said: bool,
    /// Whether it isn't converted.
    pub(super) skip: bool,
    /// The module with the functions that convert it, as the generated file writes its path.
    pub(super) with: Option<String>,
}

/// What stands in `#[convert(…)]`, on a struct or a field.
#[derive(Default)]
pub(super) struct Words {
    pub(super) hub: Option<String>,
    lacks: Vec<String>,
    rename: Option<String>,
    skip: bool,
    same: bool,
    with: bool,
}

/// Reads the attributes `#[convert(…)]`. What is wrong in them, the expansion says.
pub(super) fn words(attributes: &[Attribute]) -> Words {
    use quote::ToTokens;
    let mut words = Words::default();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("convert")) {
        drop(attribute.parse_nested_meta(|meta| {
            let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            match name.as_str() {
                "hub" => {
                    let path: syn::Path = meta.value()?.parse()?;
                    words.hub = Some(path.to_token_stream().to_string().replace(' ', ""));
                }
                "lacks" => {
                    let content;
                    syn::parenthesized!(content in meta.input);
                    let names = Punctuated::<syn::Ident, syn::Token![,]>::parse_terminated(&content)?;
                    words.lacks.extend(names.iter().map(ToString::to_string));
                }
                "rename" => words.rename = Some(meta.value()?.parse::<syn::Ident>()?.to_string()),
                "with" => {
                    meta.value()?.parse::<syn::Path>()?;
                    words.with = true;
                }
                "skip" => words.skip = true,
                "same" => words.same = true,
                _ => {}
            }
            Ok(())
        }));
    }
    words
}

/// Goes through the fields of a struct and of its peer.
pub(super) fn plan(
    universe: &Universe,
    peers: &Peers,
    package: Option<&Package>,
    ty: &Type,
    hub: &Type,
) -> Outcome<Plan> {
    let mut problems = Problems::default();
    let own_words = words(ty.item.as_ref().map_or(&[], |item| &item.attrs));
    let mut lacks: BTreeSet<String> = own_words.lacks.into_iter().collect();
    let attributes: Vec<&[Attribute]> = match ty.item.as_ref().map(|item| &item.data) {
        Some(syn::Data::Struct(data)) => data.fields.iter().map(|field| field.attrs.as_slice()).collect(),
        _ => Vec::new(),
    };
    let mut fields = Vec::new();
    let mut taken = BTreeSet::new();
    for (member, attributes) in ty.members.iter().zip(attributes) {
        let said = words(attributes);
        let hub_name = said.rename.clone().unwrap_or_else(|| member.name.clone());
        if !said.skip {
            taken.insert(hub_name.clone());
        }
        let mut found = FieldWords { is_said: said.skip || said.same || said.with, ..FieldWords::default() };
        if !found.is_said && member.name != "type_meta" {
            let peer = hub.member(&hub_name);
            let module = package.and_then(|package| functions(package, ty, member));
            match peer {
                _ if is_dropped(member) => found.skip = true,
                Some(_) if module.is_some() => found.with = module,
                Some(peer) if convertible(universe, peers, &member.ty, &peer.ty) => {}
                Some(peer) => problems.push(differs(ty, member, hub, peer)),
                None => problems.push(only_here(ty, member, hub)),
            }
            if found.skip {
                taken.remove(&hub_name);
            }
        }
        fields.push(found);
    }
    for peer in &hub.members {
        let is_covered = taken.contains(&peer.name) || lacks.contains(&peer.name) || peer.name == "type_meta";
        if is_covered {
            continue;
        }
        let twin = ty.member(&peer.name).is_some_and(is_dropped);
        match is_dropped(peer) || twin {
            true => drop(lacks.insert(peer.name.clone())),
            false => problems.push(only_there(ty, hub, peer)),
        }
    }
    problems.or(Plan { lacks, fields })
}

fn is_dropped(member: &Member) -> bool {
    member.tags.value("k8s:conversion-fn") == Some("drop") || member.tags.value(TAG) == Some("false")
}

/// The module with functions for a field, as the generated file writes its path.
fn functions(package: &Package, ty: &Type, member: &Member) -> Option<String> {
    let names = [format!("{}_{}", snake_case(&ty.name.name), member.name), member.name.clone()];
    names.iter().find_map(|name| {
        let path = format!("{}::{name}", package.path);
        let has = |function: &str| {
            package.functions.iter().any(|found| found.module == path && found.name == function)
        };
        (has("to_hub") && has("from_hub")).then(|| format!("super::{name}"))
    })
}

/// Whether one type becomes another without help.
fn convertible(universe: &Universe, peers: &Peers, own: &TypeRef, hub: &TypeRef) -> bool {
    let (own, hub) = (universe.underlying(own), universe.underlying(hub));
    if own == hub {
        return true;
    }
    match (own, hub) {
        (TypeRef::Option(own), TypeRef::Option(hub))
        | (TypeRef::Boxed(own), TypeRef::Boxed(hub))
        | (TypeRef::Slice(own), TypeRef::Slice(hub)) => convertible(universe, peers, own, hub),
        (TypeRef::Map(own_key, own), TypeRef::Map(hub_key, hub)) => {
            own_key == hub_key && convertible(universe, peers, own, hub)
        }
        (TypeRef::Named(own), TypeRef::Named(hub)) => peers.converts(universe, own, hub),
        _ => false,
    }
}

fn signatures(own: &str, hub: &str) -> String {
    format!(
        "  pub(super) fn to_hub(own: {own}, scope: &Scope) -> Result<{hub}, ConvertError>\n  \
         pub(super) fn from_hub(hub: {hub}, scope: &Scope) -> Result<{own}, ConvertError>"
    )
}

fn differs(ty: &Type, member: &Member, hub: &Type, peer: &Member) -> Problem {
    let namers = Namers::default();
    let (own_type, hub_type) = (namers.raw(&member.ty), namers.raw(&peer.ty));
    Problem::at(
        &member.place,
        format!(
            "`{}.{}` is `{own_type}`, and in the hub ({}, {}) it is `{hub_type}`: nothing converts one to the \
             other. Write a module `{}_{}` beside the types with\n{}",
            ty.name.name,
            member.name,
            hub.name,
            peer.place,
            snake_case(&ty.name.name),
            member.name,
            signatures(&own_type, &hub_type)
        ),
    )
}

fn only_here(ty: &Type, member: &Member, hub: &Type) -> Problem {
    let own_type = Namers::default().raw(&member.ty);
    Problem::at(
        &member.place,
        format!(
            "`{}.{}` (`{own_type}`) has no peer in the hub ({}, {}). If it is called otherwise there, say \
             `+rhumb:convert=rename = NAME`; if it shall be lost, `+k8s:conversion-fn=drop`. Else write the \
             conversion \
             of the struct by hand:\n  impl Convert<{}> for {}\n  impl Convert<{}> for {}",
            ty.name.name, member.name, hub.name, hub.place, hub.name, ty.name, ty.name, hub.name
        ),
    )
}

fn only_there(ty: &Type, hub: &Type, peer: &Member) -> Problem {
    let hub_type = Namers::default().raw(&peer.ty);
    Problem::at(
        &ty.place,
        format!(
            "`{}` has no field for `{}` (`{hub_type}`) of the hub ({}, {}). If it shall be lost, say \
             `+rhumb:convert=lacks({})` above the struct, or `+k8s:conversion-fn=drop` above the field of the \
             hub. Else \
             write the conversion of the struct by hand:\n  impl Convert<{}> for {}\n  impl Convert<{}> for {}",
            ty.name.name, peer.name, hub.name, peer.place, peer.name, hub.name, ty.name, ty.name, hub.name
        ),
    )
}
