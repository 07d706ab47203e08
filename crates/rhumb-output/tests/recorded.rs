//! What kubectl printed, printed again.
//!
//! The cases are recorded by `tools/record-output.py`: those with an `input` come from `kubectl create` of
//! these objects, the others from `kubectl get` of what a server answered.

use std::io::Write;
use std::path::{Path, PathBuf};

use rhumb_jsonpath::MissingKeys;
use rhumb_meta::Time;
use rhumb_output::custom_columns::Headers;
use rhumb_output::document::ManagedFields;
use rhumb_output::format::{Formats, OutputFormat, PrinterOptions, Request};
use rhumb_output::name::NamePrinter;

use rhumb_output::sort_by::{SortError, SortingPrinter};
use rhumb_output::table::TableOptions;
use rhumb_output::{Item, PrintError, Printer, TabWriter};
use serde_json::{Value as Json, json};

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

fn read(name: &str) -> Json {
    let text = std::fs::read_to_string(cases().join(name)).expect("a file of cases");
    serde_json::from_str(&text).expect("JSON")
}

fn read_file(path: &str) -> Result<Vec<u8>, String> {
    std::fs::read(cases().join("files").join(path))
        .map_err(|_| format!("open {path}: no such file or directory"))
}

fn text<'a>(case: &'a Json, key: &str) -> &'a str {
    case.get(key).and_then(Json::as_str).unwrap_or_default()
}

