//! The document of version 2: everything in one.

use std::collections::BTreeMap;

use rhumb_meta::GroupVersion;
use rhumb_scheme::openapi::{Dialect, Model, Models};
use serde_json::{Value, json};

use crate::Documents;
use crate::document::ObjectText;
use crate::merge::Extra;
use crate::places::Place;
use crate::protobuf::DocumentWire;
use crate::render::Renderer;
use crate::v3::{definition, security_schemes};

/// What receives an entry: its name and what it holds.
pub(crate) type Each<'a> = dyn FnMut(&str, &Value) + 'a;

/// What receives a document of version 2, one entry after the other.
pub(crate) trait Sink {
    /// The server's name and version.
    fn start(&mut self, info: &Value);
    /// The entries of a section.
    fn section(&mut self, section: Section, fill: &mut dyn FnMut(&mut Each<'_>));
    /// How clients say who they are.
    fn security(&mut self, definitions: &Value, requirements: &Value);
}

/// The parts of the document that hold many entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Paths,
    Definitions,
    Parameters,
}

impl Section {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Section::Paths => "paths",
            Section::Definitions => "definitions",
            Section::Parameters => "parameters",
        }
    }
}

impl Sink for ObjectText {
    fn start(&mut self, info: &Value) {
        self.member("swagger", &"2.0".into());
        self.member("info", info);
    }

    fn section(&mut self, section: Section, fill: &mut dyn FnMut(&mut Each<'_>)) {
        self.object(section.as_str(), |text| fill(&mut |name, value| text.member(name, value)));
    }

    fn security(&mut self, definitions: &Value, requirements: &Value) {
        self.member("securityDefinitions", definitions);
        self.member("security", requirements);
    }
}

impl Documents<'_> {
    /// The document of version 2 as JSON text. `extra` are documents of version 2 about custom resources,
    /// whose paths, definitions and parameters become part of it; what is here already stays as it is.
    pub fn v2(&self, extra: &[Value]) -> Vec<u8> {
        let mut text = ObjectText::new();
        self.write_v2(extra, &mut text);
        text.finish()
    }

    /// The same document as protobuf, the message `openapi.v2.Document`.
    pub fn v2_protobuf(&self, extra: &[Value]) -> Vec<u8> {
        let mut wire = DocumentWire::default();
        self.write_v2(extra, &mut wire);
        wire.finish()
    }

    fn write_v2(&self, extra: &[Value], sink: &mut dyn Sink) {
        sink.start(&json!({ "title": "Kubernetes", "version": self.settings.version }));
        let places = Place::all(self.table, self.settings);
        let places: Vec<_> = places.into_iter().map(|place| (place.version(), place)).collect();
        let mut used: BTreeMap<String, (&GroupVersion, Option<Model>)> = BTreeMap::new();
        let mut shared = BTreeMap::new();
        sink.section(Section::Paths, &mut |each| {
            let mut extra = Extra::new(extra, Section::Paths);
            for (gv, place) in &places {
                let models = self.models(gv);
                let mut renderer = Renderer::new(&models, Dialect::V2);
                renderer.paths(place.routes(self), |path, item| {
                    extra.skip(path);
                    each(path, &item);
                });
                let mut reached = BTreeMap::new();
                models.reach(std::mem::take(&mut renderer.used), &mut reached);
                for (name, model) in reached {
                    used.entry(name).or_insert((gv, Some(model)));
                }
                for name in &renderer.fixed {
                    used.entry((*name).to_owned()).or_insert((gv, None));
                }
                shared.append(&mut renderer.shared);
            }
            extra.rest(each);
        });
        sink.section(Section::Definitions, &mut |each| {
            let mut extra = Extra::new(extra, Section::Definitions);
            for (name, (gv, model)) in &used {
                extra.skip(name);
                each(name, &definition(&self.models(gv), name, *model, Dialect::V2));
            }
            extra.rest(each);
        });
        sink.section(Section::Parameters, &mut |each| {
            let mut extra = Extra::new(extra, Section::Parameters);
            for (name, parameter) in &shared {
                extra.skip(name);
                each(name, parameter);
            }
            extra.rest(each);
        });
        sink.security(&security_schemes(), &json!([{ "BearerToken": [] }]));
    }

    fn models<'b>(&'b self, gv: &'b GroupVersion) -> Models<'b> {
        Models::new(&self.kinds, gv, Dialect::V2).enums(self.settings.enums)
    }
}
