//! `get`: prints objects, once or as they change.

use std::io::{self, Write};

use http::Method;
use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::resource::{Info, Infos, as_object};
use rhumb_cli::{Call, Failure, Outcome, options};
use rhumb_client::WatchEvent;
use rhumb_codec::json;
use rhumb_meta::Scope;
use rhumb_output::format::{Formats, OutputFormat};
use rhumb_output::sort_by;
use rhumb_output::table::TableOptions;
use rhumb_output::{Item, Printer, TabWriter};
use rhumb_scheme::Unstructured;
use serde_json::{Value, json};

/// `Accept` header for tables, with the old form for old servers.
const TABLES: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,\
                      application/json";

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "get",
    suggest_for: &["list", "ls"],
    family: Family::Intermediate,
    about: "Show one object or many",
    long: "Show objects by type, name, labels or file, as a table or in the form that -o asks for.\n\nThose of \
           other namespaces are not shown unless they are asked for. Use \"api-resources\" for the types that the \
           server has.",
    usage: "[(-o|--output=)FORMAT] (TYPE[.VERSION][.GROUP] [NAME | -l label] | TYPE[.VERSION][.GROUP]/NAME ...) [flags]",
    examples: &[
        ("All pods of the namespace", "get pods"),
        ("More columns", "get pods -o wide"),
        ("One deployment as YAML", "get deployment web -o yaml"),
        ("Deployments of an older version of the API", "get deployments.v1.apps -o json"),
        ("The objects that a file names", "get -f web.yaml"),
        ("One field", "get -o template pod/web --template={{.status.phase}}"),
        (
            "Columns of your own",
            "get pod web -o custom-columns=CONTAINER:.spec.containers[0].name,IMAGE:.spec.containers[0].image",
        ),
        ("Several types at once", "get rc,services"),
        ("Pods as they change", "get pods -w"),
        ("Whatever is in the namespace, of any type", "get all --every-type"),
    ],
    flags: &[options::PRINT_TABLES, FLAGS, options::FILES, options::SELECTOR],
    words: Words::TypesAndNames,
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

static FLAGS: &[Flag] = &[
    Flag::bool("no-headers", "Leave the names of the columns out."),
    Flag::list("label-columns", "Labels to show in columns of their own.").short('L'),
    Flag::bool("show-labels", "Show all labels in the last column."),
    Flag::bool("show-kind", "Show the type before each name."),
    Flag::text("sort-by", "Sort by the field that this JSONPath leads to, {.metadata.name} for example."),
    Flag::text("raw", "A path to ask the server for, instead of objects."),
    Flag::bool("watch", "Show the objects, and then those that change.").short('w'),
    Flag::bool("watch-only", "Show only the objects that change."),
    Flag::bool("output-watch-events", "Show what happened to each object; those that are there were ADDED."),
    Flag::bool("ignore-not-found", "An object that is not there is no failure."),
    Flag::text("field-selector", "Only objects with these fields: key1=value1,key2!=value2."),
    Flag::bool("all-namespaces", "From all namespaces.").short('A'),
    Flag::bool("server-print", "Let the server make the tables.").default("true"),
    Flag::int("chunk-size", "500", "How many objects to fetch at once; 0 is all of them."),
    Flag::text("subresource", "A subresource instead of the object: status, scale, resize."),
    Flag::bool("every-type", "With \"all\": objects of every type that can be listed, not only of some."),
];

/// Values of the flags.
struct Get {
    format: OutputFormat,
    namespace: String,
    explicit_namespace: bool,
    all_namespaces: bool,
    server_print: bool,
    no_headers: bool,
    sort_by: String,
}

async fn run(call: &mut Call) -> Outcome {
    if call.flags.is_given("raw") && !call.flags.text("raw").is_empty() {
        return raw(call).await;
    }
    let get = complete(call)?;
    if call.flags.bool("every-type") && call.args == ["all"] {
        call.args = vec![every_type(call, get.all_namespaces).await?];
    }
    if call.flags.bool("watch") || call.flags.bool("watch-only") {
        return watch(call, get).await;
    }
    let infos = get.infos(call).await?;
    match get.format.is_human() {
        true => get.tables(call, infos).await,
        false => get.documents(call, infos).await,
    }
}

