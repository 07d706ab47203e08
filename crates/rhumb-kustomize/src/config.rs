//! Fields that transformers change: kustomize's defaults and configurations.

use std::rc::Rc;

use crate::decode::{Strictness, decode, decoded};
use crate::fault::{Fault, Outcome};
use crate::fieldspec::{FieldSpec, merge_all};
use crate::id::Gvk;
use crate::kustomization::yaml_to_json;
use crate::order::compare_kinds;

/// A kind with the fields that refer to it by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct NameReference {
    pub(crate) gvk: Gvk,
    pub(crate) fields: Vec<FieldSpec>,
}

decoded!(NameReference as "NameBackReferences", "builtinconfig.NameBackReferences" {
    "group" in "Gvk" => gvk.group,
    "version" in "Gvk" => gvk.version,
    "kind" in "Gvk" => gvk.kind,
    "fieldSpecs" => fields,
});

/// Fields by transformer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Config {
    pub(crate) name_prefix: Vec<FieldSpec>,
    pub(crate) name_suffix: Vec<FieldSpec>,
    pub(crate) namespace: Vec<FieldSpec>,
    pub(crate) common_labels: Vec<FieldSpec>,
    pub(crate) labels: Vec<FieldSpec>,
    pub(crate) template_labels: Vec<FieldSpec>,
    pub(crate) common_annotations: Vec<FieldSpec>,
    pub(crate) name_references: Vec<NameReference>,
    pub(crate) var_references: Vec<FieldSpec>,
    pub(crate) images: Vec<FieldSpec>,
    pub(crate) replicas: Vec<FieldSpec>,
    /// Which defaults are included.
    pub(crate) defaults: Defaults,
}

/// Whether a configuration includes the defaults, which need not be merged twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Defaults {
    /// No.
    #[default]
    Absent,
    /// Yes, and more.
    Included,
    /// Defaults only.
    Only,
}

decoded!(Config as "TransformerConfig", "builtinconfig.TransformerConfig" {
    "namePrefix" => name_prefix,
    "nameSuffix" => name_suffix,
    "namespace" => namespace,
    "commonLabels" => common_labels,
    "labels" => labels,
    "templateLabels" => template_labels,
    "commonAnnotations" => common_annotations,
    "nameReference" => name_references,
    "varReference" => var_references,
    "images" => images,
    "replicas" => replicas,
});

impl Config {
    /// Reads the text of a configuration.
    pub(crate) fn read(text: &[u8]) -> Outcome<Config> {
        let json = yaml_to_json(text).map_err(|error| error.under("error converting YAML to JSON"))?;
        let mut config: Config = decode(&json, Strictness::Strict)
            .map_err(|problem| Fault(format!("error unmarshaling JSON: while decoding JSON: {problem}")))?;
        config.sort();
        Ok(config)
    }

    fn sort(&mut self) {
        for specs in self.tables() {
            specs.sort_by(|one, other| compare_kinds(&one.gvk, &other.gvk));
        }
        self.name_references.sort_by(|one, other| compare_kinds(&one.gvk, &other.gvk));
    }

    fn tables(&mut self) -> [&mut Vec<FieldSpec>; 10] {
        [
            &mut self.name_prefix,
            &mut self.name_suffix,
            &mut self.namespace,
            &mut self.common_annotations,
            &mut self.common_labels,
            &mut self.labels,
            &mut self.template_labels,
            &mut self.var_references,
            &mut self.images,
            &mut self.replicas,
        ]
    }

    /// Adds what another configuration has.
    pub(crate) fn merge(&mut self, mut other: Config) -> Outcome<()> {
        const NAMES: [&str; 10] = [
            "NamePrefix",
            "NameSuffix",
            "NameSpace",
            "CommonAnnotations",
            "CommonLabels",
            "Labels",
            "TemplateLabels",
            "VarReference",
            "Images",
            "Replicas",
        ];
        for ((specs, more), name) in self.tables().into_iter().zip(other.tables()).zip(NAMES) {
            merge_all(specs, more)
                .map_err(|error| error.under(format!("failed to merge {name} fieldSpec")))?;
        }
        for reference in other.name_references {
            self.add_name_reference(reference)
                .map_err(|error| error.under("failed to merge NameReference fieldSpec"))?;
        }
        if self.defaults != Defaults::Absent || other.defaults != Defaults::Absent {
            self.defaults = Defaults::Included;
        }
        self.sort();
        Ok(())
    }

    /// Adds a configuration that others share, with as little work as possible.
    pub(crate) fn merge_shared(into: &mut Option<Rc<Config>>, other: &Rc<Config>) -> Outcome<()> {
        match into {
            None => *into = Some(Rc::clone(other)),
            Some(config) if Rc::ptr_eq(config, other) => {}
            Some(config) if other.defaults == Defaults::Only && config.defaults != Defaults::Absent => {}
            Some(config) => Rc::make_mut(config).merge((**other).clone())?,
        }
        Ok(())
    }

    /// Adds fields that name objects of a kind.
    pub(crate) fn add_name_reference(&mut self, reference: NameReference) -> Outcome<()> {
        let mut known = self.name_references.iter_mut().filter(|known| known.gvk.equals(&reference.gvk));
        let Some(first) = known.next() else {
            self.name_references.push(reference);
            return Ok(());
        };
        merge_all(&mut first.fields, &reference.fields)?;
        known.try_for_each(|other| merge_all(&mut other.fields, &reference.fields))
    }
}
