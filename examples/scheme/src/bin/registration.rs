//! Registration from another package: a group of Kubernetes' own and one of this library in one scheme.
//!
//! Nothing registers itself when it is linked. A package offers an `install` function, and whoever builds a scheme
//! calls those that it wants.
//!
//! ```console
//! $ cargo run -p scheme-examples --bin registration
//! ```

use std::error::Error;
use std::io::Write;

use rhumb_scheme::{RegisterError, Scheme, SchemeBuilder};

/// What a careless package does: it takes a kind that has a type already.
fn careless(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    let ship = scheme_examples::V1.with_kind("Ship");
    builder.register_as::<scheme_examples::v1beta1::Ship>(&ship).map(|_| ())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    let builder = || Scheme::builder().install(rhumb_api::apps::install)?.install(scheme_examples::install);
    let scheme = builder()?.freeze()?;
    for group in ["apps", scheme_examples::GROUP] {
        let versions: Vec<&str> =
            scheme.prioritized_versions(group).iter().map(|gv| gv.version.as_ref()).collect();
        writeln!(out, "{group} has {}, the most wanted first", versions.join(", "))?;
    }
    writeln!(out, "batch is registered: {}", scheme.is_group_registered("batch"))?;
    // A mistake is an error with both types in it, and the program decides what becomes of it.
    if let Err(error) = builder()?.install(careless) {
        writeln!(out, "{error}")?;
    }
    Ok(())
}
