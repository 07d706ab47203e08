//! TaintNodesByCondition: a new node takes no pods until somebody has seen that it is ready.

use rhumb_api::core::v1::{Node, Taint};
use rhumb_meta::Object;

use super::{Admission, Attributes, Deciding, Operation};

const NOT_READY: &str = "node.kubernetes.io/not-ready";
const NO_SCHEDULE: &str = "NoSchedule";

pub(super) struct TaintNodesByCondition;

impl Admission for TaintNodesByCondition {
    fn name(&self) -> &str {
        "TaintNodesByCondition"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        request.operation == Operation::Create && request.is("", "nodes")
    }

    fn mutate<'a>(
        &'a self,
        _: &'a Attributes<'_>,
        _: Option<&'a dyn Object>,
        new: &'a mut dyn Object,
    ) -> Deciding<'a> {
        if let Some(node) = new.downcast_mut::<Node>() {
            let taints = &mut node.spec.taints;
            if !taints.iter().any(|taint| taint.key == NOT_READY && taint.effect == NO_SCHEDULE) {
                let (key, effect) = (NOT_READY.to_owned(), NO_SCHEDULE.to_owned());
                taints.push(Taint { key, effect, ..Taint::default() });
            }
        }
        Box::pin(std::future::ready(Ok(())))
    }
}
