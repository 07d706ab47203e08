//! `rhumb scheme`: the registry, for a person to look at.

mod compare;
mod graph;
mod kinds;
mod show;

use anyhow::Result;
use clap::ArgMatches;

use crate::command_line::value;
use crate::output;

pub(crate) fn run(matches: &ArgMatches) -> Result<()> {
    let scheme = rhumb_api::scheme()?;
    let text = match matches.subcommand() {
        Some(("kinds", matches)) => {
            kinds::list(&scheme, matches.get_one::<String>("group").map(String::as_str))?
        }
        Some(("show", matches)) => show::kind(&scheme, value(matches, "version"), value(matches, "kind"))?,
        Some(("graph", _)) => graph::draw(&scheme),
        _ => String::new(),
    };
    output::bytes(text.as_bytes())
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
