//! `rhumb scheme graph`: draws the versions of every group around their hub as SVG.
//!
//! A group is a card with the hub on the left and the versions on the right, the preferred one on top. A version's
//! line to the hub is solid where types are shared and dashed where functions convert; its colour is its stability.
//! Cards are laid out in two columns. Kinds are only counted; `cards` shows them one by one.

use std::fmt::Write;

use anyhow::Result;
use rhumb_meta::version::{ApiVersion, Stability};
use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{ConversionKind, Scheme};

use super::catalogue::OwnKinds;

const COLUMNS: usize = 2;
const MARGIN: f64 = 24.0;
const HEADER: f64 = 112.0;
const CARD_WIDTH: f64 = 660.0;
const CARD_HEAD: f64 = 52.0;
const ROW: f64 = 46.0;
const GAP: f64 = 20.0;
const HUB: Pill = Pill { x: 24.0, width: 104.0, height: 50.0 };
const VERSION: Pill = Pill { x: 220.0, width: 100.0, height: 32.0 };

/// Rounded box with text, positioned relative to the card's left edge.
struct Pill {
    x: f64,
    width: f64,
    height: f64,
}

/// Draws all groups.
pub(super) fn draw(scheme: &Scheme) -> Result<String> {
    let own = OwnKinds::new()?;
    let preferred = scheme.preferred_versions();
    // Every card goes to the shortest column.
    let mut bottoms = [HEADER; COLUMNS];
    let mut cards = String::new();
    for gv in &preferred {
        let mut column = 0;
        for (other, bottom) in bottoms.iter().enumerate() {
            column = if *bottom < bottoms[column] { other } else { column };
        }
        let x = MARGIN + (CARD_WIDTH + GAP) * column as f64;
        bottoms[column] += draw_group((scheme, &own), &gv.group, x, bottoms[column], &mut cards) + GAP;
    }
    let width = 2.0 * MARGIN + CARD_WIDTH * COLUMNS as f64 + GAP * (COLUMNS - 1) as f64;
    let height = bottoms.iter().copied().fold(0.0, f64::max) + MARGIN - GAP;
    let versions = scheme.prioritized_versions_all_groups().len();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" fill=\"#1f2328\">\n\
         <title>API versions and their hubs</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"{MARGIN}\" y=\"44\" font-size=\"22\" font-weight=\"600\">API versions and their hubs</text>\n\
         <text x=\"{}\" y=\"44\" font-size=\"13\" fill=\"#59636e\" text-anchor=\"end\">{} groups, {versions} \
         versions</text>\n",
        width - MARGIN,
        preferred.len(),
    );
    legend(&mut out);
    out.push_str(&cards);
    out.push_str("</svg>\n");
    Ok(out)
}

/// The Scheme and the filter for the kinds to count.
type Known<'a> = (&'a Scheme, &'a OwnKinds);

fn legend(out: &mut String) {
    let y = 80.0;
    let text = |out: &mut String, x: f64, label: &str| {
        push(out, format_args!("<text x=\"{x}\" y=\"{}\" font-size=\"13\">{label}</text>\n", y + 4.5));
    };
    let stabilities = [(Stability::Stable, "stable"), (Stability::Beta, "beta"), (Stability::Alpha, "alpha")];
    for (index, (stability, label)) in stabilities.into_iter().enumerate() {
        let x = MARGIN + 100.0 * index as f64;
        let colour = colour(Some(stability));
        push(
            out,
            format_args!(
                "<rect x=\"{x}\" y=\"{}\" width=\"24\" height=\"16\" rx=\"8\" fill=\"{colour}\"/>\n",
                y - 8.0
            ),
        );
        text(out, x + 32.0, label);
    }
    let lines = [("", "all kinds share the hub's types"), (DASHED, "some kinds convert by functions")];
    for (index, (dash, label)) in lines.into_iter().enumerate() {
        let x = 360.0 + 310.0 * index as f64;
        push(out, format_args!("<path d=\"M{x} {y} h44\" {LINE}{dash}/>\n"));
        text(out, x + 54.0, label);
    }
}

const LINE: &str = "fill=\"none\" stroke=\"#59636e\" stroke-width=\"2\"";
const DASHED: &str = " stroke-dasharray=\"6 5\"";

