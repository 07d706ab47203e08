//! `#[derive(Schema)]`.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DeriveInput, Error, Result};

use super::attributes::{FieldAttributes, camel_case, doc, outer, struct_fields};

/// Returns a struct's table and the ways to its fields, as `#[derive(Schema)]` writes them.
///
/// # Errors
/// What is missing or contradicts itself in the attributes, at its place.
pub fn schema(input: &DeriveInput) -> Result<TokenStream> {
    schema_of(input, &quote!(::core::module_path!()))
}

/// Expands `derive(Schema)` for code in another module than the type: an expression gives the path of the type's
/// module.
///
/// # Errors
/// See [`schema`].
pub fn schema_of(input: &DeriveInput, module: &TokenStream) -> Result<TokenStream> {
    let fields = struct_fields(input)?;
    let mut form = quote!(Object);
    let (mut transparent, mut atomic, mut retired) = (false, false, false);
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("schema")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("transparent") {
                transparent = true;
                form = quote!(Transparent);
            } else if meta.path.is_ident("union") {
                let words = meta.value().and_then(|value| value.parse::<syn::LitStr>());
                let words = words.map_or_else(|_| String::new(), |words| words.value());
                form = quote!(Union(#words));
            } else if meta.path.is_ident("atomic") {
                atomic = true;
            } else if meta.path.is_ident("retired") {
                retired = true;
            } else {
                return Err(meta.error("expected `transparent`, `union`, `atomic` or `retired`"));
            }
            Ok(())
        })?;
    }
    if transparent && fields.len() != 1 {
        return Err(Error::new_spanned(&input.ident, "a transparent struct has exactly one field"));
    }

    let mut tables = Vec::new();
    let mut places = Vec::new();
    let mut inline = Vec::new();
    let mut types = Vec::new();
    let mut gone = Vec::new();
    let mut positions: BTreeMap<u32, (u8, String)> = BTreeMap::new();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for (position, field) in fields.iter().enumerate() {
        let index = syn::Index::from(position);
        let place = field.ident.as_ref().map_or_else(|| quote!(#index), |ident| quote!(#ident));
        let name = field.ident.as_ref().map_or_else(|| position.to_string(), ToString::to_string);
        let name = name.strip_prefix("r#").unwrap_or(&name).to_owned();
        let attributes = FieldAttributes::read(field, &name)?;
        let position8 = u8::try_from(position)
            .ok()
            .filter(|position| *position < u8::MAX)
            .ok_or_else(|| Error::new_spanned(&input.ident, "more than 255 fields in one struct"))?;
        if attributes.number > 0
            && let Some((_, other)) = positions.insert(attributes.number, (position8, name.clone()))
        {
            return Err(Error::new_spanned(
                field,
                format!("fields `{other}` and `{name}` both have the protobuf number {}", attributes.number),
            ));
        }
        let json = if attributes.inline {
            String::new()
        } else {
            attributes.json.clone().unwrap_or_else(|| camel_case(&name))
        };
        if !attributes.inline
            && let Some(other) = names.insert(json.clone(), name.clone())
        {
            return Err(Error::new_spanned(
                field,
                format!("fields `{other}` and `{name}` both have the JSON name {json:?}"),
            ));
        }
        tables.push(field_table(field, &name, &json, &attributes)?);
        places.push(place);
        inline.push(attributes.inline);
        gone.push(attributes.era == Some("Gone"));
        types.push(&field.ty);
    }

    let ident = &input.ident;
    let name = ident.to_string();
    let doc = doc(&input.attrs);
    let desc = format_ident!("DESC");
    let indices: Vec<usize> = (0..places.len()).collect();
    let sends = indices.iter().zip(&places).zip(&inline).zip(&types).map(|(((index, place), inline), ty)| {
        if *inline {
            quote!(::rhumb_schema::Struct::send_fields(&self.#place, sink);)
        } else {
            described(ty, quote!(hand_over(&self.#place, &FIELDS[#index], sink);))
        }
    });
    let numbered = positions.values().rev().map(|(position, _)| {
        let index = usize::from(*position);
        let place = &places[index];
        described(types[index], quote!(put(&self.#place, &FIELDS[#index], out);))
    });
    let numbers = positions.keys();
    let reads = positions.values().map(|(position, _)| {
        let index = usize::from(*position);
        let place = &places[index];
        let take = described(types[index], quote!(take(&mut self.#place, &FIELDS[#index], tag, reader)?));
        if !gone[index] {
            return take;
        }
        quote!(if reader.is_retired() {
            #take
        } else {
            reader.skip(tag)?
        })
    });
    let gets = places.iter().zip(&types).map(|(place, ty)| described(ty, quote!(as_value(&self.#place))));
    let muts =
        places.iter().zip(&types).map(|(place, ty)| described(ty, quote!(as_value_mut(&mut self.#place))));
    let takes = places
        .iter()
        .zip(&types)
        .map(|(place, ty)| described(ty, quote!(take_over(&mut self.#place, source))));
    let count = places.len();
    Ok(quote! {
        const _: () = {
            static FIELDS: [::rhumb_schema::FieldDesc; #count] = [#(#tables),*];
            static SIGNS: [u32; #count] = ::rhumb_schema::private::signs(&FIELDS);
            static #desc: ::rhumb_schema::StructDesc = ::rhumb_schema::StructDesc {
                name: #name,
                module: #module,
                doc: #doc,
                fields: &FIELDS,
                signs: &SIGNS,
                form: ::rhumb_schema::JsonForm::#form,
                atomic: #atomic,
                retired: #retired,
            };
            #[automatically_derived]
            impl ::rhumb_schema::Struct for #ident {
                fn desc(&self) -> &'static ::rhumb_schema::StructDesc {
                    &#desc
                }
                fn field(&self, position: usize) -> &dyn ::rhumb_schema::Value {
                    match position {
                        #(#indices => #gets,)*
                        _ => ::core::panic!("no such field"),
                    }
                }
                fn field_mut(&mut self, position: usize) -> &mut dyn ::rhumb_schema::Value {
                    match position {
                        #(#indices => #muts,)*
                        _ => ::core::panic!("no such field"),
                    }
                }
                fn send_fields(&self, sink: &mut ::rhumb_schema::text::JsonWriter) {
                    #(#sends)*
                }
                fn write_numbered(&self, out: &mut ::rhumb_schema::wire::BackWriter) {
                    #(#numbered)*
                }
                fn read_numbered(
                    &mut self,
                    reader: &mut ::rhumb_schema::wire::Reader<'_>,
                ) -> ::rhumb_schema::Received {
                    // Fields come in the order of their numbers, so each is asked for once and the processor foresees
                    // which are there. What comes in another order takes another round.
                    let mut tag = reader.tag();
                    loop {
                        let begin = reader.left();
                        #(while tag.number() == #numbers {
                            #reads;
                            tag = reader.tag();
                        })*
                        if tag.number() == 0 {
                            return reader.end(&#desc);
                        }
                        if begin == reader.left() {
                            reader.skip(tag)?;
                            tag = reader.tag();
                        }
                    }
                }
                fn receive_field(
                    &mut self,
                    position: usize,
                    source: &mut dyn ::rhumb_schema::Source,
                ) -> ::rhumb_schema::Received {
                    match position {
                        #(#indices => #takes,)*
                        _ => ::core::result::Result::Ok(()),
                    }
                }
            }
            #[automatically_derived]
            impl ::core::cmp::PartialEq for #ident {
                fn eq(&self, other: &Self) -> bool {
                    ::rhumb_schema::private::equal_structs(self, other)
                }
            }
            #[automatically_derived]
            impl ::core::fmt::Debug for #ident {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    ::rhumb_schema::private::debug(self, f)
                }
            }
            #[automatically_derived]
            impl ::rhumb_schema::Value for #ident {
                fn view(&self) -> ::rhumb_schema::View<'_> {
                    ::rhumb_schema::View::Struct(self)
                }
                fn view_mut(&mut self) -> ::rhumb_schema::ViewMut<'_> {
                    ::rhumb_schema::ViewMut::Struct(self)
                }
                fn reset(&mut self) {
                    *self = ::core::default::Default::default();
                }
                fn send(&self, slot: ::rhumb_schema::Slot, sink: &mut ::rhumb_schema::text::JsonWriter) {
                    sink.structure(slot, self);
                }
                fn receive(&mut self, source: &mut dyn ::rhumb_schema::Source) -> ::rhumb_schema::Received {
                    source.structure(self)
                }
                fn write_wire(&self, slot: ::rhumb_schema::Slot, out: &mut ::rhumb_schema::wire::BackWriter) {
                    let before = out.len();
                    ::rhumb_schema::Struct::write_numbered(self, out);
                    out.delimit(slot.number, before);
                }
                fn read_wire(
                    &mut self,
                    slot: ::rhumb_schema::Slot,
                    tag: ::rhumb_schema::wire::Tag,
                    reader: &mut ::rhumb_schema::wire::Reader<'_>,
                ) -> ::rhumb_schema::Received {
                    let behind = reader.enter(slot, tag)?;
                    ::rhumb_schema::Struct::read_numbered(self, reader)?;
                    reader.leave(behind);
                    ::core::result::Result::Ok(())
                }
            }
            #[automatically_derived]
            impl ::rhumb_schema::Described for #ident {
                const SHAPE: ::rhumb_schema::Shape = ::rhumb_schema::Shape::Struct(|| &#desc);
            }
        };
    })
}

/// Returns a call of a function of `Described` for a field's type, at the place of the type: a type that is not
/// described is then one error there, however often it is used.
fn described(ty: &syn::Type, call: TokenStream) -> TokenStream {
    quote_spanned!(ty.span()=> <#ty as ::rhumb_schema::Described>::#call)
}

fn field_table(
    field: &syn::Field,
    name: &str,
    json: &str,
    attributes: &FieldAttributes,
) -> Result<TokenStream> {
    let ty = &field.ty;
    let doc = doc(&field.attrs);
    let number = attributes.number;
    let presence = format_ident!("{}", attributes.presence.unwrap_or("Optional"));
    let omit = if attributes.not_null {
        quote!(::rhumb_schema::Omit::NeverNull)
    } else {
        quote!(::rhumb_schema::private::omit(
            &<#ty as ::rhumb_schema::Described>::SHAPE,
            ::rhumb_schema::Presence::#presence
        ))
    };
    let era = format_ident!("{}", attributes.era.unwrap_or("Any"));
    let inline = attributes.inline;
    let atomic = attributes.atomic;
    let keys = &attributes.keys;
    if !keys.is_empty() && outer(ty).is_none_or(|(name, ..)| name != "Vec") {
        return Err(Error::new_spanned(ty, format!("field `{name}` has `keys(…)`, but is no `Vec`")));
    }
    let list_type = match (keys.is_empty(), attributes.list) {
        (false, _) => quote!(::rhumb_schema::ListType::Map(&[#(#keys),*])),
        (true, Some(kind)) => {
            let kind = format_ident!("{kind}");
            quote!(::rhumb_schema::ListType::#kind)
        }
        (true, None) => quote!(::rhumb_schema::ListType::Unspecified),
    };
    let strategy = attributes.merge.as_ref().map(syn::LitStr::value).unwrap_or_default();
    let merge_key = attributes.merge_key.as_ref().map(syn::LitStr::value).unwrap_or_default();
    let default = match &attributes.default {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    };
    let values = attributes.values.as_ref().map_or_else(|| quote!(&[]), |path| quote!(#path));
    Ok(quote! {
        ::rhumb_schema::FieldDesc {
            name: #name,
            json: #json,
            json_key: ::rhumb_schema::JsonKey::new(#json),
            number: #number,
            doc: #doc,
            shape: <#ty as ::rhumb_schema::Described>::SHAPE,
            presence: ::rhumb_schema::Presence::#presence,
            omit: #omit,
            era: ::rhumb_schema::Era::#era,
            inline: #inline,
            list_type: #list_type,
            atomic: #atomic,
            patch_strategy: #strategy,
            patch_merge_key: #merge_key,
            default: #default,
            values: #values,
        }
    })
}
