//! Which parts of a cluster volumes may be made in.

use rhumb_schema::Schema;

/// A requirement on a label of the topology, such as the zone.
#[derive(Clone, Default, Schema)]
pub struct TopologySelectorLabelRequirement {
    /// The label.
    #[field(1, required)]
    pub key: String,
    /// The values of which it must have one.
    #[field(2, required, list = "atomic")]
    pub values: Vec<String>,
}

/// Requirements on the topology. All of them hold.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct TopologySelectorTerm {
    /// The requirements, by label.
    #[field(1, list = "atomic")]
    pub match_label_expressions: Vec<TopologySelectorLabelRequirement>,
}
