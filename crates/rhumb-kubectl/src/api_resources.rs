//! `api-resources`: lists the resource types of the server.

use std::io::Write;

use rhumb_cli::command::{Action, Command, Family, Flag};
use rhumb_cli::options::DryRun;
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::discovery::ServerResources;
use rhumb_meta::v1::{APIResource, APIResourceList};
use rhumb_output::TabWriter;

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "api-resources",
    family: Family::Other,
    about: "List the types that the server has",
    examples: &[
        ("All types", "api-resources"),
        ("With what can be done with them", "api-resources -o wide"),
        ("By name", "api-resources --sort-by=name"),
        ("Those that live in a namespace", "api-resources --namespaced=true"),
        ("Those of one API group", "api-resources --api-group=rbac.authorization.k8s.io"),
    ],
    flags: &[&[
        Flag::text("api-group", "Only types of this API group."),
        Flag::bool("cached", "Use what is known about the server, if anything is."),
        Flag::list("categories", "Only types of these categories."),
        Flag::bool("namespaced", "Only types that live in a namespace; with =false, only others.")
            .default("true"),
        Flag::bool("no-headers", "Leave the headings of the table out."),
        Flag::text("output", "How to print.").short('o').choices(&["json", "yaml", "kyaml", "name", "wide"]),
        Flag::bool("show-managed-fields", "Show who set which fields in json and yaml."),
        Flag::text("sort-by", "The column to sort by.").choices(&["name", "kind"]),
        Flag::list("verbs", "Only types with these verbs."),
    ]],
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

/// Output format of the list.
enum Form {
    Table { wide: bool },
    Names,
    Document(rhumb_cli::ResultPrinter),
}

async fn run(call: &mut Call) -> Outcome {
    if !call.args.is_empty() {
        return Err(call.usage(format!("unexpected arguments: {}", call.listed_args())));
    }
    let mapper = std::rc::Rc::clone(call.factory.mapper()?);
    let form = form(call)?;
    let sort_by = call.flags.text("sort-by").to_owned();
    if !["", "name", "kind"].contains(&sort_by.as_str()) {
        return Err(Failure::message("--sort-by accepts only name or kind"));
    }
    if !call.flags.bool("cached") {
        mapper.reset().await;
    }
    let served = mapper.discovery().server_resources().await?;
    let failure = served.failure().map(|failed| Failure::message(failed.to_string()));
    let mut resources = chosen(call, &served);
    if served.resources.is_empty() {
        return failure.map_or(Ok(()), Err);
    }
    resources.sort_by(|a, b| {
        let keys = match sort_by.as_str() {
            "name" => (&a.name, &b.name),
            "kind" => (&a.kind, &b.kind),
            _ => (&a.group, &b.group),
        };
        keys.0.cmp(keys.1).then_with(|| a.name.cmp(&b.name))
    });
    print(call, form, resources)?;
    failure.map_or(Ok(()), Err)
}

fn form(call: &Call) -> Result<Form, Failure> {
    match call.flags.text("output") {
        "" => Ok(Form::Table { wide: false }),
        "wide" => Ok(Form::Table { wide: true }),
        "name" => Ok(Form::Names),
        "json" | "yaml" | "kyaml" => Ok(Form::Document(call.printer(DryRun::None)?)),
        other => Err(Failure::message(format!(
            "unable to match a printer suitable for the output format {other:?}, allowed formats are: \
             json,kyaml,name,wide,yaml"
        ))),
    }
}

/// Returns the resources that the flags ask for, each in the version that the server prefers.
fn chosen(call: &Call, served: &ServerResources) -> Vec<APIResource> {
    let flags = &call.flags;
    let (verbs, categories) = (flags.list("verbs"), flags.list("categories"));
    let group_asked = flags.is_given("api-group").then(|| flags.text("api-group"));
    let namespaced = flags.is_given("namespaced").then(|| flags.bool("namespaced"));
    let mut chosen = Vec::new();
    for list in served.preferred() {
        let (group, version) = list.group_version.split_once('/').unwrap_or(("", &list.group_version));
        for mut resource in list.resources {
            let fits = !resource.verbs.0.is_empty()
                && group_asked.is_none_or(|asked| asked == group)
                && namespaced.is_none_or(|namespaced| namespaced == resource.namespaced)
                && verbs.iter().all(|verb| resource.verbs.0.contains(verb))
                && categories.iter().all(|category| resource.categories.contains(category));
            if fits {
                group.clone_into(&mut resource.group);
                version.clone_into(&mut resource.version);
                chosen.push(resource);
            }
        }
    }
    chosen
}

fn print(call: &mut Call, form: Form, resources: Vec<APIResource>) -> Outcome {
    let wide = match form {
        Form::Document(mut printer) => {
            let mut list = APIResourceList { resources, ..APIResourceList::default() };
            rhumb_meta::Object::set_type_meta(&mut list, "v1", "APIResourceList");
            return printer.print_typed(&mut call.streams, &list, "");
        }
        Form::Names => {
            for resource in &resources {
                match resource.group.as_str() {
                    "" => call.line(&resource.name)?,
                    group => call.line(format!("{}.{group}", resource.name))?,
                }
            }
            return Ok(());
        }
        Form::Table { wide } => wide,
    };
    let mut out = TabWriter::table(&mut call.streams.out);
    if !call.flags.bool("no-headers") {
        let more = if wide { "\tVERBS\tCATEGORIES" } else { "" };
        writeln!(out, "NAME\tSHORTNAMES\tAPIVERSION\tNAMESPACED\tKIND{more}")?;
    }
    for resource in &resources {
        let version = match resource.group.as_str() {
            "" => resource.version.clone(),
            group => format!("{group}/{}", resource.version),
        };
        let (name, kind, namespaced) = (&resource.name, &resource.kind, resource.namespaced);
        write!(out, "{name}\t{}\t{version}\t{namespaced}\t{kind}", resource.short_names.join(","))?;
        if wide {
            write!(out, "\t{}\t{}", resource.verbs.0.join(","), resource.categories.join(","))?;
        }
        writeln!(out)?;
    }
    Ok(out.flush()?)
}
