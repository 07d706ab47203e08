//! Nothing that a user or a server can write makes a printer panic.

use rhumb_jsonpath::{MissingKeys, Template, relaxed};
use rhumb_meta::Time;
use rhumb_output::custom_columns::{CustomColumnsPrinter, Headers};
use rhumb_output::document::ManagedFields;
use rhumb_output::format::{Formats, OutputFormat, PrinterOptions, Request};
use rhumb_output::go_template::GoTemplatePrinter;
use rhumb_output::name::NamePrinter;
use rhumb_output::sort_by::{sort_list, sort_table};
use rhumb_output::table::{TableOptions, TablePrinter};
use rhumb_output::{Item, Printer};
use serde_json::{Value as Json, json};

/// Numbers that only look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap_or_default()
    }

    fn text(&mut self, pieces: &[&str], most: usize) -> String {
        (0..self.below(most)).map(|_| pieces[self.below(pieces.len())]).collect()
    }

    fn value(&mut self, depth: usize) -> Json {
        const KEYS: &[&str] = &[
            "kind",
            "apiVersion",
            "metadata",
            "name",
            "items",
            "rows",
            "cells",
            "object",
            "labels",
            "a",
            "b",
            "columnDefinitions",
            "priority",
            "managedFields",
            "creationTimestamp",
            "namespace",
        ];
        match self.below(if depth == 0 { 6 } else { 10 }) {
            0 => Json::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.below(9) as i64 - 4),
            3 => json!(self.below(1000) as f64 / 7.0),
            4 | 5 => {
                json!(self.text(&["a", "v1", "Table", "meta.k8s.io/v1", "é", "\n", "\t", "\u{1b}", "/"], 4))
            }
            6 | 7 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => {
                let mut map = serde_json::Map::new();
                for _ in 0..self.below(5) {
                    map.insert(KEYS[self.below(KEYS.len())].to_owned(), self.value(depth - 1));
                }
                Json::Object(map)
            }
        }
    }
}

const PATHS: &[&str] = &[
    "{",
    "}",
    "{",
    "}",
    ".",
    "a",
    "b",
    "items",
    "[",
    "]",
    "[?(",
    ")]",
    "@",
    "$",
    "'",
    "\"",
    "*",
    "1",
    "-1",
    ":",
    ",",
    "==",
    "!=",
    "<",
    "\\",
    "é",
    " ",
    "..",
    "range ",
    "end",
    "true",
    "\n",
    "99999999999999999999",
    "1.5",
    "&&",
];

#[test]
fn any_path_over_any_object() {
    let mut numbers = Numbers(0x5eed);
    for _ in 0..20_000 {
        let object = numbers.value(4);
        let path = numbers.text(PATHS, 12);
        for path in [path.clone(), format!("{{.{path}}}"), relaxed(&path).unwrap_or_default()] {
            let Ok(template) = Template::parse(&path) else { continue };
            for missing in [MissingKeys::Allow, MissingKeys::Refuse] {
                for value in template.find(&object, missing).into_iter().flatten().flatten() {
                    let _ = (value.plain(), value.printed(), value.to_tree());
                }
            }
        }
        let _ = sort_list(&mut object.clone(), &path);
        let _ = sort_table(&mut object.clone(), &path);
        if let Ok(mut printer) = CustomColumnsPrinter::from_spec(&path, Headers::Show) {
            let _ = printer.print(&object, &mut Vec::new());
        }
        let _ = CustomColumnsPrinter::from_template(&path);
    }
}

