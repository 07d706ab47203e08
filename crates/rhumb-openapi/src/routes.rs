//! Operations of resources, from the resource table.

use rhumb_api::resources::{Gives, Resource, Served, Subresource, Verb};
use rhumb_meta::{GroupVersion, GroupVersionKind, v1};
use rhumb_schema::StructDesc;
use rhumb_scheme::Scheme;
use rhumb_scheme::mapper::Scope;
use rhumb_scheme::openapi::Model;

use crate::amend::{PATCH, content_of, table_of};
use crate::operation::{Body, Content, Method, Operation, Route};
use crate::parameters::{Parameter, of_options};
use crate::{Settings, root};

const JSON: &str = "application/json";
const YAML: &str = "application/yaml";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
const ANY: &str = "*/*";

/// Returns the formats of single objects.
pub(crate) fn formats(settings: &Settings) -> Vec<&'static str> {
    let mut formats = vec![JSON, YAML, PROTOBUF];
    if settings.cbor {
        formats.push("application/cbor");
    }
    formats
}

/// Returns the formats of lists, and of the watches that a list can become.
fn stream_formats(settings: &Settings) -> Vec<&'static str> {
    let mut formats = formats(settings);
    formats.extend(["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"]);
    if settings.cbor {
        formats.push("application/cbor-seq");
    }
    formats
}

fn patch_formats(settings: &Settings) -> Vec<&'static str> {
    let mut formats = vec![
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/strategic-merge-patch+json",
        "application/apply-patch+yaml",
    ];
    if settings.cbor {
        formats.push("application/apply-patch+cbor");
    }
    formats
}

/// Group and version in operation names: `CoreV1`, and as the tag `core_v1`.
pub(crate) struct Names {
    pub(crate) group: String,
    pub(crate) group_tag: String,
    pub(crate) infix: String,
    pub(crate) tag: String,
}

impl Names {
    pub(crate) fn of(gv: &GroupVersion) -> Self {
        let group = if gv.group.is_empty() { "core" } else { gv.group.trim_end_matches(".k8s.io") };
        let tag = camel(group);
        let group = capital(&tag);
        Names {
            infix: format!("{group}{}", capital(&camel(&gv.version))),
            tag: format!("{tag}_{}", camel(&gv.version)),
            group,
            group_tag: tag,
        }
    }
}

/// `rbac.authorization` as `rbacAuthorization`.
fn camel(text: &str) -> String {
    let mut parts = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + &capital(part))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
}

/// Builds the routes of one version's resources.
pub(crate) struct Routes<'a> {
    scheme: &'a Scheme,
    settings: &'a Settings,
    gv: GroupVersion,
    names: Names,
    routes: Vec<Route>,
}

/// Target of an operation: a resource or subresource.
struct Subject<'a> {
    resource: &'a Resource,
    /// Content of requests and responses.
    content: Content,
    kind: GroupVersionKind,
    /// The name of the subresource in names of operations; empty for the resource itself.
    suffix: String,
}

impl<'a> Routes<'a> {
    pub(crate) fn new(scheme: &'a Scheme, settings: &'a Settings, gv: &GroupVersion) -> Self {
        Routes { scheme, settings, gv: gv.clone(), names: Names::of(gv), routes: Vec::new() }
    }

    pub(crate) fn finish(self) -> Vec<Route> {
        self.routes
    }

    /// Adds the routes of a resource and of all below it.
    pub(crate) fn resource(&mut self, served: &Served) {
        let resource = served.resource;
        let subject = Subject {
            resource,
            content: self.content(&served.gvk()),
            kind: served.gvk(),
            suffix: String::new(),
        };
        let has = |verb| resource.verbs.contains(&verb);
        let root = root(&self.gv);
        let plural = resource.plural;
        let below = if is_namespaced(resource) { "namespaces/{namespace}/" } else { "" };
        let all = format!("{root}/{below}{plural}");
        let one = format!("{all}/{{name}}");
        if has(Verb::List) {
            self.list(&subject, all.clone(), "");
            if is_namespaced(resource) {
                self.list(&subject, format!("{root}/{plural}"), "ForAllNamespaces");
            }
        }
        if has(Verb::Create) {
            self.create(&subject, all.clone());
        }
        if has(Verb::DeleteCollection) {
            self.delete_all(&subject, all);
        }
        if has(Verb::Watch) {
            if has(Verb::List) {
                self.watch(&subject, format!("{root}/watch/{below}{plural}"), "List", "");
                if is_namespaced(resource) {
                    self.watch(&subject, format!("{root}/watch/{plural}"), "List", "ForAllNamespaces");
                }
            }
            self.watch(&subject, format!("{root}/watch/{below}{plural}/{{name}}"), "", "");
        }
        self.object(&subject, resource.verbs, &one);
        if has(Verb::Delete) {
            self.delete(&subject, one.clone());
        }
        for part in served.subresources() {
            self.subresource(served, part, format!("{one}/{}", part.name));
        }
    }

