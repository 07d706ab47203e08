//! The hub.

/// What is to run, and when.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Spec {
    /// When it runs.
    pub(crate) schedule: String,
    /// The image that runs, without its tag.
    pub(crate) image: String,
    /// Which build of the image runs.
    pub(crate) tag: String,
    /// Under which conditions it runs.
    pub(crate) policy: Policy,
    /// How many may run.
    pub(crate) limit: i32,
}

/// Under which conditions something runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Policy {
    /// Nothing runs while this is true.
    pub(crate) suspend: bool,
}
