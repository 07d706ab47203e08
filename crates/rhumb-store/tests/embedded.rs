//! The suite for the embedded engine, in memory and on the disk.

mod scratch;
mod suite;

mod in_memory {
    use std::sync::Arc;

    use rhumb_store::{Embedded, Options};

    use crate::suite::{self, Fixture};

    async fn make() -> Fixture {
        let store = Embedded::in_memory(Options::default()).expect("a store");
        Fixture { store: Arc::new(store), hold: Box::new(()) }
    }

    crate::suite!(make);
}

mod on_disk {
    use std::sync::Arc;

    use rhumb_store::{Embedded, Options};

    use crate::scratch::Scratch;
    use crate::suite::{self, Fixture};

    async fn make() -> Fixture {
        let directory = Scratch::new();
        let store = Embedded::open(&directory.path, Options::default()).expect("a store");
        Fixture { store: Arc::new(store), hold: Box::new(directory) }
    }

    crate::suite!(make);
}
