//! `rhumb gen`: command line of the code generators in `rhumb-codegen`.

mod import_boss;
mod layout;
mod sample;
mod yaml;

use std::collections::BTreeMap;
use std::path::PathBuf;

use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_codegen::file_type::FileTypes;
use rhumb_codegen::generator::{Options, boilerplate};
use rhumb_codegen::problem::Problems;
use rhumb_codegen::source::{Request, load};
use rhumb_codegen::{generators, run, write};

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "gen",
    family: Family::Rhumb,
    about: "Generate code and manifests from API types",
    long: "Generate code and manifests from API types.\n\nGENERATOR is a comma-separated list of generators (see \
           `gen list`). PATH is a module's file or directory (with a trailing /... to include all modules below it), \
           the directory of a crate, or the name of a crate in the workspace.\n\nFiles are written only if all \
           generators succeed, and only those that changed.",
    usage: "GENERATOR[,GENERATOR...] PATH... [--verify]",
    examples: &[
        ("Generate impl Clone for the types of a version", "gen deepcopy src/v1"),
        ("Run several generators on all modules of a crate", "gen defaulter,conversion,register ."),
        ("Fail and show a diff if generated files are stale", "gen deepcopy src/v1 --verify"),
        (
            "Put a licence at the top of every file",
            "gen deepcopy,conversion . --header-file hack/boilerplate.rs.txt",
        ),
    ],
    flags: &[FLAGS, OPENAPI, FILES],
    commands: &[&[&LIST, &layout::NEW_API, &layout::ADD_VERSION, &import_boss::IMPORT_BOSS]],
    words: Words::Files,
    action: Action::Plain(generate),
    stands_alone: true,
    ..Command::EMPTY
};

/// Flags of the command itself; all others are passed to the generators by name.
static FLAGS: &[Flag] = &[
    Flag::bool("verify", "Don't write files; show a diff and exit with status 1 if any is stale."),
    Flag::text("out", "Directory to write to, instead of the directories of the packages.").words(Words::Files),
    Flag::text("output-base", "Like --out, but each package is written below its full path (crate first).")
        .words(Words::Files),
    Flag::text(
        "output-file",
        "Name of the generated file; * is replaced by the generator (default: zz_generated_*.rs).",
    ),
    Flag::text(
        "header-file",
        "File with comments for the top of every generated file, such as a licence; YEAR is replaced by the year.",
    )
    .words(Words::Files),
    Flag::list("bounding-dirs", "Generate only within these modules or directories.")
        .words(Words::Files),
    Flag::list("extra-peer-dirs", "Additional packages with peer types and handwritten conversions (conversion).")
        .words(Words::Files),
    Flag::array("source", "Source directory of a crate that cargo doesn't find, as NAME=DIRECTORY."),
];

/// Flags of the generator `openapi`.
static OPENAPI: &[Flag] = &[
    Flag::text("exceptions", "File of known API rule violations (openapi).").words(Words::Files),
    Flag::bool("update-exceptions", "Update the file of known violations instead of failing (openapi)."),
    Flag::bool("enums", "Add the allowed values of string enums to the schemas (openapi)."),
];

/// Flags of the generators `client`, `embed` and `messages`.
static FILES: &[Flag] = &[
    Flag::array("plural-exceptions", "Irregular plurals, as KIND:PLURAL (client)."),
    Flag::array("embed-dir", "Directory to embed (embed).").words(Words::Files),
    Flag::text("embed-as", "How files are embedded: bytes, text or include (embed)."),
    Flag::array("embed-skip", "Names to leave out; * matches any characters (embed)."),
    Flag::text("embed-name", "Name of the generated file (embed)."),
    Flag::array("messages-dir", "Directory of translations (messages).").words(Words::Files),
    Flag::bool("messages-strict", "Fail if a translation is missing (messages)."),
];

static LIST: Command = Command {
    name: "list",
    about: "List the generators",
    usage: "",
    examples: &[("List the generators", "gen list")],
    action: Action::Plain(list),
    stands_alone: true,
    ..Command::EMPTY
};

fn list(call: &mut Call) -> Outcome {
    let width = generators::TOOLS.iter().map(|tool| tool.name.len()).max().unwrap_or_default();
    for tool in generators::TOOLS {
        call.line(format!("{:width$}  {}", tool.name, tool.about))?;
    }
    Ok(())
}

