//! `register`: the function `install` of a group, which registers its kinds in a Scheme.
//!
//! A group is a package with `// +groupName=stable.example.com` (or a constant `GROUP`) whose versions are the
//! packages below it. The hub's types are those of the version that the others convert to (`+k8s:conversion-gen`), or
//! that `+rhumb:hub=v1` names, or else of the best version. Every kind of a version is registered, declared or
//! re-exported; a kind with another type than the hub's gets its conversion. Defaults that `defaulter` gathered are
//! registered, and so is what functions `register(builder: &mut SchemeBuilder)` of the group's private modules add by
//! hand.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::Ident;

use super::conversion;
use crate::generator::{Context, Generator, Options, Output, Target, Tool};
use crate::namer::version::{by_preference, is_version};
use crate::problem::{Outcome, Problem, Problems};
use crate::universe::{Constant, Function, Package, Type, TypeName, Universe};

pub(super) const TOOL: Tool = Tool {
    name: "register",
    about: "install(builder) for groups: kinds, hubs, conversions, defaults, version priority",
    targets: |universe, _| {
        let groups = universe.requested().filter(|package| {
            group_name(package).is_some() && universe.below(package).any(|version| is_version(&version.name))
        });
        Ok(groups.map(|package| Target::of(package, Register::default())).collect())
    },
};

/// Returns the group's name. The core group's is empty.
fn group_name(package: &Package) -> Option<String> {
    match (package.tags.value("groupName"), package.constant("GROUP")) {
        (Some(name), _) => Some(name.to_owned()),
        (None, Some(Constant::Text(name))) => Some(name.clone()),
        _ => None,
    }
}

/// Generator of a group; its constants are known once its versions are.
#[derive(Default)]
struct Register {
    constants: Option<TokenStream>,
}

/// A version with its kinds.
struct Version<'a> {
    package: &'a Package,
    kinds: BTreeMap<String, &'a Type>,
}

impl Generator for Register {
    fn name(&self) -> &'static str {
        "register"
    }

    fn filter(&self, _: &Context<'_>, _: &Type) -> bool {
        false
    }

    fn finalize(&mut self, context: &mut Context<'_>, out: &mut Output) -> Outcome<()> {
        let universe = context.universe;
        let Some(package) = context.package else { return Ok(()) };
        let group = group_name(package).unwrap_or_default();
        let mut versions: Vec<Version<'_>> = universe
            .below(package)
            .filter(|version| is_version(&version.name))
            .map(|package| Version { package, kinds: kinds(universe, package) })
            .filter(|version| !version.kinds.is_empty())
            .collect();
        versions.sort_by(|one, other| by_preference(&one.package.name, &other.package.name));
        let hubs = hubs(universe, package, &versions)?;

        for path in [
            "rhumb_meta::GroupVersion",
            "rhumb_meta::INTERNAL",
            "rhumb_scheme::RegisterError",
            "rhumb_scheme::SchemeBuilder",
        ] {
            context.imports.name(path);
        }
        for version in &versions {
            // The modules of the versions are beside this one.
            context.imports.name(&format!("super::{}", version.package.name));
        }
        self.constants = Some(constants(&group, &versions));
        out.rust(install(context, &group, package, &versions, &hubs)?);
        Ok(())
    }

    fn consts(&self, _: &Context<'_>) -> Vec<TokenStream> {
        self.constants.iter().cloned().collect()
    }
}

/// Returns the names of the group and its versions.
fn constants(group: &str, versions: &[Version<'_>]) -> TokenStream {
    let names: Vec<&str> = versions.iter().map(|version| version.package.name.as_str()).collect();
    let constants = names.iter().map(|name| constant(name));
    let doc = format!(" The name of the group `{group}`.");
    let docs = names.iter().map(|name| format!(" The version `{name}`."));
    quote! {
        #[doc = #doc]
        pub const GROUP: &str = #group;
        #(
            #[doc = #docs]
            pub const #constants: GroupVersion = GroupVersion::new_static(GROUP, #names);
        )*
        /// The names of the versions, the most wanted first.
        pub const VERSIONS: &[&str] = &[#(#names),*];
        const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);
    }
}

