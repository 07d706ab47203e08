//! Sources of infos: files, standard input, URLs, kustomizations, names, selectors.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::PathBuf;
use std::rc::Rc;

use http::Method;
use rhumb_client::Client;
use rhumb_client::discovery::DeferredMapper;
use rhumb_codec::{Strictness, json, yaml};
use rhumb_meta::v1::PartialObjectMetadata;
use rhumb_meta::{GroupVersionKind, Scope};
use rhumb_scheme::Unstructured;
use rhumb_scheme::mapper::{MapperError, RestMapping};
use serde_json::Value;

use super::documents::DocumentReader;
use super::visit::{Next, Visit, kind_of};
use super::{Info, Origin};
use crate::Failure;
use crate::validation::Validator;

/// Maps objects to resources, or guesses the mapping without a server.
#[derive(Clone)]
pub(super) struct Locator {
    /// The server's mapper and a client; `None` with `--local`.
    pub(super) server: Option<(Rc<DeferredMapper>, Client)>,
}

impl Locator {
    /// Returns the info of an object.
    pub(super) async fn locate(&self, object: Unstructured, origin: &Origin) -> Result<Info, Failure> {
        let kind = kind_of(&object);
        let text = |field: &str| {
            object.get(&["metadata", field]).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let (name, namespace, resource_version) = (text("name"), text("namespace"), text("resourceVersion"));
        let (mapping, client) = match &self.server {
            None => (guess(&kind, &namespace), None),
            Some((mapper, client)) => {
                let found = mapper.rest_mapping(&kind.group_kind(), &[&kind.version]).await;
                (found.map_err(|error| unmapped(error, &name, &namespace, origin))?, Some(client.clone()))
            }
        };
        Ok(Info {
            mapping,
            namespace,
            name,
            origin: origin.clone(),
            object: Some(object),
            resource_version,
            subresource: String::new(),
            client,
            accept: None,
            params: Vec::new(),
        })
    }
}

/// Guesses the mapping of a kind without a server.
fn guess(kind: &GroupVersionKind, namespace: &str) -> RestMapping {
    let guessed = rhumb_scheme::mapper::guess_resource(kind);
    let scope = if namespace.is_empty() { Scope::Cluster } else { Scope::Namespaced };
    RestMapping { resource: guessed.plural, kind: kind.clone(), scope }
}

fn unmapped(error: MapperError, name: &str, namespace: &str, origin: &Origin) -> Failure {
    match error {
        error @ MapperError::NoKindMatch { .. } => Failure::message(format!(
            "resource mapping not found for name: {name:?} namespace: {namespace:?} from {:?}: {error}\nensure CRDs are \
             installed first",
            origin.source
        )),
        error @ MapperError::Unavailable(_) => Failure::from(error),
        error => Failure::message(format!("unable to recognize {:?}: {error}", origin.source)),
    }
}

/// A source of infos.
pub(super) enum Source {
    /// A file.
    File(PathBuf),
    /// A stream with the name that messages give it.
    Stream(Box<dyn Read>, String),
    /// An address.
    Url(String),
    /// Objects that were made before, each with where it came from.
    Objects(VecDeque<(Unstructured, Origin)>),
    /// A source that could not be read.
    Failed(Failure),
    /// A name.
    Named(Box<Info>),
    /// Objects of a resource by selectors, in pages.
    Selected(Box<Selected>),
}

/// A resource with selectors.
pub(super) struct Selected {
    /// An info without a name.
    pub(super) info: Info,
    /// The labels to have.
    pub(super) labels: String,
    /// The fields to have.
    pub(super) fields: String,
    /// Page size; all objects if none.
    pub(super) limit: i64,
    /// Continue token.
    pub(super) token: Option<String>,
}

/// Reads sources one after the other.
pub(super) struct Sources {
    /// Whether what goes wrong here is gathered apart from what goes wrong later.
    pub(super) gathers: bool,
    pub(super) locator: Locator,
    pub(super) waiting: VecDeque<Source>,
    pub(super) open: Option<(DocumentReader<Box<dyn Read>>, String)>,
    /// Validates documents before they are decoded.
    pub(super) validator: Option<Validator>,
}

impl Sources {
    async fn advance(&mut self) -> Option<Result<Info, Failure>> {
        loop {
            if let Some((reader, source)) = &mut self.open {
                match reader.read_next() {
                    Ok(None) => self.open = None,
                    Ok(Some(document)) if is_nothing(&document.json) => {}
                    Ok(Some(document)) => {
                        let source = source.clone();
                        let origin = Origin { source, document: document.number, line: document.line };
                        if let Some(validator) = &self.validator
                            && let Err(problem) = validator.check(&document.json).await
                        {
                            let problem = problem.bare();
                            // What stands behind it in the same stream is not looked at, as kubectl does.
                            self.open = None;
                            let failure = Failure::message(format!(
                                "error validating {:?}: error validating data: {problem}; if you choose to \
                                 ignore these errors, turn validation off with --validate=false",
                                origin.source
                            ));
                            return Some(Err(failure.at(&origin)));
                        }
                        let read = self.read(&document.json, &origin).await;
                        return Some(read.map_err(|failure| failure.at(&origin)));
                    }
                    Err(error) => {
                        let failure = Failure::message(format!("error parsing {source}: {error}"));
                        self.open = None;
                        return Some(Err(failure));
                    }
                }
                continue;
            }
            match self.waiting.pop_front()? {
                Source::File(path) => {
                    let name = path.display().to_string();
                    match File::open(&path) {
                        Ok(file) => self.open = Some((DocumentReader::new(Box::new(file)), name)),
                        Err(error) => return Some(Err(unopened(&name, &error))),
                    }
                }
                Source::Stream(stream, name) => self.open = Some((DocumentReader::new(stream), name)),
                Source::Url(url) => match fetch(&url).await {
                    Ok(bytes) => self.open = Some((DocumentReader::new(Box::new(Cursor::new(bytes))), url)),
                    Err(error) => return Some(Err(error)),
                },
                Source::Objects(mut objects) => {
                    let (object, origin) = objects.pop_front()?;
                    if !objects.is_empty() {
                        self.waiting.push_front(Source::Objects(objects));
                    }
                    return Some(self.locator.locate(object, &origin).await);
                }
                Source::Failed(failure) => return Some(Err(failure)),
                Source::Named(info) => return Some(Ok(*info)),
                Source::Selected(mut selected) => {
                    let page = selected.page().await;
                    if page.is_ok() && selected.token.is_some() {
                        self.waiting.push_front(Source::Selected(selected));
                    }
                    return Some(page);
                }
            }
        }
    }

