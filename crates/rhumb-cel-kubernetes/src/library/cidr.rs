//! Networks: `cidr`, `isCIDR` and what can be asked of a network.

use std::any::Any;
use std::net::IpAddr;

use rhumb_cel::decls::VariableDecl;
use rhumb_cel::eval::Error;
use rhumb_cel::functions::Function;
use rhumb_cel::library::Library;
use rhumb_cel::types::Type;
use rhumb_cel::value::{Opaque, Value};
use rhumb_schema::text::quoted;

use super::ip::{self, Ip};
use super::{addresses, opaque, text, wrap};

/// The library of networks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cidrs;

/// An address with the length of a prefix as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cidr {
    pub(crate) address: IpAddr,
    pub(crate) bits: u8,
}

impl Cidr {
    /// Returns the type of networks.
    pub(crate) fn type_() -> Type {
        Type::opaque("net.CIDR", Vec::new())
    }

    fn contains(self, address: IpAddr) -> bool {
        self.address.is_ipv4() == address.is_ipv4()
            && addresses::masked(self.address, self.bits) == addresses::masked(address, self.bits)
    }
}

impl Opaque for Cidr {
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

/// Reads a network as `cidr` takes it.
fn parse(written: &str) -> Result<Cidr, String> {
    let (address, bits) = addresses::parse_prefix(written)
        .map_err(|error| format!("network address parse error during conversion from string: {error}"))?;
    if addresses::is_mapped(address) {
        return Err(format!("IPv4-mapped IPv6 address {} is not allowed", quoted(written)));
    }
    Ok(Cidr { address, bits })
}

/// Reads a network, or returns the error that an expression ends with.
fn parse_value(written: &str) -> Result<Cidr, Error> {
    parse(written).map_err(|error| {
        Error::new(format!("network address parse error during conversion from string: {error}"))
    })
}

fn contains_network(args: &[Value<'_>], other: Cidr) -> Result<Value<'static>, Error> {
    let network = *opaque::<Cidr>(args, 0)?;
    Ok(Value::Bool(network.bits <= other.bits && network.contains(other.address)))
}

impl Library for Cidrs {
    fn name(&self) -> &str {
        "kubernetes.net.cidr"
    }

    fn variables(&self) -> Vec<VariableDecl> {
        super::types([Cidr::type_()])
    }

    fn functions(&self) -> Vec<Function> {
        let cidr = Cidr::type_;
        vec![
            Function::global("cidr", "string_to_cidr", vec![Type::String], cidr())
                .with(|_, args| parse_value(text(args, 0)?).map(wrap)),
            Function::member("containsIP", "cidr_contains_ip_string", vec![cidr(), Type::String], Type::Bool)
                .with(|_, args| {
                    let ip = ip::parse(text(args, 1)?).map_err(|_| Error::no_such_overload())?;
                    Ok(Value::Bool(opaque::<Cidr>(args, 0)?.contains(ip.0)))
                }),
            Function::member("containsIP", "cidr_contains_ip_ip", vec![cidr(), Ip::type_()], Type::Bool)
                .with(|_, args| Ok(Value::Bool(opaque::<Cidr>(args, 0)?.contains(opaque::<Ip>(args, 1)?.0)))),
            Function::member(
                "containsCIDR",
                "cidr_contains_cidr_string",
                vec![cidr(), Type::String],
                Type::Bool,
            )
            .with(|_, args| contains_network(args, parse_value(text(args, 1)?)?)),
            Function::member("containsCIDR", "cidr_contains_cidr", vec![cidr(), cidr()], Type::Bool)
                .with(|_, args| contains_network(args, *opaque::<Cidr>(args, 1)?)),
            Function::member("ip", "cidr_ip", vec![cidr()], Ip::type_())
                .with(|_, args| Ok(wrap(Ip(opaque::<Cidr>(args, 0)?.address)))),
            Function::member("prefixLength", "cidr_prefix_length", vec![cidr()], Type::Int)
                .with(|_, args| Ok(Value::Int(i64::from(opaque::<Cidr>(args, 0)?.bits)))),
            Function::member("masked", "cidr_masked", vec![cidr()], cidr()).with(|_, args| {
                let Cidr { address, bits } = *opaque::<Cidr>(args, 0)?;
                Ok(wrap(Cidr { address: addresses::masked(address, bits), bits }))
            }),
            Function::global("isCIDR", "is_cidr", vec![Type::String], Type::Bool)
                .with(|_, args| Ok(Value::Bool(parse(text(args, 0)?).is_ok()))),
            Function::global("string", "cidr_to_string", vec![cidr()], Type::String).with(|_, args| {
                let Cidr { address, bits } = *opaque::<Cidr>(args, 0)?;
                Ok(Value::from(format!("{address}/{bits}")))
            }),
        ]
    }
}