    fn subresource(&mut self, served: &Served, part: &Subresource, path: String) {
        let kind = served.kind_of(part);
        let subject = Subject {
            resource: served.resource,
            content: self.content(&kind),
            kind,
            suffix: capital(part.name),
        };
        match part.gives {
            Gives::Kind(options) if options.ends_with("Options") => {
                let passes_on = part.verbs.contains(&Verb::Delete);
                let methods: &[Method] = if passes_on { &Method::ALL } else { &[Method::Get, Method::Post] };
                self.connect(&subject, path.clone(), methods, "");
                if passes_on {
                    self.connect(&subject, format!("{path}/{{path}}"), methods, "WithPath");
                }
            }
            _ if part.name == "log" => self.log(&subject, path),
            _ => {
                self.object(&subject, part.verbs, &path);
                if part.verbs.contains(&Verb::Create) {
                    self.create(&subject, path);
                }
            }
        }
    }

    /// Reading and changing one object, or a part of it.
    fn object(&mut self, subject: &Subject<'_>, verbs: &[Verb], path: &str) {
        if verbs.contains(&Verb::Get) {
            let mut operation = self.operation(subject, "read", "get", "");
            operation.answers = vec![(200, subject.content)];
            self.add(path.to_owned(), Method::Get, operation, None);
        }
        if verbs.contains(&Verb::Update) {
            let mut operation = self.operation(subject, "replace", "put", "");
            operation.answers = vec![(200, subject.content), (201, subject.content)];
            operation.body = Some(Body { content: subject.content, required: true });
            self.add(path.to_owned(), Method::Put, operation, table_of::<v1::UpdateOptions>());
        }
        if verbs.contains(&Verb::Patch) {
            let mut operation = self.operation(subject, "patch", "patch", "");
            operation.answers = vec![(200, subject.content), (201, subject.content)];
            operation.body = Some(Body { content: Content::Fixed(PATCH), required: true });
            operation.consumes = patch_formats(self.settings);
            self.add(path.to_owned(), Method::Patch, operation, table_of::<v1::PatchOptions>());
        }
    }

    fn create(&mut self, subject: &Subject<'_>, path: String) {
        let mut operation = self.operation(subject, "create", "post", "");
        operation.answers = [200, 201, 202].map(|code| (code, subject.content)).to_vec();
        operation.body = Some(Body { content: subject.content, required: true });
        self.add(path, Method::Post, operation, table_of::<v1::CreateOptions>());
    }

    fn list(&mut self, subject: &Subject<'_>, path: String, scope: &str) {
        let list = self.content(&self.gv.with_kind(subject.resource.list_kind()));
        let mut operation = self.operation(subject, "list", "list", scope);
        operation.answers = vec![(200, list)];
        operation.produces = stream_formats(self.settings);
        self.add(path, Method::Get, operation, table_of::<v1::ListOptions>());
    }

    /// The old way to watch, by a path of its own.
    fn watch(&mut self, subject: &Subject<'_>, path: String, many: &str, scope: &str) {
        let action = if many.is_empty() { "watch" } else { "watchlist" };
        let mut operation = self.operation(subject, "watch", action, &format!("{many}{scope}"));
        operation.answers = vec![(200, content_of::<v1::WatchEvent>())];
        operation.produces = stream_formats(self.settings);
        self.add(path, Method::Get, operation, table_of::<v1::ListOptions>());
    }