    async fn read(&self, document: &[u8], origin: &Origin) -> Result<Info, Failure> {
        let undecodable = |error: &dyn std::fmt::Display| {
            Failure::message(format!("unable to decode {:?}: {error}", origin.source))
        };
        let (tree, _) = match json::decode_tree(document, Strictness::Ignore) {
            Ok(read) => read,
            // What begins as JSON and is none may be YAML, which has braces too.
            Err(error) => {
                let mut converted = Vec::new();
                yaml::to_json(document, &yaml::ReadOptions::default(), &mut converted)
                    .map_err(|_| undecodable(&error))?;
                json::decode_tree(&converted, Strictness::Ignore).map_err(|error| undecodable(&error))?
            }
        };
        let unusable = |what: &str| {
            undecodable(&format!("json: cannot unmarshal {what} into Go value of type unstructured.detector"))
        };
        match &tree {
            Value::Array(_) => return Err(unusable("array")),
            Value::String(_) => return Err(unusable("string")),
            Value::Number(_) => return Err(unusable("number")),
            Value::Bool(_) => return Err(unusable("bool")),
            Value::Object(_) | Value::Null => {}
        }
        let text = tree.to_string();
        let missing = |field: &str| undecodable(&format!("Object '{field}' is missing in '{text}'"));
        let object = Unstructured::new(tree).ok_or_else(|| missing("Kind"))?;
        let has =
            |field: &str| object.get(&[field]).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
        if !has("kind") {
            return Err(missing("Kind"));
        }
        if !has("apiVersion") {
            return Err(missing("apiVersion"));
        }
        // What is wrong with the rest, the server tells; without metadata nobody could ask it.
        json::decode_into(document, &mut PartialObjectMetadata::default(), Strictness::Ignore)
            .map_err(|error| undecodable(&error))?;
        self.locator.locate(object, origin).await
    }
}

impl Visit for Sources {
    fn next(&mut self) -> Next<'_> {
        Box::pin(async {
            let gathers = self.gathers;
            let next = self.advance().await?;
            Some(next.map_err(|failure| if gathers { Failure::Many(vec![failure]) } else { failure }))
        })
    }
}

