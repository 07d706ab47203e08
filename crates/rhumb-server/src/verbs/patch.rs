//! Changes of objects by what is to be different.

use bytes::Bytes;

use crate::api::not_allowed;
use crate::call::Call;
use crate::failure::Outcome;
use crate::respond::Answer;

/// Patches an object.
pub(crate) async fn patch(_call: &mut Call<'_>, _body: Bytes, _subresource: Option<&str>) -> Outcome<Answer> {
    Err(not_allowed())
}
