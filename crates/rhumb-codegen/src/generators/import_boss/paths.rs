//! Paths in code.

use proc_macro2::{Spacing, TokenStream, TokenTree};

/// A path as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    /// Segments.
    pub(super) parts: Vec<String>,
    /// Whether it begins with `::`, and so with the name of a crate.
    pub(super) from_crates: bool,
    /// The line it stands in.
    pub(super) line: usize,
}

/// Collects all paths of two or more segments in order, including those in macro arguments.
pub(super) fn scan(tokens: TokenStream, found: &mut Vec<Path>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let from_crates = is_separator(&tokens, at);
        let start = if from_crates { at + 2 } else { at };
        match (token, tokens.get(start)) {
            // What stands behind a dot is a field or a method; behind `<T as A>::` it is found through A.
            (_, Some(TokenTree::Ident(first)))
                if !follows(&tokens, at, from_crates) && (from_crates || !is_keyword(Some(token))) =>
            {
                let line = first.span().start().line;
                let (parts, end, goes_on) = parts(&tokens, start);
                if parts.len() > 1 || goes_on || from_crates {
                    found.push(Path { parts, from_crates, line });
                }
                at = end;
            }
            (TokenTree::Group(group), _) => {
                scan(group.stream(), found);
                at += 1;
            }
            _ => at = if from_crates { start + usize::from(is_ident(&tokens, start)) } else { at + 1 },
        }
    }
}

/// Returns the parts of the path that begins somewhere, where it ends, and whether a group or a `*` goes on with it.
fn parts(tokens: &[TokenTree], start: usize) -> (Vec<String>, usize, bool) {
    let mut parts = Vec::new();
    let mut at = start;
    while let Some(TokenTree::Ident(part)) = tokens.get(at) {
        let part = part.to_string();
        parts.push(part.strip_prefix("r#").unwrap_or(&part).to_owned());
        at += 1;
        if !is_separator(tokens, at) {
            return (parts, at, false);
        }
        at += 2;
    }
    let goes_on = match tokens.get(at) {
        Some(TokenTree::Group(_)) => true,
        Some(TokenTree::Punct(mark)) => mark.as_char() == '*',
        _ => false,
    };
    (parts, at, goes_on)
}

fn is_ident(tokens: &[TokenTree], at: usize) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Ident(_)))
}

/// Reports whether `::` stands somewhere.
fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    matches!(
        (tokens.get(at), tokens.get(at + 1)),
        (Some(TokenTree::Punct(one)), Some(TokenTree::Punct(other)))
            if one.as_char() == ':' && one.spacing() == Spacing::Joint && other.as_char() == ':'
    )
}

/// Reports whether what stands somewhere belongs to what stands before it.
fn follows(tokens: &[TokenTree], at: usize, from_crates: bool) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    match before {
        Some(TokenTree::Punct(mark)) => match mark.as_char() {
            '>' => from_crates && !is_arrow(tokens, at - 1),
            '.' => !is_range(tokens, at - 1),
            '\'' | '$' => !from_crates,
            _ => false,
        },
        Some(TokenTree::Ident(_) | TokenTree::Group(_)) => from_crates && !is_keyword(before),
        _ => false,
    }
}

/// Reports whether a `>` ends `->` or `=>`.
fn is_arrow(tokens: &[TokenTree], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    matches!(before, Some(TokenTree::Punct(mark))
        if matches!(mark.as_char(), '-' | '=') && mark.spacing() == Spacing::Joint)
}

/// Reports whether a `.` ends `..`.
fn is_range(tokens: &[TokenTree], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    matches!(before, Some(TokenTree::Punct(mark)) if mark.as_char() == '.' && mark.spacing() == Spacing::Joint)
}

/// Reports whether a word of the language stands before a path, and not a part of it.
fn is_keyword(token: Option<&TokenTree>) -> bool {
    const KEYWORDS: &[&str] = &[
        "as", "async", "await", "break", "const", "continue", "dyn", "else", "for", "if", "impl", "in",
        "let", "loop", "match", "move", "mut", "ref", "return", "static", "unsafe", "use", "where", "while",
        "yield",
    ];
    match token {
        Some(TokenTree::Ident(word)) => KEYWORDS.iter().any(|keyword| word == keyword),
        // A group before `::` is an attribute or a block, which ends what stands before it.
        Some(TokenTree::Group(_)) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &str, expected: &[&str]) {
        let mut found = Vec::new();
        scan(code.parse().expect("it is code"), &mut found);
        let shown: Vec<String> = found
            .iter()
            .map(|path| format!("{}{}", if path.from_crates { "::" } else { "" }, path.parts.join("::")))
            .collect();
        assert_eq!(shown, expected, "{code}");
    }

    #[test]
    fn paths_are_found_wherever_they_stand() {
        check("fn f(a: b::C) -> ::d::E { g::h(i.j, k::l!()) }", &["b::C", "::d::E", "g::h", "k::l"]);
        check("vec![crate::a::b(), super::c]", &["crate::a::b", "super::c"]);
        check("let x: ::a::B = <c::D as e::F>::g::h();", &["::a::B", "c::D", "e::F"]);
        check("a.b::<c::D>().e", &["c::D"]);
        check("f::<G>(); Vec::<h::I>::new()", &["h::I"]);
        check("use a::{b, c}; use d::*;", &["a", "d"]);
        check("#[serde(with = \"x::y\")] #[a::b] struct C<'d>(e::F<'d>);", &["a::b", "e::F"]);
        check("0..a::B; ..=c::D; x => e::F, r#mod::g", &["a::B", "c::D", "e::F", "mod::g"]);
        check("impl ::a::B for ::c::D where T: ::e::F {}", &["::a::B", "::c::D", "::e::F"]);
        check("// a::b\n/// c::d\nstruct E;", &[]);
        check("macro_rules! m { ($a:ident) => { $crate::b::$a }; }", &[]);
    }

    #[test]
    fn a_path_has_its_line() {
        let mut found = Vec::new();
        scan("fn f() {\n    a::b();\n}".parse().expect("it is code"), &mut found);
        assert_eq!(found.iter().map(|path| path.line).collect::<Vec<_>>(), [2]);
    }
}