/// Returns the function that registers all of the group.
fn install(
    context: &Context<'_>,
    group: &str,
    package: &Package,
    versions: &[Version<'_>],
    hubs: &BTreeMap<String, (&Package, &Type)>,
) -> Outcome<TokenStream> {
    let registrations = registrations(versions, hubs);
    let conversions = conversions(context, versions, hubs);
    let more = added(context.options, package, versions)?;
    let constants = versions.iter().map(|version| constant(&version.package.name));
    let doc = format!(" Registers the group `{group}`: kinds, conversions and defaults of all its versions.");
    Ok(quote! {
        #[doc = #doc]
        ///
        /// # Errors
        /// If a kind has another type already.
        pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
            #registrations
            #conversions
            #more
            for gv in [#(&#constants),*] {
                builder.add_to_group_version(gv)?;
            }
            builder.version_priority(GROUP, VERSIONS)?;
            Ok(())
        }
    })
}

/// Returns the kinds of a version by name: declared there or re-exported.
fn kinds<'a>(universe: &'a Universe, package: &'a Package) -> BTreeMap<String, &'a Type> {
    let own = universe.types_of(package).map(|ty| (ty.name.name.clone(), ty));
    let exported = package.exports.iter().filter_map(|(name, ty)| Some((name.clone(), universe.get(ty)?)));
    // What is spread into others has the fields of a kind and is none.
    let is_kind =
        |ty: &Type| ty.is_object() && ty.public && ty.tags.value("k8s:register-gen") != Some("false");
    own.chain(exported).filter(|(_, ty)| is_kind(ty)).collect()
}

/// Returns the version whose type is the hub of each kind, and that type.
fn hubs<'a>(
    universe: &Universe,
    package: &Package,
    versions: &[Version<'a>],
) -> Outcome<BTreeMap<String, (&'a Package, &'a Type)>> {
    let named = match package.tags.get("rhumb:hub") {
        Some(tag) => {
            let found = versions.iter().find(|version| version.package.name == tag.value());
            Some(found.ok_or_else(|| {
                Problem::at(
                    &tag.place,
                    format!("the group has no version {:?} that could be the hub", tag.value()),
                )
            })?)
        }
        None => {
            let said: BTreeSet<String> = versions
                .iter()
                .flat_map(|version| {
                    let tags = version.package.tags.all("k8s:conversion-gen");
                    tags.filter_map(|tag| universe.resolve_module(&version.package.path, tag.value()))
                })
                .collect();
            versions.iter().find(|version| said.contains(&version.package.path))
        }
    };
    let mut hubs = BTreeMap::new();
    // A kind that the hub's version has not, takes its hub from the best version that has it.
    for version in named.into_iter().chain(versions) {
        for (kind, ty) in &version.kinds {
            hubs.entry(kind.clone()).or_insert((version.package, *ty));
        }
    }
    Ok(hubs)
}

fn constant(version: &str) -> Ident {
    Ident::new(&version.to_uppercase(), Span::call_site())
}

