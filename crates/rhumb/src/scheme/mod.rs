//! `rhumb scheme`: the registry, for a person to look at.

mod compare;
mod graph;
mod kinds;
mod show;

use anyhow::{Result, bail};
use rhumb_cli::Call;

use crate::output;

pub(crate) fn list_kinds(call: &Call) -> Result<()> {
    let group = call.flags.given_text("group");
    output::bytes(kinds::list(&rhumb_api::scheme()?, group)?.as_bytes())
}

pub(crate) fn show_kind(call: &Call) -> Result<()> {
    let [version, kind] = call.args.as_slice() else {
        bail!(
            "a version and a kind are needed, as in apps/v1 Deployment\nSee '{} --help' for usage.",
            call.path
        );
    };
    output::bytes(show::kind(&rhumb_api::scheme()?, version, kind)?.as_bytes())
}

pub(crate) fn draw_graph(_: &Call) -> Result<()> {
    output::bytes(graph::draw(&rhumb_api::scheme()?).as_bytes())
}

/// Rows of a table with its columns aligned, as kubectl prints them: three blanks between.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or_default()).collect();
    let mut out = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        out.push_str(cells.join("   ").trim_end());
        out.push('\n');
    }
    out
}
