//! `rhumb scheme graph`: the versions of every group around their hub, as an SVG picture.
//!
//! A group is a box with the hub in its middle and the versions in a circle around it. A version's line to the hub is
//! solid where types are shared and dashed where functions convert; its colour is its stability.

use std::fmt::Write;

use rhumb_meta::version::{ApiVersion, Stability};
use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{ConversionKind, Scheme};

const COLUMNS: usize = 3;
const BOX: f64 = 360.0;
const RADIUS: f64 = 118.0;
const HEADER: f64 = 90.0;

/// The picture.
pub(super) fn draw(scheme: &Scheme) -> String {
    let groups: Vec<String> = scheme.preferred_versions().iter().map(|gv| gv.group.to_string()).collect();
    let rows = groups.len().div_ceil(COLUMNS);
    let (width, height) = (BOX * COLUMNS.min(groups.len()) as f64, HEADER + BOX * rows as f64);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"system-ui, sans-serif\" text-anchor=\"middle\">\n\
         <title>API versions around their hubs</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    legend(&mut out);
    for (index, group) in groups.iter().enumerate() {
        let x = BOX * (index % COLUMNS) as f64;
        let y = HEADER + BOX * (index / COLUMNS) as f64;
        draw_group(scheme, group, x, y, &mut out);
    }
    out.push_str("</svg>\n");
    out
}

fn legend(out: &mut String) {
    let entries = [(Stability::Stable, "stable"), (Stability::Beta, "beta"), (Stability::Alpha, "alpha")];
    for (index, (stability, label)) in entries.into_iter().enumerate() {
        let x = 40.0 + 110.0 * index as f64;
        push(
            out,
            format_args!("<circle cx=\"{x}\" cy=\"36\" r=\"9\" fill=\"{}\"/>\n", colour(Some(stability))),
        );
        push(
            out,
            format_args!(
                "<text x=\"{}\" y=\"41\" font-size=\"14\" text-anchor=\"start\">{label}</text>\n",
                x + 16.0
            ),
        );
    }
    for (index, (dash, label)) in
        [("", "shares the hub's types"), ("6 5", "some kinds convert by functions")].into_iter().enumerate()
    {
        let x = 380.0 + 230.0 * index as f64;
        push(
            out,
            format_args!(
                "<line x1=\"{x}\" y1=\"36\" x2=\"{}\" y2=\"36\" stroke=\"#555\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"/>\n\
                 <text x=\"{}\" y=\"41\" font-size=\"14\" text-anchor=\"start\">{label}</text>\n",
                x + 40.0,
                x + 48.0
            ),
        );
    }
}

fn draw_group(scheme: &Scheme, group: &str, x: f64, y: f64, out: &mut String) {
    let title = if group.is_empty() { "core" } else { group };
    let (cx, cy) = (x + BOX / 2.0, y + BOX / 2.0 + 10.0);
    push(
        out,
        format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"12\" fill=\"#f6f8fa\" stroke=\"#d0d7de\"/>\n\
             <text x=\"{cx}\" y=\"{}\" font-size=\"16\" font-weight=\"600\">{title}</text>\n",
            x + 8.0,
            y + 8.0,
            BOX - 16.0,
            BOX - 16.0,
            y + 34.0
        ),
    );
    let versions = scheme.prioritized_versions(group);
    let mut circles = String::new();
    for (index, gv) in versions.iter().enumerate() {
        let angle =
            std::f64::consts::TAU * index as f64 / versions.len() as f64 - std::f64::consts::FRAC_PI_2;
        let (vx, vy) = (cx + RADIUS * angle.cos(), cy + RADIUS * angle.sin());
        let (kinds, by_function, hubless) = count(scheme, gv);
        let dash = if by_function > 0 { "6 5" } else { "" };
        if hubless < kinds {
            push(
                out,
                format_args!(
                    "<line x1=\"{cx}\" y1=\"{cy}\" x2=\"{vx:.1}\" y2=\"{vy:.1}\" stroke=\"#555\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"/>\n"
                ),
            );
        }
        push(
            &mut circles,
            format_args!(
                "<g><title>{gv}: {kinds} kinds, {by_function} by conversion functions</title>\
                 <circle cx=\"{vx:.1}\" cy=\"{vy:.1}\" r=\"34\" fill=\"{}\"/>\
                 <text x=\"{vx:.1}\" y=\"{:.1}\" font-size=\"14\" font-weight=\"600\" fill=\"#fff\">{}</text>\
                 <text x=\"{vx:.1}\" y=\"{:.1}\" font-size=\"11\" fill=\"#fff\">{kinds} kinds</text></g>\n",
                colour(ApiVersion::parse(&gv.version).map(ApiVersion::stability)),
                vy + 1.0,
                gv.version,
                vy + 16.0
            ),
        );
    }
    let hub = GroupVersion::new(group.to_owned(), INTERNAL);
    let hub_kinds = scheme.known_types(&hub).len();
    if hub_kinds > 0 {
        push(
            out,
            format_args!(
                "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"38\" fill=\"#24292f\"/>\
                 <text x=\"{cx}\" y=\"{}\" font-size=\"14\" font-weight=\"600\" fill=\"#fff\">hub</text>\
                 <text x=\"{cx}\" y=\"{}\" font-size=\"11\" fill=\"#fff\">{hub_kinds} kinds</text>\n",
                cy + 1.0,
                cy + 16.0
            ),
        );
    }
    out.push_str(&circles);
}

/// The kinds of a version, how many of them convert by a function, and how many have no hub.
fn count(scheme: &Scheme, gv: &GroupVersion) -> (usize, usize, usize) {
    let known = scheme.known_types(gv);
    let of =
        |kind: ConversionKind| known.iter().filter(|known| scheme.conversion_kind(known.gvk) == kind).count();
    (known.len(), of(ConversionKind::Function), of(ConversionKind::None))
}

fn colour(stability: Option<Stability>) -> &'static str {
    match stability {
        Some(Stability::Stable) => "#1a7f37",
        Some(Stability::Beta) => "#0969da",
        Some(Stability::Alpha) => "#bf8700",
        None => "#6e7781",
    }
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string doesn't fail.
    let _ = out.write_fmt(text);
}
