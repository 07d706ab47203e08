//! RuntimeClass: what the runtime of a pod's class costs is added to the pod, and so is what its nodes want of pods.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rhumb_api::core::v1::{Pod, PodSpec, Toleration};
use rhumb_api::node::v1::RuntimeClass as Class;
use rhumb_meta::Object;
use rhumb_scheme::validation::Wanted;

use super::{Admission, Attributes, Deciding, Operation};
use crate::base::failure::Outcome;

const DIFFERS: &str = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

pub(super) struct RuntimeClass;

impl Admission for RuntimeClass {
    fn name(&self) -> &str {
        "RuntimeClass"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        request.operation == Operation::Create && request.is("", "pods")
    }

    fn mutate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        _: Option<&'a dyn Object>,
        new: &'a mut dyn Object,
    ) -> Deciding<'a> {
        Box::pin(async move {
            let Some(pod) = new.downcast_mut::<Pod>() else { return Ok(()) };
            let found = class_of(request, pod).await?;
            let Some(class) = found.as_ref().and_then(|found| found.downcast_ref::<Class>()) else {
                return Ok(());
            };
            complete(&mut pod.spec, class).map_err(|why| request.forbidden(Some(&*pod), why))
        })
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        _: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        Box::pin(async move {
            let Some(pod) = new.and_then(|new| new.downcast_ref::<Pod>()) else { return Ok(()) };
            if pod.spec.runtime_class_name.is_none() && pod.spec.overhead.is_empty() {
                return Ok(());
            }
            let found = class_of(request, pod).await?;
            let class = found.as_ref().and_then(|found| found.downcast_ref::<Class>());
            match class.and_then(|class| class.overhead.as_ref()) {
                Some(overhead) if overhead.pod_fixed != pod.spec.overhead => {
                    Err(request.forbidden(new, DIFFERS))
                }
                None if !pod.spec.overhead.is_empty() => {
                    let why =
                        "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
                    Err(request.forbidden(new, why))
                }
                _ => Ok(()),
            }
        })
    }
}

/// The class that a pod names, which has to be there.
async fn class_of(request: &Attributes<'_>, pod: &Pod) -> Outcome<Option<Arc<dyn Object>>> {
    let Some(name) = &pod.spec.runtime_class_name else { return Ok(None) };
    let found = request.cluster.get(("node.k8s.io", "v1", "runtimeclasses"), "", name).await?;
    let missing = || {
        let shown = rhumb_schema::text::quoted(name);
        request.forbidden(Some(pod), format!("pod rejected: RuntimeClass {shown} not found"))
    };
    found.ok_or_else(missing).map(Some)
}

/// Adds what a class wants to a pod; why not, if the pod wants something else.
fn complete(pod: &mut PodSpec, class: &Class) -> Result<(), String> {
    if let Some(overhead) = &class.overhead {
        if !pod.overhead.is_empty() && pod.overhead != overhead.pod_fixed {
            return Err(DIFFERS.to_owned());
        }
        pod.overhead.clone_from(&overhead.pod_fixed);
    }
    let Some(scheduling) = &class.scheduling else { return Ok(()) };
    for (key, wanted) in &scheduling.node_selector {
        if let Some(own) = pod.node_selector.get(key).filter(|own| *own != wanted) {
            return Err(format!(
                "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {wanted}; pod.spec.nodeSelector[{key}] = {own}"
            ));
        }
    }
    let selector = scheduling.node_selector.iter().map(|(key, value)| (key.clone(), value.clone()));
    pod.node_selector.extend(selector);
    let own = std::mem::take(&mut pod.tolerations);
    pod.tolerations = together(own, &scheduling.tolerations);
    Ok(())
}

/// Two lists of tolerations as one, without those that another one has in it.
fn together(mut first: Vec<Toleration>, second: &[Toleration]) -> Vec<Toleration> {
    first.extend_from_slice(second);
    let (mut known, mut later) = (Borne::default(), Borne::default());
    first.iter().for_each(|one| later.add(one));
    let mut kept: Vec<Toleration> = Vec::with_capacity(first.len());
    for one in first.iter().wanted() {
        later.remove(one);
        if !known.has(one, Same::Counts) && !later.has(one, Same::CountsNot) {
            known.add(one);
            kept.push(one.clone());
        }
    }
    kept
}

/// Whether a toleration that is the same as another one has it in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Same {
    Counts,
    CountsNot,
}

/// What a toleration bears: a key or all, an effect or all, a value or all.
type Reach<'a> = (&'a str, &'a str, Option<&'a str>);

/// What some tolerations bear, and for how long: the longest is found at once.
#[derive(Default)]
struct Borne<'a> {
    /// How many tolerations bear something so long. A time without end is the longest.
    reach: HashMap<Reach<'a>, BTreeMap<i128, usize>>,
    each: HashMap<[&'a str; 4], HashMap<Option<i64>, usize>>,
}

fn whole(one: &Toleration) -> [&str; 4] {
    [&one.key, &one.operator, &one.value, &one.effect].map(String::as_str)
}

