//! The parser: from a text to a syntax tree with macros expanded.
//!
//! A text is first read by recursive descent ([`descent`]), which builds the tree as it goes and gives up at the first
//! token that does not fit. Only then is it read a second time, by a machine that follows the grammar ([`grammar`]) as
//! ANTLR's parsers do ([`machine`]): it predicts, reports, recovers and goes on in the same way, so that users are
//! told of errors in the words and at the places that they know from other implementations. Both have the nodes made
//! by one [`build::Builder`].

use std::sync::Arc;

use crate::ast::Ast;
use crate::errors::Errors;
use crate::lexer;
use crate::macros::Macro;
use crate::source::Source;

mod build;
mod descent;
mod grammar;
mod literal;
mod machine;
mod places;
mod predict;
mod recover;
mod tree;

pub(crate) use build::Builder;
pub use build::is_reserved;

/// The name of what loops gather, which expressions can't write.
pub const ACCUMULATOR: &str = "@result";

/// The name that loops gathered under before there was [`ACCUMULATOR`]; loops may still not use it for elements.
pub const OLD_ACCUMULATOR: &str = "__result__";

/// What a parser accepts, and how far it goes.
#[derive(Clone, Debug)]
pub struct Options {
    /// The macros; of two with the same name, style and number of arguments the later counts.
    pub macros: Arc<[Macro]>,
    /// Whether `a.?b`, `a[?b]`, `[?a]` and `{?a: b}` are allowed.
    pub optional_syntax: bool,
    /// Whether fields may be written between backticks.
    pub escaped_fields: bool,
    /// Whether loops gather under [`ACCUMULATOR`].
    pub hidden_accumulator: bool,
    /// Whether the calls that macros were expanded from are kept.
    pub macro_calls: bool,
    /// Whether `a && b && c` becomes one call with three arguments.
    pub variadic_logic: bool,
    /// How deep expressions may be nested.
    pub recursion: u32,
    /// The number of code points that an expression may have.
    pub code_points: u32,
    /// The number of syntax errors after which the parser gives up.
    pub errors: u32,
    /// The number of times that the parser tries to go on after an error.
    pub recoveries: u32,
    /// The number of tokens that it may skip for that.
    pub skipped: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            macros: crate::macros::standard().into(),
            optional_syntax: false,
            escaped_fields: false,
            hidden_accumulator: true,
            macro_calls: false,
            variadic_logic: false,
            recursion: 250,
            code_points: 100_000,
            errors: 100,
            recoveries: 30,
            skipped: 256,
        }
    }
}

impl Options {
    /// The name that loops gather under.
    pub fn accumulator(&self) -> &'static str {
        if self.hidden_accumulator { ACCUMULATOR } else { OLD_ACCUMULATOR }
    }
}

/// Parses an expression.
pub fn parse(source: &Arc<Source>, options: &Options) -> Result<Ast, Errors> {
    if source.length() > options.code_points {
        let mut errors = Errors::new(source.clone());
        let (size, limit) = (source.length(), options.code_points);
        errors.report(
            0,
            None,
            format!("expression code point size exceeds limit: size: {size}, limit {limit}"),
        );
        return Err(errors);
    }
    let tokens = lexer::tokens(source);
    if tokens.unrecognized.is_empty() {
        let mut builder = Builder::new(source, options);
        if let Ok(expr) = descent::expression(&mut builder, &tokens.tokens) {
            return builder.finish(expr);
        }
    }
    let mut builder = Builder::new(source, options);
    match machine::parse(&mut builder, &tokens) {
        Some(tree) => match tree::expression(&mut builder, &tokens.tokens, &tree) {
            Some(expr) => builder.finish(expr),
            None => Err(builder.stop()),
        },
        None => Err(builder.stop()),
    }
}

#[cfg(test)]
mod tests;
