//! `cluster-info`: prints the addresses of the control plane and its services.

mod dump;

use http::Uri;
use rhumb_api::core::v1::{Service, ServiceList};
use rhumb_cli::command::{Action, Command, Family};
use rhumb_cli::{Call, Failure, Outcome};

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "cluster-info",
    family: Family::Cluster,
    about: "Show where the control plane and the cluster's own services are",
    long: "Show where the control plane is, and the services with the label kubernetes.io/cluster-service=true.\n\n\
        The command dump writes much more, for finding out what is wrong.",
    examples: &[
        ("The addresses", "cluster-info"),
        ("Everything that helps to find out what is wrong", "cluster-info dump --output-directory=./state"),
    ],
    commands: &[&[&dump::COMMAND]],
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let shown = show(call).await;
    call.line(format!(
        "\nTo further debug and diagnose cluster problems, use '{} cluster-info dump'.",
        call.program()
    ))?;
    shown
}

async fn show(call: &mut Call) -> Outcome {
    let namespace = match call.flags.text("namespace") {
        "" => "kube-system".to_owned(),
        given => given.to_owned(),
    };
    let client = call.factory.client()?.clone();
    let path = format!("/api/v1/namespaces/{namespace}/services");
    let request = client.get().absolute(&path).param("labelSelector", "kubernetes.io/cluster-service=true");
    let response = request.accept("application/json").send().await.map_err(Failure::from)?;
    let services: ServiceList = response.decode()?;
    let host = host(&client.config().server);
    call.line(format!("Kubernetes control plane is running at {host}"))?;
    for service in &services.items {
        let name = service.metadata.labels.get("kubernetes.io/name").filter(|name| !name.is_empty());
        let name = name.unwrap_or(&service.metadata.name);
        call.line(format!("{name} is running at {}", link(service, &host)))?;
    }
    Ok(())
}

/// Returns the server's address as it is written in a kubeconfig.
fn host(server: &Uri) -> String {
    server.to_string().trim_end_matches('/').to_owned()
}

fn link(service: &Service, host: &str) -> String {
    let ports = &service.spec.ports;
    if let Some(ingress) = service.status.load_balancer.ingress.first() {
        let address = if ingress.ip.is_empty() { &ingress.hostname } else { &ingress.ip };
        return ports.iter().map(|port| format!("http://{address}:{} ", port.port)).collect();
    }
    let metadata = &service.metadata;
    let name = match ports.first() {
        None => metadata.name.clone(),
        Some(port) => {
            let scheme = if port.name == "https" || port.port == 443 { "https" } else { "" };
            match (scheme, port.name.as_str()) {
                ("", "") => metadata.name.clone(),
                ("", port) => format!("{}:{port}", metadata.name),
                (scheme, port) => format!("{scheme}:{}:{port}", metadata.name),
            }
        }
    };
    format!("{host}/api/v1/namespaces/{}/services/{name}/proxy", metadata.namespace)
}
