//! DefaultTolerationSeconds: pods stay for five minutes on a node that is not ready or can't be reached.

use rhumb_api::core::v1::{Pod, Toleration};
use rhumb_meta::Object;

use super::{Admission, Attributes, Deciding};

const KEYS: [&str; 2] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
const SECONDS: i64 = 300;
const NO_EXECUTE: &str = "NoExecute";

pub(super) struct DefaultTolerationSeconds;

impl Admission for DefaultTolerationSeconds {
    fn name(&self) -> &str {
        "DefaultTolerationSeconds"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        request.is("", "pods") && request.operation.stores()
    }

    fn mutate<'a>(
        &'a self,
        _: &'a Attributes<'_>,
        _: Option<&'a dyn Object>,
        new: &'a mut dyn Object,
    ) -> Deciding<'a> {
        if let Some(pod) = new.downcast_mut::<Pod>() {
            tolerate(&mut pod.spec.tolerations);
        }
        Box::pin(std::future::ready(Ok(())))
    }
}

fn tolerate(tolerations: &mut Vec<Toleration>) {
    let missing = KEYS.map(|key| {
        !tolerations.iter().any(|known| {
            (known.key == key || known.key.is_empty())
                && (known.effect == NO_EXECUTE || known.effect.is_empty())
        })
    });
    for (key, _) in KEYS.iter().zip(missing).filter(|(_, missing)| *missing) {
        tolerations.push(Toleration {
            key: (*key).to_owned(),
            operator: "Exists".to_owned(),
            effect: NO_EXECUTE.to_owned(),
            toleration_seconds: Some(SECONDS),
            ..Toleration::default()
        });
    }
}