fn generate(call: &mut Call) -> Outcome {
    let words = call.args.clone();
    let Some((names, paths)) = words.split_first() else {
        return Err(call.usage("GENERATOR and PATH are required"));
    };
    let named_by_flags = ["embed-dir", "messages-dir"].iter().any(|flag| call.flags.is_given(flag));
    if paths.is_empty() && !named_by_flags {
        return Err(call.usage("PATH is required: a module's file or directory, or a crate"));
    }
    let names: Vec<&str> = names.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let tools = generators::named(&names).map_err(|problems| call.usage(problems.to_string()))?;
    let bounding = call.flags.list("bounding-dirs");
    let peers = call.flags.list("extra-peer-dirs");
    let request =
        Request { paths: paths.to_vec(), crates: sources(call)?, bounding, peers, ..Request::default() };
    let options = options(call)?;
    let mut types = FileTypes::default();
    types.add("yaml", yaml::Yaml);
    let universe = load(&request).map_err(failure)?;
    let made = run::run(&universe, &tools, &options, &types).map_err(failure)?;
    for note in &made.notes {
        call.warn(format!("warning: {note}"));
    }
    if made.files.is_empty() {
        call.warn(format!(
            "nothing to generate: no type in these packages is tagged for {}. See 'rhumb gen --help'",
            names.join(" or ")
        ));
        return Ok(());
    }
    if call.flags.bool("verify") {
        return verify(call, &made);
    }
    keep(call, &made.files)
}

/// Writes files and prints which of them changed.
fn keep(call: &mut Call, files: &BTreeMap<PathBuf, String>) -> Outcome {
    let written = write::write(files).map_err(failure)?;
    for (what, paths) in [("new", &written.new), ("changed", &written.changed)] {
        for path in paths {
            call.line(format!("{what}: {}", rhumb_codegen::problem::shown(path).display()))?;
        }
    }
    call.line(format!("{} files, {} of them written", files.len(), written.new.len() + written.changed.len()))
}

/// Prints how files on disk differ from generated ones, and fails if any does.
fn verify(call: &mut Call, made: &run::Made) -> Outcome {
    let difference = write::verify(&made.files).map_err(failure)?;
    if difference.is_empty() {
        return Ok(());
    }
    call.text(&difference)?;
    let message =
        "error: generated files are stale; run the command without --verify to bring them up to date";
    Err(Failure::Exit { code: 1, message: Some(message.to_owned()) })
}

fn sources(call: &Call) -> Result<Vec<(String, PathBuf)>, Failure> {
    let pairs = call.flags.list("source");
    pairs
        .iter()
        .map(|pair| match pair.split_once('=') {
            Some((name, dir)) => Ok((name.replace('-', "_"), PathBuf::from(dir))),
            None => Err(call.usage(format!("invalid value {pair:?} for --source: expected NAME=DIRECTORY"))),
        })
        .collect()
}

/// Collects the options that generators get.
fn options(call: &Call) -> Result<Options, Failure> {
    let own: Vec<&str> = FLAGS.iter().map(|flag| flag.name).collect();
    let mut flags = BTreeMap::new();
    for flag in call.command().own_flags().filter(|flag| !own.contains(&flag.name)) {
        if let Some(values) = call.flags.given_values(flag.name) {
            flags.insert(flag.name.to_owned(), values.to_vec());
        }
    }
    let path = |name: &str| call.flags.given_text(name).map(PathBuf::from);
    let (out, output_base) = (path("out"), path("output-base"));
    if out.is_some() && output_base.is_some() {
        return Err(call.usage("--out and --output-base are mutually exclusive"));
    }
    Ok(Options {
        command: String::new(),
        out,
        output_base,
        output_file: call.flags.given_text("output-file").map(str::to_owned),
        boilerplate: header(call)?,
        flags,
    })
}

/// Reads the text for the top of generated files, with the year filled in.
fn header(call: &Call) -> Result<String, Failure> {
    let Some(path) = call.flags.given_text("header-file") else { return Ok(String::new()) };
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::message(format!("--header-file: {path}: {error}")))?;
    let now = call.factory.now().to_string();
    Ok(boilerplate(&text, now.split('-').next().unwrap_or_default()))
}

fn failure(problems: Problems) -> Failure {
    Failure::message(problems.to_string())
}
