//! Conversion of each field of a struct to the hub.

use std::collections::BTreeSet;

use syn::Attribute;
use syn::punctuated::Punctuated;

use super::alone::{Alone, Side};
use super::{Peers, TAG, open};
use crate::problem::{Outcome, Problem, Problems};
use crate::universe::{Member, Package, Type, TypeRef, Universe};

/// Conversion of a struct.
#[derive(Default)]
pub(super) struct Plan {
    /// Fields that only the hub has.
    pub(super) lacks: BTreeSet<String>,
    /// The fields of the struct, in its order.
    pub(super) fields: Vec<FieldWords>,
    /// Fields that only one side has, and that functions see to.
    pub(super) alone: Vec<Alone>,
    /// Conversions that must be written by hand and are missing.
    pub(super) open: Vec<Problem>,
}

/// Conversion attributes of a field.
#[derive(Default)]
pub(super) struct FieldWords {
    /// Whether its attributes say all there is to say.
    pub(super) is_said: bool,
    /// Whether it isn't converted.
    pub(super) skip: bool,
    /// The module with the functions that convert it, as the generated file writes its path.
    pub(super) with: Option<String>,
}

/// Contents of `#[convert(…)]` on a struct or field.
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
    let plan = Plan {
        lacks: words(ty.item.as_ref().map_or(&[], |item| &item.attrs)).lacks.into_iter().collect(),
        ..Plan::default()
    };
    let mut planning = Planning { universe, peers, package, ty, hub, taken: BTreeSet::new(), plan };
    let mut problems = Problems::default();
    let declared = ty.item.iter().filter_map(|item| match &item.data {
        syn::Data::Struct(data) => Some(data.fields.iter()),
        _ => None,
    });
    for (member, field) in ty.members.iter().zip(declared.flatten()) {
        problems.take(planning.own_field(member, words(&field.attrs)));
    }
    for peer in hub.members.iter().filter(|peer| peer.name != "type_meta") {
        planning.hub_field(peer);
    }
    problems.or(planning.plan)
}

struct Planning<'a> {
    universe: &'a Universe,
    peers: &'a Peers,
    package: Option<&'a Package>,
    ty: &'a Type,
    hub: &'a Type,
    /// Fields of the hub that one of the struct becomes.
    taken: BTreeSet<String>,
    plan: Plan,
}

impl Planning<'_> {
    /// Says what becomes of a field of the struct.
    fn own_field(&mut self, member: &Member, said: Words) -> Outcome<()> {
        let mut field = FieldWords { is_said: said.skip || said.same || said.with, ..FieldWords::default() };
        let hub_name = said.rename.as_ref().unwrap_or(&member.name);
        if !field.is_said && member.name != "type_meta" {
            let (module, is_there) = self.functions(member);
            match self.hub.member(hub_name) {
                _ if is_dropped(member) => field.skip = true,
                Some(_) if is_there => field.with = Some(module),
                Some(peer) if convertible(self.universe, self.peers, &member.ty, &peer.ty) => {}
                Some(peer) => {
                    self.plan.open.push(open::differs(self.ty, member, self.hub, peer));
                    field.with = Some(module);
                }
                None if said.rename.is_some() => {
                    return Err(open::no_such_peer(self.ty, member, self.hub, hub_name).into());
                }
                None => {
                    if !is_there {
                        self.plan.open.push(open::only_here(self.ty, member, self.hub));
                    }
                    field.skip = true;
                    self.plan.alone.push(Alone { side: Side::Own, field: member.name.clone(), module });
                }
            }
        }
        if !said.skip && !field.skip {
            self.taken.insert(hub_name.clone());
        }
        self.plan.fields.push(field);
        Ok(())
    }

    /// Says what becomes of a field of the hub, if none of the struct becomes it.
    fn hub_field(&mut self, peer: &Member) {
        if self.taken.contains(&peer.name) || !self.plan.lacks.insert(peer.name.clone()) {
            return;
        }
        if is_dropped(peer) || self.ty.member(&peer.name).is_some_and(is_dropped) {
            return;
        }
        let (module, is_there) = self.functions(peer);
        if !is_there {
            self.plan.open.push(open::only_there(self.ty, self.hub, peer));
        }
        self.plan.alone.push(Alone { side: Side::Hub, field: peer.name.clone(), module });
    }

    /// Returns the module with functions for a field, as the generated file writes its path, and whether it is there
    /// already.
    fn functions(&self, member: &Member) -> (String, bool) {
        let called_after_both = open::module(self.ty, member);
        let is_there = |name: &&String| {
            self.package.is_some_and(|package| {
                let path = format!("{}::{name}", package.path);
                let functions = package.functions.iter().filter(|found| found.module == path);
                let has = |wanted: &str| functions.clone().any(|found| found.name == wanted);
                has("to_hub") && has("from_hub")
            })
        };
        let found = [&called_after_both, &member.name].into_iter().find(is_there);
        (format!("super::{}", found.unwrap_or(&called_after_both)), found.is_some())
    }
}

fn is_dropped(member: &Member) -> bool {
    member.tags.value("k8s:conversion-fn") == Some("drop") || member.tags.value(TAG) == Some("false")
}

/// Reports whether one type becomes another without help.
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