/// Draws a group's card and returns its height.
fn draw_group(known: Known<'_>, group: &str, x: f64, y: f64, out: &mut String) -> f64 {
    let (scheme, own) = known;
    let versions = scheme.prioritized_versions(group);
    let height = CARD_HEAD + ROW * versions.len() as f64 + 12.0;
    let title = if group.is_empty() { "core".to_owned() } else { escaped(group) };
    push(
        out,
        format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{CARD_WIDTH}\" height=\"{height}\" rx=\"10\" fill=\"#f6f8fa\" \
             stroke=\"#d1d9e0\"/>\n\
             <text x=\"{}\" y=\"{}\" font-size=\"16\" font-weight=\"600\">{title}</text>\n",
            x + HUB.x,
            y + 32.0
        ),
    );
    let middle = y + CARD_HEAD + ROW * versions.len() as f64 / 2.0;
    for (row, gv) in versions.iter().enumerate() {
        draw_version(known, gv, x, y + CARD_HEAD + ROW * (row as f64 + 0.5), middle, out);
    }
    let hub_kinds = own.of(scheme, &GroupVersion::new(group.to_owned(), INTERNAL)).len();
    if hub_kinds > 0 {
        pill(&HUB, x, middle, "#24292f", out);
        let centre = x + HUB.x + HUB.width / 2.0;
        push(
            out,
            format_args!(
                "<text x=\"{centre}\" y=\"{}\" {CENTRED} font-size=\"14\" font-weight=\"600\">hub</text>\n\
                 <text x=\"{centre}\" y=\"{}\" {CENTRED} font-size=\"12\">{}</text>\n",
                middle - 3.0,
                middle + 14.0,
                kinds(hub_kinds)
            ),
        );
    }
    height
}

const CENTRED: &str = "text-anchor=\"middle\" fill=\"#ffffff\"";

/// Draws a version with its line to the hub and its kinds counted.
fn draw_version(known: Known<'_>, gv: &GroupVersion, x: f64, y: f64, hub_y: f64, out: &mut String) {
    let (scheme, own) = known;
    let known = own.of(scheme, gv);
    let of =
        |kind: ConversionKind| known.iter().filter(|known| scheme.conversion_kind(known.gvk) == kind).count();
    let (shared, by_function) = (of(ConversionKind::SameType), of(ConversionKind::Function));
    if shared + by_function > 0 {
        let (from, to) = (x + HUB.x + HUB.width, x + VERSION.x);
        let bend = (from + to) / 2.0;
        let dash = if by_function > 0 { DASHED } else { "" };
        push(
            out,
            format_args!("<path d=\"M{from} {hub_y} C{bend} {hub_y} {bend} {y} {to} {y}\" {LINE}{dash}/>\n"),
        );
    }
    pill(&VERSION, x, y, colour(ApiVersion::parse(&gv.version).map(ApiVersion::stability)), out);
    let mut notes = vec![kinds(known.len())];
    for (count, what) in
        [(shared, "shared"), (by_function, "by function"), (of(ConversionKind::None), "without hub")]
    {
        if count > 0 {
            notes.push(format!("{count} {what}"));
        }
    }
    let [first, rest @ ..] = &*notes else { return };
    push(
        out,
        format_args!(
            "<text x=\"{}\" y=\"{}\" {CENTRED} font-size=\"14\" font-weight=\"600\">{}</text>\n\
             <text x=\"{}\" y=\"{}\" font-size=\"12\">{first}<tspan fill=\"#59636e\">: {}</tspan></text>\n",
            x + VERSION.x + VERSION.width / 2.0,
            y + 5.0,
            escaped(&gv.version),
            x + VERSION.x + VERSION.width + 12.0,
            y + 4.5,
            rest.join(", ")
        ),
    );
}

fn pill(pill: &Pill, x: f64, middle: f64, colour: &str, out: &mut String) {
    let Pill { x: left, width, height } = pill;
    push(
        out,
        format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\" rx=\"{}\" fill=\"{colour}\"/>\n",
            x + left,
            middle - height / 2.0,
            height / 2.0
        ),
    );
}

fn kinds(count: usize) -> String {
    if count == 1 { "1 kind".to_owned() } else { format!("{count} kinds") }
}

pub(super) fn colour(stability: Option<Stability>) -> &'static str {
    match stability {
        Some(Stability::Stable) => "#1a7f37",
        Some(Stability::Beta) => "#0969da",
        Some(Stability::Alpha) => "#9a6700",
        None => "#59636e",
    }
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

pub(super) fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string doesn't fail.
    let _ = out.write_fmt(text);
}
