//! `rhumb gen`: from types to code and manifests. The work is done by `rhumb-codegen`; here it gets its words.

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
    long: "GENERATOR is one or more of those that `gen list` shows, by commas. PATH is a module's file or directory \
           (with /... behind it for all modules below), the directory of a crate, or the name of a crate of the \
           workspace.\n\nNothing is written unless all generators succeed, and only files that change are written.",
    usage: "GENERATOR[,GENERATOR...] PATH... [--verify]",
    examples: &[
        ("impl Clone for the types of a version", "gen deepcopy src/v1"),
        ("Several generators for all modules of a crate", "gen defaulter,conversion,register ."),
        ("Fail, and show what differs, if files are stale", "gen deepcopy src/v1 --verify"),
        (
            "With a licence above every file",
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

/// Flags of the command itself. Every other flag is handed to the generators under its name.
static FLAGS: &[Flag] = &[
    Flag::bool("verify", "Write nothing; exit with 1 and show the differences if files are stale."),
    Flag::text("out", "The directory to write to, instead of those of the packages.").words(Words::Files),
    Flag::text("output-base", "The same, but each package has its whole path below it, crate first.")
        .words(Words::Files),
    Flag::text(
        "output-file",
        "What the file for a package is called, with * for the generator (zz_generated_*.rs).",
    ),
    Flag::text(
        "header-file",
        "Comments for the top of every file, such as a licence; YEAR becomes the year.",
    )
    .words(Words::Files),
    Flag::list("bounding-dirs", "Modules or directories; outside of them nothing is generated.")
        .words(Words::Files),
    Flag::list("extra-peer-dirs", "More packages with peers and written conversions, for conversion.")
        .words(Words::Files),
    Flag::array("source", "Where the source of a crate is that cargo does not find, as NAME=DIRECTORY."),
];

/// Flags of the generator `openapi`.
static OPENAPI: &[Flag] = &[
    Flag::text("exceptions", "The file of known violations of API rules, for openapi.").words(Words::Files),
    Flag::bool("update-exceptions", "Write the file of known violations instead of failing, for openapi."),
    Flag::bool("enums", "List the values that texts may have, for openapi."),
];

/// Flags of the generators `client`, `embed` and `messages`.
static FILES: &[Flag] = &[
    Flag::array("plural-exceptions", "Plurals that can't be guessed, as KIND:PLURAL, for client."),
    Flag::array("embed-dir", "The directory to embed, for embed.").words(Words::Files),
    Flag::text("embed-as", "What its files become: bytes, text or include, for embed."),
    Flag::array("embed-skip", "Names to leave out, with * for anything, for embed."),
    Flag::text("embed-name", "The name of the file that is written, for embed."),
    Flag::array("messages-dir", "The directory of translations, for messages.").words(Words::Files),
    Flag::bool("messages-strict", "Fail where a translation is missing, for messages."),
];

static LIST: Command = Command {
    name: "list",
    about: "List the generators",
    usage: "",
    examples: &[("What there is", "gen list")],
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
        return Err(call.usage("say which generators to run, and on what"));
    };
    let named_by_flags = ["embed-dir", "messages-dir"].iter().any(|flag| call.flags.is_given(flag));
    if paths.is_empty() && !named_by_flags {
        return Err(call.usage("say which packages to read: a module's file or directory, or a crate"));
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
            "nothing to generate: no type of these packages asks for {}. See 'rhumb gen --help'",
            names.join(" or ")
        ));
        return Ok(());
    }
    if call.flags.bool("verify") {
        return verify(call, &made);
    }
    keep(call, &made.files)
}

/// Writes files, and says which.
fn keep(call: &mut Call, files: &BTreeMap<PathBuf, String>) -> Outcome {
    let written = write::write(files).map_err(failure)?;
    for (what, paths) in [("new", &written.new), ("changed", &written.changed)] {
        for path in paths {
            call.line(format!("{what}: {}", rhumb_codegen::problem::shown(path).display()))?;
        }
    }
    call.line(format!("{} files, {} of them written", files.len(), written.new.len() + written.changed.len()))
}

/// Shows how the disk differs from what was made, and fails if it does.
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
            None => Err(call.usage(format!("--source {pair:?}: write it as NAME=DIRECTORY"))),
        })
        .collect()
}

/// What generators see of the command line.
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
        return Err(call.usage("--out and --output-base can't be used together"));
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

/// The text for the top of files, with the year.
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
