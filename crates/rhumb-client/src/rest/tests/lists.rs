//! Long lists: they are read while they arrive, by several threads, and it doesn't show.

use rhumb_api::apps::v1::{StatefulSet, StatefulSetList};
use rhumb_api::core::v1::{PersistentVolumeClaim, Pod, PodList};
use rhumb_codec::{json as text, proto};
use rhumb_meta::Object;
use rhumb_scheme::Unstructured;

use super::server::{Server, Step, answer, gzip, json};
use super::{client, core};
use crate::{Client, Error, List};

const PROTOBUF: (&str, &str) = ("content-type", "application/vnd.kubernetes.protobuf");

/// Some megabytes of pods, one of which is longer than what is read at once.
fn pods() -> PodList {
    let mut list = PodList::default();
    list.type_meta.set("v1", "PodList");
    list.metadata.resource_version = "7".into();
    for index in 0..6_000 {
        let mut pod = Pod::default();
        pod.metadata.name = format!("pod-{index}");
        let size = if index == 2_000 { 900_000 } else { 500 };
        pod.metadata.annotations.insert("text".into(), "ä]}\\\"".repeat(size / 5));
        list.items.push(pod);
    }
    list
}

fn as_json<L: rhumb_schema::Value>(list: &L) -> String {
    let mut bytes = Vec::new();
    text::encode(list, &mut bytes);
    String::from_utf8(bytes).unwrap()
}

fn as_protobuf(list: &PodList) -> Vec<u8> {
    let mut bytes = Vec::new();
    proto::encode(list, &mut bytes).unwrap();
    bytes
}

/// A client of a server that gives these answers, one after the other.
async fn given(answers: Vec<Vec<u8>>, headers: &'static [(&str, &str)]) -> (Server, Client) {
    let server = Server::start(move |number, _| answer(200, headers, &answers[number])).await;
    let client = client(&server);
    (server, client)
}

async fn list<K: Object + Default>(client: &Client) -> Result<List<K>, Error> {
    client.get().version(&core()).resource("pods").send_list().await
}

#[tokio::test]
async fn long_lists_are_read_while_they_arrive() {
    let pods = pods();
    let text = as_json(&pods);
    let meta = r#""metadata":{"resourceVersion":"7"},"#;
    let turned = text.replacen(meta, "", 1);
    let turned = format!("{},{}}}", turned.strip_suffix('}').unwrap(), meta.trim_end_matches(','));
    let spaced = text.replace(",{\"metadata\"", " , {\"metadata\"");
    let whole = text.clone();
    let server = Server::start(move |number, _| match number {
        0 | 4 => json(200, &whole),
        1 => json(200, &turned),
        2 => json(200, &spaced),
        3 => answer(200, &[("content-encoding", "gzip")], gzip(whole.as_bytes())),
        _ => json(200, &whole.replacen("PodList", "Pod", 1)),
    })
    .await;
    let client = client(&server);
    for way in ["in order", "with the metadata behind", "with blanks", "compressed"] {
        let read = list::<Pod>(&client).await.unwrap();
        assert!(read.items == pods.items, "{way}");
        assert_eq!(read.resource_version(), "7", "{way}");
    }
    let trees = list::<Unstructured>(&client).await.unwrap();
    assert_eq!((trees.items.len(), trees.items[5_999].type_meta()), (6_000, ("v1", "Pod")));
    let error = list::<Pod>(&client).await.unwrap_err();
    assert_eq!(error.to_string(), "the server sent a Pod (v1) where a list was asked for");
    let bounded = client.get().version(&core()).resource("pods").max_body(1 << 20);
    let error = bounded.send_list::<Pod>().await.unwrap_err();
    assert!(error.to_string().contains("larger than"), "{error}");
}

#[tokio::test]
async fn objects_within_objects_may_begin_as_those_do() {
    let mut sets = StatefulSetList::default();
    sets.type_meta.set("apps/v1", "StatefulSetList");
    for index in 0..2_000 {
        let mut set = StatefulSet::default();
        set.metadata.name = format!("set-{index}");
        let mut claim = PersistentVolumeClaim::default();
        claim.metadata.name = "x".repeat(index % 700);
        set.spec.volume_claim_templates = vec![claim; index % 9];
        sets.items.push(set);
    }
    let (_server, client) = given(vec![as_json(&sets).into_bytes()], &[]).await;
    assert!(list::<StatefulSet>(&client).await.unwrap().items == sets.items);
}

