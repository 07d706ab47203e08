//! Builds one kustomization with its bases and components.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Map, Value, json};

use crate::config::Config;
use crate::fault::{Fault, Outcome, fail, listed, quote};
use crate::files::Loader;
use crate::generate::{Product, generate, with_global_options};
use crate::kustomization::{FILE_NAMES, Kustomization, Var};
use crate::node::yaml_text;
use crate::origin::{Origin, join};
use crate::patch::{in_file, trouble};
use crate::read::objects;
use crate::resource::{Resource, Resources};
use crate::schema::Schemas;
use crate::transformer::{Configured, add_hashes, of_kustomization};
use crate::{Notice, crds, defaults, nameref, plugin, remote, vars};

/// Maximum depth of bases, and number of kustomizations in a build.
const MAX_DEPTH: usize = 50;
const MAX_TARGETS: usize = 10_000;

/// Build state beyond the current kustomization.
#[derive(Default)]
pub(crate) struct Build {
    pub(crate) schemas: Schemas,
    pub(crate) notices: Vec<Notice>,
    pub(crate) enable_helm: bool,
    defaults: Option<Rc<Config>>,
    targets: usize,
    depth: usize,
}

/// Objects gathered so far.
#[derive(Default)]
pub(crate) struct Gathered {
    pub(crate) resources: Resources,
    config: Option<Rc<Config>>,
    vars: BTreeMap<String, Var>,
}

/// A kustomization in its directory.
pub(crate) struct Target<'a> {
    pub(crate) kustomization: Box<Kustomization>,
    file_name: &'static str,
    loader: Loader<'a>,
    /// Path from the start of the build, if origins are wanted.
    origin: Option<String>,
}

