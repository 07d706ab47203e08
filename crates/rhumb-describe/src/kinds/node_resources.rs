//! Resources requested by the pods of a node.

use std::fmt::Display;

use rhumb_api::core::v1::{Node, Pod};
use rhumb_meta::Quantity;

use crate::Lines;
use crate::go_text::whole;
use crate::parts::quantity_in;
use crate::totals::{Given, Resources, add, limits, requests};

/// Percentage of a zero capacity.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OfNothing {
    /// Zero.
    Zero,
    /// Result of dividing by zero.
    Divided,
}

/// Writes the pods of a node with their resources and the totals.
pub(super) fn node_resources(out: &mut Lines, node: &Node, pods: &[Pod]) {
    let status = &node.status;
    let all = if status.allocatable.is_empty() { &status.capacity } else { &status.allocatable };
    out.field(0, "Non-terminated Pods", format_args!("({} in total)", pods.len()));
    out.line(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge");
    out.line(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---");
    for pod in pods {
        let (requests, limits) = (requests(pod, Given::Counts), limits(pod, Given::Counts));
        let cell = |list: &Resources, name| share(list, all, name, OfNothing::Divided);
        let age = out.age(&pod.metadata.creation_timestamp);
        let cells: [&dyn Display; 8] = [
            &pod.metadata.namespace,
            &pod.metadata.name,
            &"",
            &cell(&requests, "cpu"),
            &cell(&limits, "cpu"),
            &cell(&requests, "memory"),
            &cell(&limits, "memory"),
            &age,
        ];
        out.row(1, &cells);
    }
    totals(out, all, pods);
}

fn totals(out: &mut Lines, all: &Resources, pods: &[Pod]) {
    out.line(0, "Allocated resources:");
    out.line(1, "(Total limits may be over 100 percent, i.e., overcommitted.)");
    out.row(1, &[&"Resource", &"Requests", &"Limits"]);
    out.row(1, &[&"--------", &"--------", &"------"]);
    let (mut requested, mut limited) = (Resources::new(), Resources::new());
    for pod in pods {
        add(&mut requested, &requests(pod, Given::Ignored));
        add(&mut limited, &limits(pod, Given::Ignored));
    }
    let standard = ["cpu", "memory", "ephemeral-storage"];
    let huge_pages = all.keys().map(String::as_str).filter(|name| name.starts_with("hugepages-"));
    for name in standard.into_iter().chain(huge_pages) {
        let cell = |list: &Resources| share(list, all, name, OfNothing::Zero);
        out.row(1, &[&name, &cell(&requested), &cell(&limited)]);
    }
    for name in all.keys() {
        let is_other =
            !standard.contains(&name.as_str()) && name != "pods" && !name.starts_with("hugepages-");
        if is_other {
            out.row(1, &[name, &quantity_in(&requested, name), &quantity_in(&limited, name)]);
        }
    }
}

/// Returns an amount, and how many percent of all that is.
fn share(list: &Resources, all: &Resources, name: &str, of_nothing: OfNothing) -> String {
    let number: fn(&Quantity) -> i64 = if name == "cpu" { Quantity::milli_value } else { Quantity::value };
    let (amount, whole_amount) = (quantity_in(list, name), number(&quantity_in(all, name)));
    let percent = if whole_amount == 0 && of_nothing == OfNothing::Zero {
        0
    } else {
        whole(number(&amount) as f64 / whole_amount as f64 * 100.0)
    };
    format!("{amount} ({percent}%)")
}
