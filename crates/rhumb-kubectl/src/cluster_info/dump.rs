//! `cluster-info dump`: prints diagnostic information, or writes it to files.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use rhumb_api::apps::v1::{DaemonSetList, DeploymentList, ReplicaSetList};
use rhumb_api::core::v1::{
    EventList, NamespaceList, NodeList, Pod, PodList, ReplicationControllerList, ServiceList,
};
use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::{Call, Failure, Outcome, ResultPrinter};
use rhumb_client::Client;
use rhumb_codec::json;
use rhumb_meta::Object;

/// The command.
pub(super) static COMMAND: Command = Command {
    name: "dump",
    about: "Write down the state of the cluster, for finding out what is wrong",
    long: "Write down the nodes, and of some namespaces the events, workloads, services, pods and the logs of pods. \
        Without flags these namespaces are kube-system and the current one, and all goes to standard output.",
    examples: &[
        ("To standard output", "cluster-info dump"),
        ("To files, one for each list", "cluster-info dump --output-directory=./state"),
        ("All namespaces", "cluster-info dump --all-namespaces"),
        ("Some namespaces", "cluster-info dump --namespaces default,shop"),
    ],
    flags: &[
        &[
            Flag::bool("all-namespaces", "Write down all namespaces, whatever --namespaces says.").short('A'),
            Flag::list("namespaces", "The namespaces to write down.").words(Words::NamesOf("namespaces")),
            Flag::text("output-directory", "Where to put files; without it or with - it is standard output.")
                .words(Words::Files),
            Flag::duration("pod-running-timeout", "20s", "How long to wait for a pod that runs."),
        ],
        options::PRINT_JSON,
    ],
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

struct Dump<'a> {
    call: &'a mut Call,
    client: Client,
    printer: ResultPrinter,
    directory: Option<String>,
    extension: &'static str,
}

async fn run(call: &mut Call) -> Outcome {
    let printer = call.printer(DryRun::None)?;
    let client = call.factory.client()?.clone();
    if call.flags.nanoseconds("pod-running-timeout") <= 0 {
        return Err(Failure::message("--pod-running-timeout must be higher than zero"));
    }
    let (current, _) = call.factory.namespace()?;
    let extension = match call.flags.text("output") {
        "json" => ".json",
        "yaml" => ".yaml",
        _ => ".txt",
    };
    let directory = call.flags.text("output-directory").to_owned();
    let directory = Some(directory).filter(|dir| !dir.is_empty() && dir != "-");
    let (all, mut namespaces) = (call.flags.bool("all-namespaces"), call.flags.list("namespaces"));
    let mut dump = Dump { call, client, printer, directory, extension };
    dump.list::<NodeList>("/api/v1/nodes", "nodes").await?;
    if all {
        let list: NamespaceList = dump.fetch("/api/v1/namespaces").await?;
        namespaces = list.items.into_iter().map(|namespace| namespace.metadata.name).collect();
    } else if namespaces.is_empty() {
        namespaces = vec!["kube-system".to_owned(), current];
    }
    for namespace in &namespaces {
        dump.namespace(namespace).await?;
    }
    match dump.directory {
        Some(directory) => dump.call.line(format!("Cluster info dumped to {directory}")),
        None => Ok(()),
    }
}

impl Dump<'_> {
    async fn namespace(&mut self, name: &str) -> Outcome {
        let core = format!("/api/v1/namespaces/{name}");
        let apps = format!("/apis/apps/v1/namespaces/{name}");
        let file = |what: &str| format!("{name}/{what}");
        self.list::<EventList>(&format!("{core}/events"), &file("events")).await?;
        let controllers = file("replication-controllers");
        self.list::<ReplicationControllerList>(&format!("{core}/replicationcontrollers"), &controllers)
            .await?;
        self.list::<ServiceList>(&format!("{core}/services"), &file("services")).await?;
        self.list::<DaemonSetList>(&format!("{apps}/daemonsets"), &file("daemonsets")).await?;
        self.list::<DeploymentList>(&format!("{apps}/deployments"), &file("deployments")).await?;
        self.list::<ReplicaSetList>(&format!("{apps}/replicasets"), &file("replicasets")).await?;
        let pods = self.list::<PodList>(&format!("{core}/pods"), &file("pods")).await?;
        for pod in &pods.items {
            self.logs(pod, &format!("{name}/{}/logs", pod.metadata.name)).await?;
        }
        Ok(())
    }

    async fn fetch<L: Object + Default>(&self, path: &str) -> Result<L, Failure> {
        Ok(self.client.get().absolute(path).accept("application/json").send().await?.decode()?)
    }

    /// Writes a list down, and gives it.
    async fn list<L: Object + Default>(&mut self, path: &str, name: &str) -> Result<L, Failure> {
        let list: L = self.fetch(path).await?;
        let out = self.open(name, self.extension)?;
        if self.call.flags.text("output") == "name" {
            let (_, kind) = list.type_meta();
            return Err(format!("list types are not supported by name printing: *v1.{kind}").into());
        }
        let before = out.map(|file| std::mem::replace(&mut self.call.streams.out, Box::new(file)));
        let mut text = Vec::new();
        json::encode(&list, &mut text);
        // kubectl gets these lists as protobuf, in which a list of none is none.
        if text.ends_with(b"\"items\":[]}") {
            text.truncate(text.len() - 3);
            text.extend_from_slice(b"null}");
        }
        let printed = self.printer.print_text(&mut self.call.streams, &text);
        if let Some(before) = before {
            self.call.streams.out = before;
        }
        printed.map(|()| list)
    }

    /// Returns the file that something goes to; none if all goes to standard output.
    fn open(&self, name: &str, extension: &str) -> Result<Option<File>, Failure> {
        let Some(directory) = &self.directory else { return Ok(None) };
        let path = Path::new(directory).join(format!("{name}{extension}"));
        let failed = |what: &'static str, path: &Path, error: &std::io::Error| {
            let error = rhumb_client::config::os_text(error);
            Failure::message(format!("{what} {}: {error}", path.display()))
        };
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|error| failed("mkdir", parent, &error))?;
        }
        File::create(&path).map(Some).map_err(|error| failed("open", &path, &error))
    }

    async fn logs(&mut self, pod: &Pod, name: &str) -> Outcome {
        let mut file = self.open(name, ".txt")?;
        let containers = pod.spec.init_containers.iter().chain(&pod.spec.containers);
        let (namespace, pod_name) = (&pod.metadata.namespace, &pod.metadata.name);
        for container in containers {
            let container = &container.name;
            let path = format!("/api/v1/namespaces/{namespace}/pods/{pod_name}/log");
            let answer = self.client.get().absolute(&path).param("container", container).send().await;
            let out: &mut dyn Write = match &mut file {
                Some(file) => file,
                None => &mut self.call.streams.out,
            };
            let about = format!("logs for container {container} of pod {namespace}/{pod_name} ====");
            writeln!(out, "==== START {about}")?;
            match answer {
                Ok(response) => out.write_all(&response.body)?,
                Err(error) => writeln!(out, "Request log error: {}", error.chain())?,
            }
            writeln!(out, "==== END {about}")?;
        }
        Ok(())
    }
}
