//! Write requests: create, replace, patch, delete.

use http::Method;
use rhumb_cli::Failure;
use rhumb_cli::options::DryRun;
use rhumb_cli::resource::Info;
use rhumb_client::{Error, PatchKind, Request};
use rhumb_meta::v1::{CreateOptions, DeleteOptions, PatchOptions, UpdateOptions};
use rhumb_scheme::Unstructured;

use crate::metadata;

/// Settings of writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writer {
    /// Whether the server keeps it.
    pub(crate) dry_run: DryRun,
    /// Field manager.
    pub(crate) field_manager: String,
    /// Server-side handling of unknown fields.
    pub(crate) field_validation: String,
    /// The subresource that is written in place of the object.
    pub(crate) subresource: String,
}

impl Writer {
    fn request(&self, info: &Info, method: Method) -> Result<Request, Failure> {
        let request = info.request(method)?.name(&info.name);
        Ok(match self.subresource.as_str() {
            "" => request,
            subresource => request.subresource(subresource),
        })
    }

    /// Reads an object.
    pub(crate) async fn get(&self, info: &Info) -> Result<Unstructured, Failure> {
        Ok(self.request(info, Method::GET)?.send().await?.decode()?)
    }

    /// Creates an object.
    pub(crate) async fn create(&self, info: &Info, object: &Unstructured) -> Result<Unstructured, Failure> {
        let options = CreateOptions {
            dry_run: self.dry_run.param(),
            field_manager: self.field_manager.clone(),
            field_validation: self.field_validation.clone(),
            ..CreateOptions::default()
        };
        let mut object = object.clone();
        metadata::set_text(&mut object, "resourceVersion", "");
        let request = info.request(Method::POST)?.options(&options);
        Ok(request.body("application/json", metadata::json_line(&object)).send().await?.decode()?)
    }

    /// Replaces an object, whatever its revision is unless the new one names it.
    pub(crate) async fn replace(&self, info: &Info, object: &Unstructured) -> Result<Unstructured, Failure> {
        let options = UpdateOptions {
            dry_run: self.dry_run.param(),
            field_manager: self.field_manager.clone(),
            field_validation: self.field_validation.clone(),
            ..UpdateOptions::default()
        };
        let mut object = object.clone();
        if metadata::text(&object, "resourceVersion").is_empty()
            && let Ok(current) = self.get(info).await
        {
            metadata::set_text(&mut object, "resourceVersion", metadata::text(&current, "resourceVersion"));
        }
        let request = self.request(info, Method::PUT)?.options(&options);
        Ok(request.body("application/json", metadata::json_line(&object)).send().await?.decode()?)
    }

    /// Patches an object.
    pub(crate) async fn patch(
        &self,
        info: &Info,
        kind: PatchKind,
        patch: &[u8],
        force: Option<bool>,
    ) -> Result<Unstructured, Failure> {
        let options = PatchOptions {
            dry_run: self.dry_run.param(),
            field_manager: self.field_manager.clone(),
            field_validation: self.field_validation.clone(),
            force,
            ..PatchOptions::default()
        };
        let request = self.request(info, Method::PATCH)?.options(&options);
        Ok(request.body(kind.content_type(), patch.to_vec()).send().await?.decode()?)
    }

    /// Deletes an object and gives the uid of what was deleted, if the server told it.
    pub(crate) async fn delete(
        &self,
        info: &Info,
        mut options: DeleteOptions,
    ) -> Result<Option<String>, Error> {
        options.dry_run = self.dry_run.param();
        match info.api().map_err(client_error)?.delete(&info.name, &options).await? {
            rhumb_client::Answer::Status(status) => Ok(status.details.map(|details| details.uid.clone())),
            rhumb_client::Answer::Object(object) => Ok(Some(metadata::text(&object, "uid").to_owned())),
        }
    }
}

/// Options that say how long an object has for its end and what happens to its dependents.
pub(crate) fn delete_options(cascade: &str, grace_period: i64) -> DeleteOptions {
    DeleteOptions {
        grace_period_seconds: (grace_period >= 0).then_some(grace_period),
        propagation_policy: Some(cascade.to_owned()),
        ..DeleteOptions::default()
    }
}

/// Returns the client's error in a failure.
fn client_error(failure: Failure) -> Error {
    match failure {
        Failure::Server(error) => error,
        other => Error::Request(other.bare()),
    }
}