#[tokio::test]
async fn the_first_error_of_a_long_list_is_told() {
    let text = as_json(&pods());
    let mistake = |index: usize| {
        let name = format!("pod-{index}\"");
        text.replacen(&name, &format!("{name},\"generation\":\"one\""), 1)
    };
    let cut = |behind: &str| text.split(behind).next().unwrap().to_owned();
    let both = mistake(5_900).replacen("pod-1500\"", "pod-1500\",\"labels\":7", 1);
    for (answer, expect) in [
        (mistake(3), "metadata.generation of type int64"),
        (mistake(5_999), "metadata.generation of type int64"),
        (both, "metadata.labels of type map[string]string"),
        (cut("\"pod-5999"), "unexpected end of JSON input"),
        // Just behind an object.
        (cut(",{\"metadata\":{\"name\":\"pod-4000"), "unexpected end of JSON input"),
        (format!("{text},"), "after top-level value"),
        (
            text.replacen(",{\"metadata\":{\"name\":\"pod-4000", ",,{\"metadata\":{\"name\":\"pod-4000", 1),
            "invalid character ','",
        ),
        (text.replacen("[{", "[,{", 1), "invalid character ','"),
        (
            text.replacen(",{\"metadata\":{\"name\":\"pod-4000", "],{\"metadata\":{\"name\":\"pod-4000", 1),
            "invalid character '{'",
        ),
    ] {
        let (_server, client) = given(vec![answer.into_bytes()], &[]).await;
        let error = list::<Pod>(&client).await.unwrap_err().to_string();
        assert!(error.contains(expect), "{error}, not {expect}");
    }
}

#[tokio::test]
async fn long_lists_are_read_in_protobuf() {
    let pods = pods();
    let whole = as_protobuf(&pods);
    let envelope = proto::open(&whole).unwrap();
    // The first field is the list's metadata; here it comes last.
    let metadata = 2 + usize::from(envelope.raw[1]);
    let turned = [&envelope.raw[metadata..], &envelope.raw[..metadata]].concat();
    let (before, _) = whole.split_at(whole.len() - 4 - turned.len());
    assert!(whole.ends_with(&[0x1a, 0, 0x22, 0]), "what an envelope has behind its message");
    let turned = [before, &turned, &[0x1a, 0, 0x22, 0]].concat();
    let (_server, client) = given(vec![whole.clone(), turned], &[PROTOBUF]).await;
    for way in ["in order", "with the metadata behind"] {
        let read = list::<Pod>(&client).await.unwrap();
        assert!(read.items == pods.items, "{way}");
        assert_eq!(read.resource_version(), "7", "{way}");
    }
    let cut = whole[..whole.len() - 1_000].to_vec();
    let last = whole.windows(8).rposition(|bytes| bytes == b"pod-5999").unwrap();
    // The name's length and tag, the metadata's and the object's stand between.
    let border = (0..20).map(|back| last - back).find(|at| whole[*at] == 0x12).unwrap();
    let mut mistake = whole.clone();
    mistake[last - 2] = 0x0f;
    let behind = [&whole[..], &[0x22, 9]].concat();
    for answer in [cut, whole[..border].to_vec(), mistake, behind] {
        let (_server, client) = given(vec![answer.clone(), answer], &[PROTOBUF]).await;
        let error = list::<Pod>(&client).await.unwrap_err().to_string();
        let get = client.get().version(&core()).resource("pods").send();
        let expect = get.await.unwrap().decode_list::<Pod>().unwrap_err().to_string();
        assert_eq!(error, expect);
    }
}

#[tokio::test]
async fn a_list_whose_line_breaks_is_none() {
    for bytes in [as_json(&pods()).into_bytes(), as_protobuf(&pods())] {
        let server = Server::start(move |_, _| {
            let mut steps = answer(200, &[], &bytes);
            if let Some(Step::Send(sent)) = steps.first_mut() {
                sent.truncate(2_000_000);
            }
            steps.push(Step::Close);
            steps
        })
        .await;
        assert!(matches!(list::<Pod>(&client(&server)).await, Err(Error::Connection(_))));
    }
}
