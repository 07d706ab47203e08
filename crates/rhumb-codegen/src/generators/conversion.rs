//! `conversion`: both directions between the structs of a version and those of its hub, as `derive(Convert)` writes
//! them.
//!
//! A version says `// +k8s:conversion-gen=super::v1`: its structs have peers of the same names there. With
//! `+k8s:conversion-gen-external-types=PATH` the structs are those of another package, and only the conversions stand
//! here. What has a conversion already, derived or written by hand, is left alone, and so is a struct with
//! `+k8s:conversion-gen=false`. A field with that tag, or with `+k8s:conversion-fn=drop`, is not converted.
//!
//! A field that differs, or that only one side has, is converted by a module of the package with functions `to_hub`
//! and `from_hub`: the one that `with` names, or else the one that is called after struct and field
//! (`cron_tab_spec_schedule`), or after the field. Where there is none, the field is reported with what to write, and
//! the conversion calls it all the same: until it is written, the compiler names it too.

mod alone;
mod fields;
mod open;

use quote::format_ident;
use syn::parse_quote;

use super::relocate::{declaration, own_name, refused, relocated};
use crate::expand;
use crate::generator::{Context, Generator, Output, Target, Tool};
use crate::problem::{Outcome, Problem, Problems};
use crate::universe::{Kind, Package, Type, TypeName, Universe};

const TAG: &str = "k8s:conversion-gen";
const EXTERNAL: &str = "k8s:conversion-gen-external-types";

pub(super) const TOOL: Tool = Tool {
    name: "conversion",
    about: "impl Convert between a version and the hub that +k8s:conversion-gen names",
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
    /// The package whose structs are converted.
    own: String,
    /// The package of the hub.
    hub: String,
}

impl Peers {
    /// What a package says; `None` if it says nothing.
    fn of(universe: &Universe, package: &Package) -> Outcome<Option<Peers>> {
        let find = |name: &str| {
            let Some(tag) = package.tags.get(name).filter(|tag| tag.value() != "false") else {
                return Ok(None);
            };
            let module = universe.resolve_module(&package.path, tag.value());
            match module.filter(|module| universe.package(module).is_some()) {
                Some(module) => Ok(Some(module)),
                None => Err(Problems::from(Problem::at(
                    &tag.place,
                    format!(
                        "there is no package `{}`: write a path as `use` in this file would, such as `super::v1`",
                        tag.value()
                    ),
                ))),
            }
        };
        let (hub, own) = (find(TAG)?, find(EXTERNAL)?);
        Ok(hub.map(|hub| Peers { own: own.unwrap_or_else(|| package.path.clone()), hub }))
    }

    /// The peer of a struct in the hub, if it is one of another type.
    fn hub_of<'a>(&self, universe: &'a Universe, ty: &Type) -> Option<&'a Type> {
        if ty.name.package != self.own {
            return None;
        }
        let said = fields::words(ty.item.as_ref().map_or(&[], |item| &item.attrs)).hub;
        let peer = match said {
            Some(path) => universe.get(&universe.resolve(&ty.module, &path)?)?,
            None => universe.find(universe.package(&self.hub)?, &ty.name.name)?,
        };
        (peer.name != ty.name && matches!(peer.kind, Kind::Struct)).then_some(peer)
    }

    /// Whether the conversions between two types exist, or will be written here.
    fn converts(&self, universe: &Universe, own: &TypeName, hub: &TypeName) -> bool {
        let Some(ty) = universe.get(own) else { return false };
        self.has_own(universe, ty, hub)
            || (self.is_generated(ty) && self.hub_of(universe, ty).is_some_and(|peer| peer.name == *hub))
    }

    /// Whether a conversion to a type was derived or written by hand.
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
            && !ty.derives("Convert")
            && ty.tags.value(TAG) != Some("false")
            && ty.name.package == self.own
    }
}

struct Conversion {
    peers: Peers,
}

impl Conversion {
    /// The structs to convert, with their peers.
    fn pairs<'a>(&self, universe: &'a Universe) -> Vec<(&'a Type, &'a Type)> {
        let Some(package) = universe.package(&self.peers.own) else { return Vec::new() };
        let own = universe.types_of(package).filter(|ty| self.peers.is_generated(ty));
        let pairs = own.filter_map(|ty| Some((ty, self.peers.hub_of(universe, ty)?)));
        pairs.filter(|(ty, hub)| !self.peers.has_own(universe, ty, &hub.name)).collect()
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
        let pairs = self.pairs(context.universe);
        for (ty, _) in &pairs {
            own_name(context, ty);
        }
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
