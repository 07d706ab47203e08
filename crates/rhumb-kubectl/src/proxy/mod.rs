//! `proxy`: serves the API on a local port with the credentials of the kubeconfig.

mod filter;
mod relay;
mod route;
mod statics;

use std::sync::Arc;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::config::os_text;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};

use filter::Filter;
use relay::Relay;

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "proxy",
    family: Family::Troubleshooting,
    about: "Serve the API on a local port, with your credentials",
    long: "Serve the API on a local port, with the credentials of the kubeconfig: whoever reaches the port can do what \
        you can do. Only requests for this machine are taken unless --accept-hosts says otherwise.\n\nFiles of a \
        directory can be served beside the API.",
    usage: "[--port=PORT] [--www=static-dir] [--www-prefix=prefix] [--api-prefix=prefix]",
    examples: &[
        ("The API on port 8001", "proxy"),
        ("On any port, which is printed", "proxy --port=0"),
        ("Below a path: curl localhost:8001/k8s/api/v1/pods", "proxy --api-prefix=/k8s/"),
        ("With a page of your own beside it", "proxy --www=./my-page --www-prefix=/page/"),
        ("On a socket that only you can reach", "proxy --unix-socket=/tmp/api.sock"),
    ],
    flags: &[&[
        Flag::text("accept-hosts", "Regular expressions of the hosts whose requests are taken.")
            .default("^localhost$,^127\\.0\\.0\\.1$,^\\[::1\\]$"),
        Flag::text("accept-paths", "Regular expressions of the paths that are taken.").default("^.*"),
        Flag::text("address", "The address to listen at.").default("127.0.0.1"),
        Flag::text("api-prefix", "The path that the API is served below.").default("/"),
        Flag::bool("append-server-path", "Put the path of the server's address before that of each request."),
        Flag::bool(
            "disable-filter",
            "Take all requests. Pages of others in your browser can then use the API.",
        ),
        Flag::duration("keepalive", "0s", "How often a connection is checked that is not HTTP any more."),
        Flag::int("port", "8001", "The port to listen at; 0 is any.").short('p'),
        Flag::text("reject-methods", "Regular expressions of the methods that are refused.").default("^$"),
        Flag::text("reject-paths", "Regular expressions of the paths that are refused, whatever is taken.")
            .default("^/api/.*/pods/.*/exec,^/api/.*/pods/.*/attach"),
        Flag::text("unix-socket", "A socket to listen at, in place of a port.")
            .short('u')
            .words(Words::Files),
        Flag::text("www", "A directory whose files are served, too.").short('w').words(Words::Files),
        Flag::text("www-prefix", "The path that the files are served below.").short('P').default("/static/"),
    ]],
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let client = call.factory.client()?.clone();
    let environment = call.factory.environment().clone();
    let warn = |place: &str, text: &str| rhumb_cli::log('W', &environment, place, text);
    let server_path = client.config().server.path().trim_end_matches('/').to_owned();
    let appends = call.flags.bool("append-server-path");
    if !appends && !server_path.is_empty() {
        warn(
            "proxy.go:172",
            &format!(
                "Your kube context contains a server path {server_path}, use --append-server-path to automatically append \
             the path to each request"
            ),
        );
    }
    let socket = call.flags.text("unix-socket").to_owned();
    let filter = match call.flags.bool("disable-filter") {
        true => {
            if socket.is_empty() {
                let text =
                    "Request filter disabled, your proxy is vulnerable to XSRF attacks, please be cautious";
                warn("proxy.go:177", text);
            }
            None
        }
        false => Some(Filter::new(&call.flags)?),
    };
    if call.flags.int("port") != 8001 && !socket.is_empty() {
        return Err(Failure::message("cannot set --unix-socket and --port at the same time"));
    }
    let files = call.flags.text("www").to_owned();
    match std::fs::metadata(&files) {
        _ if files.is_empty() => {}
        Ok(data) if data.is_dir() => {}
        Ok(_) => warn("proxy.go:203", &format!("Static file directory {files} is not a directory")),
        Err(error) => warn(
            "proxy.go:201",
            &format!("Failed to stat static file directory {files}: stat {files}: {}", os_text(&error)),
        ),
    }
    let relay = Arc::new(Relay {
        client,
        filter,
        api_prefix: with_slash(call.flags.text("api-prefix")),
        server_path: if appends { server_path } else { String::new() },
        files: (!files.is_empty()).then(|| (with_slash(call.flags.text("www-prefix")), files.into())),
    });
    match socket.as_str() {
        "" => serve_port(call, relay).await,
        path => serve_socket(call, relay, path).await,
    }
}

fn with_slash(prefix: &str) -> String {
    if prefix.ends_with('/') { prefix.to_owned() } else { format!("{prefix}/") }
}

async fn serve_port(call: &mut Call, relay: Arc<Relay>) -> Outcome {
    let address = format!("{}:{}", call.flags.text("address"), call.flags.int("port"));
    let failed = |error: std::io::Error| {
        Failure::message(format!("listen tcp {address}: bind: {}", bind_text(&error)))
    };
    let listener = TcpListener::bind(&address).await.map_err(failed)?;
    let shown = listener.local_addr()?;
    started(call, &shown.to_string())?;
    loop {
        let (stream, _) = listener.accept().await?;
        // A browser's many small requests must not wait for each other.
        let _ = stream.set_nodelay(true);
        serve(stream, Arc::clone(&relay));
    }
}

async fn serve_socket(call: &mut Call, relay: Arc<Relay>, path: &str) -> Outcome {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt};
    // A socket that is left over is in the way; a file of another sort is none of ours.
    if std::fs::metadata(path).is_ok_and(|data| data.file_type().is_socket()) {
        let _ = std::fs::remove_file(path);
    }
    let failed =
        |error: std::io::Error| Failure::message(format!("listen unix {path}: bind: {}", bind_text(&error)));
    let listener = UnixListener::bind(path).map_err(failed)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).map_err(failed)?;
    started(call, path)?;
    loop {
        let (stream, _) = listener.accept().await?;
        serve(stream, Arc::clone(&relay));
    }
}

fn started(call: &mut Call, address: &str) -> Outcome {
    call.line(format!("Starting to serve on {address}"))?;
    Ok(call.streams.out.flush()?)
}

fn bind_text(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::AddrInUse => "address already in use".to_owned(),
        std::io::ErrorKind::AddrNotAvailable => "cannot assign requested address".to_owned(),
        _ => os_text(error),
    }
}

/// Serves a connection until it ends, beside others.
fn serve(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static, relay: Arc<Relay>) {
    tokio::spawn(async move {
        let service = service_fn(|request| {
            let relay = Arc::clone(&relay);
            async move { Ok::<_, std::convert::Infallible>(relay.answer(request).await) }
        });
        // A client that goes away is no failure of the proxy.
        let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).with_upgrades().await;
    });
}
