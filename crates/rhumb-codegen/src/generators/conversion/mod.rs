//! `conversion`: conversions between a version's structs and the hub's, as `derive(Convert)` expands to.
//!
//! A version says `// +k8s:conversion-gen=super::v1`: its structs have peers of the same names there. The tag may
//! stand several times: the peer of a struct is that of the first package that has one, and then of those in
//! `Request::peers`. With `+k8s:conversion-gen-external-types=PATH`, once or more, the structs are those of other
//! packages, and only the conversions stand here. What has a conversion already, derived or written by hand, is
//! left alone, and so are private structs and those with `+k8s:conversion-gen=false`. A field with that tag, or
//! with `+k8s:conversion-fn=drop`, is not converted.
//!
//! The function `register_conversions` makes the conversions of kinds known to a scheme: those of this file, and
//! those that are derived or written by hand.
//!
//! A field that differs, or that only one side has, is converted by a module of the package with functions `to_hub`
//! and `from_hub`: the one that `with` names, or else the one that is called after struct and field
//! (`cron_tab_spec_schedule`), or after the field. Where there is none, the field is reported with what to write, and
//! the conversion calls it all the same: until it is written, the compiler names it too.

mod alone;
mod fields;
mod open;

use std::collections::BTreeSet;

use quote::{format_ident, quote};
use syn::parse_quote;

use super::derived::is_registrable;
use super::named_packages;
use super::relocate::{declaration, own_name, refused, relocated};
use crate::expand;
use crate::generator::{Context, Generator, Output, Target, Tool};
use crate::problem::{Outcome, Problems};
use crate::universe::{Kind, Package, Type, TypeName, Universe};

const TAG: &str = "k8s:conversion-gen";
const EXTERNAL: &str = "k8s:conversion-gen-external-types";

pub(super) const TOOL: Tool = Tool {
    name: "conversion",
    about: "impl Convert between a version and the hub, which +k8s:conversion-gen names",
    targets: |universe, _| {
        let mut problems = Problems::default();
        let mut targets = Vec::new();
        for package in universe.requested() {
            targets.extend(
                problems
                    .take(Peers::of(universe, package))
                    .flatten()
                    .map(|peers| Target::of(package, Conversion { peers })),
            );
        }
        problems.or(targets)
    },
};

/// The two sides of a package's conversions.
pub(super) struct Peers {
    /// The packages whose structs are converted.
    own: Vec<String>,
    /// The packages of the hub, those with precedence first.
    hubs: Vec<String>,
}

impl Peers {
    /// Returns the peers of a package; `None` without tags.
    fn of(universe: &Universe, package: &Package) -> Outcome<Option<Peers>> {
        let mut problems = Problems::default();
        let mut hubs = problems.take(named_packages(universe, package, TAG)).unwrap_or_default();
        let mut own = problems.take(named_packages(universe, package, EXTERNAL)).unwrap_or_default();
        if own.is_empty() {
            own.push(package.path.clone());
        }
        if !hubs.is_empty() {
            let more = universe.peers().map(|peer| &peer.path);
            hubs.extend(more.filter(|peer| !own.contains(peer)).cloned());
        }
        problems.or((!hubs.is_empty()).then_some(Peers { own, hubs }))
    }

    /// Returns the peer of a struct in the hub, if it is one of another type.
    fn hub_of<'a>(&self, universe: &'a Universe, ty: &Type) -> Option<&'a Type> {
        if !self.own.contains(&ty.name.package) {
            return None;
        }
        let said = fields::words(ty.item.as_ref().map_or(&[], |item| &item.attrs)).hub;
        let peer = match said {
            Some(path) => universe.get(&universe.resolve(&ty.module, &path)?)?,
            None => self.hubs.iter().find_map(|hub| {
                let found = universe.find(universe.package(hub)?, &ty.name.name)?;
                (!found.private).then_some(found)
            })?,
        };
        (peer.name != ty.name && matches!(peer.kind, Kind::Struct)).then_some(peer)
    }

    /// Reports whether the conversions between two types exist, or will be written here.
    fn converts(&self, universe: &Universe, own: &TypeName, hub: &TypeName) -> bool {
        let Some(ty) = universe.get(own) else { return false };
        self.has_own(universe, ty, hub)
            || (self.is_generated(ty) && self.hub_of(universe, ty).is_some_and(|peer| peer.name == *hub))
    }

    /// Reports whether a conversion to a type was derived or written by hand.
    fn has_own(&self, universe: &Universe, ty: &Type, hub: &TypeName) -> bool {
        let written = universe.has_conversion(&ty.name, hub) && universe.has_conversion(hub, &ty.name);
        let derived = ty.derives("Convert")
            && fields::words(ty.item.as_ref().map_or(&[], |item| &item.attrs))
                .hub
                .is_some_and(|path| universe.resolve(&ty.module, &path).as_ref() == Some(hub));
        written || derived
    }

    fn is_generated(&self, ty: &Type) -> bool {
        matches!(ty.kind, Kind::Struct)
            && !ty.private
            && !ty.derives("Convert")
            && ty.tags.value(TAG) != Some("false")
            && self.own.contains(&ty.name.package)
    }

    /// Returns the structs on this side, with their peers.
    fn pairs<'a>(&self, universe: &'a Universe) -> Vec<(&'a Type, &'a Type)> {
        let packages = self.own.iter().filter_map(|own| universe.package(own));
        let own = packages.flat_map(|package| universe.types_of(package));
        own.filter_map(|ty| Some((ty, self.hub_of(universe, ty)?))).collect()
    }

    /// Returns the kinds whose conversions [`register`] makes known.
    fn kinds<'a>(&self, universe: &'a Universe) -> Vec<(&'a Type, &'a Type)> {
        let mut pairs = self.pairs(universe);
        pairs.retain(|(ty, hub)| {
            [ty, hub].iter().all(|side| !side.private && is_registrable(universe, side))
                && self.converts(universe, &ty.name, &hub.name)
        });
        pairs
    }
}

