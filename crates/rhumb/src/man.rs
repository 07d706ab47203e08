//! `rhumb man`: writes a manual page for each command.

use std::path::Path;

use anyhow::{Context, Result, bail};
use rhumb_cli::command::{Command, man_pages};
use rhumb_cli::{Call, global};

/// Writes the pages of a command tree to the directory in the arguments.
pub(crate) fn run(call: &mut Call, rhumb: &'static Command, kubectl: &'static Command) -> Result<()> {
    let [directory] = call.args.as_slice() else {
        bail!("DIRECTORY is required\nSee '{} --help' for usage.", call.path);
    };
    let (root, program) = match call.flags.text("program") {
        "rhumb" => (rhumb, "rhumb"),
        "kubectl" => (kubectl, "kubectl"),
        other => bail!("invalid value {other:?} for --program; allowed values: rhumb, kubectl"),
    };
    let directory = Path::new(directory);
    std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    for page in man_pages(root, program, global::FLAGS) {
        let file = directory.join(&page.file);
        std::fs::write(&file, page.text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}
