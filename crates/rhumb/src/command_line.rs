//! The commands that only this program has, beside those of kubectl.

use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::{Call, Failure, Outcome, options};

use crate::{convert, r#gen, man, scheme, serve, transcode};

/// The whole command line.
pub(crate) static RHUMB: Command = Command {
    name: "rhumb",
    about: "The Kubernetes API machinery in one binary: an API server, and all of kubectl.",
    usage: "[flags] [options]",
    commands: &[OWN, rhumb_kubectl::COMMANDS],
    phases: rhumb_kubectl::PHASES,
    ..Command::EMPTY
};

/// The command line under kubectl's name.
pub(crate) static KUBECTL: Command =
    Command { commands: &[rhumb_kubectl::COMMANDS, &[&CONVERT]], ..rhumb_kubectl::KUBECTL };

static OWN: &[&Command] = &[&serve::COMMAND, &TRANSCODE, &SCHEME, &CONVERT, &r#gen::COMMAND, &MAN];

/// The command line under the name of the plugin `kubectl-convert`.
pub(crate) static KUBECTL_CONVERT: Command = Command {
    name: "kubectl-convert",
    examples: &[
        ("The newest version of what is in a file", "-f pod.yaml"),
        ("Another version, in JSON", "-f deployment.yaml --output-version apps/v1 -o json"),
        ("All files of a directory", "-f ."),
    ],
    phases: rhumb_kubectl::PHASES,
    ..CONVERTING
};

static CONVERT: Command = CONVERTING;

const CONVERTING: Command = Command {
    name: "convert",
    family: Family::Advanced,
    about: "Convert objects to another version of their API group",
    usage: "-f FILENAME",
    examples: &[
        ("The newest version of what is in a file", "convert -f pod.yaml"),
        ("Another version, in JSON", "convert -f deployment.yaml --output-version apps/v1 -o json"),
        ("All files of a directory", "convert -f ."),
    ],
    flags: &[
        options::FILES,
        &[
            Flag::text(
                "output-version",
                "The version to write, such as apps/v1; else the preferred one of each group.",
            ),
            Flag::bool("local", "Kept for scripts; no server is asked.").default("true"),
            Flag::text("validate", "Kept for scripts; what can't be read is refused.")
                .default("strict")
                .bare("strict")
                .hidden(),
            options::MANAGED_FIELDS,
            options::TEMPLATE,
            options::MISSING_KEYS,
            Flag::text("output", "The format to write.").short('o').default("yaml").choices(&[
                "json",
                "yaml",
                "kyaml",
                "protobuf",
                "name",
                "go-template",
                "go-template-file",
                "template",
                "templatefile",
                "jsonpath",
                "jsonpath-as-json",
                "jsonpath-file",
            ]),
        ],
    ],
    action: Action::Plain(|call| finish(convert::run(call))),
    ..Command::EMPTY
};

static MAN: Command = Command {
    name: "man",
    family: Family::Rhumb,
    about: "Write manual pages, one for each command",
    usage: "DIRECTORY [--program rhumb|kubectl]",
    examples: &[
        ("For this user", "man ~/.local/share/man/man1"),
        ("Under kubectl's name", "man --program kubectl ./man1"),
    ],
    flags: &[&[Flag::text("program", "The name that the commands are called by.")
        .default("rhumb")
        .choices(&["rhumb", "kubectl"])]],
    words: Words::Files,
    action: Action::Plain(|call| finish(man::run(call, &RHUMB, &KUBECTL))),
    stands_alone: true,
    ..Command::EMPTY
};

static TRANSCODE: Command = Command {
    name: "transcode",
    family: Family::Rhumb,
    about: "Write objects in another format: the same version, nothing filled in",
    usage: "-f FILENAME [-o json|yaml|protobuf]",
    examples: &[
        ("What a stored object says", "transcode -f pod.bin"),
        ("A manifest as the server would store it", "transcode -f pod.yaml -o protobuf > pod.bin"),
    ],
    flags: &[&[
        Flag::array("filename", "A file to read, in JSON, YAML or protobuf; - is standard input.")
            .short('f')
            .words(Words::Files)
            .required(),
        Flag::text("output", "The format to write.")
            .short('o')
            .default("yaml")
            .choices(&["json", "yaml", "protobuf"]),
    ]],
    action: Action::Plain(|call| finish(transcode::run(call))),
    stands_alone: true,
    ..Command::EMPTY
};

static SCHEME: Command = Command {
    name: "scheme",
    family: Family::Rhumb,
    about: "Look at the registry of kinds",
    usage: "COMMAND",
    commands: &[&[&KINDS, &SHOW, &GRAPH]],
    stands_alone: true,
    ..Command::EMPTY
};

static KINDS: Command = Command {
    name: "kinds",
    about: "List the kinds of every version",
    examples: &[
        ("The kinds of apps", "scheme kinds --group apps"),
        ("For a program", "scheme kinds -o json"),
    ],
    flags: &[&[
        Flag::text("group", "Only this group; '' is core."),
        Flag::text("output", "How to print.").short('o').default("table").choices(&["table", "json"]),
    ]],
    action: Action::Plain(|call| finish(scheme::list_kinds(call))),
    stands_alone: true,
    ..Command::EMPTY
};

static SHOW: Command = Command {
    name: "show",
    about: "Show the fields of a kind: types, numbers, defaults, conversion",
    usage: "GROUP/VERSION KIND",
    long: "Show the fields of a kind: types, numbers, defaults, conversion. Case doesn't matter.",
    examples: &[("The fields of a Deployment", "scheme show apps/v1 deployment")],
    action: Action::Plain(|call| finish(scheme::show_kind(call))),
    stands_alone: true,
    ..Command::EMPTY
};

static GRAPH: Command = Command {
    name: "graph",
    about: "Draw the versions and their hubs, as SVG",
    long: "Draw what is registered, as SVG: the versions of every group around their hubs, or with --group the kinds of \
           one group, which of their versions are served and stored, and which version is preferred.\n\nWith --server \
           it is what the server of your kubeconfig serves, with the kinds that definitions add.",
    usage: "[--group GROUP] [--server]",
    examples: &[
        ("Into a file", "scheme graph > versions.svg"),
        ("The kinds of apps", "scheme graph --group apps > apps.svg"),
        ("What a server serves", "scheme graph --server > served.svg"),
    ],
    flags: &[&[
        Flag::text("group", "The kinds of this group; '' is core."),
        Flag::bool("server", "Ask the server of the kubeconfig."),
    ]],
    action: Action::Run(|call| Box::pin(scheme::draw_graph(call))),
    ..Command::EMPTY
};

/// What a command comes to, in the terms of the command line.
pub(crate) fn finish(done: anyhow::Result<()>) -> Outcome {
    done.map_err(|error| match error.downcast_ref::<std::io::Error>() {
        // Whoever reads our output may stop early, as `head` does.
        Some(io) if io.kind() == std::io::ErrorKind::BrokenPipe => {
            Failure::from(std::io::Error::from(io.kind()))
        }
        _ => Failure::message(format!("{error:#}")),
    })
}

/// A flag that takes one of its choices.
pub(crate) fn choice<'a>(call: &'a Call, name: &str) -> anyhow::Result<&'a str> {
    let value = call.flags.text(name);
    let choices = call.command().flag(name).map_or(&[][..], |flag| flag.choices);
    if choices.contains(&value) {
        return Ok(value);
    }
    anyhow::bail!(
        "--{name} can't be {value:?}; it is one of {}\nSee '{} --help' for usage.",
        choices.join(", "),
        call.path
    )
}