fn complete(call: &mut Call) -> Result<Get, Failure> {
    let (namespace, explicit) = call.factory.namespace()?;
    let all_namespaces = call.flags.bool("all-namespaces");
    let output = call.flags.text("output").to_owned();
    let prints_here = output.contains("custom-columns") || output == "yaml" || output.contains("json");
    let sort_by = call.flags.text("sort-by").to_owned();
    if call.flags.bool("watch") {
        if !sort_by.is_empty() {
            call.warn("warning: --watch requested, --sort-by will be ignored for watch events received");
        }
    } else if call.flags.bool("watch-only") {
        if !sort_by.is_empty() {
            call.warn("warning: --watch-only requested, --sort-by will be ignored");
        }
    } else if call.args.is_empty() && options::files(&call.flags).is_empty() {
        let program = call.program().to_owned();
        call.warn(format!(
            "You must specify the type of resource to get. Use \"{program} api-resources\" for a complete list of \
             supported resources.\n"
        ));
        return Err(call.usage(format!(
            "Required resource not specified.\nUse \"{program} explain <resource>\" for a detailed description of that \
             resource (e.g. {program} explain pods)."
        )));
    }
    if call.flags.bool("show-labels") && !matches!(output.as_str(), "" | "wide") {
        return Err(Failure::message(format!("--show-labels option cannot be used with {output} printer")));
    }
    if call.flags.bool("output-watch-events") && !call.flags.bool("watch") && !call.flags.bool("watch-only") {
        return Err("--output-watch-events option can only be used with --watch or --watch-only".into());
    }
    Ok(Get {
        format: call.output_format(&Formats::GET)?,
        namespace,
        explicit_namespace: explicit && !all_namespaces,
        all_namespaces,
        server_print: call.flags.bool("server-print") && !prints_here,
        no_headers: call.flags.bool("no-headers"),
        sort_by,
    })
}

impl Get {
    fn builder(&self, call: &mut Call) -> rhumb_cli::resource::Builder {
        let files = options::files(&call.flags);
        let args = call.args.clone();
        let builder = call
            .factory
            .builder()
            .program(call.program())
            .namespace(&self.namespace)
            .default_namespace()
            .all_namespaces(self.all_namespaces)
            .files(self.explicit_namespace, &files, &mut call.streams)
            .label_selector(call.flags.text("selector"))
            .field_selector(call.flags.text("field-selector"))
            .words(true, &args)
            .latest();
        if !self.server_print || !self.format.is_human() {
            return builder;
        }
        let builder = builder.accept(Some(TABLES.to_owned()));
        if self.sort_by.is_empty() { builder } else { builder.param("includeObject", "Object") }
    }

    async fn infos(&self, call: &mut Call) -> Result<Infos, Failure> {
        // Pages can't be sorted one by one.
        let chunk = if self.sort_by.is_empty() { call.flags.int("chunk-size") } else { 0 };
        let subresource = call.flags.text("subresource").to_owned();
        self.builder(call)
            .subresource(&subresource)
            .chunks_of(chunk)
            .continue_on_error()
            .flatten()
            .build()
            .await
    }

    /// Returns the printer for objects of a kind.
    fn printer(&self, call: &Call, info: Option<&Info>, namespace: bool, kind: bool) -> Box<dyn Printer> {
        let kind = (kind || call.flags.bool("show-kind")).then(|| match info {
            Some(info) => (info.mapping.kind.group.to_string(), info.mapping.kind.kind.to_string()),
            None => Default::default(),
        });
        let table = TableOptions {
            no_headers: self.no_headers,
            with_namespace: namespace,
            wide: false,
            show_labels: call.flags.bool("show-labels"),
            label_columns: call.flags.list("label-columns"),
            kind,
        };
        call.format_printer(&self.format, Some(table))
    }