/// Returns the kinds, version by version, and those that are hubs with their versions.
fn registrations(versions: &[Version<'_>], hubs: &BTreeMap<String, (&Package, &Type)>) -> TokenStream {
    let mut out = TokenStream::new();
    for version in versions {
        let module = format_ident!("{}", version.package.name);
        let gv = constant(&version.package.name);
        let is_hub = |kind: &str| hubs.get(kind).is_some_and(|(hub, _)| hub.path == version.package.path);
        let (hub, others): (Vec<&String>, Vec<&String>) = version.kinds.keys().partition(|kind| is_hub(kind));
        if !hub.is_empty() {
            let hub = hub.iter().map(|kind| format_ident!("{kind}"));
            out.extend(quote!(for gv in [&#gv, &HUB] { builder #(.register::<#module::#hub>(gv)?)*; }));
        }
        if !others.is_empty() {
            let others = others.iter().map(|kind| format_ident!("{kind}"));
            out.extend(quote!(builder #(.register::<#module::#others>(&#gv)?)*;));
        }
    }
    out
}

/// Returns the conversions of kinds whose types are not the hub's. Types that several versions share have one. A
/// version whose `register_conversions` can be seen registers its own.
fn conversions(
    context: &Context<'_>,
    versions: &[Version<'_>],
    hubs: &BTreeMap<String, (&Package, &Type)>,
) -> TokenStream {
    let mut seen: BTreeSet<(TypeName, TypeName)> = BTreeSet::new();
    let (mut calls, mut functions) = (Vec::new(), TokenStream::new());
    let written = context.options.module_of("conversion");
    for version in versions {
        let own = conversion::registered(context.universe, version.package);
        if version.package.module(&written).is_some_and(|module| !module.private) && !own.is_empty() {
            let (module, file) = (format_ident!("{}", version.package.name), format_ident!("{written}"));
            functions.extend(quote!(#module::#file::register_conversions(builder)?;));
            seen.extend(own);
        }
    }
    for version in versions {
        for (kind, ty) in &version.kinds {
            let Some((home, hub)) = hubs.get(kind) else { continue };
            if ty.name != hub.name && seen.insert((ty.name.clone(), hub.name.clone())) {
                let (own, hub) = (format_ident!("{}", version.package.name), format_ident!("{}", home.name));
                let kind = format_ident!("{kind}");
                calls.push(quote!(.hub_conversion::<#own::#kind, #hub::#kind>()));
            }
        }
    }
    if !calls.is_empty() {
        functions.extend(quote!(builder #(#calls)*;));
    }
    functions
}

/// Returns further registrations: generated defaults, and handwritten functions.
fn added(options: &Options, package: &Package, versions: &[Version<'_>]) -> Outcome<TokenStream> {
    let mut problems = Problems::default();
    let mut calls = Vec::new();
    let written = options.module_of("defaulter");
    let defaulter = format_ident!("{written}");
    if package.module(&written).is_some() {
        calls.push(quote!(super::#defaulter::register_defaults(builder);));
    }
    for version in versions.iter().filter(|version| version.package.module(&written).is_some()) {
        let module = format_ident!("{}", version.package.name);
        calls.push(quote!(#module::#defaulter::register_defaults(builder);));
    }
    let takes_builder = |function: &&Function| {
        function.name == "register" && function.module != package.path && changes_builder(function)
    };
    let mut functions: Vec<&Function> = package.functions.iter().filter(takes_builder).collect();
    functions.sort_by(|one, other| one.module.cmp(&other.module));
    for function in functions {
        if function.private {
            let message = "`register` can't be called from the group: make it `pub(super)`";
            problems.push(Problem::at(&function.place, message));
            continue;
        }
        let below = function.module.strip_prefix(&package.path).unwrap_or_default();
        let module: syn::Path = syn::parse_str(&format!("super{below}"))
            .map_err(|error| Problem::at(&function.place, error.to_string()))?;
        let may_fail = match &function.signature.output {
            syn::ReturnType::Type(..) => quote!(?),
            syn::ReturnType::Default => quote!(),
        };
        calls.push(quote!(#module::register(builder)#may_fail;));
    }
    problems.or(quote!(#(#calls)*))
}

/// Reports whether a function's only parameter is a builder, which needs no lookup to be seen.
fn changes_builder(function: &Function) -> bool {
    function.signature.inputs.len() == 1
        && function.signature.inputs.iter().all(|input| match input {
            syn::FnArg::Typed(argument) => match &*argument.ty {
                syn::Type::Reference(reference) => matches!(
                    &*reference.elem,
                    syn::Type::Path(path)
                        if path.path.segments.last().is_some_and(|last| last.ident == "SchemeBuilder")
                ),
                _ => false,
            },
            syn::FnArg::Receiver(_) => false,
        })
}
