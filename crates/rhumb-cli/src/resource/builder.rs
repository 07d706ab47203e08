//! `Builder`: turns arguments and flags into a stream of infos.

use std::collections::VecDeque;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rhumb_meta::{Scope, labels};
use rhumb_scheme::Unstructured;
use rhumb_scheme::mapper::RestMapping;

use super::sources::{Locator, Selected, Source, Sources};
use super::visit::{Decorated, Flattened, Visit};
use super::words::{multiply, split_pair, split_types};
use super::{FileOptions, Info, Infos, Origin, Step, files};
use crate::validation::Validator;
use crate::{Factory, Failure, Streams};

/// Error if no object is named.
const NOTHING_NAMED: &str = "You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'";

/// Builder of [`Infos`]. Errors are returned by [`Builder::build`].
pub struct Builder {
    factory: Factory,
    failures: Vec<Failure>,
    paths: VecDeque<Source>,
    reads_stream: bool,
    uses_stdin: bool,
    is_directory: bool,
    is_single: bool,
    local: bool,
    validator: Option<Validator>,
    namespace: String,
    all_namespaces: bool,
    default_namespace: bool,
    require_namespace: bool,
    labels: Option<String>,
    fields: Option<String>,
    select_all: bool,
    limit: i64,
    types: Vec<String>,
    names: Vec<String>,
    pairs: Vec<(String, String)>,
    aliases: Option<String>,
    subresource: String,
    accept: Option<String>,
    params: Vec<(&'static str, String)>,
    flatten: bool,
    latest: bool,
    require_object: bool,
    single_type: bool,
    continues: bool,
    steps: Vec<Step>,
    program: String,
}

impl Builder {
    pub(crate) fn new(factory: Factory) -> Self {
        Builder {
            factory,
            failures: Vec::new(),
            paths: VecDeque::new(),
            reads_stream: false,
            uses_stdin: false,
            is_directory: false,
            is_single: false,
            local: false,
            validator: None,
            namespace: String::new(),
            all_namespaces: false,
            default_namespace: false,
            require_namespace: false,
            labels: None,
            fields: None,
            select_all: false,
            limit: 0,
            types: Vec::new(),
            names: Vec::new(),
            pairs: Vec::new(),
            aliases: None,
            subresource: String::new(),
            accept: None,
            params: Vec::new(),
            flatten: false,
            latest: false,
            require_object: true,
            single_type: false,
            continues: false,
            steps: Vec::new(),
            program: "kubectl".to_owned(),
        }
    }

    /// Disables the server: only files are read, and mappings are guessed.
    pub fn local(mut self, local: bool) -> Self {
        self.local |= local;
        self
    }

    /// Objects in files are checked, and refused as kubectl's validation refuses them.
    pub fn validated(mut self, validator: Validator) -> Self {
        self.validator = Some(validator);
        self
    }

    /// Sets the name that messages give the program.
    pub fn program(mut self, program: &str) -> Self {
        program.clone_into(&mut self.program);
        self
    }

    /// Sets the namespace to work in.
    pub fn namespace(mut self, namespace: &str) -> Self {
        namespace.clone_into(&mut self.namespace);
        self
    }

    /// Objects without a namespace get the one to work in.
    pub fn default_namespace(mut self) -> Self {
        self.default_namespace = true;
        self
    }

    /// Objects with another namespace than the one to work in are refused.
    pub fn require_namespace(mut self) -> Self {
        self.require_namespace = true;
        self
    }

    /// Selects all namespaces.
    pub fn all_namespaces(mut self, all: bool) -> Self {
        if all {
            self.namespace.clear();
        }
        self.all_namespaces = all;
        self
    }

    /// Files, directories, URLs, standard input, and a kustomization.
    pub fn files(mut self, enforce_namespace: bool, options: &FileOptions, streams: &mut Streams) -> Self {
        if let Err(failure) = options.check() {
            self.failures.push(failure);
            return self;
        }
        for name in &options.filenames {
            if name == "-" {
                if self.uses_stdin {
                    self.failures.push("standard input cannot be used for multiple arguments".into());
                    continue;
                }
                self.uses_stdin = true;
                self.reads_stream = true;
                self.factory.occupy_standard_input();
                self.paths.push_back(Source::Stream(streams.take_input(), "STDIN".to_owned()));
            } else if name.starts_with("http://") || name.starts_with("https://") {
                self.paths.push_back(Source::Url(name.clone()));
            } else {
                self.path(name, options.recursive);
            }
        }
        if !options.kustomize.is_empty() {
            match files::kustomize(Path::new(&options.kustomize), &mut streams.err) {
                Ok(objects) => self.paths.push_back(Source::Objects(objects.into())),
                // What can't be read is told when it is its turn.
                Err(failure) => self.paths.push_back(Source::Failed(failure)),
            }
        }
        if enforce_namespace { self.require_namespace() } else { self }
    }