/// Returns the kinds of a package, and their peers, whose conversions `register_conversions` of its generated file
/// registers.
pub(super) fn registered(universe: &Universe, package: &Package) -> BTreeSet<(TypeName, TypeName)> {
    let peers = Peers::of(universe, package).ok().flatten();
    let kinds = peers.iter().flat_map(|peers| peers.kinds(universe));
    kinds.map(|(ty, hub)| (ty.name.clone(), hub.name.clone())).collect()
}

struct Conversion {
    peers: Peers,
}

impl Conversion {
    /// Returns the structs to convert, with their peers.
    fn generated<'a>(&self, universe: &'a Universe) -> Vec<(&'a Type, &'a Type)> {
        let mut pairs = self.peers.pairs(universe);
        pairs.retain(|(ty, hub)| self.peers.is_generated(ty) && !self.peers.has_own(universe, ty, &hub.name));
        pairs
    }

    /// Generates the function that registers the conversions of kinds.
    fn register(&self, context: &mut Context<'_>, out: &mut Output) {
        let kinds = self.peers.kinds(context.universe);
        if kinds.is_empty() {
            return;
        }
        let mut pairs = Vec::new();
        for (ty, hub) in kinds {
            let (ty, hub) = (own_name(context, ty), own_name(context, hub));
            pairs.push(quote!(#ty, #hub));
        }
        let name = context.package.map(|package| package.name.as_str()).unwrap_or_default();
        let doc = format!(" Registers the conversions of the kinds of `{name}`.");
        out.rust(quote! {
            #[doc = #doc]
            ///
            /// # Errors
            /// None. It is one of the functions that a scheme's builder installs.
            #[allow(dead_code, reason = "the group may register its conversions itself")]
            pub fn register_conversions(
                builder: &mut ::rhumb_scheme::SchemeBuilder,
            ) -> ::core::result::Result<(), ::rhumb_scheme::RegisterError> {
                builder #(.hub_conversion::<#pairs>())*;
                ::core::result::Result::Ok(())
            }
        });
    }

    fn convert(&self, context: &mut Context<'_>, ty: &Type, hub: &Type, out: &mut Output) -> Outcome<()> {
        let plan = fields::plan(context.universe, &self.peers, context.package, ty, hub)?;
        let mut item = relocated(context, ty)?;
        // The words of the struct and its fields were read into the plan, which says them anew.
        item.attrs.retain(|attribute| !attribute.path().is_ident("convert"));
        let hub_name = own_name(context, hub);
        let lacks: Vec<_> = plan.lacks.iter().map(|name| format_ident!("{name}")).collect();
        item.attrs.push(match lacks.is_empty() {
            true => parse_quote!(#[convert(hub = #hub_name)]),
            false => parse_quote!(#[convert(hub = #hub_name, lacks(#(#lacks),*))]),
        });
        if let syn::Data::Struct(data) = &mut item.data {
            for (field, words) in data.fields.iter_mut().zip(&plan.fields) {
                if words.is_said {
                    continue;
                }
                if words.skip {
                    field.attrs.push(parse_quote!(#[convert(skip)]));
                }
                if let Some(module) = &words.with {
                    let path = syn::Ident::new(&context.imports.name(module), proc_macro2::Span::call_site());
                    field.attrs.push(parse_quote!(#[convert(with = #path)]));
                }
            }
        }
        let expanded = expand::convert(&item).map_err(|error| {
            let original = declaration(ty).map(expand::convert);
            refused(ty, &original.ok().and_then(Result::err).unwrap_or(error))
        })?;
        let made = alone::add(expanded, &plan.alone, &mut context.imports);
        out.rust(made.map_err(|error| refused(ty, &error))?);
        plan.open.into_iter().for_each(|question| context.note(question));
        Ok(())
    }
}

impl Generator for Conversion {
    fn name(&self) -> &'static str {
        "conversion"
    }

    fn filter(&self, _: &Context<'_>, _: &Type) -> bool {
        // The structs may be those of another package, so they are gone through at the end.
        false
    }

    fn finalize(&mut self, context: &mut Context<'_>, out: &mut Output) -> Outcome<()> {
        let pairs = self.generated(context.universe);
        for (ty, _) in &pairs {
            own_name(context, ty);
        }
        self.register(context, out);
        let mut problems = Problems::default();
        for (ty, hub) in pairs {
            let unknown = context.universe.problems_of(ty);
            if !unknown.is_empty() {
                problems.0.extend(unknown);
                continue;
            }
            problems.take(self.convert(context, ty, hub, out));
        }
        problems.or(())
    }
}
