//! What leads through the server to nodes: logs, commands, terminals, ports and requests that are passed on.

use std::net::{IpAddr, UdpSocket};
use std::time::Duration;

use rhumb_api::core::v1::{
    Container, Node, NodeAddress, Pod, PodAttachOptions, PodExecOptions, PodIP, PodLogOptions,
};
use rhumb_client::remote::{Exit, TerminalSize};
use rhumb_client::{Client, Error};
use rhumb_meta::v1::{CreateOptions, UpdateOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use crate::kubelet::Kubelet;
use crate::server::{Server, Storage};

/// What a node declares whose kubelet takes the WebSockets of clients.
const SPEAKS_WEBSOCKET: &str = "ExtendWebSocketsToKubelet";
/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(30);

/// Two nodes with one kubelet, which one of them says can do more, and a pod on each.
struct Cluster {
    server: Server,
    client: Client,
    kubelet: Kubelet,
}

/// The pods, by what the kubelets of their nodes are said to understand.
const PODS: [&str; 2] = ["by-websocket", "by-spdy"];

impl Cluster {
    async fn start(flags: &[&str]) -> Self {
        let kubelet = Kubelet::start().await;
        Self::with(kubelet, flags).await
    }

    async fn with(kubelet: Kubelet, flags: &[&str]) -> Self {
        let server = Server::start_with(Storage::InMemory, flags);
        let client = server.client();
        for name in PODS {
            let features = if name == "by-websocket" { &[SPEAKS_WEBSOCKET][..] } else { &[] };
            node(&client, name, &kubelet, features).await;
            pod(&client, name, name, &["main", "gone"]).await;
        }
        Cluster { server, client, kubelet }
    }
}

async fn node(client: &Client, name: &str, kubelet: &Kubelet, features: &[&str]) {
    let mut node = Node::default();
    name.clone_into(&mut node.metadata.name);
    let nodes = client.core_v1().nodes();
    let mut node = nodes.create(&node, &CreateOptions::default()).await.expect("a node");
    let address = kubelet.address();
    node.status.addresses =
        vec![NodeAddress { type_: "InternalIP".into(), address: address.ip().to_string() }];
    node.status.daemon_endpoints.kubelet_endpoint.port = address.port().into();
    node.status.declared_features = features.iter().map(|name| (*name).to_owned()).collect();
    nodes.update_status(&node, &UpdateOptions::default()).await.expect("its status");
}

async fn pod(client: &Client, name: &str, node: &str, containers: &[&str]) -> Pod {
    let mut pod = Pod::default();
    name.clone_into(&mut pod.metadata.name);
    node.clone_into(&mut pod.spec.node_name);
    let container =
        |name: &&str| Container { name: (*name).to_owned(), image: "i".into(), ..Container::default() };
    pod.spec.containers = containers.iter().map(container).collect();
    client.core_v1().pods("default").create(&pod, &CreateOptions::default()).await.expect("a pod")
}

fn exec(words: &[&str]) -> PodExecOptions {
    PodExecOptions {
        command: words.iter().map(|word| (*word).to_owned()).collect(),
        container: "main".into(),
        stdout: true,
        stderr: true,
        ..PodExecOptions::default()
    }
}

fn log_of(container: &str) -> PodLogOptions {
    PodLogOptions { container: container.into(), ..PodLogOptions::default() }
}

fn told<T>(outcome: Result<T, Error>) -> (i32, String) {
    match outcome {
        Err(Error::Status(status)) => (status.code, status.message.clone()),
        Err(other) => (0, other.to_string()),
        Ok(_) => (200, String::new()),
    }
}

async fn read(client: &Client, pod: &str, options: &PodLogOptions) -> Result<String, Error> {
    let stream = client.core_v1().pods("default").log(pod, options).await?;
    let text = stream.collect(1 << 20).await?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[tokio::test]
async fn logs_are_read_and_followed() {
    let cluster = Cluster::start(&[]).await;
    let Cluster { client, kubelet, .. } = &cluster;
    let options = PodLogOptions { tail_lines: Some(2), limit_bytes: Some(9), ..log_of("main") };
    assert_eq!(read(client, "by-spdy", &options).await.expect("a log"), "line 4\nli");
    let asked = kubelet.asked();
    assert_eq!(asked[0].line, "GET /containerLogs/default/by-spdy/main?limitBytes=9&tailLines=2");
    assert!(asked[0].certificate.is_some(), "the kubelet learns who asks");

    let followed = PodLogOptions { follow: true, tail_lines: Some(1), ..log_of("main") };
    let mut stream = client.core_v1().pods("default").log("by-spdy", &followed).await.expect("a log");
    for expect in ["line 5\n", "more 1\n", "more 2\n"] {
        let piece = timeout(LONG, stream.next()).await.expect("in time").expect("a line").expect("no error");
        assert_eq!(piece, expect.as_bytes());
        kubelet.log_more();
    }
    drop(stream);
    timeout(LONG, kubelet.alone()).await.expect("nobody reads on behalf of a client that went");

    let (code, message) = told(read(client, "by-spdy", &log_of("gone")).await);
    assert_eq!(
        (code, &*message),
        (404, "the server could not find the requested resource ( pods/log by-spdy)")
    );
}

#[tokio::test]
async fn commands_run_by_either_protocol() {
    let cluster = Cluster::start(&[]).await;
    let Cluster { client, kubelet, .. } = &cluster;
    for pod in PODS {
        kubelet.asked();
        let command = client.exec("default", pod, &exec(&["echo", "a", "b c"])).await.expect("a command");
        let (output, errors, exit) = command.output().await.expect("its end");
        assert_eq!((output.as_slice(), errors.as_slice(), exit), (&b"a b c\n"[..], &b""[..], Exit::Success));
        let asked = kubelet.asked();
        let expect = format!("/exec/default/{pod}/main?command=echo&command=a&command=b+c&error=1&output=1");
        assert!(asked[0].line.ends_with(&expect), "{}", asked[0].line);
        let is_spdy = asked[0].headers["upgrade"] == "SPDY/3.1";
        assert_eq!(is_spdy, pod == "by-spdy");

        let command = client.exec("default", pod, &exec(&["complain", "x"])).await.expect("a command");
        assert_eq!(command.output().await.expect("its end").1, b"x\n");
        let command = client.exec("default", pod, &exec(&["exit", "7"])).await.expect("a command");
        assert_eq!(command.wait().await.expect("its end"), Exit::Code(7));

        let options = PodExecOptions { stdin: true, ..exec(&["cat"]) };
        let mut command = client.exec("default", pod, &options).await.expect("a command");
        let mut stdin = command.stdin().expect("input");
        let much = vec![b'x'; 300_000];
        let sent = much.clone();
        let writing = tokio::spawn(async move {
            stdin.write_all(&sent).await.expect("it is read");
            drop(stdin);
        });
        let (output, _, exit) = timeout(LONG, command.output()).await.expect("in time").expect("its end");
        assert!(output == much && exit == Exit::Success, "{} bytes, {exit:?}", output.len());
        writing.await.expect("all was written");

        let options = PodExecOptions { tty: true, stdin: true, ..exec(&["size"]) };
        let mut command = client.exec("default", pod, &options).await.expect("a command");
        let sizes = command.resizer().expect("a terminal");
        let stdin = command.stdin();
        sizes.send(TerminalSize { width: 80, height: 24 }).await.expect("it is taken");
        let (output, ..) = timeout(LONG, command.output()).await.expect("in time").expect("its end");
        let size: serde_json::Value = serde_json::from_slice(&output).expect("a size");
        assert_eq!((&size["Width"], &size["Height"]), (&80.into(), &24.into()));
        drop(stdin);

        let options = PodExecOptions { container: "gone".into(), ..exec(&["echo"]) };
        match client.exec("default", pod, &options).await {
            // By WebSocket the kubelet refuses before there is a connection, by SPDY the server tells it later.
            Err(error) => assert_eq!(error.status().map(|status| status.code), Some(404), "{error}"),
            Ok(command) => match command.wait().await.expect("its end") {
                Exit::Failure(status) => {
                    let expect = "Internal error occurred: unable to upgrade connection: container not found (\"gone\")";
                    assert_eq!(status.message, expect);
                }
                other => panic!("{other:?}"),
            },
        }
    }
    timeout(LONG, kubelet.alone()).await.expect("every connection ends");
}

#[tokio::test]
async fn terminals_and_clients_that_go() {
    let cluster = Cluster::start(&[]).await;
    let Cluster { client, kubelet, .. } = &cluster;
    for pod in PODS {
        let options = PodAttachOptions {
            container: "main".into(),
            stdin: true,
            stdout: true,
            ..PodAttachOptions::default()
        };
        let mut command = client.attach("default", pod, &options).await.expect("a process");
        let (mut stdin, mut stdout) = (command.stdin().expect("input"), command.stdout().expect("output"));
        let mut heard = [0; 5];
        stdin.write_all(b"hello").await.expect("it is read");
        timeout(LONG, stdout.read_exact(&mut heard)).await.expect("in time").expect("an answer");
        assert_eq!(&heard, b"hello");
        drop((command, stdin, stdout));
        timeout(LONG, kubelet.alone()).await.expect("the kubelet is left when the client goes");
    }
}

#[tokio::test]
async fn ports_are_forwarded() {
    let cluster = Cluster::start(&[]).await;
    let Cluster { client, kubelet, .. } = &cluster;
    for pod in PODS {
        let forward = client.port_forward("default", pod).await.expect("a way");
        let (mut one, mut other) =
            (forward.open(80).await.expect("a connection"), forward.open(81).await.expect("a connection"));
        for (stream, word) in [(&mut one, *b"one"), (&mut other, *b"two")] {
            let mut heard = [0; 3];
            stream.write_all(&word).await.expect("it is taken");
            timeout(LONG, stream.read_exact(&mut heard)).await.expect("in time").expect("an echo");
            assert_eq!(heard, word);
        }
        let much = vec![7; 200_000];
        let mut heard = vec![0; much.len()];
        let (mut from, mut to) = tokio::io::split(other);
        let both = async { tokio::join!(to.write_all(&much), from.read_exact(&mut heard)) };
        let (sent, read) = timeout(LONG, both).await.expect("in time");
        assert!(sent.is_ok() && read.is_ok() && heard == much);
        let closed = forward.open(9).await.expect("a connection");
        let refused = timeout(LONG, closed.finish()).await.expect("in time");
        assert_eq!(refused.expect_err("nobody listens").to_string(), "connection refused");
        drop((one, from, to, forward));
        let asked = kubelet.asked();
        assert!(asked[0].line.ends_with(&format!(" /portForward/default/{pod}")), "{}", asked[0].line);
        assert_eq!(asked[0].headers["upgrade"] == "SPDY/3.1", pod == "by-spdy");
        timeout(LONG, kubelet.alone()).await.expect("the kubelet is left when the client goes");
    }
}

#[tokio::test]
async fn a_server_that_ends_waits_for_no_stream() {
    let mut cluster = Cluster::start(&["--shutdown-timeout", "60s"]).await;
    let client = &cluster.client;
    let followed = PodLogOptions { follow: true, ..log_of("main") };
    let mut stream = client.core_v1().pods("default").log("by-spdy", &followed).await.expect("a log");
    assert!(stream.next().await.expect("a line").is_ok());
    let options = PodExecOptions { stdin: true, ..exec(&["cat"]) };
    let mut commands = Vec::new();
    for pod in PODS {
        commands.push(client.exec("default", pod, &options).await.expect("a command"));
    }
    let forward = client.port_forward("default", "by-spdy").await.expect("a way");
    let stopping = tokio::task::spawn_blocking(move || {
        cluster.server.stop();
        cluster
    });
    let cluster = timeout(LONG, stopping).await.expect("in time").expect("it ends");
    timeout(LONG, cluster.kubelet.alone()).await.expect("nobody is connected any more");
    drop((forward, commands));
}

#[tokio::test]
async fn kubelets_are_known_by_their_authority() {
    let (kubelet, other) = (Kubelet::start().await, Kubelet::start().await);
    let path = std::env::temp_dir().join(format!("rhumb-kubelet-{}.crt", std::process::id()));
    std::fs::write(&path, kubelet.certificate()).expect("a file");
    let cluster =
        Cluster::with(kubelet, &["--kubelet-certificate-authority", &path.display().to_string()]).await;
    let client = &cluster.client;
    assert!(read(client, "by-spdy", &log_of("main")).await.is_ok());
    node(client, "stranger", &other, &[]).await;
    pod(client, "stranger", "stranger", &["main"]).await;
    let (code, message) = told(read(client, "stranger", &log_of("main")).await);
    assert_eq!(code, 500);
    assert!(message.contains(": tls: failed to verify certificate: x509: "), "{message}");
    assert!(other.asked().is_empty(), "a stranger is told nothing");
    let careless = PodLogOptions { insecure_skip_tls_verify_backend: true, ..log_of("main") };
    assert!(read(client, "stranger", &careless).await.is_ok());
    let _ = std::fs::remove_file(path);
}

/// An address of this machine that others could reach. Nothing is sent to find out.
fn own_address() -> IpAddr {
    let socket = UdpSocket::bind("0.0.0.0:0").expect("a socket");
    socket
        .connect("198.51.100.1:9")
        .expect("a machine with a network: only what others could reach is passed on to");
    let address = socket.local_addr().expect("an address").ip();
    assert!(!address.is_loopback() && !address.is_unspecified(), "{address} is for this machine alone");
    address
}

#[tokio::test]
async fn requests_are_passed_on_but_not_to_the_machine_itself() {
    let cluster = Cluster::start(&[]).await;
    let client = &cluster.client;
    let raw = async |path: &str| -> Result<String, Error> {
        let answer = client.get().request_uri(path).stream().await?.collect(1 << 20).await?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    };
    let (code, message) = told(raw("/api/v1/nodes/by-spdy/proxy/healthz").await);
    assert_eq!((code, &*message), (400, "address not allowed"));
    assert!(cluster.kubelet.asked().is_empty());

    let address = own_address();
    let kubelet = Kubelet::start_on(address).await;
    node(client, "near", &kubelet, &[]).await;
    let told_by = raw("/api/v1/nodes/near/proxy/a%20b/?c=d").await.expect("an answer");
    assert_eq!(told_by, "GET /a%20b/?c=d");
    let asked = kubelet.asked();
    assert!(asked[0].certificate.is_some(), "a kubelet learns who asks");
    assert_eq!(asked[0].headers["x-forwarded-uri"], "/api/v1/nodes/near/proxy/a%20b/");
    assert_eq!(asked[0].headers["x-forwarded-for"], "127.0.0.1");
    assert!(!asked[0].headers.contains_key("authorization"));

    let mut pod = pod(client, "near", "near", &["main"]).await;
    pod.status.pod_ip = address.to_string();
    pod.status.pod_ips = vec![PodIP { ip: address.to_string() }];
    client.core_v1().pods("default").update_status(&pod, &UpdateOptions::default()).await.expect("a status");
    let path = format!("/api/v1/namespaces/default/pods/https:near:{}/proxy/x", kubelet.address().port());
    assert_eq!(raw(&path).await.expect("an answer"), "GET /x");
    assert!(kubelet.asked()[0].certificate.is_none(), "a pod is not told what a kubelet is told");
}
