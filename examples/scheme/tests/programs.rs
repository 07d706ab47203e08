//! The programs say what they are meant to show.
#![allow(missing_docs, clippy::expect_used, reason = "a test may stop at the first surprise")]

use std::process::Command;

#[track_caller]
fn prints(program: &str, expected: &str) {
    let output = Command::new(program).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8(output.stdout).expect("text"), expected);
}

#[test]
fn kinds() {
    prints(
        env!("CARGO_BIN_EXE_kinds"),
        "/__internal, Kind=Pod is a rhumb_api::core::v1::pod::Pod\n\
         /v1, Kind=Pod is a rhumb_api::core::v1::pod::Pod\n\
         /v1, Kind=Status is a rhumb_meta::v1::status::Status\n\
         extensions/v1beta1, Kind=DaemonSet is a rhumb_api::apps::v1::DaemonSet\n\
         a Pod may be /v1, Kind=Pod or /__internal, Kind=Pod\n\
         a Status is without a version: Some(true)\n\
         no kind \"Job\" is registered for version \"batch/v1\" in scheme \"four kinds\"\n",
    );
}

#[test]
fn registration() {
    prints(
        env!("CARGO_BIN_EXE_registration"),
        "apps has v1, v1beta2, v1beta1, the most wanted first\n\
         fleet.example.com has v1, v1beta1, the most wanted first\n\
         batch is registered: false\n\
         Double registration of different types for fleet.example.com/v1, Kind=Ship: \
         old=scheme_examples::v1::Ship, new=scheme_examples::v1beta1::Ship in scheme \"rhumb\"\n",
    );
}

#[test]
fn sub_field() {
    prints(
        env!("CARGO_BIN_EXE_sub_field"),
        "{\"rigging\":{\"mast\":{\"centimetres\":1200}}}\n\
         {\"rigging\":{\"mast\":{\"centimetres\":360}}}\n\
         {\"apiVersion\":\"fleet.example.com/v1beta1\",\"kind\":\"Boat\",\"mast\":{\"height\":3}}\n",
    );
}

#[test]
fn object() {
    prints(
        env!("CARGO_BIN_EXE_object"),
        "/v1, Kind=Pod \"web\"\n\
         the copy is equal: false\n\
         it is a DaemonSet: false\n\
         its label is Some(\"web\")\n\
         the Pod is as before: true\n",
    );
}

#[test]
fn codecs() {
    prints(
        env!("CARGO_BIN_EXE_codecs"),
        "read as fleet.example.com/v1, Kind=Ship\n\
         {\"kind\":\"Ship\",\"apiVersion\":\"fleet.example.com/v1\",\"metadata\":{\"name\":\"mayflower\"},\"crew\":2}\n\
         {\"kind\":\"Ship\",\"apiVersion\":\"fleet.example.com/v1beta1\",\"metadata\":{\"name\":\"mayflower\"},\
         \"hands\":2}\n\
         ?follow=true&tailLines=10\n",
    );
}