/// What a toleration bears, and how long; none if its operator bears nothing but the same toleration.
fn reach(one: &Toleration) -> Option<(Reach<'_>, i128)> {
    let value = match one.operator.as_str() {
        "Equal" | "" => Some(one.value.as_str()),
        "Exists" => None,
        _ => return None,
    };
    let long = match one.toleration_seconds {
        Some(most) if one.effect == "NoExecute" => i128::from(most),
        _ => i128::MAX,
    };
    Some(((&one.key, &one.effect, value), long))
}

impl<'a> Borne<'a> {
    fn add(&mut self, one: &'a Toleration) {
        if let Some((reach, long)) = reach(one) {
            *self.reach.entry(reach).or_default().entry(long).or_default() += 1;
        }
        *self.each.entry(whole(one)).or_default().entry(one.toleration_seconds).or_default() += 1;
    }

    fn remove(&mut self, one: &'a Toleration) {
        if let Some((reach, long)) = reach(one)
            && let Some(times) = self.reach.get_mut(&reach)
            && let Some(count) = times.get_mut(&long)
        {
            *count -= 1;
            if *count == 0 {
                times.remove(&long);
            }
        }
        if let Some(count) =
            self.each.get_mut(&whole(one)).and_then(|counts| counts.get_mut(&one.toleration_seconds))
        {
            *count -= 1;
        }
    }

    /// Whether one of the tolerations bears all that another one does.
    fn has(&self, one: &Toleration, same: Same) -> bool {
        let counts = self.each.get(&whole(one));
        let equal =
            counts.and_then(|counts| counts.get(&one.toleration_seconds)).copied().unwrap_or_default();
        if same == Same::Counts && equal > 0 {
            return true;
        }
        let own = reach(one);
        let wanted = one.toleration_seconds.map_or(i128::MAX, i128::from);
        let value = (one.operator == "Equal").then_some(one.value.as_str());
        let values = [Some(None), value.map(Some)];
        [one.key.as_str(), ""].into_iter().any(|key| {
            [one.effect.as_str(), ""].into_iter().any(|effect| {
                values.into_iter().flatten().any(|value| {
                    // Without a key it bears all keys, if it bears all values.
                    if key.is_empty() && !one.key.is_empty() && value.is_some() {
                        return false;
                    }
                    let reach = (key, effect, value);
                    let Some(times) = self.reach.get(&reach) else { return false };
                    times.iter().rev().take(2).any(|(long, count)| {
                        let is_own = own == Some((reach, *long));
                        *count > if is_own { equal } else { 0 } && (effect != "NoExecute" || *long >= wanted)
                    })
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a toleration bears all that another one does.
    fn has_in_it(wide: &Toleration, narrow: &Toleration) -> bool {
        if wide == narrow {
            return true;
        }
        let exists = wide.operator == "Exists";
        let fits = wide.key == narrow.key || wide.key.is_empty() && exists;
        let has_effect = wide.effect == narrow.effect || wide.effect.is_empty();
        let is_as_long = match (wide.toleration_seconds, narrow.toleration_seconds) {
            (Some(most), seconds) if wide.effect == "NoExecute" => seconds.is_some_and(|told| told <= most),
            _ => true,
        };
        let has_value = match wide.operator.as_str() {
            "Equal" | "" => narrow.operator == "Equal" && narrow.value == wide.value,
            _ => exists,
        };
        fits && has_effect && is_as_long && has_value
    }

    /// The same, by comparing all with all.
    fn plainly(first: &[Toleration]) -> Vec<Toleration> {
        let mut kept: Vec<Toleration> = Vec::new();
        for (place, one) in first.iter().enumerate() {
            let is_known = kept.iter().any(|other| has_in_it(other, one));
            let later = &first[place + 1..];
            if !is_known && !later.iter().any(|other| other != one && has_in_it(other, one)) {
                kept.push(one.clone());
            }
        }
        kept
    }

    #[test]
    fn tolerations_are_joined_as_if_all_were_compared() {
        let mut state = 7u64;
        let mut number = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for round in 0..3000 {
            let all: Vec<Toleration> = (0..number(9))
                .map(|_| Toleration {
                    key: ["", "a", "b"][number(3)].to_owned(),
                    operator: ["", "Equal", "Exists", "Lt"][number(4)].to_owned(),
                    value: ["", "x"][number(2)].to_owned(),
                    effect: ["", "NoExecute", "NoSchedule"][number(3)].to_owned(),
                    toleration_seconds: [None, Some(1), Some(2)][number(3)],
                })
                .collect();
            let (own, of_class) = all.split_at(all.len() / 2);
            assert_eq!(together(own.to_vec(), of_class), plainly(&all), "{round}");
        }
    }

    #[test]
    fn many_tolerations_are_joined_in_linear_time() {
        let one = |number: usize| Toleration {
            key: format!("key-{number}"),
            operator: "Exists".to_owned(),
            ..Toleration::default()
        };
        let all: Vec<Toleration> = (0..40_000).map(one).collect();
        assert_eq!(together(all, &[one(7)]).len(), 40_000);
    }
}