/// What kubectl makes of an error.
fn complaint(error: &dyn std::fmt::Display) -> String {
    let mut text = format!("error: {error}");
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// The words of a text in a settled order, for what Go takes out of a map in any order.
fn in_any_order(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = text.split([' ', ',']).collect();
    words.sort_unstable();
    words
}

/// A line of a log without its time and place: `F1116 08:20:00.000000   17 sorter.go:1] text`.
fn without_log_header(text: &str) -> String {
    match text.split_once("] ") {
        Some((header, rest)) if header.starts_with('F') && header.contains(".go:") => format!("F] {rest}"),
        _ => text.to_owned(),
    }
}

fn compare(file: &str, run: impl Fn(&Json, &mut Vec<u8>) -> String) {
    let mut failed = Vec::new();
    let all = read(file);
    let all = all.as_array().expect("cases");
    for case in all {
        let mut out = Vec::new();
        let stderr = run(case, &mut out);
        let stdout = String::from_utf8_lossy(&out).into_owned();
        let (theirs, their_errors) = (text(case, "stdout"), text(case, "stderr"));
        let same = if case.get("unordered").is_some() {
            in_any_order(&stdout) == in_any_order(theirs)
        } else {
            stdout == theirs
        };
        if !same || stderr != without_log_header(their_errors) {
            let mut asked = case.clone();
            for key in ["stdout", "stderr", "list", "pages", "events"] {
                asked.as_object_mut().expect("a case").remove(key);
            }
            failed.push(format!(
                "{asked}\n--- ours\n{stdout}\n{stderr}\n--- theirs\n{theirs}\n{their_errors}\n"
            ));
        }
    }
    assert!(failed.is_empty(), "{} of {} differ\n{}", failed.len(), all.len(), failed.join("\n"));
}

fn create(case: &Json, out: &mut Vec<u8>) -> String {
    let request = Request {
        output_given: case.get("output").is_some(),
        template: text(case, "template"),
        missing_keys: if text(case, "missing") == "refuse" {
            MissingKeys::Refuse
        } else {
            MissingKeys::Allow
        },
        ..Request::new(text(case, "output"))
    };
    let format = match OutputFormat::choose(&request, &Formats::GENERIC, &read_file) {
        Ok(format) => format,
        Err(error) => return complaint(&error),
    };
    let managed = case.get("managed").is_some();
    let mut printer = format.printer(&PrinterOptions {
        name: NamePrinter::with_operation("created (dry run)"),
        managed_fields: if managed { ManagedFields::Show } else { ManagedFields::Omit },
        table: None,
        now: Time::from_unix(0, 0),
    });
    if let Some(made) = case.get("typed") {
        let (tree, text) = typed(made);
        return printer
            .print_item(Item::typed(&tree, &text), out)
            .err()
            .map_or(String::new(), |error| complaint(&error));
    }
    let documents = read(&format!("inputs/{}.json", text(case, "input")));
    for document in documents.as_array().expect("documents") {
        if let Err(error) = printer.print(document, out) {
            return complaint(&error);
        }
    }
    String::new()
}

/// What a command makes: the tree and the text of what it prints as JSON.
fn typed(made: &Json) -> (Json, Vec<u8>) {
    let cases = read("typed.json");
    let mut cases = cases.as_array().expect("cases").iter();
    let shown = cases.find(|case| case["typed"] == *made && case["output"] == "json").expect("a case");
    let shown = text(shown, "stdout");
    let mut compact = Vec::new();
    rhumb_schema::text::compact(shown.as_bytes(), &mut compact).expect("JSON");
    (serde_json::from_str(shown).expect("JSON"), compact)
}

#[test]
fn objects_with_a_type() {
    compare("typed.json", create);
}

#[test]
fn json_paths() {
    compare("jsonpath.json", create);
}

#[test]
fn formats() {
    compare("formats.json", create);
}

#[test]
fn go_templates() {
    compare("go-template.json", create);
}

/// The arguments of a `get`.
#[derive(Default)]
struct Get {
    output: String,
    template: String,
    sort_by: String,
    watch: bool,
    events: bool,
    options: TableOptions,
}

fn arguments(case: &Json) -> Get {
    let mut get = Get::default();
    let mut args = case["args"].as_array().expect("arguments").iter().filter_map(Json::as_str);
    let mut show_kind = false;
    while let Some(arg) = args.next() {
        let mut value = || args.next().expect("a value").to_owned();
        match arg {
            "-o" => get.output = value(),
            "--template" => get.template = value(),
            "--sort-by" => get.sort_by = value(),
            "-L" => get.options.label_columns.extend(value().split(',').map(str::to_owned)),
            "-w" => get.watch = true,
            "-A" => get.options.with_namespace = true,
            "--output-watch-events" => get.events = true,
            "--no-headers" => get.options.no_headers = true,
            "--show-labels" => get.options.show_labels = true,
            "--show-kind" => show_kind = true,
            _ => {}
        }
    }
    let (group, kind) = if text(case, "resource").is_empty() { ("", "Pod") } else { ("apps", "Deployment") };
    get.options.kind = show_kind.then(|| (group.to_owned(), kind.to_owned()));
    get
}

/// What `get` does around its printer.
fn get(case: &Json, out: &mut Vec<u8>) -> String {
    let get = arguments(case);
    let request = Request {
        template: &get.template,
        headers: if get.options.no_headers { Headers::Omit } else { Headers::Show },
        ..Request::new(&get.output)
    };
    let format = match OutputFormat::choose(&request, &Formats::GET, &read_file) {
        Ok(format) => format,
        Err(error) => return complaint(&error),
    };
    let mut printer = format.printer(&PrinterOptions {
        name: NamePrinter::short(),
        managed_fields: ManagedFields::Omit,
        table: Some(get.options.clone()),
        now: Time::parse("2026-11-16T00:00:00Z").expect("a time"),
    });
    if !get.sort_by.is_empty() {
        printer = Box::new(SortingPrinter::new(&get.sort_by, printer));
    }
    let objects: Vec<Json> = match case["pages"].as_array() {
        Some(pages) => pages.clone(),
        None => case["list"]["items"].as_array().expect("items").clone(),
    };
    if get.watch {
        return watch(case, &get, &objects, &mut *printer, out);
    }
    if format.is_human() {
        let mut tabs = TabWriter::table(&mut *out);
        for object in &objects {
            if let Err(error @ PrintError::Sort(SortError::Unsortable(_))) =
                printer.print_unaligned(object.into(), &mut tabs)
            {
                return format!("F] {error}\n");
            }
        }
        tabs.flush().expect("memory");
        drop(tabs);
        return match (out.is_empty(), get.options.with_namespace) {
            (false, _) => String::new(),
            (true, false) => "No resources found in default namespace.\n".to_owned(),
            (true, true) => "No resources found\n".to_owned(),
        };
    }
    let list = json!({
        "apiVersion": "v1", "kind": "List", "metadata": { "resourceVersion": "" }, "items": objects
    });
    match printer.print(&list, out) {
        Ok(()) => String::new(),
        Err(error @ PrintError::Sort(SortError::Unsortable(_))) => format!("F] {error}\n"),
        Err(error) => complaint(&error),
    }
}

fn in_event<'a>(object: &'a Json, event: &'a str, get: &Get) -> Item<'a> {
    if get.events { Item::new(object).in_event(event) } else { Item::new(object) }
}

fn watch(case: &Json, get: &Get, objects: &[Json], printer: &mut dyn Printer, out: &mut Vec<u8>) -> String {
    let mut tabs = TabWriter::table(out);
    for object in objects {
        printer.print_unaligned(in_event(object, "ADDED", get), &mut tabs).expect("an object");
    }
    tabs.flush().expect("memory");
    for event in case["events"].as_array().expect("events") {
        let object = event["object"].clone();
        let item = in_event(&object, event["type"].as_str().expect("a type"), get);
        if let Err(error) = printer.print_unaligned(item, &mut tabs) {
            return complaint(&error);
        }
        tabs.flush().expect("memory");
    }
    String::new()
}

#[test]
fn tables_columns_orders_and_watches() {
    compare("get.json", get);
}
