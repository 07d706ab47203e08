//! What holds between objects when they are written: namespaces must be there, and some must stay.

use rhumb_meta::Object;

use crate::api::Api;
use crate::call::Call;
use crate::failure::Outcome;
use crate::resource::Endpoint;

/// Addresses and ports that were given to an object. If it is not stored after all, they go back.
#[must_use]
pub(crate) struct Reservation;

impl Reservation {
    /// The object is stored; it keeps what it was given.
    pub(crate) fn keep(self) {}
}

impl Api {
    /// Refuses a new object that has no place.
    pub(crate) fn admit_create(&self, _call: &Call<'_>, _object: &dyn Object) -> Outcome<()> {
        Ok(())
    }

    /// Gives a new object its addresses and ports.
    pub(crate) fn allocate_create(
        &self,
        _: &Endpoint,
        _: &mut dyn Object,
        _dry_run: bool,
    ) -> Outcome<Reservation> {
        Ok(Reservation)
    }

    /// Gives a changed object the addresses and ports that it lacks.
    pub(crate) fn allocate_update(
        &self,
        _: &Endpoint,
        _new: &mut dyn Object,
        _old: &dyn Object,
        _dry_run: bool,
    ) -> Outcome<Reservation> {
        Ok(Reservation)
    }

    /// Takes back what an object had that is gone.
    pub(crate) fn released(&self, _: &Endpoint, _: &dyn Object) {}

    /// Whether an object stays though nothing in its metadata keeps it.
    pub(crate) fn keeps_when_deleted(&self, _: &Endpoint, _: &dyn Object) -> bool {
        false
    }

    /// Shows in an object that it is going.
    pub(crate) fn mark_deleted(&self, _: &Endpoint, _: &mut dyn Object) {}
}
