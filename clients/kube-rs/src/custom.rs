//! A custom resource: its definition, derived from a type, and instances of it.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::wait::{await_condition, conditions};
use kube::{Api, Client, CustomResource, CustomResourceExt, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{NAMESPACE, Outcome, expect, refused};

/// The course a ship is to hold.
#[derive(Clone, Debug, CustomResource, Deserialize, JsonSchema, Serialize)]
#[kube(group = "sea.example.com", version = "v1", kind = "Course", namespaced, status = "CourseStatus")]
pub(crate) struct CourseSpec {
    #[schemars(range(min = 0, max = 359))]
    bearing: i32,
    #[serde(default = "true_north")]
    north: String,
}

/// What became of it.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct CourseStatus {
    held: bool,
}

fn true_north() -> String {
    "true".to_owned()
}

/// The courses of the checks.
pub(crate) fn courses(client: &Client) -> Api<Course> {
    Api::namespaced(client.clone(), NAMESPACE)
}

/// A course that holds a bearing from true north.
pub(crate) fn course(name: &str, bearing: i32) -> Course {
    Course::new(name, CourseSpec { bearing, north: true_north() })
}

pub(crate) async fn define(client: &Client) -> Outcome {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let definition = Course::crd();
    definitions.create(&PostParams::default(), &definition).await?;
    let established = conditions::is_crd_established();
    await_condition(definitions, &definition.name_any(), established).await?;
    let served = client.list_api_group_resources("sea.example.com/v1").await?;
    expect("resources served", served.resources.len(), 2)
}

pub(crate) async fn instances(client: &Client) -> Outcome {
    let courses = courses(client);
    courses.create(&PostParams::default(), &course("home", 270)).await?;
    let nowhere = courses.create(&PostParams::default(), &course("nowhere", 400)).await;
    refused("took a bearing of 400", 422, nowhere)?;

    let merge = Patch::Merge(json!({"spec": {"bearing": 90}}));
    let patched = courses.patch("home", &PatchParams::default(), &merge).await?;
    expect("bearing", patched.spec.bearing, 90)?;
    let status = Patch::Merge(json!({"status": {"held": true}}));
    let updated = courses.patch_status("home", &PatchParams::default(), &status).await?;
    expect("held", updated.status.map(|status| status.held), Some(true))?;
    expect("generation", updated.metadata.generation, patched.metadata.generation)?;

    let applied = Patch::Apply(json!({
        "apiVersion": "sea.example.com/v1", "kind": "Course", "metadata": {"name": "applied"}, "spec": {"bearing": 45},
    }));
    let got = courses.patch("applied", &PatchParams::apply("helm"), &applied).await?;
    expect("the default of north", got.spec.north.as_str(), "true")?;
    expect("courses", courses.list(&ListParams::default()).await?.items.len(), 2)?;
    courses.delete("applied", &DeleteParams::default()).await?;
    expect("courses left", courses.list(&ListParams::default()).await?.items.len(), 1)
}
