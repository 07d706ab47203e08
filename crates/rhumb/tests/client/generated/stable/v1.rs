//! `stable.generated.example.com/v1`.

// +groupName=stable.generated.example.com

#[rustfmt::skip]
mod zz_generated_client;
#[rustfmt::skip]
mod zz_generated_informer;
#[rustfmt::skip]
mod zz_generated_lister;

pub use zz_generated_client::{CronTabExt, LogbookClient, StableV1Ext};
pub use zz_generated_informer::StableV1InformersExt;
pub use zz_generated_lister::{ChartLister, CronTabLister};

use rhumb_meta::{Object, ObjectMeta, Resource, TypeMeta};
use rhumb_schema::Schema;

// +genclient
// +genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale
// +genclient:method=UpdateScale,verb=update,subresource=scale,input=rhumb_api::autoscaling::v1::Scale
// +genclient:method=PatchStatus,verb=patch,subresource=status

/// Runs something now and then. Its resource is that of the attribute.
#[derive(Clone, Default, Schema, Object, Resource)]
#[resource(group = "stable.generated.example.com", version = "v1", namespaced)]
pub struct CronTab {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(0)]
    pub metadata: ObjectMeta,
    #[field(0)]
    pub spec: CronTabSpec,
    #[field(0)]
    pub status: CronTabStatus,
}

/// What to run.
#[derive(Clone, Default, Schema)]
pub struct CronTabSpec {
    #[field(0)]
    pub cron_spec: String,
    #[field(0)]
    pub replicas: Option<i32>,
}

/// What runs.
#[derive(Clone, Default, Schema)]
pub struct CronTabStatus {
    #[field(0)]
    pub replicas: i32,
}

// +genclient
// +genclient:nonNamespaced

/// A chart that all ships share. Its resource is what tags say.
#[derive(Clone, Default, Schema, Object)]
pub struct Chart {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(0)]
    pub metadata: ObjectMeta,
    #[field(0)]
    pub scale: i64,
}

// +genclient
// +genclient:skipVerbs=update,patch,apply,deleteCollection,list

/// What was written can be read and thrown away, but not rewritten.
#[derive(Clone, Default, Schema, Object, Resource)]
#[resource(group = "stable.generated.example.com", version = "v1", plural = "logbooks", namespaced)]
pub struct Logbook {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(0)]
    pub metadata: ObjectMeta,
    #[field(0)]
    pub entry: String,
}
