//! Types and names from the cluster, for completion. Slow requests are given up.

use std::time::Duration;

use rhumb_cli::{Factory, Failure};
use rhumb_client::config::Kubeconfig;
use rhumb_meta::GroupVersion;
use rhumb_scheme::mapper::{RestMapping, Scope};
use serde_json::Value;

/// Request timeout: users don't wait longer.
const PATIENCE: Duration = Duration::from_secs(5);

/// `Accept` header for names without whole objects.
const NAMES_ONLY: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

/// Queries the server and the kubeconfig.
pub(super) struct Objects(Factory);

impl Objects {
    pub(super) fn new(factory: Factory) -> Self {
        Objects(factory)
    }

    /// Returns the kubeconfig; empty if it can't be read.
    pub(super) fn kubeconfig(&self) -> Kubeconfig {
        self.0.kubeconfig().unwrap_or_default()
    }

    /// Returns the names of types that can be got, with their groups.
    pub(super) fn types(&self) -> Vec<String> {
        wait(async {
            let served = self.0.discovery()?.server_resources().await?;
            let mut found = Vec::new();
            for list in served.preferred() {
                let group = list.group_version.split_once('/').map_or("", |(group, _)| group);
                for resource in
                    list.resources.iter().filter(|one| one.verbs.0.iter().any(|verb| verb == "get"))
                {
                    found.push((group.to_owned(), resource.name.clone()));
                }
            }
            found.sort();
            let name = |(group, name): (String, String)| match group.as_str() {
                "" => name,
                group => format!("{name}.{group}"),
            };
            Ok(found.into_iter().map(name).collect())
        })
    }

    /// Returns the names of objects of a type, or of several with commas between, that begin so.
    pub(super) fn names(&self, kinds: &str, prefix: &str) -> Vec<String> {
        let (namespace, _) = self.0.namespace().unwrap_or_default();
        self.names_in(&namespace, kinds, prefix)
    }

    /// Returns names in a namespace.
    pub(super) fn names_in(&self, namespace: &str, kinds: &str, prefix: &str) -> Vec<String> {
        wait(async {
            let mut names = Vec::new();
            for kind in kinds.split(',') {
                let mapping = self.0.mapping(kind).await?;
                let request = self.request(&mapping, namespace)?;
                let list = parse(&request.accept(NAMES_ONLY).send().await?.body);
                let items = list.get("items").and_then(Value::as_array).into_iter().flatten();
                let found = items.filter_map(|item| item.pointer("/metadata/name")?.as_str());
                names.extend(found.filter(|name| name.starts_with(prefix)).map(str::to_owned));
            }
            Ok(names)
        })
    }

    /// Returns the containers of a pod, or of one of the pods of `TYPE/NAME`.
    pub(super) fn containers(&self, pod: &str) -> Vec<String> {
        wait(async {
            let pod = self.pod(pod).await?;
            let lists = ["/spec/initContainers", "/spec/containers"];
            let containers = lists.iter().filter_map(|path| pod.pointer(path)?.as_array()).flatten();
            Ok(containers.filter_map(|one| one.get("name")?.as_str().map(str::to_owned)).collect())
        })
    }

    /// Returns the ports of a pod or a service as `LOCAL:REMOTE`; what was typed before the colon is kept.
    pub(super) fn ports(&self, target: &str, current: &str) -> Vec<String> {
        wait(async {
            let (kind, name) = target.split_once('/').unwrap_or(("pod", target));
            let ports: Vec<i64> = if ["service", "services", "svc"].contains(&kind) {
                let service = self.get(&self.0.mapping("services").await?, name, "application/json").await?;
                let ports = service.pointer("/spec/ports").and_then(Value::as_array).into_iter().flatten();
                ports.filter_map(|port| port.get("port")?.as_i64()).collect()
            } else {
                let pod = self.pod(target).await?;
                let containers =
                    pod.pointer("/spec/containers").and_then(Value::as_array).into_iter().flatten();
                let ports = containers.filter_map(|one| one.get("ports")?.as_array()).flatten();
                ports.filter_map(|port| port.get("containerPort")?.as_i64()).collect()
            };
            let local = current.split(':').next().filter(|local| !local.is_empty());
            let shown = |port: i64| match local {
                Some(local) => format!("{local}:{port}"),
                None => format!("{port}:{port}"),
            };
            Ok(ports.into_iter().map(shown).collect())
        })
    }

    async fn pod(&self, word: &str) -> Result<Value, Failure> {
        let pods = self.0.mapping("pods").await?;
        let (kind, name) = match word.split_once('/') {
            None => return self.get(&pods, word, "application/json").await,
            Some((kind, name)) if ["pod", "pods", "po"].contains(&kind) => {
                return self.get(&pods, name, "application/json").await;
            }
            Some(parts) => parts,
        };
        // The pods that something owns are those that its selector finds; any of them has the same containers.
        let owner = self.get(&self.0.mapping(kind).await?, name, "application/json").await?;
        let selector =
            owner.pointer("/spec/selector/matchLabels").or_else(|| owner.pointer("/spec/selector"));
        let labels: Vec<String> = selector
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .filter_map(|(key, value)| Some(format!("{key}={}", value.as_str()?)))
            .collect();
        let (namespace, _) = self.0.namespace()?;
        let request =
            self.request(&pods, &namespace)?.param("labelSelector", &labels.join(",")).param("limit", "1");
        let list = parse(&request.accept("application/json").send().await?.body);
        Ok(list.pointer("/items/0").cloned().unwrap_or_default())
    }

    fn request(&self, mapping: &RestMapping, namespace: &str) -> Result<rhumb_client::Request, Failure> {
        let resource = &mapping.resource;
        let version = GroupVersion::new(resource.group.clone(), resource.version.clone());
        let mut request = self.0.client()?.get().version(&version).resource(&resource.resource);
        if mapping.scope == Scope::Namespaced {
            request = request.namespace(namespace);
        }
        Ok(request)
    }

    async fn get(&self, mapping: &RestMapping, name: &str, accept: &str) -> Result<Value, Failure> {
        let (namespace, _) = self.0.namespace()?;
        let request = self.request(mapping, &namespace)?.name(name);
        Ok(parse(&request.accept(accept).send().await?.body))
    }
}

fn parse(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_default()
}

/// Waits for an answer, but not for long. A failure is no answer.
fn wait(work: impl Future<Output = Result<Vec<String>, Failure>>) -> Vec<String> {
    let mut found = Vec::new();
    let _ = crate::run_command::block_on(async {
        if let Ok(answer) = tokio::time::timeout(PATIENCE, work).await {
            found = answer?;
        }
        Ok(())
    });
    found
}
