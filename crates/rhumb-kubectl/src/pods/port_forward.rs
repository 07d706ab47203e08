//! `port-forward`: forwards local ports to a pod.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use rhumb_api::core::v1::{Pod, Service};
use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome, klog};
use rhumb_client::from_unstructured;
use rhumb_client::remote::{ForwardedStream, PortForward};
use rhumb_meta::IntOrString;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use super::choose::{attachable, running_timeout};
use super::session;

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "port-forward",
    family: Family::Troubleshooting,
    about: "Lead ports of this machine to ports of a pod",
    long: "Lead ports of this machine to ports of a pod, or of a pod that belongs to an object. It goes on until it is \
           interrupted or the pod ends; then it must be started again.",
    usage: "TYPE/NAME [options] [LOCAL_PORT:]REMOTE_PORT [...[LOCAL_PORT_N:]REMOTE_PORT_N]",
    examples: &[
        ("Two ports of a pod, under the same numbers here", "port-forward pod/web-0 5000 6000"),
        ("A pod of a deployment", "port-forward deployment/web 5000"),
        ("The port of a service by its name", "port-forward service/web 8443:https"),
        ("Another number here", "port-forward pod/web-0 8888:5000"),
        ("Any free port here", "port-forward pod/web-0 :5000"),
        ("From other machines as well", "port-forward --address 0.0.0.0 pod/web-0 8888:5000"),
    ],
    flags: &[&[
        Flag::duration("pod-running-timeout", "1m0s", "How long to wait for a pod that runs."),
        Flag::list("address", "The addresses to listen on: IP addresses, or localhost.").default("localhost"),
    ]],
    words: Words::PodOrType,
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let Some((name, ports)) = call.args.split_first().filter(|(_, ports)| !ports.is_empty()) else {
        return Err(call.usage("TYPE/NAME and list of ports are required for port-forward"));
    };
    let (name, ports) = (name.clone(), ports.to_vec());
    let (namespace, _) = call.factory.namespace()?;
    let timeout = running_timeout(call).map_err(|failure| call.usage(failure.bare()))?;
    let infos = call
        .factory
        .builder()
        .continue_on_error()
        .namespace(&namespace)
        .default_namespace()
        .names_of("pods", &[name])
        .build()
        .await?;
    let infos = infos.collect().await?;
    let [info] = infos.as_slice() else { return Err("expected a resource".into()) };
    let pod = attachable(info, timeout).await?;
    let ports = translate(info, &pod, &ports)?;
    let client = call.factory.client()?.clone();
    let pod = client.core_v1().pods(&namespace).get(&pod.metadata.name).await?;
    if pod.status.phase != "Running" {
        return Err(Failure::message(format!(
            "unable to forward port because pod is not running. Current status={}",
            pod.status.phase
        )));
    }
    let addresses = addresses(&call.flags.list("address"))?;
    let ports = parse(&ports)?;
    let forward = client
        .port_forward(&namespace, &pod.metadata.name)
        .await
        .map_err(|error| session::refused(error).context("error upgrading connection"))?;
    serve(call, forward, &addresses, &ports).await
}

/// Returns the ports of a pod that words mean: numbers, or names of ports of the pod or of the service before it.
fn translate(info: &Info, pod: &Pod, words: &[String]) -> Result<Vec<String>, Failure> {
    let is_service = info.mapping.kind.group.is_empty() && info.mapping.kind.kind == "Service";
    let service = match is_service {
        true => Some(from_unstructured::<Service>(info.object()?)?),
        false => None,
    };
    words
        .iter()
        .map(|word| {
            let (mut local, remote) = match word.split(':').collect::<Vec<_>>().as_slice() {
                [local, remote] => ((*local).to_owned(), (*remote).to_owned()),
                [port] => ((*port).to_owned(), (*port).to_owned()),
                _ => return Ok(word.clone()),
            };
            let port = match &service {
                Some(service) => {
                    let port = match remote.parse::<i32>() {
                        Ok(port) => port,
                        Err(_) => {
                            let port = service_port(service, &remote)?;
                            if local == remote {
                                local = port.to_string();
                            }
                            port
                        }
                    };
                    refuse_udp(
                        &remote,
                        port,
                        service.spec.ports.iter().map(|port| (port.port, port.protocol.as_str())),
                    )?;
                    target(service, pod, port)?
                }
                None => {
                    if remote.is_empty() {
                        return Err("remote port cannot be empty".into());
                    }
                    let port = match remote.parse::<i32>() {
                        Ok(port) => port,
                        Err(_) => container_port(pod, &remote)?,
                    };
                    let known = pod.spec.containers.iter().flat_map(|container| &container.ports);
                    refuse_udp(
                        &remote,
                        port,
                        known.map(|port| (port.container_port, port.protocol.as_str())),
                    )?;
                    port
                }
            };
            let port = port.to_string();
            Ok(if local == port || local == remote { port } else { format!("{local}:{port}") })
        })
        .collect()
}

