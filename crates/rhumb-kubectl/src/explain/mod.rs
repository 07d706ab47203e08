//! `explain`: describes the fields of a type from the server's OpenAPI documents.

mod document;
mod models;
mod wrap;

use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::discovery::{DeferredMapper, DiscoveryClient, OpenApiForm};
use rhumb_meta::{GroupVersion, GroupVersionKind, GroupVersionResource};
use serde_json::Value;

use document::Document;

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "explain",
    family: Family::Intermediate,
    about: "Show what the fields of a type are",
    long: "Show what a type, or a field of it, is for, and which fields it has. The server is asked, so custom \
        resources are explained, too.\n\nA field is named by its path: <type>.<field>.<field>. Lists are passed \
        through: pods.spec.containers.image.",
    usage: "TYPE [--recursive=FALSE|TRUE] [--api-version=api-version-group] [-o|--output=plaintext|plaintext-openapiv2]",
    examples: &[
        ("The fields of pods", "explain pods"),
        ("One field", "explain pods.spec.containers"),
        ("All fields with those below them", "explain deployments --recursive"),
        ("In another version", "explain horizontalpodautoscalers --api-version=autoscaling/v2"),
    ],
    flags: &[&[
        Flag::bool("recursive", "Show all fields with those below them, by name and type only.").short('R'),
        Flag::text("api-version", "The version to explain: apps/v1."),
        Flag::text("output", "How to print; plaintext-openapiv2 reads the older document of the server.")
            .short('o')
            .default("plaintext")
            .choices(&["plaintext", "plaintext-openapiv2"]),
    ]],
    words: Words::Types,
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let word = match call.args.as_slice() {
        [word] => word.clone(),
        [] => {
            return Err(Failure::message(format!(
                "You must specify the type of resource to explain. Use \"{} api-resources\" for a complete list of \
                 supported resources.\n",
                call.program()
            )));
        }
        _ => return Err(Failure::message("We accept only this format: explain RESOURCE\n")),
    };
    let version = call.flags.text("api-version").to_owned();
    let mapper = std::rc::Rc::clone(call.factory.mapper()?);
    let (mut resource, fields) = match version.is_empty() {
        true => by_prefix(&word, &mapper).await?,
        false => by_name(&word, &mapper).await?,
    };
    let discovery = mapper.discovery().live().clone();
    let output = call.flags.text("output").to_owned();
    let paths = match output.as_str() {
        "plaintext-openapiv2" => None,
        // A server without the newer documents has the older one.
        "plaintext" => discovery.openapi_v3().await.ok(),
        _ => Some(discovery.openapi_v3().await?),
    };
    let Some(paths) = paths else {
        return older(call, &mapper, &discovery, &resource, &version, &fields).await;
    };
    if !version.is_empty() {
        let GroupVersion { group, version } = parse_version(&version)?;
        (resource.group, resource.version) = (group, version);
    }
    let name = match &*resource.group {
        "" => format!("api/{}", resource.version),
        group => format!("apis/{group}/{}", resource.version),
    };
    let Some(path) = paths.paths.get(&name) else {
        return Err(Failure::message(format!("couldn't find resource for \"{}\"", shown(&resource))));
    };
    let body = discovery.openapi_v3_document(path, OpenApiForm::Json).await.map_err(|error| {
        Failure::from(error).context(&format!("failed to fetch openapi schema for {name}"))
    })?;
    let tree: Value = serde_json::from_slice(&body)
        .map_err(|error| Failure::message(format!("failed to parse openapi schema for {name}: {error}")))?;
    if output != "plaintext" {
        return Err(Failure::message(format!("unrecognized format: {output}")));
    }
    let mut text = String::new();
    let done = Document::new(&tree).explain(&resource, &fields, call.flags.bool("recursive"), &mut text);
    // The heading is printed even if there is no such field.
    call.text(&text)?;
    done.map_err(Failure::message)
}

/// Formats a resource: `apps/v1, Resource=deployments`.
fn shown(resource: &GroupVersionResource) -> String {
    format!("{}/{}, Resource={}", resource.group, resource.version, resource.resource)
}

