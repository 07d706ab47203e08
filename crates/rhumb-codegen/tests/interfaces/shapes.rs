//! Types that are known by traits.

#[rustfmt::skip]
mod zz_generated_deepcopy;

/// The copy of a shape.
pub(crate) trait CloneShape {
    /// A copy.
    fn clone_shape(&self) -> Box<dyn Shape>;
}

/// Something with a size.
pub(crate) trait Shape: CloneShape {
    /// Its size.
    fn size(&self) -> i32;
}

/// A module of its own, whose names mean something there.
pub(crate) mod names {
    /// Something with a name.
    pub(crate) trait Named {
        /// A copy, which goes anywhere.
        fn copy_named(&self) -> Box<dyn Named + Send>;

        /// Its name.
        fn name(&self) -> &'static str {
            "thing"
        }
    }
}

pub(crate) use names::Named;

/// A circle.
// +k8s:deepcopy-gen=true
// +k8s:deepcopy-gen:interfaces=CloneShape,names::Named
pub(crate) struct Circle {
    /// Its radius.
    pub(crate) radius: i32,
}

impl Shape for Circle {
    fn size(&self) -> i32 {
        self.radius
    }
}

/// The sides of something.
// +k8s:deepcopy-gen:interfaces=self::CloneShape
#[derive(Clone)]
pub(crate) enum Sides {
    /// These.
    Some(Vec<i32>),
}

impl Shape for Sides {
    fn size(&self) -> i32 {
        let Sides::Some(sides) = self;
        sides.iter().sum()
    }
}
