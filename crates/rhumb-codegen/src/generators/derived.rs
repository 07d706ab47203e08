//! `schema`, `object` and `resource`: expansions of the derives of these names, as files.
//!
//! A type is for `schema` if its fields have numbers, by `#[field(…)]` or by `// +rhumb:field=…`; for `object` if it
//! is also a kind; for `resource` if it has `#[resource(…)]` or `// +rhumb:resource=…`. What derives it is left alone,
//! and so is what has `// +rhumb:schema-gen=false` (`object-gen`, `resource-gen`).

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use super::per_package;
use super::relocate::{declaration, own_name, refused, relocated};
use crate::expand;
use crate::generator::{Context, Generator, Output, Tool};
use crate::problem::Outcome;
use crate::universe::{Kind, Package, Type, Universe};

pub(super) const SCHEMA: Tool = Tool {
    name: "schema",
    about: "impl Schema for types with field numbers, as derive(Schema) expands to",
    targets: |universe, _| per_package(universe, |package| any(universe, package, is_schema), || SCHEMA_FILE),
};

pub(super) const OBJECT: Tool = Tool {
    name: "object",
    about: "impl Object for kinds, as derive(Object) expands to",
    targets: |universe, _| per_package(universe, |package| any(universe, package, is_object), || OBJECT_FILE),
};

pub(super) const RESOURCE: Tool = Tool {
    name: "resource",
    about: "impl Resource for kinds with a resource name, as derive(Resource) expands to",
    targets: |universe, _| {
        per_package(universe, |package| any(universe, package, is_resource), || RESOURCE_FILE)
    },
};

fn any(universe: &Universe, package: &Package, filter: fn(&Type) -> bool) -> bool {
    universe.types_of(package).any(filter)
}

fn is_described(ty: &Type) -> bool {
    let has_numbers = ty.members.iter().any(|member| member.field.is_some());
    let says_form = ty.item.as_ref().is_some_and(|item| has(item, "schema"));
    matches!(ty.kind, Kind::Struct) && (has_numbers || says_form || !ty.problems.is_empty())
}

fn is_schema(ty: &Type) -> bool {
    is_described(ty) && !ty.derives("Schema") && ty.tags.value("rhumb:schema-gen") != Some("false")
}

fn is_object(ty: &Type) -> bool {
    is_described(ty)
        && ty.is_object()
        && !ty.derives("Object")
        && ty.tags.value("rhumb:object-gen") != Some("false")
}

/// Reports whether a type is, or will be, an `Object`, and is meant to be registered as a kind.
pub(super) fn is_registrable(universe: &Universe, ty: &Type) -> bool {
    ty.is_object()
        && ty.tags.value("k8s:register-gen") != Some("false")
        && (ty.derives("Object") || is_object(ty) || universe.implements(&ty.name, "Object"))
}

fn is_resource(ty: &Type) -> bool {
    !ty.derives("Resource")
        && ty.item.as_ref().is_some_and(|item| has(item, "resource"))
        && ty.tags.value("rhumb:resource-gen") != Some("false")
}

fn has(item: &DeriveInput, attribute: &str) -> bool {
    item.attrs.iter().any(|found| found.path().is_ident(attribute))
}

const SCHEMA_FILE: Derived = Derived { name: "schema", filter: is_schema, expand: schema };
const OBJECT_FILE: Derived =
    Derived { name: "object", filter: is_object, expand: |input, _| expand::object(input) };
const RESOURCE_FILE: Derived =
    Derived { name: "resource", filter: is_resource, expand: |input, _| expand::resource(input) };

fn schema(input: &DeriveInput, ty: &Type) -> syn::Result<TokenStream> {
    let module = &ty.module;
    expand::schema_of(input, &quote!(#module))
}

struct Derived {
    name: &'static str,
    filter: fn(&Type) -> bool,
    expand: fn(&DeriveInput, &Type) -> syn::Result<TokenStream>,
}

impl Generator for Derived {
    fn name(&self) -> &'static str {
        self.name
    }

    fn filter(&self, _: &Context<'_>, ty: &Type) -> bool {
        (self.filter)(ty)
    }

    fn init(&mut self, context: &mut Context<'_>, _: &mut Output) -> Outcome<()> {
        // The types take their own names before anything else can; the rest of the file gives way.
        let package = context.package;
        for ty in package.into_iter().flat_map(|package| context.universe.types_of(package)) {
            if (self.filter)(ty) {
                own_name(context, ty);
            }
        }
        Ok(())
    }

    fn generate_type(&mut self, context: &mut Context<'_>, ty: &Type, out: &mut Output) -> Outcome<()> {
        // The places in a relocated declaration are those of this file, so mistakes are looked for in the original.
        let item = relocated(context, ty)?;
        match (self.expand)(&item, ty) {
            Ok(tokens) => out.rust(tokens),
            Err(error) => {
                let original = (self.expand)(declaration(ty)?, ty);
                return Err(refused(ty, &original.err().unwrap_or(error)).into());
            }
        }
        Ok(())
    }
}
