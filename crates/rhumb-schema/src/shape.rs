//! Shapes and field descriptions: types without values.

use crate::json_key::JsonKey;

/// Shape of a type.
#[derive(Clone, Copy)]
pub enum Shape {
    /// A truth value.
    Bool,
    /// A 32-bit integer.
    Int32,
    /// A 64-bit integer.
    Int64,
    /// A floating point number.
    Double,
    /// A text.
    Str,
    /// Bytes.
    Bytes,
    /// Something that may be absent (a pointer in Go).
    Option(&'static Shape),
    /// A list.
    List(&'static Shape),
    /// A map with string keys.
    Map(&'static Shape),
    /// A described struct; a function, because types may contain themselves.
    Struct(fn() -> &'static StructDesc),
    /// A type with a wire form of its own.
    Leaf(&'static crate::LeafDesc),
    /// Any JSON.
    Json,
}

impl Shape {
    /// Returns the shape inside an option, or the shape itself.
    pub fn inner(&self) -> &Shape {
        match self {
            Shape::Option(inner) => inner.inner(),
            other => other,
        }
    }

    /// Returns the struct at the bottom of options, lists and maps, if there is one.
    pub fn element_struct(&self) -> Option<&'static StructDesc> {
        match self {
            Shape::Option(inner) | Shape::List(inner) | Shape::Map(inner) => inner.element_struct(),
            Shape::Struct(desc) => Some(desc()),
            _ => None,
        }
    }

    /// Returns Go's name of the type, as Kubernetes' decoding errors print it.
    pub fn go_type(&self) -> String {
        match self {
            Shape::Bool => "bool".into(),
            Shape::Int32 => "int32".into(),
            Shape::Int64 => "int64".into(),
            Shape::Double => "float64".into(),
            Shape::Str => "string".into(),
            Shape::Bytes => "[]uint8".into(),
            Shape::Option(inner) => inner.go_type(),
            Shape::List(inner) => format!("[]{}", inner.go_type()),
            Shape::Map(inner) => format!("map[string]{}", inner.go_type()),
            Shape::Struct(desc) => {
                let desc = desc();
                format!("{}.{}", desc.version(), desc.name)
            }
            Shape::Leaf(desc) => desc.go_type.into(),
            Shape::Json => "interface {}".into(),
        }
    }
}

impl std::fmt::Debug for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.go_type())
    }
}

/// Description of a struct.
#[derive(Debug)]
pub struct StructDesc {
    /// The struct's name, which is Kubernetes' name of the type.
    pub name: &'static str,
    /// The module it stands in, `rhumb_api::apps::v1`.
    pub module: &'static str,
    /// Doc comment.
    pub doc: &'static str,
    /// Fields in the order of the JSON form.
    pub fields: &'static [FieldDesc],
    /// Signatures of the fields' JSON names by position.
    pub signs: &'static [u32],
    /// JSON form. In protobuf every struct is a message.
    pub form: JsonForm,
    /// Server-side apply owns the struct as a whole.
    pub atomic: bool,
    /// A kind that Kubernetes has given up and that is older than today's metadata, which shows in its bytes: see
    /// [`Era`]. An object of any release that had the kind comes back as it was.
    pub retired: bool,
}

/// JSON form of a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonForm {
    /// An object with its fields.
    Object,
    /// Its single field, a list, alone (a named list in Go).
    Transparent,
    /// One of its fields alone: the last one that is there, or the first if none is. Which one a text is for can be
    /// told by its type. A truth value among the fields is also true where another form was read. JSON of a type that
    /// no field is for is an error in these words, or passed over if there are none.
    Union(&'static str),
}

impl StructDesc {
    /// Reports whether JSON sees its single field only.
    #[inline]
    pub fn is_transparent(&self) -> bool {
        matches!(self.form, JsonForm::Transparent)
    }

    /// Reports whether JSON sees one of its fields only.
    #[inline]
    pub fn is_union(&self) -> bool {
        matches!(self.form, JsonForm::Union(_))
    }

    /// Returns the API version of the type: the last part of its module path that is one.
    pub fn version(&self) -> &'static str {
        let like_version =
            |part: &&str| part.strip_prefix('v').is_some_and(|rest| rest.starts_with(char::is_numeric));
        self.module.rsplit("::").find(like_version).unwrap_or(self.module)
    }

