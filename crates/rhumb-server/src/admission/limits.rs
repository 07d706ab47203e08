//! LimitRanger: what containers leave open is filled in from the limit ranges of the namespace, and what is out of
//! their bounds is refused.

use rhumb_api::core::v1::{LimitRange, Pod};
use rhumb_meta::Object;
use rhumb_policy::limits::{self, Subject};

use super::{Admission, Attributes, Deciding, Operation};

const RANGES: (&str, &str, &str) = ("", "v1", "limitranges");

pub(super) struct LimitRanger;

fn subject(request: &Attributes<'_>) -> Option<Subject> {
    let creates = match request.operation {
        Operation::Create => true,
        Operation::Update => false,
        Operation::Delete | Operation::Connect => return None,
    };
    limits::subject(&request.resource.group, &request.resource.resource, request.subresource, creates)
}

/// Whether an object is going, so that nothing of it matters any more.
fn is_going(old: Option<&dyn Object>) -> bool {
    old.and_then(Object::metadata).is_some_and(|meta| meta.deletion_timestamp.is_some())
}

impl Admission for LimitRanger {
    fn name(&self) -> &str {
        "LimitRanger"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        subject(request).is_some()
    }

    fn mutate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: &'a mut dyn Object,
    ) -> Deciding<'a> {
        Box::pin(async move {
            let Some(pod) = new.downcast_mut::<Pod>().filter(|_| !is_going(old)) else { return Ok(()) };
            let ranges = request.cluster.list(RANGES, request.namespace).await?;
            for range in ranges.iter().filter_map(|range| range.downcast_ref::<LimitRange>()) {
                limits::apply_defaults(pod, range);
            }
            Ok(())
        })
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        Box::pin(async move {
            let Some(object) = new.filter(|_| !is_going(old)) else { return Ok(()) };
            let ranges = request.cluster.list(RANGES, request.namespace).await?;
            for range in ranges.iter().filter_map(|range| range.downcast_ref::<LimitRange>()) {
                if let Some(why) = limits::refusal(&limits::check(object, range)) {
                    return Err(request.forbidden(new, why));
                }
            }
            Ok(())
        })
    }
}
