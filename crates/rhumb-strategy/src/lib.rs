//! What a server does to an object of a kind before it checks and stores it.
