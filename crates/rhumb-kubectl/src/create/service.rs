//! `create service`: a command for each service type.

use rhumb_api::core::v1::Service;
use rhumb_cli::command::{Action, Command, Flag};
use rhumb_cli::{Call, Failure, Outcome, options};
use rhumb_meta::validation;
use serde_json::{Value, json};

use super::generator::{Generator, MANAGER};

/// `create service`.
pub(super) static COMMAND: Command = Command {
    name: "service",
    aliases: &["svc"],
    about: "Create a service of a certain type",
    usage: "[flags]",
    examples: &[
        ("A service inside the cluster", "create service clusterip web --tcp=80:8080"),
        ("A port on each node", "create service nodeport web --tcp=80:8080"),
    ],
    commands: &[&[&CLUSTER_IP, &NODE_PORT, &LOAD_BALANCER, &EXTERNAL_NAME]],
    ..Command::EMPTY
};

const TCP: Flag = Flag::list("tcp", "A port and the one of the pods behind it: <port>:<targetPort>.");

static CLUSTER_IP_FLAGS: &[Flag] =
    &[TCP, Flag::text("clusterip", "The address to take; None is for a service without one.")];

static CLUSTER_IP: Command = Command {
    name: "clusterip",
    about: "Create a service that is reached inside the cluster",
    usage: "NAME [--tcp=<port>:<targetPort>] [--dry-run=server|client|none]",
    examples: &[
        ("Port 80 of the service is port 8080 of the pods", "create service clusterip web --tcp=80:8080"),
        ("A service without an address of its own", "create service clusterip web --clusterip=None"),
    ],
    flags: &[
        options::PRINT,
        options::SAVE_CONFIG,
        options::VALIDATE,
        options::DRY_RUN,
        CLUSTER_IP_FLAGS,
        MANAGER,
    ],
    action: Action::Run(|call| Box::pin(run(call, "ClusterIP"))),
    ..Command::EMPTY
};

static NODE_PORT_FLAGS: &[Flag] = &[TCP, Flag::int("node-port", "0", "The port on each node.")];

static NODE_PORT: Command = Command {
    name: "nodeport",
    about: "Create a service that is reached at a port of each node",
    usage: "NAME [--tcp=port:targetPort] [--dry-run=server|client|none]",
    examples: &[
        ("A port that the server chooses", "create service nodeport web --tcp=80:8080"),
        ("A port of your choice", "create service nodeport web --tcp=80:8080 --node-port=30080"),
    ],
    flags: &[
        options::PRINT,
        options::SAVE_CONFIG,
        options::VALIDATE,
        options::DRY_RUN,
        NODE_PORT_FLAGS,
        MANAGER,
    ],
    action: Action::Run(|call| Box::pin(run(call, "NodePort"))),
    ..Command::EMPTY
};

static LOAD_BALANCER_FLAGS: &[Flag] = &[TCP];

static LOAD_BALANCER: Command = Command {
    name: "loadbalancer",
    about: "Create a service that a load balancer stands before",
    usage: "NAME [--tcp=port:targetPort] [--dry-run=server|client|none]",
    examples: &[
        ("One port", "create service loadbalancer web --tcp=80:8080"),
        ("Two ports", "create service loadbalancer web --tcp=80:8080,443:8443"),
    ],
    flags: &[
        options::PRINT,
        options::SAVE_CONFIG,
        options::VALIDATE,
        options::DRY_RUN,
        LOAD_BALANCER_FLAGS,
        MANAGER,
    ],
    action: Action::Run(|call| Box::pin(run(call, "LoadBalancer"))),
    ..Command::EMPTY
};

static EXTERNAL_NAME_FLAGS: &[Flag] =
    &[TCP, Flag::text("external-name", "The name that the service stands for.").required()];

static EXTERNAL_NAME: Command = Command {
    name: "externalname",
    about: "Create a service that stands for a name outside the cluster",
    usage: "NAME --external-name external.name [--dry-run=server|client|none]",
    examples: &[
        ("A database elsewhere", "create service externalname db --external-name=db.example.com"),
        (
            "The same, with its port",
            "create service externalname db --external-name=db.example.com --tcp=5432",
        ),
    ],
    flags: &[
        options::PRINT,
        options::SAVE_CONFIG,
        options::VALIDATE,
        options::DRY_RUN,
        EXTERNAL_NAME_FLAGS,
        MANAGER,
    ],
    action: Action::Run(|call| Box::pin(run(call, "ExternalName"))),
    ..Command::EMPTY
};

async fn run(call: &mut Call, kind: &str) -> Outcome {
    // kubectl has --save-config here and does not heed it; scripts see the same objects.
    let generator = Generator::of(call)?.without_saved_config();
    let flags = &call.flags;
    let (address, tcp) = (flags.text("clusterip"), flags.list("tcp"));
    let external = flags.text("external-name");
    if address != "None" && tcp.is_empty() && kind != "ExternalName" {
        return Err("at least one tcp port specifier must be provided".into());
    }
    if kind == "ExternalName" && !validation::is_dns1123_subdomain(external).is_empty() {
        return Err(format!("invalid service external name {external}").into());
    }
    let mut ports = Vec::new();
    for pair in &tcp {
        let (port, target) = parse_ports(pair)?;
        ports.push(json!({
            "name": pair.replace(':', "-"),
            "port": port,
            "targetPort": target,
            "protocol": "TCP",
            "nodePort": flags.int("node-port"),
        }));
    }
    let app = json!({"app": generator.name});
    let tree = json!({
        "metadata": generator.metadata_with_labels(app.clone()),
        "spec": {
            "type": kind,
            "selector": app,
            "ports": ports,
            "externalName": external,
            "clusterIP": address,
        },
    });
    generator.create::<Service>(call, tree, &format!("failed to create {kind} service: ")).await
}

/// Parses a port and its target port, which is the same by default.
fn parse_ports(pair: &str) -> Result<(u16, Value), Failure> {
    let mut parts = pair.split(':');
    let port = parse_port(parts.next().unwrap_or_default())?;
    let Some(target) = parts.next() else { return Ok((port, json!(port))) };
    let (value, wrong) = match target.parse::<i64>() {
        Ok(number) => (json!(number), validation::is_valid_port_num(number)),
        Err(_) => (json!(target), validation::is_valid_port_name(target)),
    };
    if wrong.is_empty() { Ok((port, value)) } else { Err(wrong.join(",").into()) }
}

/// Returns a number of 16 bits, or why it is none in Go's words.
pub(crate) fn parse_port(text: &str) -> Result<u16, Failure> {
    let wrong = |why: &str| Failure::message(format!("strconv.ParseUint: parsing {text:?}: {why}"));
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong("invalid syntax"));
    }
    text.parse().map_err(|_| wrong("value out of range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_numbers_and_names() {
        assert_eq!(parse_ports("80").ok(), Some((80, json!(80))));
        assert_eq!(parse_ports("80:http").ok(), Some((80, json!("http"))));
        assert!(parse_ports("80:99999").is_err());
        assert!(parse_ports("x").is_err());
        assert!(parse_ports("99999").is_err());
    }
}