    fn path(&mut self, name: &str, recursive: bool) {
        let paths = match files::expand(name) {
            Ok(paths) => paths,
            Err(failure) => return self.failures.push(failure),
        };
        if !recursive && paths.len() == 1 {
            self.is_single = true;
        }
        for path in &paths {
            let mut found: Vec<PathBuf> = Vec::new();
            match files::walk(Path::new(path), recursive, &mut found) {
                Ok(()) => {}
                Err(failure) => self.failures.push(failure),
            }
            if found.len() > 1 {
                self.is_directory = true;
            }
            self.paths.extend(found.into_iter().map(Source::File));
        }
        if self.paths.is_empty() && self.failures.is_empty() {
            let text = format!(
                "error reading [{}]: recognized file extensions are [.json .yaml .yml]",
                paths.join(" ")
            );
            self.failures.push(text.into());
        }
    }

    /// Adds a stream, with its name in messages.
    pub fn stream(mut self, stream: Box<dyn Read>, name: &str) -> Self {
        self.reads_stream = true;
        self.paths.push_back(Source::Stream(stream, name.to_owned()));
        self
    }

    /// Objects that are there already.
    pub fn objects(mut self, objects: Vec<Unstructured>) -> Self {
        let objects = objects.into_iter().map(|object| (object, Origin::default())).collect();
        self.paths.push_back(Source::Objects(objects));
        self
    }

    /// Sets the label selector.
    pub fn label_selector(mut self, selector: &str) -> Self {
        let selector = selector.trim();
        if selector.is_empty() {
            return self;
        }
        if self.select_all {
            let text =
                format!("found non-empty label selector {selector:?} with previously set 'all' parameter. ");
            self.failures.push(text.into());
            return self;
        }
        self.labels = Some(selector.to_owned());
        self
    }

    /// Sets the field selector.
    pub fn field_selector(mut self, selector: &str) -> Self {
        let selector = selector.trim();
        if selector.is_empty() {
            return self;
        }
        if self.select_all {
            let text =
                format!("found non-empty field selector {selector:?} with previously set 'all' parameter. ");
            self.failures.push(text.into());
            return self;
        }
        self.fields = Some(selector.to_owned());
        self
    }

    /// Selects all objects of the named types.
    pub fn select_all(mut self, all: bool) -> Self {
        if all && (self.labels.is_some() || self.fields.is_some()) {
            self.failures.push("setting 'all' parameter but found a non empty selector. ".into());
            return self;
        }
        self.select_all = all;
        self
    }

    /// Sets the page size of lists; 0 disables pages.
    pub fn chunks_of(mut self, limit: i64) -> Self {
        self.limit = limit;
        self
    }

    /// Selects a subresource instead of the object.
    pub fn subresource(mut self, subresource: &str) -> Self {
        subresource.clone_into(&mut self.subresource);
        self
    }

    /// Sets the `Accept` header, for tables or metadata only.
    pub fn accept(mut self, accept: Option<String>) -> Self {
        self.accept = accept;
        self
    }

    /// Adds a query parameter.
    pub fn param(mut self, key: &'static str, value: &str) -> Self {
        self.params.push((key, value.to_owned()));
        self
    }

    /// `TYPE`, `TYPE NAME…`, `TYPE/NAME…`, `TYPE,TYPE`, categories. With `allow_empty_selector`, a type alone means
    /// all objects of it.
    pub fn words(mut self, allow_empty_selector: bool, words: &[String]) -> Self {
        let words = multiply(words);
        let with_slash = words.iter().filter(|word| word.contains('/')).count();
        if with_slash > 0 {
            if with_slash < words.len() {
                let program = &self.program;
                let text = format!(
                    "there is no need to specify a resource type as a separate argument when passing arguments in \
                     resource/name form (e.g. '{program} get resource/<resource_name>' instead of '{program} get \
                     resource resource/<resource_name>'"
                );
                self.failures.push(text.into());
                return self;
            }
            for word in &words {
                match split_pair(word) {
                    Ok(pair) => self.pairs.push(pair),
                    Err(failure) => {
                        self.failures.push(failure);
                        return self;
                    }
                }
            }
            return self;
        }
        let Some((first, names)) = words.split_first() else { return self };
        // Categories are known to the server only, so they are expanded when there is time to ask it.
        self.aliases = Some(first.clone());
        self.names.extend(names.iter().cloned());
        if names.is_empty() && self.labels.is_none() && allow_empty_selector {
            self.labels = Some(String::new());
        }
        self
    }