    /// Returns the position of a JSON name. The search starts at a likely position, since objects mostly have fields
    /// in the order of the description and leave many out. Fields of inlined structs are not found here.
    #[inline]
    pub fn position(&self, json: &[u8], likely: usize) -> Option<usize> {
        let wanted = sign(json);
        let has_name = |position: &usize| {
            self.signs.get(*position) == Some(&wanted)
                && self
                    .fields
                    .get(*position)
                    .is_some_and(|field| same_name(field.json.as_bytes(), json) && !field.inline)
        };
        (likely..self.signs.len()).find(has_name).or_else(|| (0..likely).find(has_name))
    }

    /// Reports whether it has a protobuf form: any field has a number, or there is nothing to say but the kind. Any
    /// other type without numbers is for JSON alone.
    pub fn has_numbers(&self) -> bool {
        self.fields.iter().any(|field| field.number > 0) || self.fields.iter().all(|field| field.inline)
    }

    /// Returns the fields whose JSON form is spread into this struct's own, with their positions and tables.
    pub fn inlined(&self) -> impl Iterator<Item = (usize, &'static StructDesc)> {
        self.fields.iter().enumerate().filter(|(_, field)| field.inline).filter_map(|(position, field)| {
            match field.shape {
                Shape::Struct(desc) => Some((position, desc())),
                _ => None,
            }
        })
    }

    /// Returns a field by its JSON name, looked for in inlined structs too.
    pub fn find(&self, json: &str) -> Option<&'static FieldDesc> {
        self.fields
            .iter()
            .find(|field| field.json == json && !field.inline)
            .or_else(|| self.inlined().find_map(|(_, inner)| inner.find(json)))
    }
}

/// Returns the signature of a name: its length and three letters. Signatures are adjacent in memory, while
/// descriptions and names are spread out, so searching them is cheap.
const fn sign(name: &[u8]) -> u32 {
    let [.., last] = name else { return 0 };
    // Lengths beyond a byte are like shorter ones.
    u32::from_le_bytes([name.len() as u8, name[0], name[name.len() / 2], *last])
}

/// Returns the signatures of the fields' JSON names.
#[doc(hidden)]
pub const fn signs<const N: usize>(fields: &[FieldDesc; N]) -> [u32; N] {
    let mut signs = [0; N];
    let mut position = 0;
    while position < N {
        signs[position] = sign(fields[position].json.as_bytes());
        position += 1;
    }
    signs
}

/// Reports whether two short names are equal. Names are compared for every field that is read, and most have between
/// four and sixteen bytes: two overlapping words decide, where a call to compare memory costs more than the
/// comparison.
#[inline]
pub(crate) fn same_name(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    if let (Some(a_head), Some(b_head)) = (a.first_chunk::<8>(), b.first_chunk::<8>()) {
        if a_head != b_head {
            return false;
        }
        if a.len() <= 16 {
            return a.last_chunk::<8>() == b.last_chunk::<8>();
        }
    }
    if let (Some(a_head), Some(b_head)) = (a.first_chunk::<16>(), b.first_chunk::<16>())
        && a.len() <= 32
    {
        return a_head == b_head && a.last_chunk::<16>() == b.last_chunk::<16>();
    }
    if let (Some(a_head), Some(b_head)) = (a.first_chunk::<4>(), b.first_chunk::<4>())
        && a.len() <= 8
    {
        return a_head == b_head && a.last_chunk::<4>() == b.last_chunk::<4>();
    }
    a == b
}

/// Description of a field.
#[derive(Debug)]
pub struct FieldDesc {
    /// Name in Rust.
    pub name: &'static str,
    /// Name in JSON; empty if it is inlined.
    pub json: &'static str,
    /// JSON key with quotes and colon.
    pub json_key: JsonKey,
    /// Protobuf field number; 0 if it is not in the protobuf form.
    pub number: u32,
    /// Doc comment.
    pub doc: &'static str,
    /// Shape.
    pub shape: Shape,
    /// Whether it must be given.
    pub presence: Presence,
    /// When JSON omits it.
    pub omit: Omit,
    /// Differences in retired kinds.
    pub era: Era,
    /// Whether its fields are inlined into the parent's JSON object.
    pub inline: bool,
    /// List type for server-side apply.
    pub list_type: ListType,
    /// Server-side apply owns the map or struct as a whole.
    pub atomic: bool,
    /// The strategic merge patch strategy, comma separated; empty for replacing.
    pub patch_strategy: &'static str,
    /// The key by which strategic merge patch finds list elements.
    pub patch_merge_key: &'static str,
    /// The default as JSON text.
    pub default: Option<&'static str>,
    /// The values a string may have; empty if any.
    pub values: &'static [&'static str],
}

