//! A custom resource with a Rust type: defines, writes and reads it.
//!
//! ```console
//! $ cargo run -p client-examples --bin custom_resource
//! ```

use std::error::Error;
use std::io::Write;
use std::time::Duration;

use rhumb_api::apiextensions::v1::CustomResourceDefinition;
use rhumb_client::{Client, from_unstructured};
use rhumb_meta::v1::{ApplyOptions, ListOptions};
use rhumb_meta::{Object, ObjectMeta, Resource, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Unstructured;
use serde_json::json;

/// A compass course to hold. The plural is derived from the kind unless `plural = "…"` is set.
#[derive(Clone, Default, Schema, Object, Resource)]
#[resource(group = "rhumb.example.com", version = "v1", namespaced)]
pub struct Course {
    #[field(0, inline)]
    type_meta: TypeMeta,
    #[field(0)]
    metadata: ObjectMeta,
    #[field(0)]
    spec: CourseSpec,
    #[field(0)]
    status: CourseStatus,
}

/// Where the course leads. Fields have the protobuf number 0, which means none: custom resources are encoded as JSON.
#[derive(Clone, Default, Schema)]
pub struct CourseSpec {
    /// Degrees from north, clockwise.
    #[field(0)]
    bearing: i32,
}

/// Who holds the course.
#[derive(Clone, Default, Schema)]
pub struct CourseStatus {
    #[field(0)]
    helmsman: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    run(Client::infer().await?, &mut std::io::stdout()).await
}

/// Defines the resource, applies a course and its status, and lists all courses.
pub async fn run(client: Client, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    define(&client).await?;
    // The type has its resource; built-in types work in the same way.
    let courses = client.resource::<Course>().default_namespace();

    let mut course = Course::default();
    course.metadata.name = "westward".to_owned();
    course.spec.bearing = 270;
    let options = ApplyOptions { field_manager: "example".to_owned(), ..Default::default() };
    courses.apply("westward", &course, &options).await?;

    // Gets, changes and updates, with retries on conflicts.
    let options = Default::default();
    courses.modify_status("westward", &options, |course| course.status.helmsman = "Ada".to_owned()).await?;

    for course in courses.list(&ListOptions::default()).await? {
        let (name, helmsman) = (&course.metadata.name, &course.status.helmsman);
        writeln!(out, "{name}: {helmsman} holds {}°", course.spec.bearing)?;
    }
    Ok(())
}

/// Applies the definition and waits until the resource is served.
async fn define(client: &Client) -> Result<(), Box<dyn Error>> {
    let definitions = client.resource::<CustomResourceDefinition>();
    let name = format!("{}.{}", Course::PLURAL, Course::GROUP);
    let options = ApplyOptions { field_manager: "example".to_owned(), ..Default::default() };
    definitions.apply(&name, &definition()?, &options).await?;
    loop {
        let now = definitions.get(&name).await?;
        let mut conditions = now.status.conditions.iter();
        let is_established =
            conditions.any(|condition| condition.type_ == "Established" && condition.status == "True");
        if is_established && client.resource::<Course>().list(&ListOptions::default()).await.is_ok() {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Returns the type's definition, here as JSON, since it usually comes from a file.
fn definition() -> Result<Unstructured, Box<dyn Error>> {
    let tree = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{}.{}", Course::PLURAL, Course::GROUP)},
        "spec": {
            "group": Course::GROUP,
            "scope": "Namespaced",
            "names": {"kind": Course::KIND, "plural": Course::PLURAL, "singular": "course"},
            "versions": [{
                "name": Course::VERSION, "served": true, "storage": true,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": {
                        "bearing": {"type": "integer", "minimum": 0, "maximum": 359},
                    }},
                    "status": {"type": "object", "properties": {"helmsman": {"type": "string"}}},
                }}},
            }],
        },
    });
    let tree = Unstructured::new(tree).ok_or("a definition is an object")?;
    // Converting to the typed definition finds mistakes early.
    from_unstructured::<CustomResourceDefinition>(&tree)?;
    Ok(tree)
}
