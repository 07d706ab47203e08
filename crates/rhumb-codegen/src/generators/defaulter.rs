//! `defaulter`: a function that registers all defaults of a package.
//!
//! A package says `// +k8s:defaulter-gen=TypeMeta`: its types with that field are selected, the kinds. `ListMeta` and
//! `ObjectMeta` select lists and objects with names, and any other word the types with a field of that type or name;
//! the tag may stand several times. Above a type, `+k8s:defaulter-gen=true` or `=false` selects it or doesn't. With
//! `true` for the package all of its types are selected. `// +k8s:defaulter-gen-input=PATH` says that the types are
//! those of another package.
//!
//! Functions `default_NAME(value: &mut Type)`, written by hand in the package or its private modules, are
//! registered if a selected type leads to theirs: the scheme finds the types wherever in an object they stand. The
//! tag `+default=JSON` above a field becomes such a function, unless the table of the type, made by `schema`, has
//! the default already. `+k8s:defaulter-gen=false` leaves a function out.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::relocate::own_name;
use super::{named_packages, per_package};
use crate::generator::{Context, Generator, Output, Tool};
use crate::namer::snake_case;
use crate::problem::{Outcome, Problem, Problems};
use crate::universe::{Builtin, Function, Member, Package, Tag, Type, TypeName, TypeRef, Universe};

const TAG: &str = "k8s:defaulter-gen";
const INPUT: &str = "k8s:defaulter-gen-input";

pub(super) const TOOL: Tool = Tool {
    name: "defaulter",
    about: "register_defaults(builder) from functions default_NAME(&mut Type) and +default tags",
    targets: |universe, _| per_package(universe, |package| !words(package).is_empty(), Defaulter::default),
};

/// Returns the tags of a package that select types.
fn words(package: &Package) -> Vec<&str> {
    package.tags.all(TAG).map(Tag::value).filter(|value| *value != "false").collect()
}

#[derive(Default)]
struct Defaulter {
    calls: Vec<TokenStream>,
}

/// Types whose defaults are registered.
struct Selection<'a> {
    /// The types of the packages that are looked through.
    inputs: Vec<&'a Type>,
    /// The types that selected ones lead to; `None` for all.
    reached: Option<BTreeSet<&'a TypeName>>,
}

impl<'a> Selection<'a> {
    fn of(universe: &'a Universe, package: &'a Package) -> Outcome<Self> {
        let words = words(package);
        let named = named_packages(universe, package, INPUT)?;
        let named = named.iter().filter_map(|path| universe.package(path));
        let mut packages: Vec<&Package> = named.collect();
        if packages.is_empty() {
            packages.push(package);
        }
        let inputs: Vec<&Type> = packages.iter().flat_map(|package| universe.types_of(package)).collect();
        let all = words.iter().any(|word| matches!(*word, "" | "true"));
        let selected = inputs.iter().copied().filter(|ty| is_selected(ty, &words));
        let reached = (!all).then(|| universe.reach(selected).iter().map(|ty| &ty.name).collect());
        Ok(Selection { inputs, reached })
    }

    fn has(&self, ty: &TypeName) -> bool {
        self.reached.as_ref().is_none_or(|reached| reached.contains(ty))
    }
}

/// Reports whether a type itself, or one of its fields, is named.
fn is_selected(ty: &Type, words: &[&str]) -> bool {
    let is_named = |member: &Member| {
        words.iter().any(|word| {
            member.name == snake_case(word) || member.ty.name().is_some_and(|name| name.name == *word)
        })
    };
    match ty.tags.value(TAG) {
        Some("false") => false,
        Some("true" | "") => true,
        _ => !ty.private && ty.members.iter().any(is_named),
    }
}

impl Generator for Defaulter {
    fn name(&self) -> &'static str {
        "defaulter"
    }

    fn filter(&self, _: &Context<'_>, _: &Type) -> bool {
        // The types may be those of another package, so they are gone through at the end.
        false
    }

    fn finalize(&mut self, context: &mut Context<'_>, out: &mut Output) -> Outcome<()> {
        let Some(package) = context.package else { return Ok(()) };
        let selection = Selection::of(context.universe, package)?;
        let mut problems = Problems::default();
        problems.take(self.functions(context, package, &selection));
        for ty in &selection.inputs {
            // A type without the derive gets its table from `schema`, which has seen the tags.
            let has_defaults = ty.members.iter().any(|member| member.tags.has("default"));
            if ty.derives("Schema")
                && ty.tags.value(TAG) != Some("false")
                && has_defaults
                && selection.has(&ty.name)
            {
                problems.take(self.fill_type(context, ty, out));
            }
        }
        problems.or(())?;
        let calls = &self.calls;
        let doc = format!(" Registers the defaults of `{}`.", package.name);
        let nothing = calls.is_empty().then(|| quote!(let _ = builder;));
        out.rust(quote! {
            #[doc = #doc]
            pub fn register_defaults(builder: &mut ::rhumb_scheme::SchemeBuilder) {
                #nothing
                #(#calls)*
            }
        });
        Ok(())
    }
}

