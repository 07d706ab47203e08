//! Any headers, at every kind of endpoint: an answer's form or a refusal, never a panic.
//!
//! The lines of the input are `Accept`, `Content-Type`, the query and `User-Agent`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhumb_codec::Format;
use rhumb_codec::negotiate::{
    Body, DiscoveryEndpoint, Endpoint, PlainEndpoint, ResourceEndpoint, Wishes, accept, input, output,
    output_stream,
};

const FORMATS: [Format; 3] = [Format::Json, Format::Yaml, Format::Protobuf];

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut lines = text.split('\n');
    let mut line = || lines.next().unwrap_or_default();
    let (header, content_type) = (line(), line());
    let wishes = Wishes { accept: header, query: line(), user_agent: line() };

    let resource = ResourceEndpoint::default();
    let endpoints: [&dyn Endpoint; 3] = [&PlainEndpoint, &DiscoveryEndpoint, &resource];
    for endpoint in endpoints {
        for formats in [&FORMATS[..], &FORMATS[..1], &[]] {
            let plain = accept(header, formats, endpoint);
            match output(wishes, formats, endpoint) {
                Ok(agreed) => {
                    assert!(formats.contains(&agreed.format), "only what is offered is agreed on");
                    assert_eq!(plain.map(|plain| plain.format), Some(agreed.format));
                    agreed.content_type_with_kind();
                }
                Err(error) => {
                    assert_eq!(plain, None);
                    let _ = (error.to_string(), error.status());
                }
            }
            if let Ok(agreed) = output_stream(header, formats, endpoint) {
                assert!(agreed.format.framing().is_some(), "what is streamed has frames");
            }
        }
    }
    for body in [Body::Single, Body::Stream] {
        match input(content_type, body, &FORMATS) {
            Ok(format) => assert!(FORMATS.contains(&format)),
            Err(error) => drop((error.to_string(), error.status())),
        }
    }
});
