//! `policy/v1beta1`: budgets whose empty selector matches no pod, and the PodSecurityPolicy.

mod pod_security_policy;

use rhumb_meta::v1::{LabelSelector, LabelSelectorRequirement, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{IntOrString, Object};
use rhumb_schema::Schema;
use rhumb_scheme::{Convert, ConvertError, Scope};

use super::v1::{self, UNHEALTHY_POD_EVICTION_POLICY_TYPES};

pub use super::v1::{Eviction, PodDisruptionBudgetStatus};
pub use pod_security_policy::{
    AllowedCSIDriver, AllowedFlexVolume, AllowedHostPath, FSGroupStrategyOptions, HostPortRange, IDRange,
    PodSecurityPolicy, PodSecurityPolicyList, PodSecurityPolicySpec, RunAsGroupStrategyOptions,
    RunAsUserStrategyOptions, RuntimeClassStrategyOptions, SELinuxStrategyOptions,
    SupplementalGroupsStrategyOptions,
};

/// The label that no pod has. Asking for it, or for its absence, is how one version says nothing or all in the words
/// of the other.
const NO_POD_HAS: &str = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";

/// Bounds how many pods of a set may be missing at once by somebody's will, as in the drain of a node.
#[derive(Clone, Default, Schema, Object)]
pub struct PodDisruptionBudget {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// Which pods it is about, and how many of them may be missing.
    #[field(2)]
    pub spec: PodDisruptionBudgetSpec,
    /// How many may go now.
    #[field(3)]
    pub status: PodDisruptionBudgetStatus,
}

/// A list of PodDisruptionBudget objects.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::PodDisruptionBudgetList)]
pub struct PodDisruptionBudgetList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<PodDisruptionBudget>,
}

/// Which pods a budget is about, and how many of them may be missing.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::PodDisruptionBudgetSpec)]
pub struct PodDisruptionBudgetSpec {
    /// How many of the pods must stay, as a number or a percentage. Excludes maxUnavailable.
    #[field(1)]
    #[convert(same)]
    pub min_available: Option<IntOrString>,
    /// Which pods it is about: none if empty.
    #[field(2)]
    #[convert(same)]
    pub selector: Option<Box<LabelSelector>>,
    /// How many of the pods may be missing, as a number or a percentage. Excludes minAvailable.
    #[field(3)]
    #[convert(same)]
    pub max_unavailable: Option<IntOrString>,
    /// When running pods that are not ready may go: IfHealthyBudget, the default, only if the others
    /// suffice; AlwaysAllow, always.
    #[field(4, values = UNHEALTHY_POD_EVICTION_POLICY_TYPES)]
    pub unhealthy_pod_eviction_policy: Option<String>,
}

impl Convert<v1::PodDisruptionBudget> for PodDisruptionBudget {
    fn convert(self, scope: &Scope) -> Result<v1::PodDisruptionBudget, ConvertError> {
        let PodDisruptionBudget { type_meta: _, metadata, mut spec, status } = self;
        if let Some(selector) = &mut spec.selector {
            if is_empty(selector) {
                **selector = asking("Exists");
            } else if is_asking(selector, "DoesNotExist") {
                **selector = LabelSelector::default();
            } else {
                strip(selector);
            }
        }
        let spec = spec.convert(scope)?;
        Ok(v1::PodDisruptionBudget { type_meta: TypeMeta::default(), metadata, spec, status })
    }
}

impl Convert<PodDisruptionBudget> for v1::PodDisruptionBudget {
    fn convert(self, scope: &Scope) -> Result<PodDisruptionBudget, ConvertError> {
        let v1::PodDisruptionBudget { type_meta: _, metadata, mut spec, status } = self;
        if let Some(selector) = &mut spec.selector {
            if is_asking(selector, "Exists") {
                **selector = LabelSelector::default();
            } else if is_empty(selector) {
                **selector = asking("DoesNotExist");
            }
        }
        let spec = spec.convert(scope)?;
        Ok(PodDisruptionBudget { type_meta: TypeMeta::default(), metadata, spec, status })
    }
}

/// The label that no pod has stands alone or not at all.
pub(super) fn hub_form(budget: &mut v1::PodDisruptionBudget) -> Result<(), ConvertError> {
    if let Some(selector) = &mut budget.spec.selector
        && !is_asking(selector, "Exists")
    {
        strip(selector);
    }
    Ok(())
}

fn asking(operator: &str) -> LabelSelector {
    let requirement = LabelSelectorRequirement {
        key: NO_POD_HAS.to_owned(),
        operator: operator.to_owned(),
        values: Vec::new(),
    };
    LabelSelector { match_labels: Default::default(), match_expressions: vec![requirement] }
}

fn is_asking(selector: &LabelSelector, operator: &str) -> bool {
    *selector == asking(operator)
}

fn is_empty(selector: &LabelSelector) -> bool {
    selector.match_labels.is_empty() && selector.match_expressions.is_empty()
}

fn strip(selector: &mut LabelSelector) {
    selector.match_expressions.retain(|requirement| requirement.key != NO_POD_HAS);
}
