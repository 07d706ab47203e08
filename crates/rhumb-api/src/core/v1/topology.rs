//! Topologys in `v1`.

use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
pub struct TopologySelectorLabelRequirement {
    #[field(1, required)]
    pub key: String,
    #[field(2, required, list = "atomic")]
    pub values: Vec<String>,
}

#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct TopologySelectorTerm {
    #[field(1, list = "atomic")]
    pub match_label_expressions: Vec<TopologySelectorLabelRequirement>,
}
