//! Read-modify-write with retries on conflicts.

use std::time::Duration;

use rhumb_meta::v1::UpdateOptions;

use super::{Api, Readable};
use crate::Error;

/// Maximum number of attempts.
const TRIES: u32 = 5;
/// Pause between attempts.
const PAUSE: Duration = Duration::from_millis(10);

impl<K: Readable> Api<K> {
    /// Modifies an object: gets it, lets the caller change it, and updates it, with some retries on conflicts. An
    /// unchanged object is not written.
    ///
    /// ```no_run
    /// # async fn example(client: rhumb_client::Client) -> Result<(), rhumb_client::Error> {
    /// let deployments = client.apps_v1().deployments("default");
    /// deployments.modify("web", &Default::default(), |web| web.spec.paused = true).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If there is no such object, the change breaks a rule or others are always faster, and whenever there
    /// is no answer.
    pub async fn modify(
        &self,
        name: &str,
        options: &UpdateOptions,
        mut change: impl FnMut(&mut K),
    ) -> Result<K, Error> {
        self.modify_by(name, &mut change, async |object| self.update(&object, options).await).await
    }

    /// Modifies an object's status in the same way.
    ///
    /// # Errors
    /// If there is no such object, the change breaks a rule or others are always faster, and whenever there
    /// is no answer.
    pub async fn modify_status(
        &self,
        name: &str,
        options: &UpdateOptions,
        mut change: impl FnMut(&mut K),
    ) -> Result<K, Error> {
        self.modify_by(name, &mut change, async |object| self.update_status(&object, options).await).await
    }

    async fn modify_by(
        &self,
        name: &str,
        change: &mut impl FnMut(&mut K),
        write: impl AsyncFn(K) -> Result<K, Error>,
    ) -> Result<K, Error> {
        let mut tries = 1;
        loop {
            let read = self.get(name).await?;
            let mut changed = read.clone();
            change(&mut changed);
            if changed.equals(&read) {
                return Ok(read);
            }
            match write(changed).await {
                Err(error) if error.is_conflict() && tries < TRIES => tries += 1,
                outcome => return outcome,
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}