impl<'a> Target<'a> {
    /// Reads the kustomization in a loader's directory.
    pub(crate) fn load(loader: Loader<'a>, build: &mut Build) -> Outcome<Target<'a>> {
        build.targets += 1;
        if build.targets > MAX_TARGETS {
            return fail("too many kustomizations");
        }
        let mut found = None;
        for name in FILE_NAMES {
            if let Ok(content) = loader.load(name)
                && found.replace((content, name)).is_some()
            {
                return fail(format!("Found multiple kustomization files under: {}\n", loader.root()));
            }
        }
        let Some((content, file_name)) = found else {
            return fail(format!(
                "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in \
                 directory '{}'",
                loader.root()
            ));
        };
        let notices = &mut build.notices;
        let mut warn = |text| notices.push(Notice::Warning(text));
        let kustomization = Box::new(Kustomization::read(&content, loader.root(), &mut warn)?);
        Ok(Target { kustomization, file_name, loader, origin: None })
    }

    /// Takes what the kustomization says about schemas.
    pub(crate) fn choose_schemas(&self, build: &mut Build) -> Outcome<()> {
        let openapi = &self.kustomization.openapi;
        build.schemas.choose(openapi.get("version"), || {
            let Some(path) = openapi.get("path") else { return Ok(None) };
            let content = self.loader.load(path)?;
            let json = crate::kustomization::yaml_to_json(&content);
            json.map(Some).map_err(|error| error.under("invalid schema file"))
        })
    }

    /// Builds the root: everything below it, and what is done once at the end.
    pub(crate) fn build(&mut self, build: &mut Build) -> Outcome<Resources> {
        if !self.kustomization.build_metadata.is_empty() {
            self.origin = Some(String::new());
        }
        let mut gathered = self.gather(Gathered::default(), build)?;
        let resources = &mut gathered.resources;
        let config = gathered.config.take().unwrap_or_default();
        add_hashes(resources)?;
        nameref::fix(resources, &config.name_references)?;
        let unused = vars::resolve(resources, &gathered.vars, &config.var_references)?;
        if !unused.is_empty() {
            let text = format!("well-defined vars that were never replaced: {}", unused.join(","));
            build.notices.push(Notice::Log(text));
        }
        resources.list.retain(|resource| {
            let annotations = resource.node().annotations();
            annotations.get("config.kubernetes.io/local-config").is_none_or(|value| value == "false")
        });
        Ok(gathered.resources)
    }

    /// Adds this kustomization's objects to what was gathered, and changes them all.
    fn gather(&mut self, gathered: Gathered, build: &mut Build) -> Outcome<Gathered> {
        if build.depth >= MAX_DEPTH {
            return fail("kustomizations are based on each other too deeply");
        }
        build.depth += 1;
        let result = self.gather_within(gathered, build);
        build.depth -= 1;
        result
    }

    fn gather_within(&mut self, gathered: Gathered, build: &mut Build) -> Outcome<Gathered> {
        let paths = self.kustomization.resources.clone();
        let mut gathered = self
            .gather_resources(gathered, &paths, build)
            .map_err(|error| error.under("accumulating resources"))?;
        let config = self.config(build)?;
        Config::merge_shared(&mut gathered.config, &config)?;
        if !self.kustomization.crds.is_empty() {
            let crds = crds::load(&self.kustomization.crds, &self.loader)
                .map_err(|error| error.under(format!("loading CRDs {}", listed(&self.kustomization.crds))))?;
            Config::merge_shared(&mut gathered.config, &Rc::new(crds))?;
        }
        self.run_generators(&mut gathered, build)?;
        let paths = self.kustomization.components.clone();
        let mut gathered = self
            .gather_components(gathered, &paths, build)
            .map_err(|error| error.under("accumulating components"))?;
        self.run_transformers(&mut gathered, build)?;
        self.run_validators(&mut gathered, build)?;
        let vars = self.kustomization.vars.clone();
        let written: Vec<&String> = vars.iter().map(|var| &var.written).collect();
        vars::mark(&mut gathered.resources, &vars)
            .and_then(|()| vars::add(&mut gathered.vars, vars.iter().cloned()))
            .map_err(|error| error.under(format!("merging vars {}", listed(&written))))?;
        Ok(gathered)
    }

    /// Returns the tables of fields: those that come along and those of the kustomization.
    fn config(&self, build: &mut Build) -> Outcome<Rc<Config>> {
        let defaults = build.defaults.get_or_insert_with(|| Rc::new(defaults::config()));
        if self.kustomization.configurations.is_empty() {
            return Ok(Rc::clone(defaults));
        }
        let mut config = (**defaults).clone();
        let mut own = Config::default();
        for path in &self.kustomization.configurations {
            own.merge(Config::read(&self.loader.load(path)?)?)?;
        }
        config.merge(own)?;
        Ok(Rc::new(config))
    }

    fn gather_resources(
        &mut self,
        mut gathered: Gathered,
        paths: &[String],
        build: &mut Build,
    ) -> Outcome<Gathered> {
        for path in paths {
            let Err(as_file) = self.gather_file(&mut gathered, path) else { continue };
            if remote::is_url(path) {
                return Err(as_file);
            }
            let loader = match self.loader.descend(path) {
                Ok(loader) => loader,
                Err(_) if as_file.is_malformed_yaml() => return Err(as_file),
                Err(error) => return Err(error.under(format!("accumulation err='{as_file}'"))),
            };
            gathered = self
                .gather_directory(gathered, loader, path, build, false)
                .map_err(|error| error.under(format!("accumulation err='{as_file}'")))?;
        }
        Ok(gathered)
    }

    fn gather_file(&self, gathered: &mut Gathered, path: &str) -> Outcome<()> {
        let read = || -> Outcome<Resources> {
            let content = self.loader.load(path)?;
            let mut resources = Resources::default();
            let found = objects(&content).map_err(|error| in_file(error, path))?;
            resources.append_all(found)?;
            Ok(resources)
        };
        let mut resources =
            read().map_err(|error| error.under(format!("accumulating resources from '{path}'")))?;
        for resource in &mut resources.list {
            resource.file = Some(join(self.loader.root(), path));
            if let Some(origin) = &self.origin {
                resource.origin = Some(Origin { path: join(origin, path), ..Origin::default() });
            }
        }
        gathered
            .resources
            .append_all(resources.list)
            .map_err(|error| error.under(format!("merging resources from '{path}'")))
    }

    fn gather_components(
        &mut self,
        mut gathered: Gathered,
        paths: &[String],
        build: &mut Build,
    ) -> Outcome<Gathered> {
        for path in paths {
            let loader = self
                .loader
                .descend(path)
                .map_err(|error| Fault(format!("loader.New {}", quote(&error.0))))?;
            gathered = self
                .gather_directory(gathered, loader, path, build, true)
                .map_err(|error| Fault(format!("accumulateDirectory: {}", quote(&error.0))))?;
        }
        Ok(gathered)
    }

    /// Builds the kustomization of another directory: on its own, or if it is a component on what is there.
    fn gather_directory(
        &self,
        gathered: Gathered,
        loader: Loader<'a>,
        path: &str,
        build: &mut Build,
        as_component: bool,
    ) -> Outcome<Gathered> {
        let root = loader.root().to_owned();
        let mut target = Target::load(loader, build)
            .map_err(|error| error.under(format!("couldn't make target for path '{root}'")))?;
        target.kustomization.build_metadata.clone_from(&self.kustomization.build_metadata);
        target.origin = self.origin.as_ref().map(|origin| join(origin, path));
        if target.kustomization.namespace.is_empty() && !target.kustomization.helm_charts.is_empty() {
            // A chart is put into the namespace of those that are based on it.
            target.inherit_chart_namespace(&self.kustomization.namespace);
        }
        target.choose_schemas(build)?;
        match (as_component, target.kustomization.is_component()) {
            (true, false) => {
                let kind = &target.kustomization.kind;
                return fail(format!("expected kind 'Component' for path '{root}' but got '{kind}'"));
            }
            (false, true) => return fail(format!("expected kind != 'Component' for path '{root}'")),
            _ => {}
        }
        let recursed = |error: Fault| error.under(format!("recursed accumulation of path '{root}'"));
        if as_component {
            return target.gather(gathered, build).map_err(recursed);
        }
        let below = target.gather(Gathered::default(), build).map_err(recursed)?;
        let mut gathered = gathered;
        gathered
            .resources
            .append_all(below.resources.list)
            .and_then(|()| match &below.config {
                Some(config) => Config::merge_shared(&mut gathered.config, config),
                None => Ok(()),
            })
            .and_then(|()| vars::add(&mut gathered.vars, below.vars.into_values()))
            .map_err(|error| error.under(format!("recursed merging from path '{root}'")))?;
        Ok(gathered)
    }

    fn inherit_chart_namespace(&mut self, namespace: &str) {
        for chart in &mut self.kustomization.helm_charts {
            if let Value::Object(chart) = chart
                && !namespace.is_empty()
            {
                chart.entry("namespace").or_insert_with(|| json!(namespace));
            }
        }
    }

    fn builtin_origin(&self, kind: &str) -> Option<Origin> {
        self.origin.as_ref().map(|origin| Origin::builtin(join(origin, self.file_name), kind))
    }

    fn run_generators(&mut self, gathered: &mut Gathered, build: &mut Build) -> Outcome<()> {
        self.refuse_charts(build)?;
        let plugins = self
            .configured(&self.kustomization.generators.clone(), build)
            .map_err(|error| error.under("loading generator plugins"))?;
        let k = &self.kustomization;
        let global = k.generator_options.as_ref();
        let config_maps = k.config_maps.iter().map(|args| (Product::ConfigMap, "ConfigMapGenerator", args));
        let secrets = k.secrets.iter().map(|secret| (Product::Secret, "SecretGenerator", &secret.args));
        for (product, kind, args) in config_maps.chain(secrets) {
            let mut args = args.clone();
            args.options = with_global_options(args.options.as_ref(), global);
            let mut resource = generate(product, &args, &self.loader)?;
            resource.origin = self.builtin_origin(kind);
            absorb(gathered, resource, kind)?;
        }
        for config in plugins {
            let kind = config.node().kind().to_owned();
            let mut resource = plugin::run_generator(&config, &self.loader).map_err(|error| {
                if error.0.starts_with("failed to load") {
                    error.under("loading generator plugins")
                } else {
                    error
                }
            })?;
            resource.origin = plugin_origin(&config);
            absorb(gathered, resource, &kind)?;
        }
        Ok(())
    }

    /// Charts would have to be inflated by another program.
    fn refuse_charts(&self, build: &Build) -> Outcome<()> {
        let Some(chart) = self.kustomization.helm_charts.first() else { return Ok(()) };
        let mut config = Map::new();
        for source in [&self.kustomization.helm_globals, chart] {
            for (key, value) in source.as_object().into_iter().flatten() {
                let is_empty = match value {
                    Value::Null | Value::Bool(false) => true,
                    Value::String(text) => text.is_empty(),
                    Value::Array(items) => items.is_empty(),
                    Value::Object(map) => map.is_empty(),
                    _ => false,
                };
                if !is_empty {
                    config.insert(modern_name(key).to_owned(), value.clone());
                }
            }
        }
        if !self.kustomization.namespace.is_empty() {
            config.entry("namespace").or_insert_with(|| json!(self.kustomization.namespace));
        }
        let problem = if build.enable_helm {
            "Helm charts are not inflated here; run 'helm template' and name what it gives as a resource"
        } else {
            "must specify --enable-helm"
        };
        Err(trouble(Fault::from(problem), "HelmChartInflationGenerator", &yaml_text(&Value::Object(config))))
    }

    /// Returns the resources that configure generators or transformers, given as texts, files or directories.
    fn configured(&mut self, entries: &[String], build: &mut Build) -> Outcome<Vec<Resource>> {
        let mut gathered = Gathered::default();
        let mut paths = Vec::new();
        for entry in entries {
            match objects(entry.as_bytes()) {
                Err(_) => paths.push(entry.clone()),
                Ok(mut found) => {
                    if let Some(origin) = &self.origin {
                        for resource in &mut found {
                            let path = join(origin, self.file_name);
                            resource.origin = Some(Origin { path, ..Origin::default() });
                        }
                    }
                    gathered.resources.append_all(found)?;
                }
            }
        }
        Ok(self.gather_resources(gathered, &paths, build)?.resources.list)
    }

    fn run_transformers(&mut self, gathered: &mut Gathered, build: &mut Build) -> Outcome<()> {
        let config = gathered.config.clone().unwrap_or_default();
        let own = of_kustomization(&self.kustomization, &config, &self.loader)?;
        let mut list: Vec<Configured> = own
            .into_iter()
            .map(|(kind, transformer)| Configured { transformer, origin: self.builtin_origin(kind) })
            .collect();
        let entries = self.kustomization.transformers.clone();
        list.extend(self.plugins(&entries, build)?);
        list.iter().try_for_each(|one| one.run(&mut gathered.resources, &build.schemas))
    }

    fn plugins(&mut self, entries: &[String], build: &mut Build) -> Outcome<Vec<Configured>> {
        let configs = self.configured(entries, build)?;
        let mut list = Vec::new();
        for config in configs {
            let transformer = plugin::transformer(&config, &self.loader)?;
            list.push(Configured { transformer, origin: plugin_origin(&config) });
        }
        Ok(list)
    }

    fn run_validators(&mut self, gathered: &mut Gathered, build: &mut Build) -> Outcome<()> {
        let entries = self.kustomization.validators.clone();
        for validator in self.plugins(&entries, build)? {
            let before = gathered.resources.clone();
            validator.transformer.apply(&mut gathered.resources, &build.schemas)?;
            if !plugin::is_unchanged(&before.list, &gathered.resources.list) {
                return fail("validator shouldn't modify the resource map: nodes unequal");
            }
        }
        Ok(())
    }
}

/// Returns the name that a chart's field has today.
fn modern_name(key: &str) -> &str {
    match key {
        "chartName" => "name",
        "chartVersion" => "version",
        "chartRepoUrl" => "repo",
        "values" => "valuesFile",
        "valuesLocal" => "valuesInline",
        "helmHome" => "configHome",
        "releaseNamespace" => "namespace",
        other => other,
    }
}

/// Returns the origin annotation of a configured plugin.
fn plugin_origin(config: &Resource) -> Option<Origin> {
    let origin = config.origin.as_ref()?;
    let node = config.node();
    let configured_by =
        [node.api_version(), node.kind(), node.name(), node.namespace()].map(ToOwned::to_owned);
    Some(Origin { path: String::new(), configured_in: origin.path.clone(), configured_by })
}

fn absorb(gathered: &mut Gathered, resource: Resource, kind: &str) -> Outcome<()> {
    gathered.resources.absorb(resource).map_err(|error| error.under(format!("merging from generator {kind}")))
}
