//! IP addresses: `ip`, `isIP` and what can be asked of an address.

use std::any::Any;
use std::net::IpAddr;

use rhumb_cel::decls::VariableDecl;
use rhumb_cel::eval::Error;
use rhumb_cel::functions::Function;
use rhumb_cel::library::Library;
use rhumb_cel::types::Type;
use rhumb_cel::value::{Opaque, Value};
use rhumb_schema::text::quoted;

use super::{addresses, opaque, text, wrap};

/// The library of IP addresses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ips;

/// An address as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ip(pub(crate) IpAddr);

impl Ip {
    /// Returns the type of addresses.
    pub(crate) fn type_() -> Type {
        Type::opaque("net.IP", Vec::new())
    }
}

impl Opaque for Ip {
    fn type_(&self) -> Type {
        Self::type_()
    }

    fn equal(&self, other: &dyn Opaque) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Reads an address as `ip` takes it.
pub(super) fn parse(written: &str) -> Result<Ip, String> {
    let parsed = addresses::parse_address(written).map_err(|error| {
        format!("IP Address {} parse error during conversion from string: {error}", quoted(written))
    })?;
    if parsed.zone {
        return Err(format!("IP address {} with zone value is not allowed", quoted(written)));
    }
    if addresses::is_mapped(parsed.address) {
        return Err(format!("IPv4-mapped IPv6 address {} is not allowed", quoted(written)));
    }
    Ok(Ip(parsed.address))
}

/// Declares a question about an address.
fn question(name: &str, id: &str, answer: fn(IpAddr) -> bool) -> Function {
    Function::member(name, id, vec![Ip::type_()], Type::Bool)
        .with(move |_, args| Ok(Value::Bool(answer(opaque::<Ip>(args, 0)?.0))))
}

impl Library for Ips {
    fn name(&self) -> &str {
        "kubernetes.net.ip"
    }

    fn variables(&self) -> Vec<VariableDecl> {
        super::types([Ip::type_()])
    }

    fn functions(&self) -> Vec<Function> {
        vec![
            Function::global("ip", "string_to_ip", vec![Type::String], Ip::type_())
                .with(|_, args| parse(text(args, 0)?).map(wrap).map_err(Error::new)),
            Function::member("family", "ip_family", vec![Ip::type_()], Type::Int)
                .with(|_, args| Ok(Value::Int(if opaque::<Ip>(args, 0)?.0.is_ipv4() { 4 } else { 6 }))),
            Function::global("ip.isCanonical", "ip_is_canonical", vec![Type::String], Type::Bool).with(
                |_, args| {
                    let written = text(args, 0)?;
                    let ip = parse(written).map_err(Error::new)?;
                    Ok(Value::Bool(ip.0.to_string() == written))
                },
            ),
            question("isUnspecified", "ip_is_unspecified", |ip| ip.is_unspecified()),
            question("isLoopback", "ip_is_loopback", |ip| ip.is_loopback()),
            question("isLinkLocalMulticast", "ip_is_link_local_multicast", is_link_local_multicast),
            question("isLinkLocalUnicast", "ip_is_link_local_unicast", is_link_local_unicast),
            question("isGlobalUnicast", "ip_is_global_unicast", is_global_unicast),
            Function::global("isIP", "is_ip", vec![Type::String], Type::Bool)
                .with(|_, args| Ok(Value::Bool(parse(text(args, 0)?).is_ok()))),
            Function::global("string", "ip_to_string", vec![Ip::type_()], Type::String)
                .with(|_, args| Ok(Value::from(opaque::<Ip>(args, 0)?.0.to_string()))),
        ]
    }
}

fn is_link_local_multicast(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => matches!(ip.octets(), [224, 0, 0, _]),
        IpAddr::V6(ip) => ip.segments()[0] & 0xff0f == 0xff02,
    }
}

fn is_link_local_unicast(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    }
}

fn is_global_unicast(ip: IpAddr) -> bool {
    let broadcast = matches!(ip, IpAddr::V4(ip) if ip.is_broadcast());
    !(broadcast || ip.is_unspecified() || ip.is_loopback() || ip.is_multicast() || is_link_local_unicast(ip))
}
