//! `flowcontrol.apiserver.k8s.io/v1beta3`: v1, except that a share of zero needs an annotation to be told from none.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::{Convert, ConvertError, Scope};

use super::{shares, v1};

pub use super::v1::{
    ExemptPriorityLevelConfiguration, FlowDistinguisherMethod, FlowSchema, FlowSchemaCondition,
    FlowSchemaList, FlowSchemaSpec, FlowSchemaStatus, GroupSubject, LimitResponse, NonResourcePolicyRule,
    PolicyRulesWithSubjects, PriorityLevelConfigurationCondition, PriorityLevelConfigurationReference,
    PriorityLevelConfigurationStatus, QueuingConfiguration, ResourcePolicyRule, ServiceAccountSubject,
    Subject, UserSubject,
};

/// How a level shares the server with the others.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::LimitedPriorityLevelConfiguration)]
pub struct LimitedPriorityLevelConfiguration {
    /// The level's share of the server, in proportion to the other levels'.
    #[field(1, shown)]
    #[convert(with = shares)]
    pub nominal_concurrency_shares: i32,
    /// What happens to requests for which there is no room.
    #[field(2)]
    pub limit_response: LimitResponse,
    /// How much of its share other levels may use while it needs less.
    #[field(3)]
    pub lendable_percent: Option<i32>,
    /// How much it may borrow from others; without a bound if not given.
    #[field(4)]
    pub borrowing_limit_percent: Option<i32>,
}

/// A level of priority: its share of the server, and what happens to requests beyond it.
#[derive(Clone, Default, Schema, Object)]
pub struct PriorityLevelConfiguration {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: PriorityLevelConfigurationSpec,
    #[field(3)]
    pub status: PriorityLevelConfigurationStatus,
}

/// A list of priority levels.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::PriorityLevelConfigurationList)]
pub struct PriorityLevelConfigurationList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<PriorityLevelConfiguration>,
}

/// What a priority level shall be.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::PriorityLevelConfigurationSpec)]
pub struct PriorityLevelConfigurationSpec {
    /// Exempt or Limited.
    #[field(1, required)]
    pub type_: String,
    /// The details of a limited level.
    #[field(2)]
    pub limited: Option<Box<LimitedPriorityLevelConfiguration>>,
    /// The details of an exempt level.
    #[field(3)]
    #[convert(same)]
    pub exempt: Option<Box<ExemptPriorityLevelConfiguration>>,
}

impl Convert<v1::PriorityLevelConfiguration> for PriorityLevelConfiguration {
    fn convert(self, scope: &Scope) -> Result<v1::PriorityLevelConfiguration, ConvertError> {
        let PriorityLevelConfiguration { type_meta: _, mut metadata, spec, status } = self;
        // The hub can say zero itself.
        metadata.annotations.remove(shares::PRESERVE_ZERO);
        let spec = spec.convert(scope)?;
        Ok(v1::PriorityLevelConfiguration { type_meta: TypeMeta::default(), metadata, spec, status })
    }
}

impl Convert<PriorityLevelConfiguration> for v1::PriorityLevelConfiguration {
    fn convert(self, scope: &Scope) -> Result<PriorityLevelConfiguration, ConvertError> {
        let v1::PriorityLevelConfiguration { type_meta: _, mut metadata, spec, status } = self;
        let spec: PriorityLevelConfigurationSpec = spec.convert(scope)?;
        if spec.limited.as_ref().is_some_and(|limited| limited.nominal_concurrency_shares == 0) {
            metadata.annotations.entry(shares::PRESERVE_ZERO.to_owned()).or_default();
        }
        Ok(PriorityLevelConfiguration { type_meta: TypeMeta::default(), metadata, spec, status })
    }
}
