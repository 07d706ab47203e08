//! Command lines of `rhumb`, `kubectl` and `kubectl-convert`, and the commands that kubectl does not have.

use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::{Call, Failure, Outcome, options};

use crate::{cel, convert, r#gen, man, scheme, serve, transcode};

/// Root command of `rhumb`.
pub(crate) static RHUMB: Command = Command {
    name: "rhumb",
    about: "Kubernetes API machinery in one binary: an API server, kubectl and code generators.",
    usage: "[flags] [options]",
    commands: &[OWN, rhumb_kubectl::COMMANDS],
    phases: rhumb_kubectl::PHASES,
    ..Command::EMPTY
};

/// Root command when the program is called as `kubectl`.
pub(crate) static KUBECTL: Command =
    Command { commands: &[rhumb_kubectl::COMMANDS, &[&CONVERT]], ..rhumb_kubectl::KUBECTL };

static OWN: &[&Command] =
    &[&serve::COMMAND, &TRANSCODE, &SCHEME, &cel::COMMAND, &CONVERT, &r#gen::COMMAND, &MAN];

/// Root command when the program is called as the plugin `kubectl-convert`.
pub(crate) static KUBECTL_CONVERT: Command = Command {
    name: "kubectl-convert",
    examples: &[
        ("Convert to the preferred version of the group", "-f pod.yaml"),
        ("Convert to a given version and print JSON", "-f deployment.yaml --output-version apps/v1 -o json"),
        ("Convert all files of a directory", "-f ."),
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
        ("Convert to the preferred version of the group", "convert -f pod.yaml"),
        (
            "Convert to a given version and print JSON",
            "convert -f deployment.yaml --output-version apps/v1 -o json",
        ),
        ("Convert all files of a directory", "convert -f ."),
    ],
    flags: &[
        options::FILES,
        &[
            Flag::text(
                "output-version",
                "The version to convert to, such as apps/v1 (default: the preferred version of each group).",
            ),
            Flag::bool("local", "Has no effect, as no server is contacted; accepted for compatibility.")
                .default("true"),
            Flag::text(
                "validate",
                "Has no effect, since input is always validated; accepted for compatibility.",
            )
            .default("strict")
            .bare("strict")
            .hidden(),
            options::MANAGED_FIELDS,
            options::TEMPLATE,
            options::MISSING_KEYS,
            Flag::text("output", "Output format.").short('o').default("yaml").choices(&[
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
    about: "Write manual pages for all commands",
    usage: "DIRECTORY [--program rhumb|kubectl]",
    examples: &[
        ("Install the manual pages for the current user", "man ~/.local/share/man/man1"),
        ("Write the pages of the kubectl commands only", "man --program kubectl ./man1"),
    ],
    flags: &[&[Flag::text("program", "Program name used in the pages.")
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
    about: "Convert objects between JSON, YAML and protobuf without changing their version",
    long: "Convert objects between JSON, YAML and protobuf. The API version stays and no defaults are set.",
    usage: "-f FILENAME [-o json|yaml|protobuf]",
    examples: &[
        ("Print an object that is stored in protobuf as YAML", "transcode -f pod.bin"),
        (
            "Write a manifest in protobuf, as API servers store it",
            "transcode -f pod.yaml -o protobuf > pod.bin",
        ),
    ],
    flags: &[&[
        Flag::array("filename", "File to read, in JSON, YAML or protobuf; - reads standard input.")
            .short('f')
            .words(Words::Files)
            .required(),
        Flag::text("output", "Output format.")
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
    about: "Inspect the built-in API kinds: versions, fields, conversion",
    usage: "COMMAND",
    commands: &[&[&KINDS, &SHOW, &GRAPH]],
    stands_alone: true,
    ..Command::EMPTY
};

static KINDS: Command = Command {
    name: "kinds",
    about: "List all kinds and their versions",
    examples: &[
        ("List the kinds of the group apps", "scheme kinds --group apps"),
        ("Print the list as JSON", "scheme kinds -o json"),
    ],
    flags: &[&[
        Flag::text("group", "List this group only; '' is the core group."),
        Flag::text("output", "Output format.").short('o').default("table").choices(&["table", "json"]),
    ]],
    action: Action::Plain(|call| finish(scheme::list_kinds(call))),
    stands_alone: true,
    ..Command::EMPTY
};

static SHOW: Command = Command {
    name: "show",
    about: "Show the fields of a kind: types, protobuf numbers, defaults, conversion",
    usage: "GROUP/VERSION KIND",
    long: "Show the fields of a kind: types, protobuf numbers, defaults and conversion. The kind may be given in any \
           case.",
    examples: &[("Show the fields of a Deployment", "scheme show apps/v1 deployment")],
    action: Action::Plain(|call| finish(scheme::show_kind(call))),
    stands_alone: true,
    ..Command::EMPTY
};

static GRAPH: Command = Command {
    name: "graph",
    about: "Draw API groups, versions and kinds as an SVG image",
    long: "Draw API groups as an SVG image on standard output: all groups with their versions around the hub \
           (the internal version), or with --group the kinds of one group with their served, stored and preferred \
           versions.\n\nWith --server, draw what the server of the current kubeconfig context serves, with custom \
           resources.",
    usage: "[--group GROUP] [--server]",
    examples: &[
        ("Draw the versions of all groups", "scheme graph > versions.svg"),
        ("Draw the kinds of the group apps", "scheme graph --group apps > apps.svg"),
        ("Draw what a server serves", "scheme graph --server > served.svg"),
    ],
    flags: &[&[
        Flag::text("group", "Draw the kinds of this group; '' is the core group."),
        Flag::bool("server", "Draw what the server of the current kubeconfig context serves."),
    ]],
    action: Action::Run(|call| Box::pin(scheme::draw_graph(call))),
    ..Command::EMPTY
};

/// Turns the result of a command into an exit status and message.
pub(crate) fn finish(done: anyhow::Result<()>) -> Outcome {
    done.map_err(|error| match error.downcast_ref::<std::io::Error>() {
        // The reader of our output may stop early, as `head` does.
        Some(io) if io.kind() == std::io::ErrorKind::BrokenPipe => {
            Failure::from(std::io::Error::from(io.kind()))
        }
        _ => Failure::message(format!("{error:#}")),
    })
}

/// Returns the value of a flag, which must be one of its choices.
pub(crate) fn choice<'a>(call: &'a Call, name: &str) -> anyhow::Result<&'a str> {
    let value = call.flags.text(name);
    let choices = call.command().flag(name).map_or(&[][..], |flag| flag.choices);
    if choices.contains(&value) {
        return Ok(value);
    }
    anyhow::bail!(
        "invalid value {value:?} for --{name}; allowed values: {}\nSee '{} --help' for usage.",
        choices.join(", "),
        call.path
    )
}
