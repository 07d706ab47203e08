//! Building blocks of derived conversions: from a field's type to the hub's and back.
//!
//! A way stands for both directions, so that a pair of types without conversions is one error and not two. The hub's
//! type is always that of a place that exists, never guessed from the field's own.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use crate::convert::{Convert, ConvertError, Scope};

/// A way between a field's type and the type that the hub has for it.
#[diagnostic::on_unimplemented(
    message = "`{Own}` and the hub's `{Hub}` don't convert to each other",
    label = "this field has another type in the hub",
    note = "give the field the hub's type, or derive `Convert` on its own type with `#[convert(hub = …)]`, or write \
            functions `to_hub` and `from_hub` and name their module: `#[convert(with = module)]`"
)]
pub trait Way<Own, Hub> {
    /// Puts the hub's form of a value into the hub.
    ///
    /// # Errors
    /// If the hub can't say it.
    fn to_hub(own: Own, hub: &mut Hub, scope: &Scope) -> Result<(), ConvertError>;
    /// Returns the value out of the hub's form.
    ///
    /// # Errors
    /// If this version can't say it.
    fn from_hub(hub: Hub, scope: &Scope) -> Result<Own, ConvertError>;
}

/// Marker of a conversion with its types. The hub's type comes from a value: if it were inferred, the compiler would
/// pick the only type it knows a conversion to, the field's own, and report errors about the value.
pub struct Between<W, Own, Hub>(PhantomData<(W, Own, Hub)>);

impl<W, Own, Hub> Between<W, Own, Hub> {
    /// Returns the marker for the type of a value.
    pub fn of(_hub: &Hub) -> Self {
        Between(PhantomData)
    }
}

/// Conversion between two known types.
pub trait Passage<Own, Hub> {
    /// See [`Way::to_hub`].
    ///
    /// # Errors
    /// If the hub can't say it.
    fn there(self, own: Own, hub: &mut Hub, scope: &Scope) -> Result<(), ConvertError>;
    /// See [`Way::from_hub`].
    ///
    /// # Errors
    /// If this version can't say it.
    fn back(self, hub: Hub, scope: &Scope) -> Result<Own, ConvertError>;
}

impl<W: Way<Own, Hub>, Own, Hub> Passage<Own, Hub> for Between<W, Own, Hub> {
    fn there(self, own: Own, hub: &mut Hub, scope: &Scope) -> Result<(), ConvertError> {
        W::to_hub(own, hub, scope)
    }
    fn back(self, hub: Hub, scope: &Scope) -> Result<Own, ConvertError> {
        W::from_hub(hub, scope)
    }
}

/// Conversion of the whole value: as registered in the scheme, or else by its trait.
pub struct Whole;

#[diagnostic::do_not_recommend]
impl<Own: Convert<Hub> + 'static, Hub: Convert<Own> + 'static> Way<Own, Hub> for Whole {
    fn to_hub(own: Own, hub: &mut Hub, scope: &Scope) -> Result<(), ConvertError> {
        *hub = match scope.registered() {
            Some(convert) => convert(own, scope)?,
            None => own.convert(scope)?,
        };
        Ok(())
    }
    fn from_hub(hub: Hub, scope: &Scope) -> Result<Own, ConvertError> {
        match scope.registered() {
            Some(convert) => convert(hub, scope),
            None => hub.convert(scope),
        }
    }
}

/// Conversion of the contents of an option, box, list or map.
pub struct Each<Inner>(PhantomData<Inner>);

impl<Own, Hub: Default, Inner: Way<Own, Hub>> Way<Option<Own>, Option<Hub>> for Each<Inner> {
    fn to_hub(own: Option<Own>, hub: &mut Option<Hub>, scope: &Scope) -> Result<(), ConvertError> {
        match own {
            Some(own) => Inner::to_hub(own, hub.insert(Hub::default()), scope),
            None => Ok(()),
        }
    }
    fn from_hub(hub: Option<Hub>, scope: &Scope) -> Result<Option<Own>, ConvertError> {
        hub.map(|hub| Inner::from_hub(hub, scope)).transpose()
    }
}

impl<Own, Hub, Inner: Way<Own, Hub>> Way<Box<Own>, Box<Hub>> for Each<Inner> {
    fn to_hub(own: Box<Own>, hub: &mut Box<Hub>, scope: &Scope) -> Result<(), ConvertError> {
        Inner::to_hub(*own, hub, scope)
    }
    fn from_hub(hub: Box<Hub>, scope: &Scope) -> Result<Box<Own>, ConvertError> {
        Inner::from_hub(*hub, scope).map(Box::new)
    }
}

impl<Own, Hub: Default, Inner: Way<Own, Hub>> Way<Vec<Own>, Vec<Hub>> for Each<Inner> {
    fn to_hub(own: Vec<Own>, hub: &mut Vec<Hub>, scope: &Scope) -> Result<(), ConvertError> {
        hub.reserve_exact(own.len());
        own.into_iter().try_for_each(|own| Inner::to_hub(own, hub.push_mut(Hub::default()), scope))
    }
    fn from_hub(hub: Vec<Hub>, scope: &Scope) -> Result<Vec<Own>, ConvertError> {
        hub.into_iter().map(|hub| Inner::from_hub(hub, scope)).collect()
    }
}

impl<Own, Hub: Default, Inner: Way<Own, Hub>> Way<BTreeMap<String, Own>, BTreeMap<String, Hub>>
    for Each<Inner>
{
    fn to_hub(
        own: BTreeMap<String, Own>,
        hub: &mut BTreeMap<String, Hub>,
        scope: &Scope,
    ) -> Result<(), ConvertError> {
        own.into_iter().try_for_each(|(key, own)| Inner::to_hub(own, hub.entry(key).or_default(), scope))
    }
    fn from_hub(hub: BTreeMap<String, Hub>, scope: &Scope) -> Result<BTreeMap<String, Own>, ConvertError> {
        hub.into_iter().map(|(key, hub)| Ok((key, Inner::from_hub(hub, scope)?))).collect()
    }
}
