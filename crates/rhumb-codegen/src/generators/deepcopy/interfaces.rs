//! Copies of trait objects: `+k8s:deepcopy-gen:interfaces=`.

use quote::quote;
use syn::{FnArg, ItemTrait, ReceiverKind, ReturnType, TraitItem, TraitItemFn};

use super::super::derived::is_registrable;
use super::super::is_wanted;
use super::super::relocate::{own_name, path, relocated_type};
use super::TAG;
use crate::generator::{Context, Output};
use crate::problem::{Outcome, Problem, Problems};
use crate::universe::{Kind, Tag, Type};

const INTERFACES: &str = "k8s:deepcopy-gen:interfaces";
const NO_POINTER: &str = "k8s:deepcopy-gen:nonpointer-interfaces";

/// Kubernetes' name of the object trait.
const RUNTIME_OBJECT: &str = "k8s.io/apimachinery/pkg/runtime.Object";
/// The object trait.
const OBJECT: &str = "rhumb_meta::Object";

/// Reports whether a type asks for copies behind traits.
pub(super) fn are_wanted(ty: &Type) -> bool {
    ty.tags.value(TAG) != Some("false") && (ty.tags.has(INTERFACES) || ty.tags.has(NO_POINTER))
}

/// Implements the traits that the tags of a type name.
pub(super) fn implement(context: &mut Context<'_>, ty: &Type, out: &mut Output) -> Outcome<()> {
    let mut problems = Problems::default();
    if let Some(tag) = ty.tags.get(NO_POINTER) {
        problems.push(Problem::at(
            &tag.place,
            format!(
                "a method of a trait takes `&self` in Rust, pointer or not: write +{INTERFACES}={}",
                tag.value()
            ),
        ));
    }
    for tag in ty.tags.all(INTERFACES) {
        for name in tag.value().split(',').map(str::trim).filter(|name| !name.is_empty()) {
            problems.take(implement_one(context, ty, tag, name, out));
        }
    }
    problems.or(())
}

fn implement_one(
    context: &mut Context<'_>,
    ty: &Type,
    tag: &Tag,
    name: &str,
    out: &mut Output,
) -> Outcome<()> {
    let refused = |message: String| Err(Problem::at(&tag.place, message).into());
    if is_object(context, ty, name) {
        return object(context, ty, tag);
    }
    let Some((home, item)) = context.universe.find_trait(&ty.module, name) else {
        return refused(format!(
            "there is no trait `{name}` here: write its path as `use` in this file would, such as `{OBJECT}`"
        ));
    };
    let short = item.ident.to_string();
    if context.universe.implements(&ty.name, &short) {
        return Ok(());
    }
    if !matches!(ty.kind, Kind::Struct | Kind::Enum(_)) || !item.generics.params.is_empty() {
        return refused(format!(
            "a copy can be written for structs and enums, and if neither they nor the trait have parameters: write \
             `impl {short} for {}` by hand",
            ty.name.name
        ));
    }
    let method = match copy_of(&item) {
        Ok(method) => method,
        Err(why) => return refused(why),
    };
    if !has_clone(context, ty) {
        return refused(format!(
            "a copy behind `{short}` is made by `Clone`, which `{}` has not: derive it, or add `+{TAG}=true`",
            ty.name.name
        ));
    }
    let ReturnType::Type(_, output) = &method.sig.output else { return Ok(()) };
    let output = relocated_type(context, &home, output);
    let written = syn::parse_str(name).map_err(|error| Problem::at(&tag.place, error.to_string()))?;
    let implemented = path(context, &ty.module, &written);
    let (own, called) = (own_name(context, ty), &method.sig.ident);
    out.rust(quote! {
        #[automatically_derived]
        impl #implemented for #own {
            fn #called(&self) -> #output {
                ::std::boxed::Box::new(::core::clone::Clone::clone(self))
            }
        }
    });
    Ok(())
}

/// Reports whether a type has `Clone`, or gets it.
fn has_clone(context: &Context<'_>, ty: &Type) -> bool {
    ty.derives("Clone")
        || context.universe.implements(&ty.name, "Clone")
        || context.package.is_some_and(|package| is_wanted(package, ty, TAG))
}

/// Reports whether a name is that of the trait of objects.
fn is_object(context: &Context<'_>, ty: &Type, name: &str) -> bool {
    let whole = || context.universe.whole_path(&ty.module, name);
    name == RUNTIME_OBJECT || whole() == OBJECT || whole() == "rhumb_scheme::Object"
}

/// `Object` has more methods than the copy, and what writes them writes the copy too.
fn object(context: &Context<'_>, ty: &Type, tag: &Tag) -> Outcome<()> {
    if is_registrable(context.universe, ty) {
        return Ok(());
    }
    let name = &ty.name.name;
    let what = match ty.is_object() {
        true => format!(
            "`{name}` is no `{OBJECT}` yet, whose `clone_object` is the copy: write `#[derive(Schema, Object)]` on it, or \
             number its fields and run the generators schema and object"
        ),
        false => format!("`{name}` can't be an `{OBJECT}`, which begins with a field `type_meta: TypeMeta`"),
    };
    Err(Problem::at(&tag.place, what).into())
}

/// Returns the method of a trait that gives a copy, if nothing else has to be implemented.
fn copy_of(item: &ItemTrait) -> Result<&TraitItemFn, String> {
    let name = &item.ident;
    let (mut copies, mut others) = (Vec::new(), Vec::new());
    for part in &item.items {
        match part {
            TraitItem::Fn(method) if method.default.is_some() => {}
            TraitItem::Fn(method) if gives_copy(method) => copies.push(method),
            TraitItem::Fn(method) => others.push(method.sig.ident.to_string()),
            TraitItem::Type(part) if part.default.is_none() => others.push(part.ident.to_string()),
            TraitItem::Const(part) if part.default.is_none() => others.push(part.ident.to_string()),
            _ => {}
        }
    }
    let advice = format!(
        "put the copy into a trait of its own, `trait {name}Copy {{ fn copy(&self) -> Box<dyn {name}>; }}`, make `{name}` \
         demand that, and name `{name}Copy` here"
    );
    match (copies.as_slice(), others.as_slice()) {
        ([method], []) => Ok(method),
        ([], _) => Err(format!("`{name}` has no method that gives a copy: {advice}")),
        (_, []) => Err(format!("`{name}` has more than one method that gives a copy: {advice}")),
        (_, others) => Err(format!(
            "`{name}` needs `{}` too, and an implementation stands in one piece: {advice}",
            others.join("`, `")
        )),
    }
}

/// Reports whether a method is `fn NAME(&self) -> Box<dyn TRAIT>`.
fn gives_copy(method: &TraitItemFn) -> bool {
    let takes_self = matches!(
        method.sig.inputs.iter().collect::<Vec<_>>().as_slice(),
        [FnArg::Receiver(receiver)]
            if matches!(receiver.kind, ReceiverKind::Reference(_, _, None))
    );
    let ReturnType::Type(_, output) = &method.sig.output else { return false };
    let syn::Type::Path(output) = &**output else { return false };
    let Some(last) = output.path.segments.last().filter(|last| last.ident == "Box") else { return false };
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return false };
    takes_self
        && method.sig.generics.params.is_empty()
        && matches!(arguments.args.first(), Some(syn::GenericArgument::Type(syn::Type::TraitObject(_))))
}