fn parse_version(text: &str) -> Result<GroupVersion, Failure> {
    match text.split('/').collect::<Vec<_>>().as_slice() {
        [version] => Ok(GroupVersion::new("", (*version).to_owned())),
        [group, version] => Ok(GroupVersion::new((*group).to_owned(), (*version).to_owned())),
        _ => Err(Failure::message(format!("unexpected GroupVersion string: {text}"))),
    }
}

/// Returns the names in a path with dots. What else JSONPath has is not for fields.
fn names(path: &str) -> Result<Vec<String>, Failure> {
    let path = path.strip_suffix('.').unwrap_or(path);
    if path.contains(['[', ']', '{', '}', '*']) {
        return Err(Failure::message("invalid jsonpath syntax, first node must be field node"));
    }
    let mut names = vec![String::new()];
    let mut letters = path.chars();
    while let Some(letter) = letters.next() {
        let next = match letter {
            '.' => {
                names.push(String::new());
                continue;
            }
            '\\' => letters.next(),
            other => Some(other),
        };
        if let Some(name) = names.last_mut() {
            name.extend(next);
        }
    }
    Ok(names)
}

fn anywhere(resource: &str) -> GroupVersionResource {
    GroupVersionResource::new("", "", resource.to_owned())
}

async fn by_name(
    word: &str,
    mapper: &DeferredMapper,
) -> Result<(GroupVersionResource, Vec<String>), Failure> {
    let mut names = names(word)?.into_iter();
    let resource = names.next().unwrap_or_default();
    Ok((mapper.resource_for(&anywhere(&resource)).await?, names.collect()))
}

/// Returns the resource whose name with its group the word begins with; without one, the most wanted.
async fn by_prefix(
    word: &str,
    mapper: &DeferredMapper,
) -> Result<(GroupVersionResource, Vec<String>), Failure> {
    let mut all = names(word)?.into_iter();
    let first = all.next().unwrap_or_default();
    let resources = mapper.resources_for(&anywhere(&first)).await?;
    for resource in &resources {
        let name = match &*resource.group {
            "" => resource.resource.to_string(),
            group => format!("{}.{group}", resource.resource),
        };
        if let Some(rest) = word.strip_prefix(name.as_str()) {
            let fields = if rest.is_empty() { Vec::new() } else { names(rest)? };
            // Dots more than needed are no names.
            let fields: Vec<String> = fields.into_iter().skip(1).skip_while(String::is_empty).collect();
            if fields.iter().any(String::is_empty) {
                return Err(Failure::message("invalid jsonpath syntax, first node must be field node"));
            }
            return Ok((resource.clone(), fields));
        }
    }
    match resources.into_iter().next() {
        Some(resource) => Ok((resource, all.collect())),
        None => Err(Failure::message(format!("the server doesn't have a resource type {first:?}"))),
    }
}

/// Explains by the OpenAPI v2 document.
async fn older(
    call: &mut Call,
    mapper: &DeferredMapper,
    discovery: &DiscoveryClient,
    resource: &GroupVersionResource,
    version: &str,
    fields: &[String],
) -> Outcome {
    let mut kind = match mapper.kind_for(resource).await {
        Ok(kind) => kind,
        Err(_) => {
            let any = GroupVersionResource::new(resource.group.clone(), "", resource.resource.clone());
            mapper.kind_for(&any).await?
        }
    };
    if !version.is_empty() {
        let GroupVersion { group, version } = parse_version(version)?;
        kind = GroupVersionKind::new(group, version, kind.kind);
    }
    let body = discovery.openapi_v2(OpenApiForm::Json).await?;
    let tree: Value = serde_json::from_slice(&body)
        .map_err(|error| Failure::message(format!("failed to parse openapi schema: {error}")))?;
    let recursive = call.flags.bool("recursive");
    let text = models::explain(&tree, &kind, fields, recursive).map_err(Failure::message)?;
    call.text(text)
}
