//! The group `fleet.example.com`, which the programs beside this library register: ships in two versions and a hub.

use rhumb_meta::GroupVersion;
use rhumb_scheme::{RegisterError, SchemeBuilder};

/// The guide, so that its examples are compiled and run with the tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/scheme.md")]
    struct Guide;
}

/// The name of the group.
pub const GROUP: &str = "fleet.example.com";
/// The version `v1`, whose types are the hub's.
pub const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
/// The version `v1beta1`.
pub const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");

/// Registers the group: kinds, conversions, what every version has, and which version is the most wanted.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.register::<v1::Ship>(&V1)?.register_hub::<v1::Ship>(GROUP)?;
    builder.register::<v1beta1::Ship>(&V1BETA1)?.hub_conversion::<v1beta1::Ship, v1::Ship>();
    builder.add_to_group_version(&V1)?.add_to_group_version(&V1BETA1)?;
    builder.version_priority(GROUP, &["v1", "v1beta1"])?;
    Ok(())
}

/// The version `v1`.
pub mod v1 {
    use rhumb_meta::{Object, ObjectMeta, TypeMeta};
    use rhumb_schema::Schema;

    /// A ship of the fleet.
    #[derive(Clone, Default, Schema, Object)]
    pub struct Ship {
        /// The version and kind.
        #[field(0, inline)]
        pub type_meta: TypeMeta,
        /// The ship's metadata.
        #[field(1)]
        pub metadata: ObjectMeta,
        /// How many people sail it.
        #[field(2, default = 2)]
        pub crew: Option<i32>,
    }
}

/// The version `v1beta1`, which called the crew hands.
pub mod v1beta1 {
    use rhumb_meta::{Object, ObjectMeta, TypeMeta};
    use rhumb_schema::Schema;
    use rhumb_scheme::Convert;

    /// A ship of the fleet.
    #[derive(Clone, Default, Schema, Object, Convert)]
    #[convert(hub = super::v1::Ship)]
    pub struct Ship {
        /// The version and kind.
        #[field(0, inline)]
        pub type_meta: TypeMeta,
        /// The ship's metadata.
        #[field(1)]
        pub metadata: ObjectMeta,
        /// How many people sail it.
        #[field(2)]
        #[convert(rename = crew)]
        pub hands: Option<i32>,
    }
}
