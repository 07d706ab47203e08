//! Environments by version: what expressions may use that are written now, and what those may that were stored before.
//!
//! An expression that is written must also mean the same to the release before, which may run beside this one or come
//! back. One that is stored was accepted once, and may use everything.

use std::sync::{Arc, OnceLock};

use rhumb_cel::checker::Validator;
use rhumb_cel::env::{Builder, Environment, EnvironmentError};
use rhumb_cel::eval;
use rhumb_cel::library as standard;

use crate::costs::Costs;
use crate::library;
use crate::schema::{Declared, Objects};

/// A minor release of Kubernetes: 36 for v1.36.
pub type Release = u32;

/// The release that these environments are those of.
pub const RELEASE: Release = 36;

/// The oldest release that new expressions must mean the same to.
pub const COMPATIBLE_RELEASE: Release = RELEASE - 1;

/// Which expressions an environment is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Those that are written.
    New,
    /// Those that were stored.
    Stored,
}

/// The environments of both purposes.
#[derive(Clone, Debug)]
pub struct EnvironmentSet {
    compatible: Release,
    new: Environment,
    stored: Environment,
}

/// One addition to environments.
struct Addition {
    /// The first release that has it.
    introduced: Release,
    /// The first release that has it no more.
    removed: Option<Release>,
    add: fn(Builder) -> Builder,
}

/// An addition that no release has taken away.
const fn since(introduced: Release, add: fn(Builder) -> Builder) -> Addition {
    Addition { introduced, removed: None, add }
}

/// All that environments have, in the order in which it is added.
const ADDITIONS: &[Addition] = &[
    since(0, |builder| {
        let builder = builder.library(&standard::Standard);
        validated(builder, &[Validator::HomogeneousAggregateLiterals])
            .library(&library::Urls)
            .library(&library::Regexes)
            .library(&library::Lists)
    }),
    since(27, |builder| builder.library(&library::AuthorizerLibrary)),
    since(28, |builder| {
        builder
            .options(|options| options.cross_type_comparisons = true)
            .library(&standard::Optional::default())
            .library(&library::Quantities)
    }),
    since(29, |builder| {
        validated(
            builder,
            &[Validator::DurationLiterals, Validator::TimestampLiterals, Validator::RegexLiterals],
        )
    }),
    Addition {
        introduced: 0,
        removed: Some(29),
        add: |builder| builder.library(&standard::Strings::version(0)),
    },
    since(29, |builder| builder.library(&standard::Strings::version(2)).library(&standard::Sets)),
    since(30, |builder| builder.library(&library::Ips).library(&library::Cidrs)),
    since(31, |builder| builder.library(&library::Formats).library(&library::AuthorizerSelectors)),
    since(32, |builder| builder.library(&standard::Comprehensions)),
    since(33, |builder| builder.library(&library::Semvers)),
    since(34, |builder| builder.library(&standard::Lists::version(3))),
];

/// Adds what is asked of expressions whose types are right, each once.
fn validated(builder: Builder, validators: &[Validator]) -> Builder {
    builder.options(|options| {
        for validator in validators {
            if !options.validators.contains(validator) {
                options.validators.push(*validator);
            }
        }
    })
}

impl EnvironmentSet {
    /// Returns the environments that all others of a release extend.
    pub fn base(compatible: Release) -> Result<Self, EnvironmentError> {
        let build = |release: Release| {
            let added = ADDITIONS.iter().filter(|addition| {
                release >= addition.introduced && addition.removed.is_none_or(|removed| release < removed)
            });
            added.fold(Environment::builder(), |builder, addition| (addition.add)(builder)).build()
        };
        Ok(Self { compatible, new: build(compatible)?, stored: build(Release::MAX)? })
    }

    /// Returns the environments that all others extend, made once.
    pub fn shared() -> Result<&'static Self, &'static EnvironmentError> {
        static SHARED: OnceLock<Result<EnvironmentSet, EnvironmentError>> = OnceLock::new();
        SHARED.get_or_init(|| Self::base(COMPATIBLE_RELEASE)).as_ref()
    }

    /// Returns the environment of a purpose.
    pub const fn get(&self, purpose: Purpose) -> &Environment {
        match purpose {
            Purpose::New => &self.new,
            Purpose::Stored => &self.stored,
        }
    }

    /// Returns environments that have more: objects of declared types, and what `add` adds.
    pub fn extend(
        &self,
        types: &[&Declared],
        add: impl Fn(Builder) -> Builder,
    ) -> Result<Self, EnvironmentError> {
        let extend = |environment: &Environment| {
            let mut builder = environment.extend();
            if !types.is_empty() {
                let objects = Objects::new(types.iter().copied(), Arc::clone(environment.provider()));
                builder = builder.provider(Arc::new(objects));
            }
            add(builder).build()
        };
        Ok(Self { compatible: self.compatible, new: extend(&self.new)?, stored: extend(&self.stored)? })
    }

    /// Returns the oldest release that new expressions must mean the same to.
    pub const fn compatible(&self) -> Release {
        self.compatible
    }
}

/// Returns how Kubernetes makes programs and counts what they cost.
pub fn program_options() -> eval::Options {
    eval::Options {
        fold_constants: true,
        presence_test_has_cost: false,
        costs: Some(Arc::new(Costs)),
        ..eval::Options::default()
    }
}
