//! The `scale` subresource: reads and sets replica counts of any kind.
//!
//! Everything that scales has a subresource `scale`, which is `autoscaling/v1` today. Older versions and some
//! servers behind the aggregator have others of the same content. They are turned into each other here, so
//! that callers see one type. What to send is told by the table of built-in resources, and for others by
//! discovery.

use http::Method;
use rhumb_api::apps::{v1beta1, v1beta2};
use rhumb_api::autoscaling::v1::Scale;
use rhumb_codec::CodecError;
use rhumb_meta::v1::{APIResourceList, ApplyOptions, GetOptions, PatchOptions, UpdateOptions};
use rhumb_meta::{GroupVersion, GroupVersionKind, Object};
use rhumb_scheme::{Convert, Scope};
use tokio::sync::OnceCell;

use super::form::Form;
use super::subresource::built_in_kind;
use super::{Api, Patch, apply};
use crate::Error;
use crate::rest::Response;

const AUTOSCALING: GroupVersion = GroupVersion::new_static("autoscaling", "v1");

/// API of the scales of a resource's objects.
///
/// ```no_run
/// # async fn example(client: rhumb_client::Client) -> Result<(), rhumb_client::Error> {
/// let scales = client.apps_v1().deployments("default").scale();
/// let mut scale = scales.get("web").await?;
/// scale.spec.replicas += 1;
/// scales.update("web", &scale, &Default::default()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ScaleApi {
    api: Api<()>,
    /// The kind that the server wants, once it was found out.
    wanted: OnceCell<GroupVersionKind>,
}

impl<K> Api<K> {
    /// Returns the API of the objects' scales.
    pub fn scale(&self) -> ScaleApi {
        ScaleApi { api: self.retarget(self.target.form.below::<Scale>()), wanted: OnceCell::new() }
    }
}

impl ScaleApi {
    /// Gets the scale of an object.
    ///
    /// # Errors
    /// If there is no such object or it doesn't scale, and whenever there is no answer.
    pub async fn get(&self, name: &str) -> Result<Scale, Error> {
        self.get_with(name, &GetOptions::default()).await
    }

    /// Gets the scale of an object with options.
    ///
    /// # Errors
    /// If there is no such object or it doesn't scale, and whenever there is no answer.
    pub async fn get_with(&self, name: &str, options: &GetOptions) -> Result<Scale, Error> {
        let request = self.api.request_one(Method::GET, None)?.name(name).subresource("scale");
        read(&self.form().ask_one(request.options(options)).send().await?)
    }

    /// Updates the scale of an object. It fails on conflicts if the scale has a resource version.
    ///
    /// # Errors
    /// If it breaks a rule or the object was changed in the meantime, and whenever there is no answer.
    pub async fn update(&self, name: &str, scale: &Scale, options: &UpdateOptions) -> Result<Scale, Error> {
        let request = self.api.request_one(Method::PUT, None)?.name(name).subresource("scale");
        let wanted = self.wanted().await?;
        let sent = written_as(scale, wanted)?;
        let request = self.form().send(&self.api.client, request.options(options), &*sent, None)?;
        read(&self.form().ask_one(request).send().await?)
    }

    /// Patches the scale of an object, in the server's version of it.
    ///
    /// # Errors
    /// If the patch doesn't fit, and whenever there is no answer.
    pub async fn patch(&self, name: &str, patch: &Patch, options: &PatchOptions) -> Result<Scale, Error> {
        let request = self.api.request_one(Method::PATCH, None)?.name(name).subresource("scale");
        let request = patch.put_into(request.options(options))?;
        read(&self.form().ask_one(request).send().await?)
    }

    /// Applies the scale of an object (server-side apply).
    ///
    /// # Errors
    /// If another manager owns the number, unless forced; if it breaks a rule, and whenever there is no
    /// answer.
    pub async fn apply(
        &self,
        name: &str,
        scale: &dyn Object,
        options: &ApplyOptions,
    ) -> Result<Scale, Error> {
        let request = self.api.request_one(Method::PATCH, None)?.name(name).subresource("scale");
        let wanted = self.wanted().await?.to_api_version_and_kind();
        let request = apply::put_into(request, scale, Some(&wanted), options)?;
        read(&self.form().ask_one(request).send().await?)
    }

    fn form(&self) -> Form {
        self.api.target.form
    }

    /// Returns the kind that the server wants.
    async fn wanted(&self) -> Result<&GroupVersionKind, Error> {
        let gvr = &self.api.target.gvr;
        self.wanted
            .get_or_try_init(async || match built_in_kind(gvr, "scale") {
                Some(kind) => Ok(kind),
                None => self.discover().await,
            })
            .await
    }

    /// Asks the server for the kind that it wants.
    async fn discover(&self) -> Result<GroupVersionKind, Error> {
        let gvr = &self.api.target.gvr;
        let place = gvr.group_version();
        let request = self.api.client.request(Method::GET).version(&place).accept("application/json");
        let resources: APIResourceList = request.send().await?.decode()?;
        let name = format!("{}/scale", gvr.resource);
        let Some(found) = resources.resources.into_iter().find(|resource| resource.name == name) else {
            return Err(Error::Unexpected(format!("{} don't scale: the server has no {name}", gvr.resource)));
        };
        let own = found.group.is_empty() || found.version.is_empty();
        let place = if own { place } else { GroupVersion::new(found.group, found.version) };
        Ok(place.with_kind(found.kind))
    }
}

/// Returns the scale in an answer, whichever version it is in.
fn read(response: &Response) -> Result<Scale, Error> {
    let (api_version, kind) = response.type_meta()?;
    let mut scale: Scale = match (api_version.as_str(), kind.as_str()) {
        ("autoscaling/v1", "Scale") => return response.decode(),
        ("apps/v1beta1", "Scale") => converted(response.decode::<v1beta1::Scale>()?, "v1beta1")?,
        ("apps/v1beta2" | "extensions/v1beta1", "Scale") => {
            converted(response.decode::<v1beta2::Scale>()?, "v1beta2")?
        }
        _ => {
            return Err(Error::Unexpected(format!(
                "the scale is a {kind} of {api_version}, which is no Scale"
            )));
        }
    };
    scale.type_meta.set("autoscaling/v1", "Scale");
    Ok(scale)
}

fn converted<T: Convert<Scale>>(scale: T, version: &'static str) -> Result<Scale, Error> {
    let scope = Scope::new(GroupVersion::new_static("apps", version), AUTOSCALING);
    scale.convert(&scope).map_err(|error| Error::Decode(CodecError::Convert(error)))
}

/// Returns a scale in the version that is wanted.
fn written_as(scale: &Scale, wanted: &GroupVersionKind) -> Result<Box<dyn Object>, Error> {
    let place = wanted.group_version();
    let scope = Scope::new(AUTOSCALING, place.clone());
    let failed = |error: rhumb_scheme::ConvertError| Error::Request(error.to_string());
    let scale = scale.clone();
    let mut sent: Box<dyn Object> = match (&*place.group, &*place.version) {
        ("autoscaling", "v1") => Box::new(scale),
        ("apps", "v1beta1") => Box::new(Convert::<v1beta1::Scale>::convert(scale, &scope).map_err(failed)?),
        ("apps", "v1beta2") | ("extensions", "v1beta1") => {
            Box::new(Convert::<v1beta2::Scale>::convert(scale, &scope).map_err(failed)?)
        }
        _ => return Err(Error::Unexpected(format!("the server wants a scale of an unknown kind: {wanted}"))),
    };
    sent.set_type_meta(&place.to_string(), "Scale");
    Ok(sent)
}