/// Refuses UDP ports, since only TCP can be forwarded.
fn refuse_udp<'a>(word: &str, port: i32, known: impl Iterator<Item = (i32, &'a str)>) -> Outcome {
    let (mut udp, mut tcp) = (false, false);
    for (_, protocol) in known.filter(|(known, _)| *known == port) {
        udp |= protocol == "UDP";
        tcp |= protocol == "TCP";
    }
    match udp && !tcp {
        true => Err(Failure::message(format!("UDP protocol is not supported for {word}"))),
        false => Ok(()),
    }
}

fn service_port(service: &Service, name: &str) -> Result<i32, Failure> {
    let port = service.spec.ports.iter().find(|port| port.name == name);
    port.map(|port| port.port).ok_or_else(|| {
        Failure::message(format!("Service '{}' does not have a named port '{name}'", service.metadata.name))
    })
}

fn container_port(pod: &Pod, name: &str) -> Result<i32, Failure> {
    let mut ports = pod.spec.containers.iter().flat_map(|container| &container.ports);
    ports.find(|port| port.name == name).map(|port| port.container_port).ok_or_else(|| {
        Failure::message(format!("Pod '{}' does not have a named port '{name}'", pod.metadata.name))
    })
}

/// Returns the port of a pod that a port of a service leads to.
fn target(service: &Service, pod: &Pod, port: i32) -> Result<i32, Failure> {
    let Some(found) = service.spec.ports.iter().find(|known| known.port == port) else {
        return Err(Failure::message(format!(
            "Service {} does not have a service port {port}",
            service.metadata.name
        )));
    };
    // A headless service leads nowhere: its clients go to the pods themselves.
    if service.spec.cluster_ip == "None" {
        return Ok(port);
    }
    match &found.target_port {
        IntOrString::Int(0) => Ok(port),
        IntOrString::Int(number) => Ok(*number),
        IntOrString::String(name) => container_port(pod, name),
    }
}

/// A local port and a port of the pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Port {
    local: u16,
    remote: u16,
}

fn parse(words: &[String]) -> Result<Vec<Port>, Failure> {
    let number = |which: &str, text: &str| {
        text.parse::<u16>().map_err(|_| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let reason = if is_number { "value out of range" } else { "invalid syntax" };
            Failure::message(format!(
                "error parsing {which} port '{text}': strconv.ParseUint: parsing {text:?}: {reason}"
            ))
        })
    };
    words
        .iter()
        .map(|word| {
            let (local, remote) = match word.split(':').collect::<Vec<_>>().as_slice() {
                [port] => (*port, *port),
                ["", remote] => ("0", *remote),
                [local, remote] => (*local, *remote),
                _ => return Err(Failure::message(format!("invalid port format '{word}'"))),
            };
            let port = Port { local: number("local", local)?, remote: number("remote", remote)? };
            match port.remote {
                0 => Err("remote port must be > 0".into()),
                _ => Ok(port),
            }
        })
        .collect()
}

/// An address to listen on, and whether one of its family suffices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Address {
    ip: IpAddr,
    is_optional: bool,
}

fn addresses(words: &[String]) -> Result<Vec<Address>, Failure> {
    let mut found: Vec<Address> = Vec::new();
    let mut add = |ip: IpAddr, is_optional: bool| {
        if !found.iter().any(|known| known.ip == ip) {
            found.push(Address { ip, is_optional });
        }
    };
    for word in words {
        if word == "localhost" {
            add(Ipv4Addr::LOCALHOST.into(), true);
            add(Ipv6Addr::LOCALHOST.into(), true);
        } else {
            let ip = word.parse().map_err(|_| Failure::message(format!("{word} is not a valid IP")))?;
            add(ip, false);
        }
    }
    found.sort_by_key(|address| address.ip.to_string());
    Ok(found)
}

