//! Finds pods by their users with an indexer, without a server.
//!
//! ```console
//! $ cargo run -p client-examples --bin by_user
//! ```

use std::error::Error;
use std::io::Write;

use rhumb_api::core::v1::Pod;
use rhumb_client::informer::Indexer;

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut std::io::stdout())
}

/// Prints the pods of a user, and then all users with how many pods they have.
pub fn run(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // Keys are namespace and name; `Indexer::with_key_func` uses others.
    let pods = Indexer::new();
    pods.add_index("byUser", users_of)?;
    for (name, users) in [("one", "ernie,bert"), ("two", "bert,oscar"), ("tre", "ernie,elmo")] {
        let mut pod = Pod::default();
        pod.metadata.name = name.to_owned();
        pod.metadata.annotations.insert("users".to_owned(), users.to_owned());
        pods.add(pod);
    }

    for pod in pods.by_index("byUser", "ernie")? {
        writeln!(out, "{}", pod.metadata.name)?;
    }
    for user in pods.list_index_func_values("byUser")? {
        writeln!(out, "{user} has {}", pods.index_keys("byUser", &user)?.len())?;
    }
    Ok(())
}

/// Index values of a pod: its users.
fn users_of(pod: &Pod) -> Vec<String> {
    pod.metadata
        .annotations
        .get("users")
        .into_iter()
        .flat_map(|users| users.split(','))
        .map(str::to_owned)
        .collect()
}
