//! kubectl as people use it: in a terminal, with an editor, a shell in a container, completion, colour and progress.

#[path = "../support/kubelet/mod.rs"]
mod kubelet;
#[path = "../kubectl/mask.rs"]
#[allow(dead_code, reason = "nothing is masked here")]
mod mask;
#[path = "../kubectl/replay.rs"]
#[allow(dead_code, reason = "the sessions here are typed")]
mod replay;
#[path = "../kubectl/session.rs"]
#[allow(dead_code, reason = "the sessions here are typed")]
mod session;

mod completion;
mod containers;
mod editing;
mod plugins;
mod progress;
mod tmux;

use std::path::{Path, PathBuf};

use kubelet::Kubelet;
use replay::{Place, Programs, Server};
use session::Session;
use tmux::Terminal;
use tokio::runtime::Runtime;

/// A server, a stand-in for the kubelet of its nodes, and a terminal. What stands first goes first.
struct Scene {
    terminal: Terminal,
    _server: Server,
    kubelet: Kubelet,
    /// Where commands in containers run.
    pod: PathBuf,
    place: Place,
    _runtime: Runtime,
}

impl Scene {
    /// Sets all that up; nodes and pods only if they are wanted.
    fn new(with_pods: bool) -> Self {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_rhumb"));
        let programs = Programs {
            server: program.clone(),
            kubectl: program.clone(),
            scratch: PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
            environment: Vec::new(),
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let place = Place::new(&programs, &Session::default()).expect("a directory");
        let pod = place.root.join("pod");
        std::fs::create_dir(&pod).expect("a directory");
        let kubelet = runtime.block_on(Kubelet::start_in(pod.clone()));
        let server = Server::start(&program, &place.root, &[]).expect("a server");
        let terminal = Terminal::open(&place);
        let scene = Scene { terminal, _server: server, kubelet, pod, place, _runtime: runtime };
        if with_pods {
            let cluster = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kubectl_streams/cluster.sh");
            scene.run(&format!("sh {}", cluster.display()));
        }
        scene
    }

    /// Runs a script elsewhere than in the terminal, and gives what it wrote to its output and to its errors.
    fn run(&self, script: &str) -> (String, String) {
        let port = ("KUBELET_PORT".to_owned(), self.kubelet.address().port().to_string());
        let answer = self.place.run(script, &[port]).expect("a shell");
        (answer.out.lines.join("\n"), answer.err.lines.join("\n"))
    }
}
