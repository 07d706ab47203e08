//! `top` against a server that has metrics: what is printed is what kubectl prints for the same answers.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use rhumb_cli::command::{Command, parse};
use rhumb_cli::{Call, Factory, Streams, global};
use rhumb_client::config::{Environment, NoWarnings};
use serde_json::{Value, json};

static KUBECTL: Command = rhumb_kubectl::KUBECTL;

/// A stream whose text can be looked at.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Ok(mut text) = self.0.lock() {
            text.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    fn text(&self) -> String {
        self.0.lock().map(|text| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default()
    }
}

fn pod(namespace: &str, name: &str, containers: &[(&str, &str, &str)]) -> Value {
    let containers: Vec<Value> = containers
        .iter()
        .map(|(name, cpu, memory)| json!({"name": name, "usage": {"cpu": cpu, "memory": memory}}))
        .collect();
    json!({"metadata": {"namespace": namespace, "name": name}, "containers": containers})
}

fn answer(path: &str) -> Option<Value> {
    let node = |name: &str, cpu: &str, memory: &str| json!({"metadata": {"name": name}, "usage": {"cpu": cpu, "memory": memory}});
    let has = |name: &str, cpu: &str, memory: &str| {
        let amounts = json!({"cpu": cpu, "memory": memory});
        json!({"metadata": {"name": name}, "status": {"capacity": amounts, "allocatable": amounts}})
    };
    let list = |items: Vec<Value>| Some(json!({"metadata": {}, "items": items}));
    let web = pod("default", "web", &[("nginx", "250m", "128Mi"), ("side", "1500000n", "10Mi")]);
    let api = pod("default", "api", &[("z", "1", "2Gi"), ("b", "3", "1Gi")]);
    let dns = pod("kube-system", "dns", &[("dns", "7m", "70000Ki")]);
    match path.split('?').next()? {
        "/api" => Some(json!({"kind": "APIVersions", "versions": ["v1"]})),
        "/apis" => {
            let version = json!({"groupVersion": "metrics.k8s.io/v1beta1", "version": "v1beta1"});
            let group = json!({"name": "metrics.k8s.io", "versions": [version], "preferredVersion": version});
            Some(json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": [group]}))
        }
        "/apis/metrics.k8s.io/v1beta1/nodes" => {
            list(vec![node("n2", "512345678n", "3123456Ki"), node("n1", "2", "1Gi")])
        }
        "/api/v1/nodes" => {
            list(vec![has("n1", "7800m", "15Gi"), has("n2", "3900m", "7Gi"), has("n3", "4", "8Gi")])
        }
        "/apis/metrics.k8s.io/v1beta1/pods" => list(vec![web, api, dns]),
        "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods" => list(vec![web, api]),
        _ => None,
    }
}

/// Serves the answers above, and gives the address.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let mut line = String::new();
                while reader.read_line(&mut line).is_ok_and(|read| read > 0) {
                    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
                    // The headers end with an empty line.
                    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {}
                    line.clear();
                    let (status, body) = match answer(&path) {
                        Some(body) => ("200 OK", body.to_string()),
                        None => ("404 Not Found", json!({"kind": "Status", "code": 404}).to_string()),
                    };
                    let head = format!(
                        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                        body.len()
                    );
                    if (&stream).write_all(format!("{head}{body}").as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    format!("http://{address}")
}

fn run(server: &str, line: &str) -> String {
    let args: Vec<String> = format!("-s {server} {line}").split_whitespace().map(str::to_owned).collect();
    let parsed = parse(&KUBECTL, global::FLAGS, "kubectl", &args).unwrap();
    let (out, err) = (Shared::default(), Shared::default());
    let streams = Streams {
        input: Box::new(io::empty()),
        out: Box::new(out.clone()),
        err: Box::new(err.clone()),
        ..Streams::process()
    };
    let factory = Factory::new(&parsed.flags, Environment::empty(), Arc::new(NoWarnings));
    let commands = parsed.commands;
    let (path, flags, args, dash) = (parsed.path, parsed.flags, parsed.args, parsed.dash);
    let mut call = Call { commands, path, flags, args, dash, streams, factory };
    let done = rhumb_kubectl::run(&mut call);
    let failure = done.err().map(|failure| failure.text("")).unwrap_or_default();
    format!("{}{}{failure}", out.text(), err.text())
}

#[test]
fn usage_is_shown_as_kubectl_shows_it() {
    let server = serve();
    for (line, expect) in [
        (
            "top node",
            "NAME   CPU(cores)   CPU(%)      MEMORY(bytes)   MEMORY(%)   \n\
             n1     2000m        25%         1024Mi          6%          \n\
             n2     513m         13%         3050Mi          42%         \n\
             n3     <unknown>    <unknown>   <unknown>       <unknown>   \n",
        ),
        (
            "top node --sort-by=memory --no-headers",
            "n2    513m        13%         3050Mi      42%         \n\
             n1    2000m       25%         1024Mi      6%          \n\
             n3    <unknown>   <unknown>   <unknown>   <unknown>   \n",
        ),
        (
            "top pod --containers --sort-by=cpu",
            "POD   NAME    CPU(cores)   MEMORY(bytes)   \n\
             api   b       3000m        1024Mi          \n\
             api   z       1000m        2048Mi          \n\
             web   nginx   250m         128Mi           \n\
             web   side    2m           10Mi            \n",
        ),
        (
            "top pod -A --sum",
            "NAMESPACE     NAME   CPU(cores)   MEMORY(bytes)   \n\
             default       api    4000m        3072Mi          \n\
             default       web    252m         138Mi           \n\
             kube-system   dns    7m           68Mi            \n\
             \u{20}                    ________     ________        \n\
             \u{20}                    4259m        3278Mi          \n",
        ),
        ("top pod --sort-by=name", "error: --sort-by accepts only cpu or memory\n"),
    ] {
        assert_eq!(run(&server, line), expect, "{line}");
    }
}
