//! DefaultIngressClass gives Ingresses without a class the default one.

use rhumb_api::networking::v1::{Ingress, IngressClass};
use rhumb_meta::Object;

use super::{Admission, Attributes, Deciding, Operation};

const GROUP: &str = "networking.k8s.io";
/// The annotation by which Ingresses named their class before they had a field for it.
const OLD_CLASS: &str = "kubernetes.io/ingress.class";
/// What marks a class as the default one.
const DEFAULT: [&str; 1] = ["ingressclass.kubernetes.io/is-default-class"];

pub(super) struct DefaultIngressClass;

impl Admission for DefaultIngressClass {
    fn name(&self) -> &str {
        "DefaultIngressClass"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        request.operation == Operation::Create && request.is(GROUP, "ingresses")
    }

    fn mutate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        _: Option<&'a dyn Object>,
        new: &'a mut dyn Object,
    ) -> Deciding<'a> {
        Box::pin(async move {
            let Some(ingress) = new.downcast_mut::<Ingress>() else { return Ok(()) };
            let named = ingress.metadata.annotations.contains_key(OLD_CLASS);
            if !named && ingress.spec.ingress_class_name.is_none() {
                let all = request.cluster.newest((GROUP, "v1", "ingressclasses"), "").await?;
                let classes = all.iter().filter_map(|class| class.downcast_ref::<IngressClass>());
                ingress.spec.ingress_class_name =
                    super::storage::default_of(classes.map(|class| &class.metadata), &DEFAULT);
            }
            Ok(())
        })
    }
}
