//! The suite that all engines pass, each behaviour with an etcd of its own.
//!
//! One behaviour is left out here and stands in `watches`: what becomes of a removal at the very revision that is
//! compacted depends on the version of etcd.

use std::sync::Arc;

use crate::server::Server;
use crate::suite::{self, Fixture};

async fn make() -> Fixture {
    let server = Server::start();
    Fixture { store: Arc::new(server.connect().await), hold: Box::new(server) }
}

crate::suite!(make;
    create_needs_absence, update_needs_the_last_revision, delete_needs_the_last_revision,
    refusal_tells_what_is_there, a_transaction_is_one_revision, a_refused_transaction_changes_nothing,
    nothing_changed_takes_no_revision, a_key_made_again_starts_anew, large_transactions_are_refused,
    keys_are_changed_once,
    reads_see_the_past, pages_stay_at_their_revision, pages_begin_where_they_are_told, counts_follow,
    the_future_is_refused, compaction_refuses_the_past, compaction_goes_forward_only,
    the_present_survives_compaction,
    watch_from_the_past, watch_from_now, watch_is_for_its_prefix, transactions_are_never_split,
    events_have_previous_values, watch_before_compaction_is_refused,
    slow_watchers_lose_nothing, watchers_see_one_order, reconnecting_watchers_see_all_once,
    watchers_learn_how_far_it_went,
    revoked_leases_take_their_keys, expired_leases_take_their_keys, keys_leave_their_lease,
    unknown_leases_are_refused,
    concurrent_writes_are_linearizable
);

#[test]
fn no_other_behaviour_is_left_out() {
    let (_, list) = include_str!("../suite/mod.rs").split_once("$crate::suite!($make;").expect("the list");
    let (list, _) = list.split_once(");").expect("its end");
    let here = include_str!("suite_with_etcd.rs");
    let (_, here) = here.split_once("suite!(make;").expect("our list");
    let names =
        |text: &'static str| text.split([',', '(', ')', ';', '\n', ' ']).filter(|name| !name.is_empty());
    let missing: Vec<&str> = names(list).filter(|name| !names(here).any(|ours| ours == *name)).collect();
    assert_eq!(missing, [concat!("deletes_near_compaction", "_are_not_lost")]);
}
