//! Version 3 documents.

use std::collections::BTreeMap;

use rhumb_meta::GroupVersion;
use rhumb_scheme::openapi::{Dialect, Model, Models};
use serde_json::{Value, json};

use crate::amend::{VERSION_INFO, amend, fixed, version_info};
use crate::document::ObjectText;
use crate::places::Place;
use crate::render::Renderer;
use crate::{Documents, root};

impl Documents<'_> {
    /// Returns the keys of all documents of version 3, such as `apis/apps/v1`, in order.
    pub fn keys(&self) -> Vec<String> {
        Place::all(self.table, self.settings).iter().map(Place::key).collect()
    }

    /// Returns the document of version 3 under a key, as JSON text; none if the key is not one of [`Documents::keys`].
    pub fn v3(&self, key: &str) -> Option<Vec<u8>> {
        let place = Place::all(self.table, self.settings).into_iter().find(|place| place.key() == key)?;
        Some(self.v3_of(&place))
    }

    /// Returns the document of version 3 of a group version, as JSON text; none if nothing of it is served.
    pub fn v3_version(&self, gv: &GroupVersion) -> Option<Vec<u8>> {
        self.v3(root(gv).trim_start_matches('/'))
    }

    fn v3_of(&self, place: &Place) -> Vec<u8> {
        let gv = place.version();
        let models = Models::new(&self.kinds, &gv, Dialect::V3).enums(self.settings.enums);
        let mut renderer = Renderer::new(&models, Dialect::V3);
        let mut text = ObjectText::new();
        text.member("openapi", &"3.0.0".into());
        text.member("info", &json!({ "title": "Kubernetes", "version": self.settings.version }));
        text.object("paths", |paths| {
            renderer.paths(place.routes(self), |path, item| paths.member(path, &item));
        });
        let mut used = BTreeMap::new();
        models.reach(renderer.used, &mut used);
        let mut names = used.into_iter().map(|(name, model)| (name, Some(model))).collect::<BTreeMap<_, _>>();
        names.extend(renderer.fixed.iter().map(|name| ((*name).to_owned(), None)));
        text.object("components", |components| {
            if !names.is_empty() {
                components.object("schemas", |schemas| {
                    for (name, model) in &names {
                        schemas.member(name, &definition(&models, name, *model, Dialect::V3));
                    }
                });
            }
            components.member("securitySchemes", &security_schemes());
        });
        text.finish()
    }
}

/// Returns the schema of a model, with what its table doesn't say.
pub(crate) fn definition(models: &Models<'_>, name: &str, model: Option<Model>, dialect: Dialect) -> Value {
    match model {
        Some(model) => {
            let mut definition = models.definition(model);
            amend(name, &mut definition);
            definition
        }
        None if name == VERSION_INFO => version_info(dialect == Dialect::V3),
        None => fixed(name),
    }
}

/// Returns the authentication schemes.
pub(crate) fn security_schemes() -> Value {
    json!({ "BearerToken": {
        "description": "A bearer token.",
        "in": "header",
        "name": "authorization",
        "type": "apiKey",
    } })
}
