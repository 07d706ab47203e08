//! Query parameters as options, in the version of the request's path.

use std::sync::Arc;

use rhumb_meta::{GroupVersion, INTERNAL, Object};
use rhumb_schema::ViewMut;
use rhumb_scheme::{NotRegistered, Scheme};

use crate::query;
use crate::serializer::CodecError;

/// Codec of query parameters as options of a scheme: the kind and its defaults are those of the path's version, and
/// the caller's options may have another.
///
/// [`query`] does the same for any struct, without a scheme.
#[derive(Clone, Debug)]
pub struct ParameterCodec {
    scheme: Arc<Scheme>,
}

impl ParameterCodec {
    /// Creates a codec for the options of a scheme.
    pub fn new(scheme: Arc<Scheme>) -> Self {
        ParameterCodec { scheme }
    }

    /// Reads parameters that were sent to a version. Fields that are not among them become empty; without any
    /// parameters nothing changes.
    ///
    /// # Errors
    /// If the type is not registered or not known in that version, a field can't take its value, or the options can't
    /// be converted.
    pub fn decode<T: Object>(
        &self,
        pairs: &[(String, String)],
        from: &GroupVersion,
        into: &mut T,
    ) -> Result<(), CodecError> {
        if pairs.is_empty() {
            return Ok(());
        }
        let (kinds, _) = self.scheme.object_kinds(into).map_err(CodecError::NotRegistered)?;
        if kinds.iter().any(|kind| kind.group == from.group && kind.version == from.version) {
            read(pairs, into)?;
            self.scheme.default(into);
            return Ok(());
        }
        let missing = || CodecError::NotRegistered(NotRegistered::MissingKind);
        let kind = from.with_kind(kinds.first().ok_or_else(missing)?.kind.clone());
        let mut sent = self.scheme.new_object(&kind).map_err(CodecError::NotRegistered)?;
        read(pairs, &mut *sent)?;
        self.scheme.default(&mut *sent);
        let target = kinds.first().map_or_else(|| from.clone(), |kind| kind.group_version());
        let scope = self.scheme.scope(from.clone(), target);
        *into = self.scheme.convert_object(sent, &scope).map_err(CodecError::Convert)?;
        Ok(())
    }

    /// Writes options as the parameters of a version, in the order of their keys.
    ///
    /// # Errors
    /// If the version has no such options, or they can't be converted.
    pub fn encode(
        &self,
        options: &dyn Object,
        to: &GroupVersion,
    ) -> Result<Vec<(String, String)>, CodecError> {
        let kind = self.scheme.object_kind(options).map_err(CodecError::NotRegistered)?;
        let mut sent = if kind.group == to.group && kind.version == to.version && to.version != INTERNAL {
            options.clone_object()
        } else {
            self.scheme.convert_to_version(options, to).map_err(CodecError::Convert)?
        };
        // Which kind it is says the path.
        sent.set_type_meta("", "");
        Ok(match sent.view_mut() {
            ViewMut::Struct(fields) => query::to_query(fields),
            _ => Vec::new(),
        })
    }
}

fn read(pairs: &[(String, String)], options: &mut dyn Object) -> Result<(), CodecError> {
    match options.view_mut() {
        ViewMut::Struct(fields) => query::from_pairs(pairs, fields).map_err(CodecError::Parameter),
        _ => Ok(()),
    }
}
