//! Codecs as their users hold them: versions to read and write, query parameters of a version, and a format that
//! comes from outside.
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise"
)]

use std::error::Error;
use std::sync::Arc;

use rhumb_codec::{
    Codec, CodecError, Codecs, Decoded, Decoder, Encoder, Format, JsonSerializer, ParameterCodec, Serializer,
    YamlSerializer,
};
use rhumb_meta::{GroupVersion, GroupVersionKind, INTERNAL, Object};
use rhumb_scheme::{ObjectCreater, Scheme, ToInternal, Unstructured};
use serde_json::{Value as Json, json};

const GROUP: &str = "sea.example";

mod hub {
    use rhumb_meta::{Object, ObjectMeta, TypeMeta};
    use rhumb_schema::Schema;

    #[derive(Clone, Default, Schema, Object)]
    pub(crate) struct Course {
        #[field(0, inline)]
        pub(crate) type_meta: TypeMeta,
        #[field(1)]
        pub(crate) metadata: ObjectMeta,
        #[field(2)]
        pub(crate) bearing: i32,
        #[field(3)]
        pub(crate) north: String,
    }

    #[derive(Clone, Default, Schema, Object)]
    pub(crate) struct HornOptions {
        #[field(0, inline)]
        pub(crate) type_meta: TypeMeta,
        #[field(1)]
        pub(crate) loudness: i32,
        #[field(2)]
        pub(crate) tone: String,
    }
}

mod v1 {
    use rhumb_meta::{Object, ObjectMeta, TypeMeta};
    use rhumb_schema::Schema;
    use rhumb_scheme::Convert;

    use super::hub;

    #[derive(Clone, Default, Schema, Object, Convert)]
    #[convert(hub = hub::Course)]
    pub(crate) struct Course {
        #[field(0, inline)]
        pub(crate) type_meta: TypeMeta,
        #[field(1)]
        pub(crate) metadata: ObjectMeta,
        #[field(2)]
        pub(crate) bearing: i32,
        #[field(3, default = "true")]
        pub(crate) north: String,
    }

    #[derive(Clone, Default, Schema, Object, Convert)]
    #[convert(hub = hub::HornOptions)]
    pub(crate) struct HornOptions {
        #[field(0, inline)]
        pub(crate) type_meta: TypeMeta,
        #[field(1)]
        #[convert(rename = loudness)]
        pub(crate) volume: i32,
        #[field(2, default = "low")]
        pub(crate) tone: String,
    }
}

mod v1beta1 {
    use rhumb_meta::{Object, ObjectMeta, TypeMeta};
    use rhumb_schema::Schema;
    use rhumb_scheme::Convert;

    use super::hub;

    #[derive(Clone, Default, Schema, Object, Convert)]
    #[convert(hub = hub::Course)]
    pub(crate) struct Course {
        #[field(0, inline)]
        pub(crate) type_meta: TypeMeta,
        #[field(1)]
        pub(crate) metadata: ObjectMeta,
        #[field(2)]
        #[convert(rename = bearing)]
        pub(crate) degrees: i32,
        #[field(3, default = "magnetic")]
        pub(crate) north: String,
    }
}

fn gv(version: &'static str) -> GroupVersion {
    GroupVersion::new_static(GROUP, version)
}

fn scheme() -> Arc<Scheme> {
    let mut builder = Scheme::builder();
    builder.register_hub::<hub::Course>(GROUP).expect("registers");
    builder.register_hub::<hub::HornOptions>(GROUP).expect("registers");
    builder.register::<v1::Course>(&gv("v1")).expect("registers");
    builder.register::<v1::HornOptions>(&gv("v1")).expect("registers");
    builder.register::<v1beta1::Course>(&gv("v1beta1")).expect("registers");
    builder.hub_conversion::<v1::Course, hub::Course>();
    builder.hub_conversion::<v1::HornOptions, hub::HornOptions>();
    builder.hub_conversion::<v1beta1::Course, hub::Course>();
    Arc::new(builder.freeze().expect("freezes"))
}

fn text(codec: &dyn Encoder, object: &dyn Object) -> String {
    let mut out = Vec::new();
    codec.encode(object, &mut out).expect("encodes");
    String::from_utf8(out).expect("text")
}

const BETA: &[u8] = br#"{"apiVersion":"sea.example/v1beta1","kind":"Course","degrees":90}"#;

