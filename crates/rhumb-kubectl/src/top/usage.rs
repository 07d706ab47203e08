//! Resource usage.

use std::io::Write;

use rhumb_meta::Quantity;
use serde_json::Value;

/// Measured resource, in the order of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Cpu,
    Memory,
    Swap,
}

impl Measure {
    /// Returns the resources shown.
    pub(super) fn shown(swap: bool) -> &'static [Measure] {
        if swap { &[Measure::Cpu, Measure::Memory, Measure::Swap] } else { &[Measure::Cpu, Measure::Memory] }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Measure::Cpu => "cpu",
            Measure::Memory => "memory",
            Measure::Swap => "swap",
        }
    }
}

/// Usage: thousandths of a core, and bytes. Missing values are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    cpu_milli: i64,
    memory: i64,
    swap: i64,
}

impl Usage {
    /// Parses `usage` of a metrics object or container.
    pub(super) fn of(tree: &Value) -> Self {
        let usage = tree.get("usage");
        let quantity = |name: &str| usage.and_then(|usage| self::quantity(usage, name));
        Usage {
            cpu_milli: quantity("cpu").map_or(0, |cpu| cpu.milli_value()),
            memory: quantity("memory").map_or(0, |memory| memory.value()),
            swap: quantity("swap").map_or(0, |swap| swap.value()),
        }
    }

    /// Returns the sum of some.
    pub(super) fn sum(all: impl Iterator<Item = Usage>) -> Self {
        all.fold(Usage::default(), |sum, one| Usage {
            cpu_milli: sum.cpu_milli.saturating_add(one.cpu_milli),
            memory: sum.memory.saturating_add(one.memory),
            swap: sum.swap.saturating_add(one.swap),
        })
    }

    /// Returns the sort key, larger values first.
    pub(super) fn key(&self, sort_by: &str) -> std::cmp::Reverse<i64> {
        std::cmp::Reverse(match sort_by {
            "cpu" => self.cpu_milli,
            "memory" => self.memory,
            _ => 0,
        })
    }

    pub(super) fn milli(&self, measure: Measure) -> i64 {
        match measure {
            Measure::Cpu => self.cpu_milli,
            Measure::Memory => self.memory.saturating_mul(1000),
            Measure::Swap => self.swap.saturating_mul(1000),
        }
    }

    /// Writes a cell.
    pub(super) fn write(&self, measure: Measure, out: &mut dyn Write) -> std::io::Result<()> {
        let mebibytes = |bytes: i64| bytes / (1024 * 1024);
        match measure {
            Measure::Cpu => write!(out, "{}m\t", self.cpu_milli),
            Measure::Memory => write!(out, "{}Mi\t", mebibytes(self.memory)),
            Measure::Swap => write!(out, "{}Mi\t", mebibytes(self.swap)),
        }
    }
}

/// Returns a quantity in a list of them.
pub(super) fn quantity(list: &Value, name: &str) -> Option<Quantity> {
    list.get(name)?.as_str()?.parse().ok()
}

/// Returns the text at a path of names.
pub(super) fn text<'a>(tree: &'a Value, path: &[&str]) -> &'a str {
    let found = path.iter().try_fold(tree, |tree, name| tree.get(name));
    found.and_then(Value::as_str).unwrap_or_default()
}
