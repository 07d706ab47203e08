//! What an evaluation has beside its values: limits, what was used of them, and time zones.

use super::error::Error;
use crate::time::TimeZones;

/// Limits of an evaluation.
#[derive(Clone, Copy)]
pub struct Limits<'e> {
    /// The cost at which it ends.
    pub cost: Option<u64>,
    /// The bytes that it may allocate for what it computes.
    pub memory: u64,
    /// Asked now and then whether to stop.
    pub interrupt: Option<&'e dyn Fn() -> bool>,
    /// The time zones that have names.
    pub zones: Option<&'e dyn TimeZones>,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Self { cost: None, memory: 256 << 20, interrupt: None, zones: None }
    }
}

/// What functions are given beside their arguments.
pub struct Context<'e> {
    limits: Limits<'e>,
    cost: u64,
    memory: u64,
    steps: u64,
}

/// How many steps go by between two questions whether to stop.
const STEPS_BETWEEN_INTERRUPTS: u64 = 256;

impl<'e> Context<'e> {
    /// Starts to count.
    pub fn new(limits: Limits<'e>) -> Self {
        Self { limits, cost: 0, memory: 0, steps: 0 }
    }

    /// Returns the time zones that have names.
    pub fn zones(&self) -> Option<&'e dyn TimeZones> {
        self.limits.zones
    }

    /// Counts memory before it is allocated.
    pub fn allocate(&mut self, bytes: usize) -> Result<(), Error> {
        self.memory = self.memory.saturating_add(bytes as u64);
        if self.memory > self.limits.memory { Err(Error::memory_limit()) } else { Ok(()) }
    }

    /// Counts steps of work that no cost stands for, and stops if the caller wants so.
    pub fn work(&mut self, steps: u64) -> Result<(), Error> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps < STEPS_BETWEEN_INTERRUPTS {
            return Ok(());
        }
        self.steps = 0;
        match self.limits.interrupt {
            Some(interrupt) if interrupt() => Err(Error::interrupted()),
            _ => Ok(()),
        }
    }

    /// Counts cost.
    pub(crate) fn charge(&mut self, cost: u64) -> Result<(), Error> {
        self.cost = self.cost.saturating_add(cost);
        match self.limits.cost {
            Some(limit) if self.cost > limit => Err(Error::cost_limit()),
            _ => Ok(()),
        }
    }

    /// Takes back what was counted before.
    pub(crate) fn refund(&mut self, cost: u64) {
        self.cost = self.cost.saturating_sub(cost);
    }

    /// Returns whether the caller wants to stop.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.limits.interrupt.is_some_and(|interrupt| interrupt())
    }

    /// Returns the cost so far.
    pub(crate) fn cost(&self) -> u64 {
        self.cost
    }
}
