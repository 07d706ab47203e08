//! The group `stable.generated.example.com`, with a kind for each way of having a client.

pub mod v1;
