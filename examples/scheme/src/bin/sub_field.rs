//! A conversion that moves a sub-field and leaves its form to the scheme.
//!
//! The old Boat has its mast beside its name; in the hub it stands within the rigging. The conversion of the mast itself
//! is registered apart, and what it takes as the unit is told by whoever starts the conversion.
//!
//! ```console
//! $ cargo run -p scheme-examples --bin sub_field
//! ```

use std::error::Error;
use std::io::Write;
use std::sync::Arc;

use rhumb_meta::{Object, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::{SchemeBuilder, Scope, ToInternal};
use scheme_examples::{GROUP, V1BETA1};

#[derive(Clone, Default, Schema, Object)]
struct Boat {
    #[field(0, inline)]
    type_meta: TypeMeta,
    #[field(1)]
    rigging: Rigging,
}

#[derive(Clone, Default, Schema)]
struct Rigging {
    #[field(1)]
    mast: Mast,
}

#[derive(Clone, Default, Schema)]
struct Mast {
    #[field(1)]
    centimetres: i64,
}

#[derive(Clone, Default, Schema, Object)]
struct OldBoat {
    #[field(0, inline)]
    type_meta: TypeMeta,
    #[field(1)]
    mast: OldMast,
}

#[derive(Clone, Default, Schema)]
struct OldMast {
    #[field(1)]
    height: i64,
}

/// How many centimetres the old heights were measured in.
struct Unit(i64);

fn main() -> Result<(), Box<dyn Error>> {
    let mut builder = SchemeBuilder::new("boats");
    builder.register_as::<OldBoat>(&V1BETA1.with_kind("Boat"))?.register_hub::<Boat>(GROUP)?;
    builder.conversion(|old: OldBoat, scope: &Scope| {
        let mut boat = Boat::default();
        scope.convert(&old.mast, &mut boat.rigging.mast)?; // The sub-field that has moved.
        Ok(boat)
    });
    builder.conversion(|boat: Boat, scope: &Scope| {
        let mut old = OldBoat::default();
        scope.convert(&boat.rigging.mast, &mut old.mast)?;
        Ok(old)
    });
    // Masts are no objects, and have conversions all the same.
    let unit = |scope: &Scope| scope.context::<Unit>().map_or(100, |unit| unit.0);
    builder.value_conversion(move |old: OldMast, scope| Ok(Mast { centimetres: old.height * unit(scope) }));
    builder.value_conversion(move |mast: Mast, scope| Ok(OldMast { height: mast.centimetres / unit(scope) }));
    let scheme = builder.freeze()?;

    let mut out = std::io::stdout().lock();
    let boat = || Box::new(OldBoat { mast: OldMast { height: 12 }, ..OldBoat::default() });
    let hub = scheme.move_to_version(boat(), &ToInternal)?;
    writeln!(out, "{}", rhumb_schema::to_tree(&*hub))?;
    let hub = scheme.move_to_version_with(boat(), &ToInternal, Arc::new(Unit(30)))?;
    writeln!(out, "{}", rhumb_schema::to_tree(&*hub))?;
    writeln!(out, "{}", rhumb_schema::to_tree(&*scheme.move_to_version(hub, &V1BETA1)?))?;
    Ok(())
}
