//! Codecs: bytes to the hub with defaults, and into another version and format; query parameters in a version.
//!
//! ```console
//! $ cargo run -p scheme-examples --bin codecs
//! ```

use std::error::Error;
use std::io::Write;
use std::sync::Arc;

use rhumb_api::core::v1::PodLogOptions;
use rhumb_codec::{Codecs, Decoder, Encoder, ParameterCodec};
use rhumb_meta::GroupVersion;
use rhumb_scheme::ToInternal;
use scheme_examples::{V1, V1BETA1};

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    let scheme = Arc::new(rhumb_api::builder()?.install(scheme_examples::install)?.freeze()?);
    let codecs = Codecs::new(Arc::clone(&scheme));

    // Whatever format it is in, it is brought into the hub.
    let yaml = b"apiVersion: fleet.example.com/v1\nkind: Ship\nmetadata: {name: mayflower}\n";
    let ship = codecs.universal_decoder(ToInternal).decode(yaml, None)?;
    writeln!(out, "read as {}", ship.gvk)?;

    // A codec is one format with a version to write and one to read.
    let json = codecs.serializer_for("application/json").ok_or("no JSON")?;
    for version in [V1, V1BETA1] {
        let mut bytes = Vec::new();
        codecs.codec(Arc::clone(&json)).writing(version).encode(&*ship.object, &mut bytes)?;
        out.write_all(&bytes)?;
    }

    // The same for what stands behind the question mark of a URL.
    let parameters = ParameterCodec::new(scheme);
    let options = PodLogOptions { follow: true, tail_lines: Some(10), ..PodLogOptions::default() };
    let pairs = parameters.encode(&options, &GroupVersion::new_static("", "v1"))?;
    writeln!(out, "?{}", rhumb_codec::query::encode(&pairs))?;
    Ok(())
}