    fn delete(&mut self, subject: &Subject<'_>, path: String) {
        let status = content_of::<v1::Status>();
        let answer = if subject.resource.documents_deleted() { subject.content } else { status };
        let mut operation = self.operation(subject, "delete", "delete", "");
        operation.answers = vec![(200, answer), (202, answer)];
        operation.body = Some(Body { content: content_of::<v1::DeleteOptions>(), required: false });
        self.add(path, Method::Delete, operation, table_of::<v1::DeleteOptions>());
    }

    fn delete_all(&mut self, subject: &Subject<'_>, path: String) {
        let mut operation = self.operation(subject, "deletecollection", "deletecollection", "");
        operation.answers = vec![(200, content_of::<v1::Status>())];
        operation.body = Some(Body { content: content_of::<v1::DeleteOptions>(), required: false });
        let selecting = table_of::<v1::ListOptions>().into_iter().flat_map(of_options);
        operation
            .parameters
            .extend(selecting.filter(|one| one.name != "watch" && one.name != "allowWatchBookmarks"));
        self.add(path, Method::Delete, operation, table_of::<v1::DeleteOptions>());
    }

    /// Adds the container log as text.
    fn log(&mut self, subject: &Subject<'_>, path: String) {
        let options = self.gv.with_kind("PodLogOptions");
        let options = self.scheme.known_type(&options).map(|known| known.desc);
        let mut operation = self.operation(subject, "read", "get", "");
        operation.answers = vec![(200, Content::Text)];
        operation.produces.insert(0, "text/plain");
        self.add(path, Method::Get, operation, options);
    }

    /// A stream or another server's answers.
    fn connect(&mut self, subject: &Subject<'_>, path: String, methods: &[Method], scope: &str) {
        let options = self.scheme.known_type(&subject.kind).map(|known| known.desc);
        for method in methods {
            let mut operation = self.operation(subject, "connect", "connect", scope);
            let rest = operation.id.split_off("connect".len() + self.names.infix.len());
            operation.id = format!("{}{}{rest}", operation.id, capital(method.as_str()));
            operation.description = format!("Connect to {}", subject.description());
            operation.answers = vec![(200, Content::Text)];
            operation.produces = vec![ANY];
            // It is the other side that knows how to indent.
            operation.parameters.retain(|parameter| parameter.name != "pretty");
            self.add(path.clone(), *method, operation, options);
        }
    }

    fn operation(&self, subject: &Subject<'_>, verb: &str, action: &'static str, scope: &str) -> Operation {
        let Subject { resource, kind, suffix, .. } = subject;
        let namespaced =
            if is_namespaced(resource) && !scope.ends_with("Namespaces") { "Namespaced" } else { "" };
        // The version stands behind the first word: "delete CoreV1 Collection…".
        let (verb, many) = match verb.strip_suffix("collection") {
            Some(verb) => (verb, "Collection"),
            None => (verb, ""),
        };
        Operation {
            id: format!("{verb}{}{many}{namespaced}{}{suffix}{scope}", self.names.infix, resource.kind),
            tag: self.names.tag.clone(),
            description: format!(
                "{} {}{}",
                capital(verb),
                if many.is_empty() { "" } else { "all of " },
                subject.description()
            ),
            action: Some((action, kind.clone())),
            consumes: vec![ANY],
            produces: formats(self.settings),
            parameters: vec![Parameter::PRETTY],
            ..Operation::default()
        }
    }

    fn add(
        &mut self,
        path: String,
        method: Method,
        mut operation: Operation,
        options: Option<&'static StructDesc>,
    ) {
        operation.parameters.extend(options.into_iter().flat_map(of_options));
        for (mark, parameter) in
            [("{namespace}", Parameter::NAMESPACE), ("{name}", Parameter::NAME), ("{path}", Parameter::PATH)]
        {
            if path.contains(mark) {
                operation.parameters.push(parameter);
            }
        }
        self.routes.push(Route { path, method, operation });
    }

    fn content(&self, kind: &GroupVersionKind) -> Content {
        let known = self.scheme.known_type(kind);
        known.map_or(Content::Text, |known| Content::Model(Model::Struct(known.desc)))
    }
}

impl Subject<'_> {
    fn description(&self) -> String {
        match &*self.suffix {
            "" => self.resource.kind.to_owned(),
            part => format!("{} of {}", part.to_ascii_lowercase(), self.resource.kind),
        }
    }
}

fn is_namespaced(resource: &Resource) -> bool {
    resource.scope == Scope::Namespaced
}
