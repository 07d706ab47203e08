//! Endpoints of a service port.

use rhumb_api::discovery::v1::{Endpoint, EndpointSlice};

use super::join_host_port;

/// Maximum number of addresses shown.
const SHOWN: usize = 3;

/// Returns the first addresses that serve a port, and how many more there are.
pub(crate) fn endpoints_text(slices: &[EndpointSlice], port: &str) -> String {
    if slices.is_empty() {
        return "<none>".to_owned();
    }
    let mut shown = Vec::new();
    let mut count = 0usize;
    let mut has_more = false;
    let mut add = |endpoints: &[Endpoint], text: &dyn Fn(&str) -> String| {
        for endpoint in endpoints {
            // An endpoint that isn't ready counts here although it isn't shown; kubectl does so, too.
            has_more |= shown.len() == SHOWN;
            // Nobody knows is as good as ready.
            if endpoint.conditions.ready == Some(false) {
                continue;
            }
            if !has_more {
                shown.push(text(endpoint.addresses.first().map(String::as_str).unwrap_or_default()));
            }
            count += 1;
        }
    };
    for slice in slices {
        // A service without a cluster address may have no ports.
        if slice.ports.is_empty() {
            add(&slice.endpoints, &str::to_owned);
        }
        for of_slice in &slice.ports {
            if of_slice.name.as_deref().unwrap_or_default() == port {
                let number = of_slice.port.unwrap_or_default().to_string();
                add(&slice.endpoints, &|address| join_host_port(address, &number));
            }
        }
    }
    let text = shown.join(",");
    if has_more { format!("{text} + {} more...", count.saturating_sub(SHOWN)) } else { text }
}