    /// Adds names of one type, or `TYPE/NAME` arguments.
    pub fn names_of(mut self, default_type: &str, names: &[String]) -> Self {
        for name in names {
            if name.contains('/') {
                match split_pair(name) {
                    Ok(pair) => self.pairs.push(pair),
                    Err(failure) => {
                        self.failures.push(failure);
                        return self;
                    }
                }
            } else if default_type.is_empty() {
                self.failures.push(format!("the argument {name:?} must be RESOURCE/NAME").into());
            } else {
                self.pairs.push((default_type.to_owned(), name.clone()));
            }
        }
        self
    }

    /// Types without names.
    pub fn types(mut self, types: &[&str]) -> Self {
        self.types.extend(types.iter().map(|word| (*word).to_owned()));
        self
    }

    /// Lists are taken apart.
    pub fn flatten(mut self) -> Self {
        self.flatten = true;
        self
    }

    /// Objects from files are fetched from the server.
    pub fn latest(mut self) -> Self {
        self.latest = true;
        self
    }

    /// Reports whether objects that were only named are fetched (they are).
    pub fn require_object(mut self, require: bool) -> Self {
        self.require_object = require;
        self
    }

    /// Allows only one type.
    pub fn single_type(mut self) -> Self {
        self.single_type = true;
        self
    }

    /// Does something with each info behind all that the builder does itself: [`Step::filter`], [`Step::decorate`].
    /// Several are done in order.
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Goes on after a failure.
    pub fn continue_on_error(mut self) -> Self {
        self.continues = true;
        self
    }

    /// Returns the infos.
    ///
    /// # Errors
    /// What the command line says makes no sense, or a type is not there.
    pub async fn build(mut self) -> Result<Infos, Failure> {
        if let Some(words) = self.aliases.take() {
            let words = match self.local {
                true => words,
                false => {
                    let categories = self.factory.mapper()?.categories().await?;
                    categories.replace_aliases(&words)
                }
            };
            self.types.extend(split_types(&words));
        }
        Failure::all(std::mem::take(&mut self.failures))?;
        if self.select_all {
            self.labels = Some(String::new());
        }
        let server = match self.local {
            true => None,
            false => Some((Rc::clone(self.factory.mapper()?), self.factory.client()?.clone())),
        };
        let locator = Locator { server };
        let (sources, is_single, targets_single) = if !self.paths.is_empty() {
            self.by_paths()?
        } else if self.labels.is_some() || self.fields.is_some() {
            self.by_selector().await?
        } else if !self.pairs.is_empty() {
            self.by_pairs().await?
        } else if !self.names.is_empty() {
            self.by_names().await?
        } else if !self.types.is_empty() {
            for word in &self.types {
                self.factory.mapping(word).await?;
            }
            return Err("resource(s) were provided, but no name was specified".into());
        } else {
            return Err(NOTHING_NAMED.into());
        };
        let from_paths = targets_single && sources.iter().all(|source| !matches!(source, Source::Named(_)));
        let count = sources.len();
        let mut inner: Box<dyn Visit> = Box::new(Sources {
            gathers: self.continues,
            locator: locator.clone(),
            waiting: sources,
            open: None,
            validator: self.validator.take(),
        });
        if self.flatten {
            inner = Box::new(Flattened::new(inner, locator));
        }
        let mut steps = Vec::new();
        if from_paths {
            if self.latest {
                if self.default_namespace {
                    steps.push(Step::SetNamespace(self.namespace.clone()));
                }
                steps.push(Step::RetrieveLatest);
            }
            if let Some(selector) = &self.labels {
                let selector = labels::Selector::parse(selector).map_err(|error| {
                    Failure::message(format!("the provided selector {selector:?} is not valid: {error}"))
                })?;
                steps.push(Step::Select(selector));
            }
        }
        if self.default_namespace {
            steps.push(Step::SetNamespace(self.namespace.clone()));
        }
        if self.require_namespace {
            steps.push(Step::RequireNamespace(self.namespace.clone()));
        }
        if self.accept.is_some() || !self.params.is_empty() {
            // Objects from files are asked for in the same form as those that were named.
            steps.insert(0, Step::Ask(self.accept.clone(), self.params.clone()));
        }
        steps.push(Step::FilterNamespace);
        if self.require_object {
            steps.push(Step::RetrieveLazily);
        }
        steps.append(&mut self.steps);
        inner = Box::new(Decorated::new(inner, steps));
        Ok(Infos {
            inner,
            sources: count,
            continues: self.continues,
            is_single,
            targets_single,
            failed: false,
        })
    }

