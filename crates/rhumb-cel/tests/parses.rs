//! What cel-go makes of thousands of expressions (tools/record-parses.py), and what this parser makes of them: trees
//! with the numbers of their nodes, errors with their words and places, and texts made of trees again.

use std::fmt::Write as _;
use std::sync::Arc;

use rhumb_cel::ast::{Ast, Expr, ExprKind, Literal};
use rhumb_cel::macros::{self, Macro};
use rhumb_cel::parser::{Options, parse};
use rhumb_cel::source::Source;
use rhumb_cel::unparse::unparse;

fn options(extended: bool) -> Options {
    if !extended {
        return Options::default();
    }
    let all =
        [macros::standard(), macros::optional(), macros::bindings(), macros::two_variables(), macros::math()];
    let macros: Vec<Macro> = all.concat();
    Options {
        macros: macros.into(),
        optional_syntax: true,
        escaped_fields: true,
        macro_calls: true,
        ..Options::default()
    }
}

#[test]
fn expressions_are_parsed_as_cel_go_parses_them() {
    let file = std::env::var("RHUMB_PARSES")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/parses.json").to_owned());
    let rows: Vec<Vec<serde_json::Value>> =
        serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert!(rows.len() > 1_000);
    let (plain, extended) = (options(false), options(true));
    let mut differences = Vec::new();
    for row in &rows {
        let text = row[0].as_str().unwrap();
        let options = if row[1].as_bool().unwrap() { &extended } else { &plain };
        let expected = row[2..].iter().map(|part| part.as_str().unwrap()).collect::<Vec<_>>().join("\n");
        let found = match parse(&Arc::new(Source::new(text)), options) {
            Ok(ast) => {
                let unparsed = unparse(&ast.expr, &ast.info)
                    .unwrap_or_else(|| "ERROR: unsupported expression".to_owned());
                format!("{}\n{unparsed}", tree(&ast))
            }
            Err(errors) => errors.to_string(),
        };
        if found != expected {
            differences.push(format!("{text:?}\nexpected {expected}\nfound    {found}"));
        }
    }
    assert!(
        differences.is_empty(),
        "{} of {} differ:\n\n{}",
        differences.len(),
        rows.len(),
        differences.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n\n"),
    );
}

/// The tree as tools/cel writes it.
fn tree(ast: &Ast) -> String {
    let mut out = String::new();
    write(&mut out, &ast.expr);
    let mut calls: Vec<_> = ast.info.macro_calls.iter().collect();
    calls.sort_by_key(|(id, _)| **id);
    for (id, call) in calls {
        let _ = write!(out, " {id}=");
        write(&mut out, call);
    }
    out
}

fn write(out: &mut String, expr: &Expr) {
    let id = expr.id;
    match &expr.kind {
        ExprKind::Unspecified => put(out, &format!("nothing#{id}")),
        ExprKind::Literal(value) => put(out, &format!("{}#{id}", literal(value))),
        ExprKind::Ident(name) => put(out, &format!("{name}#{id}")),
        ExprKind::Select(select) => {
            let mark = if select.test_only { "?" } else { "" };
            all(out, &format!(".{}{mark}", select.field), expr, [&*select.operand]);
        }
        ExprKind::Call(call) => match &call.target {
            Some(target) => {
                all(out, &format!(".{}", call.function), expr, std::iter::once(&**target).chain(&call.args));
            }
            None => all(out, &call.function, expr, &call.args),
        },
        ExprKind::List(list) => {
            put(out, &format!("(list#{id}"));
            for (index, element) in (0..).zip(&list.elements) {
                put(out, if list.optional.contains(&index) { " ?" } else { " " });
                write(out, element);
            }
            put(out, ")");
        }
        ExprKind::Map(map) => {
            put(out, &format!("(map#{id}"));
            for entry in &map.entries {
                put(out, if entry.optional { " ?" } else { " " });
                write(out, &entry.key);
                put(out, &format!(":#{} ", entry.id));
                write(out, &entry.value);
            }
            put(out, ")");
        }
        ExprKind::Struct(message) => {
            put(out, &format!("({}{{}}#{id}", message.type_name));
            for field in &message.fields {
                put(out, if field.optional { " ?" } else { " " });
                put(out, &format!("{}:#{} ", field.name, field.id));
                write(out, &field.value);
            }
            put(out, ")");
        }
        ExprKind::Comprehension(fold) => {
            let second = fold.iter_var2.as_deref().unwrap_or_default();
            let name = format!("fold {},{second} {}", fold.iter_var, fold.accu_var);
            let parts =
                [&fold.iter_range, &fold.accu_init, &fold.loop_condition, &fold.loop_step, &fold.result];
            all(out, &name, expr, parts);
        }
    }
}

fn put(out: &mut String, text: &str) {
    out.push_str(text);
}

fn all<'a>(out: &mut String, name: &str, expr: &Expr, parts: impl IntoIterator<Item = &'a Expr>) {
    put(out, &format!("({name}#{}", expr.id));
    for part in parts {
        put(out, " ");
        write(out, part);
    }
    put(out, ")");
}

fn literal(literal: &Literal) -> String {
    let hex = |bytes: &[u8]| bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
    match literal {
        Literal::Null => "null".to_owned(),
        Literal::Bool(value) => value.to_string(),
        Literal::Int(value) => value.to_string(),
        Literal::Uint(value) => format!("{value}u"),
        Literal::Double(value) => format!("d{:x}", value.to_bits()),
        Literal::String(value) => format!("s{}", hex(value.as_bytes())),
        Literal::Bytes(value) => format!("b{}", hex(value)),
    }
}
