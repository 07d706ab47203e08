//! Protobuf answers, with what the server chose replaced.
//!
//! The places of an object's uid, revision and times are the same for every kind, so the bytes are taken
//! apart just that far and put together again.

/// What is done with a field of a message.
enum Plan {
    /// It becomes this.
    Fixed(&'static [u8]),
    /// It is a message with such fields.
    Inner(&'static [(u64, Plan)]),
}

const META: &[(u64, Plan)] = &[
    (5, Plan::Fixed(b"<uid>")),
    (6, Plan::Fixed(b"<rv>")),
    (8, Plan::Fixed(b"<time>")),
    (9, Plan::Fixed(b"<time>")),
    (17, Plan::Fixed(b"<managed>")),
];
const OBJECT: &[(u64, Plan)] = &[(1, Plan::Inner(META))];
const LIST: &[(u64, Plan)] = &[(1, Plan::Inner(&[(2, Plan::Fixed(b"<rv>"))])), (2, Plan::Inner(OBJECT))];

/// The answer as text, with escapes for what can't be printed.
pub(crate) fn masked(data: &[u8]) -> String {
    let known = data.strip_prefix(b"k8s\0").and_then(|envelope| {
        let kind = field(&field(envelope, 1)?, 2).unwrap_or_default();
        let plan: &'static [(u64, Plan)] =
            if kind.ends_with(b"List") { &[(2, Plan::Inner(LIST))] } else { &[(2, Plan::Inner(OBJECT))] };
        Some([b"k8s\0".as_slice(), &rewritten(envelope, plan)?].concat())
    });
    shown(known.as_deref().unwrap_or(data))
}

enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The next field of a message and what comes after it.
fn next(data: &[u8]) -> Option<(u64, Value<'_>, &[u8])> {
    let (tag, data) = varint(data)?;
    match tag & 7 {
        0 => varint(data).map(|(value, rest)| (tag >> 3, Value::Number(value), rest)),
        2 => {
            let (size, data) = varint(data)?;
            let (value, rest) = data.split_at_checked(usize::try_from(size).ok()?)?;
            Some((tag >> 3, Value::Bytes(value), rest))
        }
        _ => None,
    }
}

fn field(mut data: &[u8], wanted: u64) -> Option<Vec<u8>> {
    while !data.is_empty() {
        let (number, value, rest) = next(data)?;
        if let (true, Value::Bytes(bytes)) = (number == wanted, value) {
            return Some(bytes.to_vec());
        }
        data = rest;
    }
    None
}

fn rewritten(mut data: &[u8], plan: &[(u64, Plan)]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    while !data.is_empty() {
        let (number, value, rest) = next(data)?;
        data = rest;
        match value {
            Value::Number(value) => {
                push(&mut out, number << 3);
                push(&mut out, value);
            }
            Value::Bytes(bytes) => {
                let found = plan.iter().find(|(wanted, _)| *wanted == number).map(|(_, plan)| plan);
                let changed = match found {
                    Some(Plan::Fixed(text)) if !bytes.is_empty() => text.to_vec(),
                    // Discovery has strings where objects have their metadata.
                    Some(Plan::Inner(plan)) => rewritten(bytes, plan).unwrap_or_else(|| bytes.to_vec()),
                    _ => bytes.to_vec(),
                };
                push(&mut out, number << 3 | 2);
                push(&mut out, changed.len() as u64);
                out.extend(changed);
            }
        }
    }
    Some(out)
}

fn varint(data: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (at, byte) in data.iter().take(10).enumerate() {
        value |= u64::from(byte & 127) << (7 * at);
        if *byte < 128 {
            return Some((value, data.get(at + 1..)?));
        }
    }
    None
}

fn push(out: &mut Vec<u8>, mut value: u64) {
    while value > 127 {
        out.push((value & 127) as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

fn shown(data: &[u8]) -> String {
    let one = |byte: &u8| match byte {
        b'\\' => "\\x5c".to_owned(),
        32..127 => char::from(*byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    data.iter().map(one).collect()
}
