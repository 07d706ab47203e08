//! The derives that describe API types.
//!
//! - [`macro@Schema`]: a struct's field table and access by position; all codecs work from it.
//! - [`macro@Object`]: a struct is a kind: it has a `type_meta` and mostly a `metadata`.
//! - [`macro@Resource`]: a kind names the resource that its objects are on a server.
//! - [`macro@Convert`]: conversion to the hub and back by field name.
//!
//! What they write is small on purpose: tables and moves, no algorithms. The algorithms stand once in
//! `rhumb-schema` and `rhumb-codec`. It comes from `rhumb-codegen`, which `rhumb gen` uses to write the same into
//! files.

use proc_macro::TokenStream;
use rhumb_codegen::expand;
use syn::{DeriveInput, parse_macro_input};

/// Describes a struct, and with that compares and prints it: `Clone` and `Default` are derived beside it, `PartialEq`
/// and `Debug` come from here.
///
/// On each field `#[field(NUMBER, …)]`, the protobuf number (0 for none) and then, as needed:
///
/// | word | meaning |
/// |---|---|
/// | `json = "podIP"` | the JSON name, where it is not the Rust name in camelCase |
/// | `required` | must be given, always shown in JSON |
/// | `shown` | need not be given, always shown in JSON |
/// | `required_omitempty` | must be given, not shown in JSON when empty |
/// | `omitzero` | not shown when zero, even as a struct |
/// | `once_shown`, `gone`, `newer` | shown even when zero in retired kinds; only there; not while empty there |
/// | `not_null` | always shown, and an empty list is `[]` |
/// | `inline` | its fields stand in the parent's JSON object |
/// | `list = "atomic"`, `list = "set"`, `keys("a", "b")` | how server-side apply merges the list |
/// | `atomic` | server-side apply owns the map or struct as a whole |
/// | `merge = "merge,retainKeys"`, `merge_key = "name"` | strategic merge patch |
/// | `default = "TCP"` | the default, as a literal |
/// | `values = PROTOCOLS` | a constant with the values a string may have |
///
/// On the struct `#[schema(transparent)]` (JSON sees its only field), `#[schema(union)]` (JSON sees the last
/// field that is there; `union = "words"` makes JSON of any other type an error in these words) and
/// `#[schema(atomic)]`; on a kind `#[schema(retired)]`, if Kubernetes has given it up and it is older
/// than today's metadata.
#[proc_macro_derive(Schema, attributes(field, schema))]
pub fn schema(input: TokenStream) -> TokenStream {
    answer(parse_macro_input!(input as DeriveInput), expand::schema)
}

/// Makes a described struct an API object: `type_meta: TypeMeta`, mostly with `metadata: ObjectMeta`, or a list with
/// `metadata: ListMeta` and `items`.
#[proc_macro_derive(Object)]
pub fn object(input: TokenStream) -> TokenStream {
    answer(parse_macro_input!(input as DeriveInput), expand::object)
}

/// Names the resource that objects of a custom type are, for clients.
///
/// On the struct `#[resource(group = "stable.example.com", version = "v1", namespaced)]`:
///
/// | word | meaning |
/// |---|---|
/// | `group = "…"`, `version = "…"` | where the resource stands |
/// | `namespaced` or `cluster` | whether its objects live in namespaces |
/// | `kind = "CronTab"` | the kind, where it is not the struct's name |
/// | `plural = "crontabs"` | the name in paths, where it is not the kind in lower case with an `s` (`es` after an `s`, `ies` for a `y`) |
#[proc_macro_derive(Resource, attributes(resource))]
pub fn resource(input: TokenStream) -> TokenStream {
    answer(parse_macro_input!(input as DeriveInput), expand::resource)
}

/// Converts to the hub's struct and back, field by field.
///
/// `#[convert(hub = path::Type)]` on the struct; `lacks(a, b)` names fields that only the hub has. On fields
/// `#[convert(rename = hub_name)]`, `#[convert(skip)]` for what the hub doesn't have, `#[convert(with = module)]` for
/// functions `to_hub` and `from_hub`, `#[convert(same)]` to move a container of equal types as a whole. A field that
/// only one side has, and that nothing is said about, does not compile.
#[proc_macro_derive(Convert, attributes(convert))]
pub fn convert(input: TokenStream) -> TokenStream {
    answer(parse_macro_input!(input as DeriveInput), expand::convert)
}

fn answer(
    input: DeriveInput,
    derive: fn(&DeriveInput) -> syn::Result<proc_macro2::TokenStream>,
) -> TokenStream {
    derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
