//! A scheme with four kinds: a Pod, its internal form, a DaemonSet, and a Status, which has no version.
//!
//! ```console
//! $ cargo run -p scheme-examples --bin kinds
//! ```

use std::error::Error;
use std::io::Write;

use rhumb_api::apps::v1::DaemonSet;
use rhumb_api::core::v1::Pod;
use rhumb_meta::v1::Status;
use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::SchemeBuilder;

fn main() -> Result<(), Box<dyn Error>> {
    let core = GroupVersion::new_static("", "v1");
    let core_internal = GroupVersion::new_static("", INTERNAL);
    let extensions = GroupVersion::new_static("extensions", "v1beta1");

    let mut builder = SchemeBuilder::new("four kinds");
    builder
        .register::<Pod>(&core)?
        .register::<DaemonSet>(&extensions)?
        .register::<Pod>(&core_internal)?
        .register_unversioned::<Status>(&core)?;
    // From here on it only answers, from any thread and without locks.
    let scheme = builder.freeze()?;

    let mut out = std::io::stdout().lock();
    for known in scheme.all_known_types() {
        writeln!(out, "{} is a {}", known.gvk, known.rust_name)?;
    }
    // A kind has one type; a type may have several kinds.
    let (kinds, _) = scheme.object_kinds(&Pod::default())?;
    writeln!(out, "a Pod may be {}", kinds.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or "))?;
    // What has no version exists in all of them, registered or not.
    let status = scheme.new_object(&GroupVersion::new_static("batch", "v1").with_kind("Status"))?;
    writeln!(out, "a Status is without a version: {:?}", scheme.is_unversioned(&*status))?;
    let job = GroupVersion::new_static("batch", "v1").with_kind("Job");
    if let Err(error) = scheme.new_object(&job) {
        writeln!(out, "{error}")?;
    }
    Ok(())
}