#[test]
fn a_codec_reads_into_one_version_and_writes_another() {
    let codecs = Codecs::new(scheme());
    let json: Arc<dyn Serializer> = Arc::new(JsonSerializer::default());
    let stored: Box<dyn Codec> =
        Box::new(codecs.codec(Arc::clone(&json)).reading(ToInternal).writing(gv("v1beta1")));
    let decoded = stored.decode(BETA, None).expect("decodes");
    assert_eq!(decoded.gvk, gv("v1beta1").with_kind("Course"), "what it was read as stays told");
    let course = decoded.object.downcast_ref::<hub::Course>().expect("the hub");
    assert_eq!((course.bearing, course.north.as_str()), (90, "magnetic"), "with the defaults of its version");
    assert_eq!(
        text(&*stored, course),
        "{\"kind\":\"Course\",\"apiVersion\":\"sea.example/v1beta1\",\"metadata\":{},\"degrees\":90,\
         \"north\":\"magnetic\"}\n"
    );
    let shown = codecs.codec(Arc::new(YamlSerializer::default()) as Arc<dyn Serializer>).writing(gv("v1"));
    assert!(text(&shown, course).starts_with("apiVersion: sea.example/v1\nbearing: 90\n"));
    // Without versions it leaves objects as they are.
    let plain = codecs.codec(json);
    let as_it_is = plain.decode(BETA, None).expect("decodes").object;
    assert_eq!(as_it_is.downcast_ref::<v1beta1::Course>().map(|course| course.north.as_str()), Some(""));
    let error = plain.decode(b"{\"kind\":\"Course\"}", None).expect_err("no version");
    assert!(matches!(error, CodecError::MissingVersion(_)), "{error}");
}

#[test]
fn the_universal_decoders_take_every_format() {
    let codecs = Codecs::new(scheme());
    let course = codecs.decode(BETA, None).expect("decodes").object;
    for format in Format::ALL {
        let mut bytes = Vec::new();
        codecs.serializer(format, false).encode(&*course, &mut bytes).expect("encodes");
        let moved = codecs.universal_decoder(gv("v1")).decode(&bytes, None).expect("decodes").object;
        assert_eq!(moved.downcast_ref::<v1::Course>().map(|course| course.bearing), Some(90), "{format:?}");
        let same = codecs.universal_deserializer().decode(&bytes, None).expect("decodes").object;
        assert!(same.is::<v1beta1::Course>(), "{format:?}");
    }
}

#[test]
fn an_object_without_a_type_is_converted_only_if_it_is_in_another_version() {
    let codecs = Codecs::new(scheme());
    let json: Arc<dyn Serializer> = Arc::new(JsonSerializer::default());
    let codec = codecs.codec(json).writing(gv("v1"));
    let tree = |tree| Unstructured::new(tree).expect("an object");
    let own = tree(json!({"apiVersion": "sea.example/v1", "kind": "Buoy", "light": "green"}));
    assert!(text(&codec, &own).contains("\"light\":\"green\""), "its kind need not be known");
    let other = tree(json!({"apiVersion": "sea.example/v1beta1", "kind": "Course", "degrees": 5}));
    assert!(text(&codec, &other).contains("\"bearing\":5"));
    let unknown = tree(json!({"apiVersion": "sea.example/v1beta1", "kind": "Buoy"}));
    let error = codec.encode(&unknown, &mut Vec::new()).expect_err("nobody knows how");
    assert!(error.to_string().starts_with("no kind \"Buoy\" is registered for version"), "{error}");
}

fn pairs(text: &str) -> Vec<(String, String)> {
    rhumb_codec::query::parse(text).pairs
}

#[test]
fn query_parameters_are_read_and_written_in_the_version_of_the_path() {
    let codec = ParameterCodec::new(scheme());
    let mut own = v1::HornOptions::default();
    codec.decode(&pairs("volume=11"), &gv("v1"), &mut own).expect("decodes");
    assert_eq!((own.volume, own.tone.as_str()), (11, "low"));
    let mut options = hub::HornOptions::default();
    codec.decode(&pairs("volume=11&tone=high"), &gv("v1"), &mut options).expect("decodes");
    assert_eq!((options.loudness, options.tone.as_str()), (11, "high"));
    let sent = codec.encode(&options, &gv("v1")).expect("encodes");
    assert_eq!(rhumb_codec::query::encode(&sent), "tone=high&volume=11");
    assert_eq!(codec.encode(&own, &gv("v1")).expect("encodes"), pairs("tone=low&volume=11"));

    codec.decode(&[], &gv("v1"), &mut options).expect("nothing to do");
    assert_eq!(options.loudness, 11, "without parameters nothing changes");
    let refused = codec.decode(&pairs("volume=loud"), &gv("v1"), &mut options).expect_err("no number");
    assert_eq!(refused.to_string(), "strconv.ParseInt: parsing \"loud\": invalid syntax");
    let refused =
        codec.decode(&pairs("volume=1"), &gv("v1beta1"), &mut options).expect_err("no such options");
    assert!(matches!(refused, CodecError::NotRegistered(_)), "{refused}");
    assert!(codec.encode(&options, &gv("v1beta1")).is_err());
    assert!(codec.encode(&options, &gv(INTERNAL)).is_ok_and(|pairs| pairs.len() == 2));
}

