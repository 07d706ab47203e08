//! What the fuzz targets share: the built-in kinds, choosing one of them by a byte of the input, and expressions.

pub mod expressions;

use std::sync::{Arc, OnceLock};

use rhumb_codec::Codecs;
use rhumb_meta::GroupVersionKind;

/// Codecs for every built-in kind, made once per process.
pub fn codecs() -> &'static Codecs {
    static CODECS: OnceLock<Codecs> = OnceLock::new();
    CODECS.get_or_init(|| Codecs::new(Arc::new(rhumb_api::scheme().expect("the built-in scheme freezes"))))
}

/// The kind that an input's first byte stands for, and the rest of the input.
///
/// Which byte stands for which kind changes as kinds are added, so that seeds also name their kind themselves.
pub fn chosen_kind(input: &[u8]) -> Option<(&'static GroupVersionKind, &[u8])> {
    static KINDS: OnceLock<Vec<GroupVersionKind>> = OnceLock::new();
    let kinds = KINDS.get_or_init(|| {
        codecs().scheme().all_known_types().into_iter().map(|known| known.gvk.clone()).collect()
    });
    let (first, rest) = input.split_first()?;
    Some((kinds.get(usize::from(*first) % kinds.len())?, rest))
}
