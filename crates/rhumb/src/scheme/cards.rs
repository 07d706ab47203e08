//! `rhumb scheme graph --group` and `--server`: draws groups kind by kind as SVG.
//!
//! A group is a card with a row for each kind and a column for each version. A dot means that the version has the
//! kind: filled where it is served, with a dashed edge where a function converts it to the hub.

use rhumb_meta::version::ApiVersion;
use rhumb_scheme::ConversionKind;

use super::catalogue::{Group, InVersion, Kind};
use super::graph::{colour, escaped, push};

const MARGIN: f64 = 24.0;
const HEADER: f64 = 84.0;
const HEAD: f64 = 92.0;
const ROW: f64 = 26.0;
const GAP: f64 = 20.0;
const NAMES: f64 = 340.0;
const COLUMN: f64 = 150.0;
const INK: &str = "#1f2328";
const FAINT: &str = "#59636e";

/// Draws groups one below the other.
pub(super) fn draw(groups: &[Group]) -> String {
    let columns = groups.iter().map(|group| group.versions.len()).max().unwrap_or_default().max(2);
    let inner = NAMES + COLUMN * columns as f64;
    let mut cards = String::new();
    let mut bottom = HEADER;
    for group in groups {
        bottom += card(group, bottom, inner, &mut cards) + GAP;
    }
    let (width, height) = (inner + 2.0 * MARGIN, bottom - GAP + MARGIN);
    let mut out = String::new();
    push(
        &mut out,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" fill=\"{INK}\">\n\
             <title>Kinds and their versions</title>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
             <text x=\"{MARGIN}\" y=\"40\" font-size=\"22\" font-weight=\"600\">Kinds and their versions</text>\n"
        ),
    );
    legend(&mut out);
    out.push_str(&cards);
    out.push_str("</svg>\n");
    out
}

fn legend(out: &mut String) {
    let served = InVersion { conversion: ConversionKind::SameType, is_served: true, is_stored: false };
    let off = InVersion { is_served: false, ..served };
    let converted = InVersion { conversion: ConversionKind::Function, ..served };
    let dots = [(served, "served"), (off, "not served"), (converted, "converts by a function")];
    for (index, (state, label)) in dots.into_iter().enumerate() {
        let x = MARGIN + 8.0 + 130.0 * index as f64;
        dot(state, x, 64.0, out);
        text(label, x + 14.0, 68.5, 13.0, FAINT, out);
    }
}

/// Draws a group's card and returns its height.
fn card(group: &Group, y: f64, width: f64, out: &mut String) -> f64 {
    let height = HEAD + ROW * group.kinds.len() as f64 + 12.0;
    push(
        out,
        format_args!(
            "<rect x=\"{MARGIN}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"10\" fill=\"#f6f8fa\" \
             stroke=\"#d1d9e0\"/>\n"
        ),
    );
    let title = if group.name.is_empty() { "core" } else { &group.name };
    push(
        out,
        format_args!(
            "<text x=\"{}\" y=\"{}\" font-size=\"16\" font-weight=\"600\">{}</text>\n",
            MARGIN + 20.0,
            y + 32.0,
            escaped(title)
        ),
    );
    for (column, version) in group.versions.iter().enumerate() {
        let x = MARGIN + NAMES + COLUMN * column as f64;
        let fill = colour(ApiVersion::parse(version).map(ApiVersion::stability));
        push(
            out,
            format_args!(
                "<rect x=\"{x}\" y=\"{}\" width=\"96\" height=\"28\" rx=\"14\" fill=\"{fill}\"/>\n\
                 <text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#ffffff\" font-size=\"14\" \
                 font-weight=\"600\">{}</text>\n",
                y + 18.0,
                x + 48.0,
                y + 37.0,
                escaped(version)
            ),
        );
        if *version == group.preferred {
            text("preferred", x + 20.0, y + 64.0, 12.0, FAINT, out);
        }
    }
    for (row, kind) in group.kinds.iter().enumerate() {
        kind_row(kind, y + HEAD + ROW * row as f64, out);
    }
    height
}

fn kind_row(kind: &Kind, y: f64, out: &mut String) {
    text(&kind.name, MARGIN + 20.0, y + 4.5, 13.0, INK, out);
    for (column, state) in kind.versions.iter().enumerate() {
        let Some(state) = state else { continue };
        let x = MARGIN + NAMES + COLUMN * column as f64 + 12.0;
        dot(*state, x, y, out);
        if state.is_stored {
            text("stored", x + 14.0, y + 4.5, 12.0, FAINT, out);
        }
    }
}

fn dot(state: InVersion, x: f64, y: f64, out: &mut String) {
    let fill = if state.is_served { "#8c959f" } else { "#ffffff" };
    let edge = match state.conversion {
        ConversionKind::Function => " stroke-dasharray=\"3 2\"",
        _ => "",
    };
    push(
        out,
        format_args!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"6\" fill=\"{fill}\" stroke=\"{INK}\" stroke-width=\"1.5\"{edge}/>\n"
        ),
    );
}

fn text(label: &str, x: f64, y: f64, size: f64, fill: &str, out: &mut String) {
    let label = escaped(label);
    push(
        out,
        format_args!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{fill}\">{label}</text>\n"),
    );
}
