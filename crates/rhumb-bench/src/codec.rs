//! `bench codec`: decodes, encodes, copies and converts the golden Pod.

#[path = "../../../testdata/kubernetes/read.rs"]
mod kubernetes;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_codec::{Codecs, Format};
use rhumb_meta::{GroupVersion, GroupVersionKind};
use rhumb_scheme::ToInternal;

use crate::go;
use crate::timing::{nanoseconds, shown};

/// A measurement: its name, the nanoseconds that Kubernetes' own code took when it was measured on such a machine, for
/// where it can't be measured now, and what to call.
type Row<'a> = (&'static str, f64, Box<dyn FnMut() -> f64 + 'a>);

/// Files of Kubernetes' test data.
const GOLDEN: [&str; 4] =
    ["core.v1.Pod.json", "core.v1.Pod.yaml", "core.v1.Pod.pb", "apps.v1beta1.Deployment.json"];

/// Writes Kubernetes' own fully populated objects where Go's code can read them too, and says where that is.
fn golden() -> Result<PathBuf, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench-codec");
    std::fs::create_dir_all(&folder)?;
    let published = kubernetes::document("golden");
    for name in GOLDEN {
        let text = published["v1.36"][name].as_str().ok_or("a golden file is missing")?;
        let bytes = match name.ends_with(".pb") {
            true => rhumb_schema::text::decode_base64(text)?,
            false => text.as_bytes().to_vec(),
        };
        std::fs::write(folder.join(name), bytes)?;
    }
    Ok(folder)
}

/// Measures everything, or what has the given words in its name.
pub(crate) fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let folder = golden()?;
    let read = |name: &str| std::fs::read(folder.join(name));
    let codecs = Codecs::new(Arc::new(rhumb_api::scheme()?));
    let scheme = codecs.scheme();
    let (json, yaml, pb) = (read("core.v1.Pod.json")?, read("core.v1.Pod.yaml")?, read("core.v1.Pod.pb")?);
    let deployment = read("apps.v1beta1.Deployment.json")?;
    let pod = codecs.decode(&json, None)?.object;
    let old = codecs.decode(&deployment, None)?.object;
    let pod_kind = GroupVersionKind::new_static("", "v1", "Pod");
    let (v1, apps) = (GroupVersion::new_static("", "v1"), GroupVersion::new_static("apps", "v1"));
    let decode = |format: Format, data: &[u8]| {
        nanoseconds(|| {
            codecs.serializer(format, false).decode(data, None, scheme).map(|decoded| decoded.gvk).is_ok()
        })
    };
    let encode = |format: Format, pretty: bool| {
        let mut out = Vec::new();
        nanoseconds(|| {
            out.clear();
            codecs.serializer(format, pretty).encode(&*pod, &mut out).is_ok()
        })
    };
    let there_and_back = || {
        // Converting consumes its input, so the loop hands the same object round.
        let mut slot = Some(pod.clone());
        nanoseconds(|| {
            let object = slot.take().and_then(|object| scheme.move_to_version(object, &ToInternal).ok());
            slot = object.and_then(|object| scheme.move_to_version(object, &v1).ok());
        })
    };
    // Both sides keep the object that they convert.
    let old_to_new = || nanoseconds(|| scheme.convert_to_version(&*old, &apps).is_ok());
    let rows: Vec<Row<'_>> = vec![
        ("Pod JSON decode", 1_200_000.0, Box::new(|| decode(Format::Json, &json))),
        ("Pod JSON encode, as the file", 970_000.0, Box::new(|| encode(Format::Json, true))),
        ("Pod JSON encode, compact", 74_000.0, Box::new(|| encode(Format::Json, false))),
        ("Pod YAML decode", 5_400_000.0, Box::new(|| decode(Format::Yaml, &yaml))),
        ("Pod YAML encode", 8_776_000.0, Box::new(|| encode(Format::Yaml, false))),
        ("Pod protobuf decode", 145_000.0, Box::new(|| decode(Format::Protobuf, &pb))),
        ("Pod protobuf encode", 112_000.0, Box::new(|| encode(Format::Protobuf, false))),
        ("Pod deep copy", 50_000.0, Box::new(|| nanoseconds(|| pod.clone_object()))),
        ("Pod v1 → internal → v1", 86_000.0, Box::new(there_and_back)),
        ("Deployment apps/v1beta1 → v1", 45_000.0, Box::new(old_to_new)),
        ("new object by kind", 588.0, Box::new(|| nanoseconds(|| scheme.new_object(&pod_kind)))),
        ("kinds of an object", 29.0, Box::new(|| nanoseconds(|| scheme.object_kinds(&*pod)))),
    ];
    let measured = go::measure(&folder);
    println!("{:<32} {:>10} {:>11} {:>8}", "", "rhumb", "go", "ratio");
    for (name, earlier, mut measure) in rows {
        if !words.iter().all(|word| name.contains(word.as_str())) {
            continue;
        }
        let ours = measure();
        let (go, mark) = measured.get(name).map_or((earlier, "*"), |now| (*now, " "));
        println!("{name:<32} {:>10} {:>10}{mark} {:>6.1} x", shown(ours), shown(go), go / ours);
    }
    println!("\n* measured earlier, on another machine of this kind");
    Ok(())
}
