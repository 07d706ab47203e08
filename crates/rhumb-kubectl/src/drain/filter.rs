//! Selects the pods of a node to evict.

use rhumb_api::apps::v1::DaemonSet;
use rhumb_api::core::v1::Pod;
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_meta::v1::{ListOptions, OwnerReference};

/// Decision about a pod.
enum Verdict {
    /// Evict it.
    Go,
    /// Leave it silently.
    Stay,
    /// Evict it with a warning.
    GoWith(String),
    /// Leave it with a warning.
    StayWith(String),
    /// Refuse to drain.
    Refuse(String),
}

/// Pods of a node with decisions.
pub(super) struct Pods(Vec<(Pod, Verdict)>);

/// Looks at the pods of a node.
pub(super) async fn pods(call: &Call, node: &str) -> Result<Pods, Failure> {
    let client = call.factory.client()?;
    let options = ListOptions {
        label_selector: call.flags.text("pod-selector").to_owned(),
        field_selector: format!("spec.nodeName={node}"),
        limit: call.flags.int("chunk-size"),
        ..ListOptions::default()
    };
    let list = client.resource::<Pod>().all_namespaces().list_all(&options).await?;
    let mut pods = Vec::new();
    for pod in list.items {
        let verdict = judge(call, &pod).await?;
        pods.push((pod, verdict));
    }
    Ok(Pods(pods))
}

/// Reports whether a pod has been ending for so long that nobody waits for it.
pub(super) fn is_skipped(call: &Call, pod: &Pod) -> bool {
    let limit = call.flags.int("skip-wait-for-delete-timeout");
    let deleted = pod.metadata.deletion_timestamp.as_ref();
    limit > 0 && deleted.is_some_and(|time| call.factory.now().unix_seconds() - time.unix_seconds() > limit)
}

fn controller(pod: &Pod) -> Option<&OwnerReference> {
    pod.metadata.owner_references.iter().find(|owner| owner.controller == Some(true))
}

/// Decides about a pod: the first reason against eviction counts, else the last warning.
async fn judge(call: &Call, pod: &Pod) -> Result<Verdict, Failure> {
    let flags = &call.flags;
    let is_over = matches!(pod.status.phase.as_str(), "Succeeded" | "Failed");
    if is_skipped(call, pod) {
        return Ok(Verdict::Stay);
    }
    let owner = controller(pod);
    let daemon = owner.filter(|owner| owner.kind == "DaemonSet" && owner.api_version == "apps/v1");
    if let Some(owner) = daemon.filter(|_| !is_over) {
        let sets = call.factory.client()?.resource::<DaemonSet>().namespace(&pod.metadata.namespace);
        match sets.get(&owner.name).await {
            Ok(_) if flags.bool("ignore-daemonsets") => {
                return Ok(Verdict::StayWith("ignoring DaemonSet-managed Pods".to_owned()));
            }
            Ok(_) => {
                let text = "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)";
                return Ok(Verdict::Refuse(text.to_owned()));
            }
            // Without its set, only force moves the pod; what comes below has the last word then.
            Err(error) if error.is_not_found() && flags.bool("force") => {}
            Err(error) => return Ok(Verdict::Refuse(Failure::from(error).bare())),
        }
    }
    if pod.metadata.annotations.contains_key("kubernetes.io/config.mirror") {
        return Ok(Verdict::Stay);
    }
    let local = pod.spec.volumes.iter().any(|volume| volume.volume_source.empty_dir.is_some());
    if local && !is_over && !flags.bool("delete-emptydir-data") {
        let text = "Pods with local storage (use --delete-emptydir-data to override)";
        return Ok(Verdict::Refuse(text.to_owned()));
    }
    Ok(match (is_over || owner.is_some(), flags.bool("force")) {
        (true, _) => Verdict::Go,
        (false, true) => Verdict::GoWith("deleting Pods that declare no controller".to_owned()),
        (false, false) => {
            Verdict::Refuse("Pods that declare no controller (use --force to override)".to_owned())
        }
    })
}

impl Pods {
    /// Returns the pods that have to go.
    pub(super) fn chosen(&self) -> Vec<Pod> {
        let goes = |verdict: &Verdict| matches!(verdict, Verdict::Go | Verdict::GoWith(_));
        self.0.iter().filter(|(_, verdict)| goes(verdict)).map(|(pod, _)| pod.clone()).collect()
    }

    /// Returns the warnings about evicted pods.
    pub(super) fn warnings(&self) -> String {
        self.grouped(|verdict| match verdict {
            Verdict::GoWith(text) | Verdict::StayWith(text) => Some(text),
            _ => None,
        })
        .join("; ")
    }

    /// Refuses to go on if a pod stands in the way.
    pub(super) fn check(&self) -> Outcome {
        let refused = self.grouped(|verdict| match verdict {
            Verdict::Refuse(text) => Some(text),
            _ => None,
        });
        if refused.is_empty() {
            return Ok(());
        }
        // They are told as several even if there is one.
        let failures = refused.into_iter().map(|text| Failure::message(format!("cannot delete {text}")));
        Err(Failure::Many(failures.collect()))
    }

    /// Groups pods by message.
    fn grouped(&self, text: impl Fn(&Verdict) -> Option<&String>) -> Vec<String> {
        let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
        for (pod, verdict) in &self.0 {
            let Some(text) = text(verdict) else { continue };
            let name = format!("{}/{}", pod.metadata.namespace, pod.metadata.name);
            match groups.iter_mut().find(|(known, _)| known == text) {
                Some((_, names)) => names.push(name),
                None => groups.push((text, vec![name])),
            }
        }
        groups.into_iter().map(|(text, names)| format!("{text}: {}", names.join(", "))).collect()
    }
}
