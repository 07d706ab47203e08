//! Fields that only one side of a conversion has, which functions convert.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident};
use syn::{Block, Error, Expr, Ident, ImplItem, Item, Result, Stmt, parse_quote};

use crate::namer::Imports;

/// Side that has a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// The version.
    Own,
    /// The hub.
    Hub,
}

/// A field that only one side has.
pub(super) struct Alone {
    /// Which.
    pub(super) side: Side,
    /// Name of the field.
    pub(super) field: String,
    /// The module with its functions `to_hub` and `from_hub`, as the generated file writes its path.
    pub(super) module: String,
}

/// Adds the calls to both directions, which must be those of [`crate::expand::convert`] without these fields.
///
/// A value that the other side has no field for is handed to the function with the object it may go into. A value that
/// this side has no field for is made by the function from all that there is.
pub(super) fn add(expanded: TokenStream, alone: &[Alone], imports: &mut Imports) -> Result<TokenStream> {
    if alone.is_empty() {
        return Ok(expanded);
    }
    let mut file: syn::File = syn::parse2(expanded)?;
    for (item, from) in file.items.iter_mut().zip([Side::Own, Side::Hub]) {
        let body = body(item).ok_or_else(|| Error::new(Span::call_site(), "the conversion has no body"))?;
        extend(body, from, alone, imports)?;
    }
    Ok(file.into_token_stream())
}

/// Returns the body of the only function of an implementation.
fn body(item: &mut Item) -> Option<&mut Block> {
    let Item::Impl(item) = item else { return None };
    match item.items.first_mut()? {
        ImplItem::Fn(function) => Some(&mut function.block),
        _ => None,
    }
}

/// Adds the calls to the direction that begins on a side.
fn extend(body: &mut Block, from: Side, alone: &[Alone], imports: &mut Imports) -> Result<()> {
    let Some(Stmt::Expr(Expr::Call(end), None)) = body.stmts.pop() else {
        return Err(Error::new(Span::call_site(), "the conversion doesn't end with what it made"));
    };
    let made = end.args;
    let function = format_ident!("{}", if from == Side::Own { "to_hub" } else { "from_hub" });
    let (mut made_first, mut set, mut given) = (Vec::<Stmt>::new(), Vec::<Stmt>::new(), Vec::<Stmt>::new());
    for (number, Alone { side, field, module }) in alone.iter().enumerate() {
        let module = Ident::new(&imports.name(module), Span::call_site());
        let field = syn::parse_str(field).unwrap_or_else(|_| Ident::new_raw(field, Span::call_site()));
        if *side == from {
            // What the pattern above leaves out was not moved.
            given.push(parse_quote!(#module::#function(self.#field, &mut made, scope)?;));
        } else {
            let value = format_ident!("value_{number}");
            made_first.push(parse_quote!(let #value = #module::#function(&self, scope)?;));
            set.push(parse_quote!(made.#field = #value;));
        }
    }
    body.stmts.splice(0..0, made_first);
    let end: Block = parse_quote!({
        let mut made = #made;
        #(#set)*
        #(#given)*
        ::core::result::Result::Ok(made)
    });
    body.stmts.extend(end.stmts);
    Ok(())
}