impl FieldDesc {
    /// Field description with defaults, as a base for handwritten ones.
    pub const PLAIN: FieldDesc = FieldDesc {
        name: "",
        json: "",
        json_key: JsonKey::new(""),
        number: 0,
        doc: "",
        shape: Shape::Json,
        presence: Presence::Optional,
        omit: Omit::Empty,
        era: Era::Any,
        inline: false,
        list_type: ListType::Unspecified,
        atomic: false,
        patch_strategy: "",
        patch_merge_key: "",
        default: None,
        values: &[],
    };

    /// Reports whether objects of these times have the field.
    #[inline]
    pub fn exists(&self, retired: bool) -> bool {
        match self.era {
            Era::Any | Era::OnceShown | Era::Newer => true,
            Era::Gone => retired,
        }
    }

    /// Reports whether the field itself holds bytes, rather than a list or map of them.
    pub fn is_bytes(&self) -> bool {
        matches!(self.shape.inner(), Shape::Bytes)
    }
}

/// Whether a field is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Must be given, and JSON always shows it.
    Required,
    /// Need not be given, yet JSON always shows it.
    Shown,
    /// Need not be given; JSON leaves it out when it is empty.
    Optional,
    /// Need not be given; JSON leaves it out when it is zero, structs and leaves too (`omitzero` in Go).
    OmitZero,
    /// Must be given, yet JSON leaves it out when it is empty.
    RequiredOmitEmpty,
}

impl Presence {
    /// Reports whether OpenAPI lists the field as required.
    pub fn is_required(self) -> bool {
        matches!(self, Presence::Required | Presence::RequiredOmitEmpty)
    }
}

/// When JSON omits a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Omit {
    /// Never; an empty list or map is `null`, as Go prints a nil one.
    Never,
    /// Never, and an empty list is `[]`: the items of lists of objects.
    NeverNull,
    /// When the option is absent.
    Absent,
    /// When the value is empty in Go's sense.
    Empty,
}

/// Difference of a field in retired kinds ([`StructDesc::retired`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// None.
    Any,
    /// It was encoded even if zero.
    OnceShown,
    /// It was removed: only retired kinds have it.
    Gone,
    /// It came while some of the retired kinds were there already: protobuf, which writes every text, leaves it out
    /// of them while it is empty, because what is older has none.
    Newer,
}

/// List type for server-side apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListType {
    /// Unspecified: atomic.
    Unspecified,
    /// Atomic.
    Atomic,
    /// Set of scalars.
    Set,
    /// Map whose keys are these fields of the items.
    Map(&'static [&'static str]),
}

/// Derives when JSON omits a field from its shape and presence.
#[doc(hidden)]
pub const fn omit(shape: &Shape, presence: Presence) -> Omit {
    match presence {
        Presence::Required | Presence::Shown => Omit::Never,
        Presence::OmitZero => match shape {
            Shape::Option(_) => Omit::Absent,
            _ => Omit::Empty,
        },
        Presence::Optional | Presence::RequiredOmitEmpty => match shape {
            Shape::Option(_) => Omit::Absent,
            // `omitempty` never leaves a Go struct out, and leaves are structs there.
            Shape::Leaf(_) => Omit::Never,
            // A transparent struct is a list in Go, so emptiness decides; `View::is_empty` is false for others.
            _ => Omit::Empty,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn field(json: &'static str, inline: bool) -> FieldDesc {
        FieldDesc { json, inline, ..FieldDesc::PLAIN }
    }

    /// Fields whose second and third names differ only in letters outside their signatures.
    static FIELDS: [FieldDesc; 4] =
        [field("", true), field("abcde", false), field("axcye", false), field("a", false)];
    static SIGNS: [u32; 4] = signs(&FIELDS);
    static DESC: StructDesc = StructDesc {
        name: "Test",
        module: "test::v1",
        doc: "",
        fields: &FIELDS,
        signs: &SIGNS,
        form: JsonForm::Object,
        atomic: false,
        retired: false,
    };

    #[test]
    fn names_are_told_apart_even_if_their_signs_are_equal() {
        assert_eq!(SIGNS[1], SIGNS[2]);
        let long = "a".repeat(257);
        for likely in 0..=5 {
            for (name, expected) in [
                ("abcde", Some(1)),
                ("axcye", Some(2)),
                ("a", Some(3)),
                ("azcze", None),
                ("", None),
                (&long, None),
            ] {
                assert_eq!(DESC.position(name.as_bytes(), likely), expected, "{name} from {likely} on");
            }
        }
    }
}
