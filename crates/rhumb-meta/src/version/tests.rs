//! The expected order is the one Kubernetes 1.36 gives.

use super::*;

fn check(a: &str, b: &str, expect: Ordering) {
    assert_eq!(compare(a, b), expect, "{a:?} and {b:?}");
    assert_eq!(compare(b, a), expect.reverse(), "{b:?} and {a:?}");
}

#[test]
fn pairs() {
    check("v1", "v1", Ordering::Equal);
    check("v01", "v1", Ordering::Equal);
    check("v1", "v2", Ordering::Less);
    check("v1", "v1beta1", Ordering::Greater);
    check("v1alpha2", "v1alpha10", Ordering::Less);
    check("x", "v1alpha1", Ordering::Less);
    check("a", "b", Ordering::Greater);
    check("v+1", "v1", Ordering::Less);
    check("", "v1", Ordering::Less);
    check("", "a", Ordering::Greater);
}

#[test]
fn a_mixed_list_sorts_by_preference() {
    let expect = [
        "v9223372036854775807",
        "v10",
        "v2",
        "v1",
        "v3beta1",
        "v2beta1",
        "v1beta10",
        "v1beta2",
        "v12alpha1",
        "v11alpha2",
        "v1alpha1",
        "V1",
        "foo1",
        "foo10",
        "v",
        "v1beta",
        "v1gamma1",
        "v9223372036854775808",
        "valpha1",
    ];
    for step in [1, 2, 3, 5, 7, 11] {
        // Steps that share no factor with the length visit every place once.
        let mut versions: Vec<&str> = (0..expect.len()).map(|i| expect[i * step % expect.len()]).collect();
        sort_preferred_first(&mut versions);
        assert_eq!(versions, expect);
    }
}

#[test]
fn parts() {
    let parts = |text| ApiVersion::parse(text).map(|v| (v.stability(), v.major(), v.minor(), v.to_string()));
    assert_eq!(parts("v1"), Some((Stability::Stable, 1, 0, "v1".to_owned())));
    assert_eq!(parts("v2beta10"), Some((Stability::Beta, 2, 10, "v2beta10".to_owned())));
    assert_eq!(parts("v01alpha007"), Some((Stability::Alpha, 1, 7, "v1alpha7".to_owned())));
    for text in
        ["", "v", "1", "v-1", "v1-", "v1beta", "v1beta-1", "v1rc1", "v1alpha1beta1", "v1.0", "vé", "v1 "]
    {
        assert_eq!(parts(text), None, "{text:?}");
    }
}