    async fn tables(&self, call: &mut Call, infos: Infos) -> Outcome {
        let ignores = call.flags.bool("ignore-not-found");
        let (mut infos, failure) = infos.gather_ignoring(|failure| ignores && failure.is_not_found()).await;
        let with_kind =
            infos.iter().any(|info| Some(&info.mapping.kind) != infos.first().map(|info| &info.mapping.kind));
        if !self.sort_by.is_empty() {
            sort(&mut infos, &self.sort_by)?;
        }
        let mut out = TabWriter::table(Separated::default());
        let mut last: Option<(Box<dyn Printer>, &Info)> = None;
        let mut all_namespaced = !self.all_namespaces;
        for info in &infos {
            all_namespaced &= info.is_namespaced();
            let Some(object) = &info.object else { continue };
            let is_new = last.as_ref().is_none_or(|(_, last)| last.mapping.resource != info.mapping.resource);
            if is_new {
                out.flush()?;
                out.forget_widths();
                let separated = out.get_mut();
                separated.is_due = last.is_some() && !self.no_headers && !separated.text.is_empty();
                let with_namespace = self.all_namespaces && info.mapping.scope == Scope::Namespaced;
                last = Some((self.printer(call, Some(info), with_namespace, with_kind), info));
            }
            if let Some((printer, _)) = &mut last {
                printer.print_unaligned(Item::new(object.tree()), &mut out)?;
            }
        }
        let text = out.into_inner()?.text;
        call.streams.out.write_all(&text)?;
        if text.is_empty() && !ignores && failure.is_none() {
            match all_namespaced {
                true => call.warn(format!("No resources found in {} namespace.", self.namespace)),
                false => call.warn("No resources found"),
            }
        }
        failure.map_or(Ok(()), Err)
    }

    async fn documents(&self, call: &mut Call, infos: Infos) -> Outcome {
        let ignores = call.flags.bool("ignore-not-found");
        let is_single = infos.is_single_item();
        let (infos, failure) = infos.gather_ignoring(|failure| ignores && failure.is_not_found()).await;
        let failure = match failure {
            Some(failure) if is_single => return Err(failure),
            failure => failure,
        };
        if infos.is_empty() && ignores {
            return failure.map_or(Ok(()), Err);
        }
        let mut printer = self.printer(call, None, false, false);
        let objects: Vec<Value> =
            infos.into_iter().filter_map(|info| info.object).map(Unstructured::into_tree).collect();
        let mut object = match <[Value; 1]>::try_from(objects) {
            Ok([object]) if is_single => match object.get("items").and_then(Value::as_array) {
                Some(items) => {
                    let version = object.pointer("/metadata/resourceVersion").and_then(Value::as_str);
                    json!({"kind": "List", "apiVersion": "v1", "items": items,
                           "metadata": {"resourceVersion": version.unwrap_or_default()}})
                }
                None => object,
            },
            Ok(objects) => list_of(objects.to_vec()),
            Err(objects) => list_of(objects),
        };
        if !self.sort_by.is_empty() {
            sort_by::sort_list(&mut object, &self.sort_by)
                .map_err(|error| Failure::message(error.to_string()))?;
        }
        printer.print(&object, &mut call.streams.out)?;
        failure.map_or(Ok(()), Err)
    }
}

fn list_of(objects: Vec<Value>) -> Value {
    json!({"kind": "List", "apiVersion": "v1", "items": objects, "metadata": {"resourceVersion": ""}})
}

/// Sorts the rows of tables, or the objects if they are none.
fn sort(infos: &mut Vec<Info>, field: &str) -> Outcome {
    let sorting = |error: sort_by::SortError| Failure::message(error.to_string());
    let tables = infos
        .iter()
        .filter(|info| {
            info.object.as_ref().is_some_and(|object| rhumb_output::table::is_table(object.tree()))
        })
        .count();
    if tables > 0 && tables < infos.len() {
        return Err("sorting is not supported on mixed Table and non-Table object lists".into());
    }
    if tables == 0 {
        if infos.len() > 1 {
            let objects: Vec<&Value> =
                infos.iter().filter_map(|info| info.object.as_ref()).map(Unstructured::tree).collect();
            let order = sort_by::order_of_objects(&objects, field).map_err(sorting)?;
            *infos = order.into_iter().filter_map(|at| infos.get(at).cloned()).collect();
        }
        return Ok(());
    }
    *infos = joined(std::mem::take(infos));
    for info in infos {
        if let Some(object) = info.object.take() {
            let mut table = object.into_tree();
            sort_by::sort_table(&mut table, field).map_err(sorting)?;
            info.object = Unstructured::new(table);
        }
    }
    Ok(())
}

