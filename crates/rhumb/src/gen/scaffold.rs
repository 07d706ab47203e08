//! `rhumb gen new-api` and `rhumb gen add-version`: the first files of a group, and those of one more version.

use std::path::{Path, PathBuf};

use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_cli::{Call, Outcome};
use rhumb_codegen::file_type::FileTypes;
use rhumb_codegen::generator::Options;
use rhumb_codegen::scaffold::{NewApi, NewVersion};
use rhumb_codegen::source::{Request, load};
use rhumb_codegen::{generators, run};

use super::{failure, keep};

pub(super) static NEW_API: Command = Command {
    name: "new-api",
    about: "Lay out a group with one kind, ready to build",
    usage: "[DIRECTORY] --group GROUP --version VERSION --kind KIND",
    examples: &[(
        "A crate with one kind in the directory stable",
        "gen new-api stable --group stable.example.com --version v1 --kind CronTab",
    )],
    flags: &[&[
        Flag::text("group", "The group, such as stable.example.com.").required(),
        Flag::text("version", "The version, such as v1.").required(),
        Flag::text("kind", "The kind, such as CronTab.").required(),
        Flag::bool("namespaced", "Whether objects live in namespaces.").default("true"),
        Flag::text("rhumb", "The directory with the crates of Rhumb, if they are not taken from crates.io.")
            .words(Words::Files),
    ]],
    words: Words::Files,
    action: Action::Plain(new_api),
    stands_alone: true,
    ..Command::EMPTY
};

pub(super) static ADD_VERSION: Command = Command {
    name: "add-version",
    about: "Add a version to a group: types, conversion, registration",
    usage: "DIRECTORY --version VERSION [--from VERSION]",
    examples: &[("v2 as a copy of v1", "gen add-version src/stable --from v1 --version v2")],
    flags: &[&[
        Flag::text("version", "The version to add, such as v2.").required(),
        Flag::text("from", "The version to copy.").default("v1"),
    ]],
    words: Words::Files,
    action: Action::Plain(add_version),
    stands_alone: true,
    ..Command::EMPTY
};

fn new_api(call: &mut Call) -> Outcome {
    let api = NewApi {
        group: call.flags.text("group").to_owned(),
        version: call.flags.text("version").to_owned(),
        kind: call.flags.text("kind").to_owned(),
        namespaced: call.flags.bool("namespaced"),
        dir: PathBuf::from(call.args.first().map_or(".", String::as_str)),
        rhumb: call.flags.given_text("rhumb").map(PathBuf::from),
    };
    let files = api.files().map_err(failure)?;
    keep(call, &files)?;
    generate(call, &api.dir.join("src").join(api.module()))
}

fn add_version(call: &mut Call) -> Outcome {
    let [dir] = call.args.as_slice() else {
        return Err(call.usage("the directory of the group is needed"));
    };
    let version = NewVersion {
        dir: PathBuf::from(dir),
        from: call.flags.text("from").to_owned(),
        version: call.flags.text("version").to_owned(),
    };
    let files = version.files().map_err(failure)?;
    keep(call, &files)?;
    generate(call, &version.dir)
}

/// Runs the generators whose files a group declares.
fn generate(call: &mut Call, dir: &Path) -> Outcome {
    let request = Request { paths: vec![format!("{}/...", dir.display())], ..Request::default() };
    let universe = load(&request).map_err(failure)?;
    let tools = generators::declared(&universe);
    let made = run::run(&universe, &tools, &Options::default(), &FileTypes::default()).map_err(failure)?;
    keep(call, &made.files)
}
