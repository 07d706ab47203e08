//! `bench codec`: reading, writing, copying and converting the golden Pod.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use rhumb_codec::{Codecs, Format};
use rhumb_meta::{GroupVersion, GroupVersionKind, Object};
use rhumb_scheme::ToInternal;

use crate::timing::{nanoseconds, shown};

/// What is measured, and what Kubernetes' own code took on this kind of machine when it was last measured there, in
/// nanoseconds.
struct Row {
    name: &'static str,
    ours: f64,
    go: f64,
}

pub(crate) fn run(_arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/k8s/golden/v1.36");
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
        nanoseconds(|| codecs.serializer(format, false).decode(data, None, scheme).map(|decoded| decoded.gvk).is_ok())
    };
    let encode = |format: Format| {
        let mut out = Vec::new();
        nanoseconds(|| {
            out.clear();
            codecs.serializer(format, false).encode(&*pod, &mut out).is_ok()
        })
    };
    // Converting consumes its input, so the loop hands the same object round.
    let mut slot = Some(pod.clone());
    let there_and_back = nanoseconds(|| {
        let object = slot.take().and_then(|object| scheme.into_version(object, &ToInternal).ok());
        slot = object.and_then(|object| scheme.into_version(object, &v1).ok());
    });
    let copy = nanoseconds(|| old.clone_object());
    let copied_and_converted = nanoseconds(|| scheme.convert_to_version(&*old, &apps).is_ok());
    let rows = [
        Row { name: "Pod JSON decode", ours: decode(Format::Json, &json), go: 1_200_000.0 },
        Row { name: "Pod JSON encode", ours: encode(Format::Json), go: 970_000.0 },
        Row { name: "Pod YAML decode", ours: decode(Format::Yaml, &yaml), go: 5_400_000.0 },
        Row { name: "Pod YAML encode", ours: encode(Format::Yaml), go: f64::NAN },
        Row { name: "Pod protobuf decode", ours: decode(Format::Protobuf, &pb), go: 145_000.0 },
        Row { name: "Pod protobuf encode", ours: encode(Format::Protobuf), go: 112_000.0 },
        Row { name: "Pod deep copy", ours: nanoseconds(|| pod.clone_object()), go: 50_000.0 },
        Row { name: "Pod v1 → internal → v1", ours: there_and_back, go: 86_000.0 },
        Row { name: "Deployment apps/v1beta1 → v1", ours: (copied_and_converted - copy).max(0.0), go: 45_000.0 },
        Row { name: "new object by kind", ours: nanoseconds(|| scheme.new_object(&pod_kind)), go: 588.0 },
        Row { name: "kinds of an object", ours: nanoseconds(|| scheme.object_kinds(&*pod)), go: 29.0 },
    ];
    println!("{:<32} {:>10} {:>10} {:>8}", "", "rhumb", "go", "ratio");
    for row in rows {
        let (go, ratio) = if row.go.is_nan() {
            ("-".to_owned(), "-".to_owned())
        } else {
            (shown(row.go), format!("{:.1} x", row.go / row.ours))
        };
        println!("{:<32} {:>10} {:>10} {:>8}", row.name, shown(row.ours), go, ratio);
    }
    Ok(())
}