/// Neighbouring tables of one type as one: objects that were asked for by name come in a table each, and a table of
/// one row would never be out of order.
fn joined(tables: Vec<Info>) -> Vec<Info> {
    let mut joined: Vec<Info> = Vec::new();
    for mut info in tables {
        let last = joined.last_mut().filter(|last| last.mapping.resource == info.mapping.resource);
        let Some(last) = last else {
            joined.push(info);
            continue;
        };
        let more = info.object.take().map(Unstructured::into_tree);
        let more = more.as_ref().and_then(|table| table.get("rows")).and_then(Value::as_array);
        if let (Some(more), Some(table)) = (more, last.object.take()) {
            let mut table = table.into_tree();
            if let Some(rows) = table.get_mut("rows").and_then(Value::as_array_mut) {
                rows.extend_from_slice(more);
            }
            last.object = Unstructured::new(table);
        }
    }
    joined
}

/// Writer that adds an empty line before what follows a table.
#[derive(Default)]
struct Separated {
    text: Vec<u8>,
    is_due: bool,
}

impl Write for Separated {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !bytes.is_empty() && std::mem::take(&mut self.is_due) {
            self.text.push(b'\n');
        }
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

async fn watch(call: &mut Call, get: Get) -> Outcome {
    let chunk = call.flags.int("chunk-size");
    let infos = get.builder(call).chunks_of(chunk).single_type().build().await?;
    let (sources, is_single) = (infos.sources(), infos.is_single_item());
    let by_name = infos.targets_single_items();
    let infos = match infos.collect().await {
        Err(failure) if failure.is_not_found() && call.flags.bool("ignore-not-found") => return Ok(()),
        infos => infos?,
    };
    let Some(info) = infos.first() else { return Ok(()) };
    let shows_events = call.flags.bool("output-watch-events");
    let mut printer = get.printer(call, Some(info), get.all_namespaces, false);
    let mut out = TabWriter::table(Vec::new());
    // With --watch-only the header comes first and no rows.
    let mut shows = !call.flags.bool("watch-only");
    let whole = as_object(&infos, is_single);
    let is_list = whole.get(&["items"]).is_some_and(Value::is_array);
    for object in parts(whole.tree()) {
        show(&mut *printer, &mut out, Item::new(&object), shows_events.then_some("ADDED"), shows)?;
    }
    hand_on(&mut out, call)?;
    if sources != 1 {
        return Err("you may only watch a single resource or type of resource at a time".into());
    }
    if by_name && infos.len() != 1 {
        let count = infos.len();
        return Err(Failure::message(format!(
            "watch is only supported on individual resources and resource collections - {count} resources were found"
        )));
    }
    shows = is_list;
    let version = match is_list {
        true => whole.get(&["metadata", "resourceVersion"]).and_then(Value::as_str).unwrap_or_default(),
        false => "0",
    };
    let mut request = info.request(Method::GET)?.param("resourceVersion", version);
    if !by_name {
        for (key, flag) in [("labelSelector", "selector"), ("fieldSelector", "field-selector")] {
            if !call.flags.text(flag).is_empty() {
                request = request.param(key, call.flags.text(flag));
            }
        }
    } else {
        request = request.param("fieldSelector", &format!("metadata.name={}", info.name));
    }
    let mut events = request.watch::<Unstructured>().await?;
    while let Some(event) = events.next().await {
        let (name, object) = match event {
            Ok(WatchEvent::Added(object)) => ("ADDED", object),
            Ok(WatchEvent::Modified(object)) => ("MODIFIED", object),
            Ok(WatchEvent::Deleted(object)) => ("DELETED", object),
            Ok(WatchEvent::Bookmark { .. }) => continue,
            Ok(WatchEvent::Error(mut status)) => {
                status.type_meta.set("v1", "Status");
                let mut text = Vec::new();
                json::encode(&*status, &mut text);
                let tree = serde_json::from_slice(&text).unwrap_or_default();
                let item = Item::typed(&tree, &text);
                show(&mut *printer, &mut out, item, shows_events.then_some("ERROR"), shows)?;
                return hand_on(&mut out, call);
            }
            // A watch that the server ends is no failure: it can't go on for ever.
            Err(_) => break,
        };
        show(&mut *printer, &mut out, Item::new(object.tree()), shows_events.then_some(name), shows)?;
        hand_on(&mut out, call)?;
        shows = true;
    }
    Ok(())
}

/// Returns the objects of a list and of the lists in it, each of the kind that its list is of, or the object or table
/// itself.
fn parts(object: &Value) -> Vec<Value> {
    let Some(items) = object.get("items").and_then(Value::as_array) else {
        return vec![object.clone()];
    };
    let text = |field: &str| object.get(field).and_then(Value::as_str).unwrap_or_default();
    let kind = text("kind").strip_suffix("List").unwrap_or_default();
    let mut items = items.clone();
    for item in items.iter_mut().filter_map(Value::as_object_mut) {
        for (field, value) in [("apiVersion", text("apiVersion")), ("kind", kind)] {
            item.entry(field).or_insert_with(|| value.into());
        }
    }
    items.iter().flat_map(parts).collect()
}

/// Prints an object; of a table that is not to be shown, the header alone.
fn show(
    printer: &mut dyn Printer,
    out: &mut TabWriter<Vec<u8>>,
    item: Item<'_>,
    event: Option<&str>,
    shows: bool,
) -> Outcome {
    let header;
    let item = match shows {
        true => item,
        false if rhumb_output::table::is_table(item.object()) => {
            let mut table = item.object().clone();
            if let Some(fields) = table.as_object_mut() {
                fields.insert("rows".to_owned(), json!([]));
            }
            header = table;
            Item::new(&header)
        }
        false => return Ok(()),
    };
    let item = match event {
        Some(event) => item.in_event(event),
        None => item,
    };
    Ok(printer.print_unaligned(item, out)?)
}

/// Passes on what is complete, at once.
fn hand_on(out: &mut TabWriter<Vec<u8>>, call: &mut Call) -> Outcome {
    out.flush()?;
    let text = std::mem::take(out.get_mut());
    call.streams.out.write_all(&text)?;
    Ok(call.streams.out.flush()?)
}

/// Returns all listable types as an argument: namespaced ones, and with all namespaces also cluster-scoped ones.
async fn every_type(call: &Call, with_cluster: bool) -> Result<String, Failure> {
    let resources = call.factory.discovery()?.server_resources().await?;
    let mut words = Vec::new();
    for list in resources.preferred() {
        let group = list.group_version.split_once('/').map_or("", |(group, _)| group).to_owned();
        for resource in &list.resources {
            let is_listed = resource.verbs.0.iter().any(|verb| verb == "list");
            if is_listed && !resource.name.contains('/') && (resource.namespaced || with_cluster) {
                words.push(match group.as_str() {
                    "" => resource.name.clone(),
                    group => format!("{}.{group}", resource.name),
                });
            }
        }
    }
    Ok(words.join(","))
}

async fn raw(call: &mut Call) -> Outcome {
    let path = call.flags.text("raw").to_owned();
    if !call.args.is_empty() {
        return Err("arguments may not be passed when --raw is specified".into());
    }
    if call.flags.bool("watch") || call.flags.bool("watch-only") || !call.flags.text("selector").is_empty() {
        return Err(
            "--raw may not be specified with other flags that filter the server request or alter the output"
                .into(),
        );
    }
    if !call.flags.text("output").is_empty() {
        return Err("--raw and --output are mutually exclusive".into());
    }
    if !path.starts_with('/') {
        return Err(Failure::message(format!(
            "--raw must be a valid URL path: parse {path:?}: invalid URI for request"
        )));
    }
    let mut body =
        call.factory.client()?.get().request_uri(&path).accept(crate::raw::ACCEPTED).stream().await?;
    while let Some(bytes) = body.next().await {
        call.streams.out.write_all(&bytes?)?;
    }
    Ok(())
}