async fn serve(call: &mut Call, mut forward: PortForward, addresses: &[Address], ports: &[Port]) -> Outcome {
    // Who is told the ports may interrupt at once.
    let mut interrupt = signal(SignalKind::interrupt())?;
    let (problems, mut told) = mpsc::channel::<String>(16);
    let mut listens = false;
    for port in ports {
        let mut port = *port;
        let (mut errors, mut optional, mut is_needed) = (Vec::new(), (0, 0), false);
        for address in addresses {
            match TcpListener::bind(SocketAddr::new(address.ip, port.local)).await {
                Ok(listener) => {
                    let local = listener.local_addr()?;
                    port.local = local.port();
                    call.line(format!("Forwarding from {local} -> {}", port.remote))?;
                    optional.0 += usize::from(address.is_optional);
                    tokio::task::spawn_local(accept(listener, forward.clone(), port, problems.clone()));
                }
                Err(error) => {
                    let at = SocketAddr::new(address.ip, port.local);
                    let family = if address.ip.is_ipv4() { "tcp4" } else { "tcp6" };
                    errors.push(format!(
                        "unable to create listener: Error listen {family} {at}: {}",
                        reason(&error)
                    ));
                    optional.1 += usize::from(address.is_optional);
                    is_needed |= !address.is_optional;
                }
            }
        }
        if is_needed || (optional.0 == 0 && optional.1 > 0) {
            let errors = errors.join(" ");
            call.warn(format!(
                "Unable to listen on port {}: Listeners failed to create with the following errors: [{errors}]",
                port.local
            ));
        } else {
            listens = true;
        }
    }
    if !listens {
        let ports: Vec<String> =
            ports.iter().map(|port| format!("{{{} {}}}", port.local, port.remote)).collect();
        return Err(Failure::message(format!(
            "unable to listen on any of the requested ports: [{}]",
            ports.join(" ")
        )));
    }
    call.streams.out.flush()?;
    loop {
        tokio::select! {
            () = forward.ended() => return Err("lost connection to pod".into()),
            _ = interrupt.recv() => return Ok(()),
            Some(line) = told.recv() => match line.strip_prefix('!') {
                Some(problem) => {
                    let text = format!("\"Unhandled Error\" err={problem:?}");
                    call.warn(klog::error("portforward.go:522", &text));
                    return Err("lost connection to pod".into());
                }
                None => {
                    call.line(line)?;
                    call.streams.out.flush()?;
                }
            },
        }
    }
}

/// Formats a system error in Go's words.
fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::AddrInUse => "bind: address already in use".to_owned(),
        std::io::ErrorKind::PermissionDenied => "bind: permission denied".to_owned(),
        std::io::ErrorKind::AddrNotAvailable => "bind: cannot assign requested address".to_owned(),
        _ => error.to_string(),
    }
}

async fn accept(listener: TcpListener, forward: PortForward, port: Port, told: mpsc::Sender<String>) {
    while let Ok((connection, _)) = listener.accept().await {
        let (forward, told) = (forward.clone(), told.clone());
        tokio::task::spawn_local(async move {
            let _ = told.send(format!("Handling connection for {}", port.local)).await;
            if let Err(problem) = pass(connection, &forward, port).await {
                let _ = told.send(format!("!{problem}")).await;
            }
        });
    }
}

async fn pass(mut connection: TcpStream, forward: &PortForward, port: Port) -> Result<(), String> {
    let wrong = |error: &dyn std::fmt::Display| {
        format!("an error occurred forwarding {} -> {}: {error}", port.local, port.remote)
    };
    let mut stream = forward.open(port.remote).await.map_err(|error| wrong(&error))?;
    copy(&mut connection, &mut stream).await;
    drop(connection);
    stream.finish().await.map_err(|error| wrong(&error))
}

/// Moves bytes both ways until the pod has no more. Whoever has no more to send may still wait for what comes; that
/// one side went away is how connections end.
async fn copy(connection: &mut TcpStream, stream: &mut ForwardedStream) {
    let (mut from_here, mut to_here) = connection.split();
    let (mut from_pod, mut to_pod) = tokio::io::split(stream);
    let up = async {
        if tokio::io::copy(&mut from_here, &mut to_pod).await.is_ok() && to_pod.shutdown().await.is_ok() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = up => {}
        _ = tokio::io::copy(&mut from_pod, &mut to_here) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_read_in_all_forms() {
        let check = |word: &str| parse(&[word.to_owned()]).map_err(|failure| failure.bare());
        assert_eq!(check("5000"), Ok(vec![Port { local: 5000, remote: 5000 }]));
        assert_eq!(check(":5000"), Ok(vec![Port { local: 0, remote: 5000 }]));
        assert_eq!(check("8888:5000"), Ok(vec![Port { local: 8888, remote: 5000 }]));
        assert_eq!(check("1:2:3"), Err("invalid port format '1:2:3'".to_owned()));
        assert_eq!(check("1:0"), Err("remote port must be > 0".to_owned()));
        assert_eq!(
            check("99999"),
            Err("error parsing local port '99999': strconv.ParseUint: parsing \"99999\": value out of range"
                .to_owned())
        );
    }
}
