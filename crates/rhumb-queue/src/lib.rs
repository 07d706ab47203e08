//! Work queues for controllers: what is to be done, once per item, in order.
