//! What Prometheus gets to read.

use std::time::Duration;

use rhumb_queue::{Metrics, Queue};
use tokio::time::advance;

fn has(metrics: &Metrics, lines: &[&str]) {
    let text = metrics.render();
    for line in lines {
        assert!(text.lines().any(|found| found == *line), "{line}\nis not in\n{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_queue_tells_how_much_waits_how_long_and_for_how_long_it_is_worked_on() {
    let metrics = Metrics::default();
    let queue = Queue::builder().metrics(&metrics, "pods").build();
    queue.add("a");
    queue.add("b");
    queue.add("a");
    advance(Duration::from_millis(50)).await;
    let a = queue.get().await.unwrap();
    queue.add("a");
    advance(Duration::from_secs(5)).await;
    let b = queue.get().await.unwrap();
    advance(Duration::from_secs(2)).await;
    has(
        &metrics,
        &[
            "workqueue_adds_total{name=\"pods\"} 3",
            "workqueue_depth{name=\"pods\"} 1",
            "workqueue_unfinished_work_seconds{name=\"pods\"} 9",
            "workqueue_longest_running_processor_seconds{name=\"pods\"} 7",
            "workqueue_queue_duration_seconds_bucket{name=\"pods\",le=\"0.01\"} 0",
            "workqueue_queue_duration_seconds_bucket{name=\"pods\",le=\"0.1\"} 1",
            "workqueue_queue_duration_seconds_bucket{name=\"pods\",le=\"10\"} 2",
            "workqueue_queue_duration_seconds_sum{name=\"pods\"} 5.1",
            "workqueue_queue_duration_seconds_count{name=\"pods\"} 2",
            "workqueue_work_duration_seconds_count{name=\"pods\"} 0",
            "workqueue_retries_total{name=\"pods\"} 0",
        ],
    );
    a.done();
    b.retry();
    has(
        &metrics,
        &[
            "workqueue_work_duration_seconds_bucket{name=\"pods\",le=\"1\"} 0",
            "workqueue_work_duration_seconds_bucket{name=\"pods\",le=\"10\"} 2",
            "workqueue_work_duration_seconds_bucket{name=\"pods\",le=\"+Inf\"} 2",
            "workqueue_work_duration_seconds_sum{name=\"pods\"} 9",
            "workqueue_unfinished_work_seconds{name=\"pods\"} 0",
            "workqueue_retries_total{name=\"pods\"} 1",
        ],
    );
}

#[tokio::test(start_paused = true)]
async fn a_delayed_item_counts_from_when_it_fell_due() {
    let metrics = Metrics::default();
    let queue = Queue::builder().metrics(&metrics, "q").build();
    queue.add_after("a", Duration::from_secs(1));
    has(&metrics, &["workqueue_adds_total{name=\"q\"} 0", "workqueue_retries_total{name=\"q\"} 1"]);
    advance(Duration::from_secs(3)).await;
    has(&metrics, &["workqueue_adds_total{name=\"q\"} 1", "workqueue_depth{name=\"q\"} 1"]);
    queue.get().await.unwrap().done();
    has(&metrics, &["workqueue_queue_duration_seconds_sum{name=\"q\"} 2"]);
}

#[test]
fn queues_of_one_name_count_together_and_each_metric_has_one_head() {
    let metrics = Metrics::default();
    let one = Queue::builder().metrics(&metrics, "a\"b").build();
    let two = Queue::builder().metrics(&metrics, "a\"b").build();
    let other = Queue::builder().metrics(&metrics, "c").build();
    one.add(1);
    two.add(1);
    other.add(1);
    has(&metrics, &["workqueue_depth{name=\"a\\\"b\"} 2", "workqueue_depth{name=\"c\"} 1"]);
    drop((one, two));
    has(&metrics, &["workqueue_adds_total{name=\"a\\\"b\"} 2"]);
    let text = metrics.render();
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("# TYPE")).collect();
    assert_eq!(heads.len(), 7, "{heads:?}");
}
