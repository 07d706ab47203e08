//! The group `stable.generated.example.com`, with a kind for each way of having a client.

// +groupName=stable.generated.example.com

pub mod v1;
