//! Flow control: fair shares of what is scarce, by user.

pub(crate) mod fair_queue;
pub(crate) mod unread;
pub(crate) mod watches;
pub(crate) mod work_pool;