/// A format that this library does not have: a line for each value, with the path to it.
struct Lines;

impl Lines {
    fn write(path: &str, tree: &Json, out: &mut Vec<u8>) {
        match tree {
            Json::Object(fields) => {
                fields.iter().for_each(|(name, value)| Self::write(&format!("{path}/{name}"), value, out));
            }
            leaf => out.extend_from_slice(format!("{path}={leaf}\n").as_bytes()),
        }
    }

    fn read(data: &[u8]) -> Option<Json> {
        let mut tree = json!({});
        for line in std::str::from_utf8(data).ok()?.lines() {
            let (path, value) = line.split_once('=')?;
            let slot = path.split('/').skip(1).fold(&mut tree, |tree, name| &mut tree[name]);
            *slot = serde_json::from_str(value).ok()?;
        }
        Some(tree)
    }
}

impl Serializer for Lines {
    fn media_type(&self) -> &str {
        "text/x-lines"
    }

    fn recognizes(&self, data: &[u8]) -> bool {
        data.starts_with(b"/")
    }

    fn encode(&self, object: &dyn Object, out: &mut Vec<u8>) -> Result<(), CodecError> {
        Self::write("", &rhumb_schema::to_tree(object), out);
        Ok(())
    }

    fn decode(
        &self,
        data: &[u8],
        default: Option<&GroupVersionKind>,
        creater: &dyn ObjectCreater,
    ) -> Result<Decoded, CodecError> {
        let malformed = || {
            let why: Box<dyn Error + Send + Sync> = "a line is no path with a value".into();
            CodecError::Format(why.into())
        };
        let tree = Self::read(data).ok_or_else(malformed)?;
        let text = |name: &str| tree[name].as_str().unwrap_or_default();
        let own = GroupVersionKind::from_api_version_and_kind(text("apiVersion"), text("kind"));
        let gvk = if own.kind.is_empty() { default.cloned().unwrap_or_default() } else { own };
        let mut object = creater.new_object(&gvk).map_err(CodecError::NotRegistered)?;
        rhumb_schema::from_tree(&tree, &mut *object).map_err(CodecError::Decode)?;
        object.set_gvk(&gvk);
        Ok(Decoded { object, gvk, warnings: Vec::new() })
    }
}

#[test]
fn a_further_format_is_recognised_named_and_versioned_like_the_others() {
    let codecs = Codecs::new(scheme()).with_serializer(Arc::new(Lines));
    let lines = codecs.serializer_for("text/x-lines").expect("it was added");
    let codec = codecs.codec(lines).writing(gv("v1")).reading(ToInternal);
    assert_eq!(codec.media_type(), "text/x-lines");
    let course = codecs.universal_decoder(ToInternal).decode(BETA, None).expect("decodes").object;
    let written = text(&codec, &*course);
    assert_eq!(
        written,
        "/apiVersion=\"sea.example/v1\"\n/bearing=90\n/kind=\"Course\"\n/north=\"magnetic\"\n"
    );
    assert_eq!(*codec.decode(written.as_bytes(), None).expect("decodes").object, *course);
    let moved = codecs.universal_decoder(gv("v1beta1")).decode(written.as_bytes(), None).expect("decodes");
    assert_eq!(moved.object.downcast_ref::<v1beta1::Course>().map(|course| course.degrees), Some(90));
    let error = codecs.decode(b"/apiVersion", None).expect_err("no value");
    assert_eq!(error.to_string(), "a line is no path with a value");

    assert!(Codecs::new(scheme()).serializer_for("text/x-lines").is_none());
    let json = codecs.serializer_for("application/json").expect("it is built in");
    assert_eq!(json.media_type(), "application/json");
}
