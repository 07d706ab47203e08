//! `rhumb scheme`: shows the Scheme's kinds, fields and versions.

mod cards;
mod catalogue;
mod compare;
mod graph;
mod kinds;
mod show;

use anyhow::{Result, bail};
use rhumb_cli::{Call, Outcome};
use rhumb_client::discovery::DiscoveryClient;

use crate::command_line::{choice, finish};
use crate::output;

pub(crate) fn list_kinds(call: &Call) -> Result<()> {
    let group = call.flags.given_text("group");
    let scheme = rhumb_api::scheme()?;
    let kinds = kinds::find(&scheme, group)?;
    let text = match choice(call, "output")? {
        "json" => kinds::json(&kinds)?,
        _ => kinds::lines(&kinds),
    };
    output::bytes(text.as_bytes())
}

pub(crate) fn show_kind(call: &Call) -> Result<()> {
    let [version, kind] = call.args.as_slice() else {
        bail!(
            "GROUP/VERSION and KIND are required, such as apps/v1 Deployment\nSee '{} --help' for usage.",
            call.path
        );
    };
    output::bytes(show::kind(&rhumb_api::scheme()?, version, kind)?.as_bytes())
}

pub(crate) async fn draw_graph(call: &mut Call) -> Outcome {
    if !call.flags.bool("server") {
        return finish(draw_registered(call.flags.given_text("group")));
    }
    // Only unaggregated discovery has the hash of the storage version.
    let discovery = DiscoveryClient::new(call.factory.client()?).with_old_form();
    let found = discovery.server_resources().await?;
    if let Some(failed) = found.failure() {
        call.warning(failed.to_string());
    }
    finish(rhumb_api::scheme().map_err(Into::into).and_then(|scheme| {
        let groups = catalogue::served(&scheme, &found, call.flags.given_text("group"))?;
        output::bytes(cards::draw(&groups).as_bytes())
    }))
}

fn draw_registered(group: Option<&str>) -> Result<()> {
    let scheme = rhumb_api::scheme()?;
    let picture = match group {
        Some(group) => cards::draw(&[catalogue::registered(&scheme, group)?]),
        None => graph::draw(&scheme)?,
    };
    output::bytes(picture.as_bytes())
}

/// Formats rows with aligned columns, three blanks apart as in kubectl.
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