impl Defaulter {
    /// Registers the functions that are written by hand.
    fn functions(
        &mut self,
        context: &mut Context<'_>,
        package: &Package,
        selection: &Selection<'_>,
    ) -> Outcome<()> {
        let mut problems = Problems::default();
        for function in package.functions.iter().filter(|function| is_defaulter(function)) {
            if function.private && function.module != package.path {
                problems.push(Problem::at(
                    &function.place,
                    format!("`{}` can't be called from its package: make it `pub(super)`", function.name),
                ));
                continue;
            }
            if let Some(TypeRef::Named(name)) = &function.changes
                && !selection.has(name)
            {
                context.note(Problem::at(
                    &function.place,
                    format!(
                        "`{}` is not registered: no type that +{TAG}={} selects leads to {name}. Name the package of the \
                         types with +{INPUT}=…, or select the type with +{TAG}=true",
                        function.name,
                        words(package).join(" and ")
                    ),
                ));
                continue;
            }
            let below = function.module.strip_prefix(&package.path).unwrap_or_default();
            let path = context.imports.name(&format!("super{below}::{}", function.name));
            let name = format_ident!("{path}");
            self.calls.push(quote!(builder.defaults(#name);));
        }
        problems.or(())
    }

    /// Writes the function that the tags of a type's fields ask for.
    fn fill_type(&mut self, context: &mut Context<'_>, ty: &Type, out: &mut Output) -> Outcome<()> {
        let mut problems = Problems(context.universe.problems_of(ty));
        let mut fills = Vec::new();
        for member in &ty.members {
            if let Some(tag) = member.tags.get("default") {
                fills.extend(problems.take(fill(member, tag)));
            }
        }
        problems.or(())?;
        let name = own_name(context, ty);
        let function = format_ident!("fill_{}", snake_case(&name.to_string()));
        self.calls.push(quote!(builder.defaults(#function);));
        let doc = format!(" Fills in what the tags of `{}` say.", ty.name.name);
        out.rust(quote! {
            #[doc = #doc]
            fn #function(value: &mut #name) {
                #(#fills)*
            }
        });
        Ok(())
    }
}

fn is_defaulter(function: &Function) -> bool {
    function.name.starts_with("default_")
        && matches!(function.changes, Some(TypeRef::Named(_)))
        && function.tags.value(TAG) != Some("false")
}

/// Generates code that sets the default of an unset field.
fn fill(member: &Member, tag: &Tag) -> Outcome<TokenStream> {
    let name = format_ident!("{}", member.name);
    let value: serde_json::Value = serde_json::from_str(tag.value())
        .map_err(|error| Problem::at(&tag.place, format!("the default is no JSON: {error}")))?;
    let misfit = || {
        Problem::at(
            &tag.place,
            format!(
                "the default {} doesn't fit `{}`, or is more than a tag can say: write a function \
                 `default_…(value: &mut …)`, or `#[field(…, default = …)]`",
                tag.value(),
                member.name
            ),
        )
    };
    let (builtin, optional) = match &member.ty {
        TypeRef::Builtin(builtin) => (*builtin, false),
        TypeRef::Option(inner) => match &**inner {
            TypeRef::Builtin(builtin) => (*builtin, true),
            _ => return Err(misfit().into()),
        },
        _ => return Err(misfit().into()),
    };
    let literal = literal(builtin, &value).ok_or_else(misfit)?;
    Ok(match (optional, builtin) {
        (true, _) => quote!(value.#name.get_or_insert_with(|| #literal);),
        (false, Builtin::Text) => quote!(if value.#name.is_empty() { value.#name = #literal; }),
        (false, Builtin::Bool) => quote!(if !value.#name { value.#name = #literal; }),
        (false, Builtin::Double) => quote!(if value.#name == 0.0 { value.#name = #literal; }),
        (false, _) => quote!(if value.#name == 0 { value.#name = #literal; }),
    })
}

/// Returns a JSON value as a literal of a type, if it is one.
fn literal(builtin: Builtin, value: &serde_json::Value) -> Option<TokenStream> {
    match builtin {
        Builtin::Bool => value.as_bool().map(|value| quote!(#value)),
        Builtin::Text => value.as_str().map(|value| quote!(#value.to_owned())),
        Builtin::Int32 => i32::try_from(value.as_i64()?).ok().map(|value| quote!(#value)),
        Builtin::Int64 => value.as_i64().map(|value| quote!(#value)),
        Builtin::Uint32 => u32::try_from(value.as_u64()?).ok().map(|value| quote!(#value)),
        Builtin::Uint64 => value.as_u64().map(|value| quote!(#value)),
        Builtin::Double => value.as_f64().map(|value| quote!(#value)),
    }
}
