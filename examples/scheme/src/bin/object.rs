//! A Pod as an object of any kind, and back.
//!
//! ```console
//! $ cargo run -p scheme-examples --bin object
//! ```

use std::error::Error;
use std::io::Write;

use rhumb_api::apps::v1::DaemonSet;
use rhumb_api::core::v1::Pod;
use rhumb_meta::{Object, downcast};

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    let mut pod = Pod::default();
    pod.type_meta.set("v1", "Pod");
    pod.metadata.name = "web".to_owned();
    pod.metadata.labels.insert("app".to_owned(), "web".to_owned());

    // What all kinds have can be asked without knowing the kind.
    let object: Box<dyn Object> = Box::new(pod.clone());
    let name = object.metadata().map(|metadata| metadata.name.clone()).unwrap_or_default();
    writeln!(out, "{} {name:?}", object.gvk())?;

    // A copy is deep: it shares nothing with the original.
    let mut copy = object.clone_object();
    copy.edit_metadata(&mut |metadata| metadata.labels.clear());
    writeln!(out, "the copy is equal: {}", copy.equals(&*object))?;

    // Looked at as what it is, or not at all.
    writeln!(out, "it is a DaemonSet: {}", object.is::<DaemonSet>())?;
    let borrowed = object.downcast_ref::<Pod>().ok_or("it is no Pod")?;
    writeln!(out, "its label is {:?}", borrowed.metadata.labels.get("app"))?;

    // And back: the box is opened, nothing is copied.
    let back: Pod = downcast(object).map_err(|other| format!("{} is no Pod", other.gvk()))?;
    writeln!(out, "the Pod is as before: {}", back == pod)?;
    Ok(())
}
