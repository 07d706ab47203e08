//! Group and version of a package, and kind of a type.

use syn::DeriveInput;

use crate::expand::ResourceWords as Words;
use crate::namer::version::is_version;
use crate::universe::{Constant, Package, Type, Universe};

/// An API group and version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ApiVersion {
    /// The group, empty for the core one.
    pub(crate) group: String,
    /// The version.
    pub(crate) version: String,
}

/// Returns the group and version of a package.
///
/// The group is that of the tag `+groupName`, of a `#[resource(…)]` in the package, or of a constant `GROUP`; each of
/// the package or of the one above. The version is that of `+versionName`, or the package's own name.
pub(crate) fn of_package(universe: &Universe, package: &Package) -> Option<ApiVersion> {
    let version = match package.tags.value("versionName") {
        Some(version) => version.to_owned(),
        None if is_version(&package.name) => package.name.clone(),
        None => said(universe, package, |words| words.version.as_ref())?,
    };
    let homes = || std::iter::once(package).chain(universe.above(package));
    let group = homes()
        .find_map(|home| home.tags.value("groupName").map(str::to_owned))
        .or_else(|| said(universe, package, |words| words.group.as_ref()))
        .or_else(|| {
            homes().find_map(|home| match home.constant("GROUP") {
                Some(Constant::Text(group)) => Some(group.clone()),
                _ => None,
            })
        })
        .or_else(|| homes().any(|home| home.name == "core").then(String::new))?;
    Some(ApiVersion { group, version })
}

fn said(universe: &Universe, package: &Package, word: fn(&Words) -> Option<&syn::LitStr>) -> Option<String> {
    universe.types_of(package).find_map(|ty| Some(word(&words(ty)?)?.value()))
}

/// Returns the group and version of a type, which may say them itself.
pub(crate) fn of_type(universe: &Universe, ty: &Type) -> Option<ApiVersion> {
    let package = universe.package(&ty.name.package).and_then(|package| of_package(universe, package));
    let words = words(ty);
    let word =
        |pick: fn(&Words) -> Option<&syn::LitStr>| words.as_ref().and_then(pick).map(syn::LitStr::value);
    let group =
        word(|words| words.group.as_ref()).or_else(|| package.as_ref().map(|home| home.group.clone()));
    let version =
        word(|words| words.version.as_ref()).or_else(|| package.as_ref().map(|home| home.version.clone()));
    Some(ApiVersion { group: group?, version: version? })
}

/// Returns the contents of a type's `#[resource(…)]`. Its errors are reported elsewhere.
pub(crate) fn words(ty: &Type) -> Option<Words> {
    let item: &DeriveInput = ty.item.as_ref()?;
    if !item.attrs.iter().any(|attribute| attribute.path().is_ident("resource")) {
        return None;
    }
    Words::read(item).ok()
}

/// Returns the kind that a type is.
pub(crate) fn kind(ty: &Type) -> String {
    words(ty).and_then(|words| words.kind).map_or_else(|| ty.name.name.clone(), |kind| kind.value())
}