    fn by_paths(&mut self) -> Result<(VecDeque<Source>, bool, bool), Failure> {
        if !self.types.is_empty() {
            return Err(
                "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as \
                        well"
                    .into(),
            );
        }
        if !self.names.is_empty() {
            return Err("name cannot be provided when a path is specified".into());
        }
        if !self.pairs.is_empty() {
            return Err("resource/name arguments cannot be provided when a path is specified".into());
        }
        let is_single = !self.is_directory && !self.reads_stream && self.paths.len() == 1;
        Ok((std::mem::take(&mut self.paths), is_single, true))
    }

    async fn by_selector(&mut self) -> Result<(VecDeque<Source>, bool, bool), Failure> {
        if !self.names.is_empty() {
            return Err("name cannot be provided when a selector is specified".into());
        }
        if !self.pairs.is_empty() {
            return Err(
                "selectors and the all flag cannot be used when passing resource/name arguments".into()
            );
        }
        if self.types.is_empty() {
            return Err("at least one resource must be specified to use a selector".into());
        }
        if !self.subresource.is_empty() {
            return Err("subresource cannot be used when bulk resources are specified".into());
        }
        let mut sources = VecDeque::new();
        for mapping in self.mappings().await? {
            let namespace = match mapping.scope {
                Scope::Namespaced => self.namespace.clone(),
                Scope::Cluster => String::new(),
            };
            sources.push_back(Source::Selected(Box::new(Selected {
                info: self.named(mapping, namespace, "")?,
                labels: self.labels.clone().unwrap_or_default(),
                fields: self.fields.clone().unwrap_or_default(),
                limit: self.limit,
                token: None,
            })));
        }
        Ok((sources, false, false))
    }

    async fn by_pairs(&mut self) -> Result<(VecDeque<Source>, bool, bool), Failure> {
        if !self.types.is_empty() {
            return Err("you may not specify individual resources and bulk resources in the same call".into());
        }
        let mut mappings: Vec<(String, RestMapping)> = Vec::new();
        for (word, _) in &self.pairs {
            if !mappings.iter().any(|(known, _)| known == word) {
                mappings.push((word.clone(), self.factory.mapping(word).await?));
            }
        }
        let resources: std::collections::HashSet<_> =
            mappings.iter().map(|(_, mapping)| &mapping.resource).collect();
        if self.single_type && resources.len() > 1 {
            return Err("you may only specify a single resource type".into());
        }
        let is_single = self.is_single || self.pairs.len() == 1;
        let mut sources = VecDeque::new();
        for (word, name) in &self.pairs {
            let Some((_, mapping)) = mappings.iter().find(|(known, _)| known == word) else { continue };
            let namespace = self.namespace_of(mapping)?;
            sources.push_back(Source::Named(Box::new(self.named(mapping.clone(), namespace, name)?)));
        }
        Ok((sources, is_single, true))
    }

    async fn by_names(&mut self) -> Result<(VecDeque<Source>, bool, bool), Failure> {
        if self.types.is_empty() {
            return Err("you must provide a resource and a resource name together".into());
        }
        if self.types.len() > 1 {
            return Err("you must specify only one resource".into());
        }
        let mut sources = VecDeque::new();
        for mapping in self.mappings().await? {
            let namespace = self.namespace_of(&mapping)?;
            for name in &self.names {
                let info = self.named(mapping.clone(), namespace.clone(), name)?;
                sources.push_back(Source::Named(Box::new(info)));
            }
        }
        Ok((sources, self.names.len() == 1, true))
    }

    async fn mappings(&self) -> Result<Vec<RestMapping>, Failure> {
        if self.single_type && self.types.len() > 1 {
            return Err("you may only specify a single resource type".into());
        }
        let mut mappings: Vec<RestMapping> = Vec::new();
        for word in &self.types {
            let mapping = self.factory.mapping(word).await?;
            if !mappings.iter().any(|known| known.kind == mapping.kind) {
                mappings.push(mapping);
            }
        }
        Ok(mappings)
    }

    fn namespace_of(&self, mapping: &RestMapping) -> Result<String, Failure> {
        match mapping.scope {
            Scope::Cluster => Ok(String::new()),
            Scope::Namespaced if !self.namespace.is_empty() => Ok(self.namespace.clone()),
            Scope::Namespaced if self.all_namespaces => {
                Err("a resource cannot be retrieved by name across all namespaces".into())
            }
            Scope::Namespaced => Err("namespace may not be empty when retrieving a resource by name".into()),
        }
    }

    fn named(&self, mapping: RestMapping, namespace: String, name: &str) -> Result<Info, Failure> {
        Ok(Info {
            mapping,
            namespace,
            name: name.to_owned(),
            origin: Origin::default(),
            object: None,
            resource_version: String::new(),
            subresource: self.subresource.clone(),
            client: Some(self.factory.client()?.clone()),
            accept: self.accept.clone(),
            params: self.params.clone(),
        })
    }
}
