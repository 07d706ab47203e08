//! Version 2 document.

use std::collections::BTreeMap;

use rhumb_meta::GroupVersion;
use rhumb_scheme::openapi::{Dialect, Model, Models};
use serde_json::json;

use crate::Documents;
use crate::outline::{Form, Outline, Section};
use crate::places::Place;
use crate::render::Renderer;
use crate::v3::{definition, security_schemes};

impl Documents<'_> {
    /// Returns the document of version 2 as JSON text.
    pub fn v2(&self) -> Vec<u8> {
        self.v2_outline(Form::Json).whole()
    }

    /// Returns the document as the protobuf message `openapi.v2.Document`.
    pub fn v2_protobuf(&self) -> Vec<u8> {
        self.v2_outline(Form::Protobuf).whole()
    }

    /// Returns the document of version 2 with room for what custom resources add.
    pub fn v2_outline(&self, form: Form) -> Outline {
        let mut outline =
            Outline::new(form, &json!({ "title": "Kubernetes", "version": self.settings.version }));
        let places = Place::all(self.table, self.settings);
        let places: Vec<_> = places.into_iter().map(|place| (place.version(), place)).collect();
        let mut used: BTreeMap<String, (&GroupVersion, Option<Model>)> = BTreeMap::new();
        let mut shared = BTreeMap::new();
        for (gv, place) in &places {
            let models = self.models(gv);
            let mut renderer = Renderer::new(&models, Dialect::V2);
            renderer.paths(place.routes(self), |path, item| outline.add(Section::Paths, path, &item));
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
        for (name, (gv, model)) in &used {
            let definition = definition(&self.models(gv), name, *model, Dialect::V2);
            outline.add(Section::Definitions, name, &definition);
        }
        outline.end(shared.iter(), &security_schemes(), &json!([{ "BearerToken": [] }]));
        outline
    }

    fn models<'b>(&'b self, gv: &'b GroupVersion) -> Models<'b> {
        Models::new(&self.kinds, gv, Dialect::V2).enums(self.settings.enums)
    }
}
