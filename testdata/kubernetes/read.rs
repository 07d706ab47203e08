//! Reads what Kubernetes says of itself; README.md beside this tells what there is. Tests take this file in by its path.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::Value;

/// The document of that name.
pub(crate) fn document(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/kubernetes");
    let path = folder.join(name).with_extension("json.gz");
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let document = serde_json::from_reader(BufReader::new(GzDecoder::new(file)));
    document.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