impl Selected {
    async fn page(&mut self) -> Result<Info, Failure> {
        let mut request = self.info.request(Method::GET)?;
        for (key, value) in [("labelSelector", &self.labels), ("fieldSelector", &self.fields)] {
            if !value.is_empty() {
                request = request.param(key, value);
            }
        }
        if self.limit > 0 {
            request = request.param("limit", &self.limit.to_string());
        }
        if let Some(token) = self.token.take() {
            request = request.param("continue", &token);
        }
        let response = request.send().await.map_err(|error| self.explain(error))?;
        let (tree, _) = json::decode_tree(&response.body, Strictness::Ignore)
            .map_err(|error| Failure::message(error.to_string()))?;
        let list = Unstructured::new(tree).ok_or_else(|| Failure::message("the server sent no list"))?;
        let text = |field: &str| {
            list.get(&["metadata", field]).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        self.token = Some(text("continue")).filter(|token| !token.is_empty());
        let mut info = self.info.clone();
        info.resource_version = text("resourceVersion");
        info.object = Some(list);
        Ok(info)
    }

    /// Adds the request to errors about invalid selectors and missing resources.
    fn explain(&self, error: rhumb_client::Error) -> Failure {
        let is_ours = !error.is_resource_expired() && (error.is_bad_request() || error.is_not_found());
        match error {
            rhumb_client::Error::Status(mut status) if is_ours => {
                let resource = self.info.mapping.resource.to_string();
                status.message = if self.labels.is_empty() && self.fields.is_empty() {
                    format!("Unable to list {resource:?}: {}", status.message)
                } else {
                    format!(
                        "Unable to find {resource:?} that match label selector {:?}, field selector {:?}: {}",
                        self.labels, self.fields, status.message
                    )
                };
                Failure::from(rhumb_client::Error::Status(status))
            }
            error => Failure::from(error),
        }
    }
}

fn unopened(path: &str, error: &std::io::Error) -> Failure {
    let reason = match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    };
    Failure::message(format!("open {path}: {reason}"))
}

fn is_nothing(json: &[u8]) -> bool {
    matches!(json.trim_ascii(), b"" | b"null")
}

/// Fetches a URL with three attempts.
async fn fetch(url: &str) -> Result<Vec<u8>, Failure> {
    let unusable =
        |error: String| Failure::message(format!("the URL passed to filename {url:?} is not valid: {error}"));
    let uri: http::Uri = url.parse().map_err(|error: http::uri::InvalidUri| unusable(error.to_string()))?;
    let mut server = http::uri::Parts::default();
    server.scheme = uri.scheme().cloned();
    server.authority = uri.authority().cloned();
    server.path_and_query = Some(http::uri::PathAndQuery::from_static("/"));
    let server = http::Uri::from_parts(server).map_err(|error| unusable(error.to_string()))?;
    let client = Client::new(rhumb_client::Config::new(server))?;
    let address = uri.path_and_query().map_or("/", |path| path.as_str());
    let mut last = None;
    for attempt in 0..3 {
        if attempt > 0 {
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        }
        match client.get().request_uri(address).max_retries(0).send().await {
            Ok(response) => return Ok(response.body.to_vec()),
            Err(error) => {
                let code = error.code().unwrap_or(500);
                last = Some(match error {
                    rhumb_client::Error::Status(_) => {
                        let text = u16::try_from(code)
                            .ok()
                            .and_then(|code| http::StatusCode::from_u16(code).ok())
                            .and_then(|code| code.canonical_reason())
                            .unwrap_or_default();
                        Failure::message(format!(
                            "unable to read URL {url:?}, server reported {code} {text}, status code={code}"
                        ))
                    }
                    // The API server has no part in this: what is told names the address that was asked.
                    other => {
                        let server = uri.authority().map_or("", |authority| authority.as_str());
                        Failure::Plain(Failure::from(other).text(server).trim_end().to_owned())
                    }
                });
                if code < 500 {
                    break;
                }
            }
        }
    }
    Err(last.unwrap_or_else(|| Failure::message(format!("unable to read URL {url:?}"))))
}