#[test]
fn any_go_template_over_any_object() {
    const PIECES: &[&str] = &[
        "{{",
        "}}",
        "{{",
        "}}",
        "{{- ",
        " -}}",
        ".",
        ".a",
        ".items",
        "$",
        "$x",
        " := ",
        " = ",
        "range ",
        "if ",
        "with ",
        "else",
        "end",
        "{{end}}",
        "define \"T\"",
        "template \"T\" ",
        "block \"B\" ",
        "break",
        "continue",
        "index ",
        "len ",
        "printf ",
        "\"%5.2f %[3]*.[2]*[1]q\" ",
        "\"%v\" ",
        "slice ",
        "eq ",
        "lt ",
        "and ",
        "or ",
        "not ",
        "html ",
        "js ",
        "urlquery ",
        "print ",
        "exists ",
        "base64decode ",
        "call ",
        "nil ",
        "true ",
        "1 ",
        "-1 ",
        "0x",
        "1e9 ",
        "'a' ",
        "`r` ",
        "(",
        ")",
        " | ",
        ",",
        "\n",
        " ",
        "é",
        "/*",
        "*/",
        "\\",
        "\"",
    ];
    let mut numbers = Numbers(0xf00d);
    for _ in 0..30_000 {
        let object = numbers.value(3);
        let template = numbers.text(PIECES, 14);
        for template in [template.clone(), format!("{{{{{template}}}}}")] {
            for missing in [MissingKeys::Allow, MissingKeys::Refuse] {
                if let Ok(mut printer) = GoTemplatePrinter::new(&template, missing) {
                    let _ = printer.print(&object, &mut Vec::new());
                }
            }
        }
    }
}

#[test]
fn deep_templates_are_refused_or_stop() {
    let deep = |open: &str, close: &str| open.repeat(20_000) + ".a" + &close.repeat(20_000);
    for template in [
        format!("{{{{{}}}}}", deep("(", ")")),
        deep("{{if .}}", "{{end}}"),
        deep("{{range .}}", "{{end}}"),
        deep("{{block \"x\" .}}", "{{end}}"),
        format!("{{{{if .}}}}{}{{{{end}}}}", "{{else if .}}".repeat(20_000)),
    ] {
        assert!(GoTemplatePrinter::new(&template, MissingKeys::Allow).is_err());
    }
    let endless = "{{define \"T\"}}x{{template \"T\" .}}{{end}}{{template \"T\" .}}";
    let mut printer = GoTemplatePrinter::new(endless, MissingKeys::Allow).expect("a template");
    assert!(printer.print(&json!({}), &mut Vec::new()).is_err());
    assert!(Template::parse(&deep("{..a[", "]}")).is_err());
}

#[test]
fn any_object_in_any_form() {
    let mut numbers = Numbers(0xcafe);
    let forms =
        ["json", "yaml", "kyaml", "name", "", "wide", "jsonpath={..a}", "custom-columns=A:.metadata.name"];
    let no_files = |path: &str| Err(path.to_owned());
    let options = |table| PrinterOptions {
        name: NamePrinter::with_operation("created"),
        managed_fields: ManagedFields::Omit,
        table: Some(table),
        now: Time::from_unix(1_700_000_000, 0),
    };
    for round in 0..3000 {
        let table = TableOptions {
            no_headers: round % 2 == 0,
            with_namespace: round % 3 == 0,
            show_labels: round % 5 == 0,
            label_columns: vec!["a/b".to_owned()],
            kind: (round % 7 == 0).then(|| ("apps".to_owned(), "Deployment".to_owned())),
            ..TableOptions::default()
        };
        for form in forms {
            let format = OutputFormat::choose(&Request::new(form), &Formats::GET, &no_files).expect("a form");
            let mut printer = format.printer(&options(table.clone()));
            for _ in 0..3 {
                let mut object = numbers.value(5);
                if round % 4 == 0 && object.is_object() {
                    object["kind"] = json!("Table");
                    object["apiVersion"] = json!("meta.k8s.io/v1");
                }
                let _ = printer.print(&object, &mut Vec::new());
                let _ = printer.print_item(Item::new(&object).in_event("ADDED"), &mut Vec::new());
                let text = object.to_string();
                let _ = printer.print_item(Item::typed(&object, text.as_bytes()), &mut Vec::new());
                let _ = printer.print_item(Item::typed(&object, b"{\"a\":"), &mut Vec::new());
            }
        }
    }
    let mut printer = TablePrinter::new(TableOptions::default(), Time::from_unix(0, 0));
    printer
        .print(&json!({"metadata": {"creationTimestamp": "9999-12-31T23:59:59Z"}}), &mut Vec::new())
        .expect("a row");
}
