//! How the binary is linked.
//!
//! The tables of a thousand kinds are full of addresses. In a program that can be loaded anywhere the loader writes
//! all of them at every start, which takes longer than most commands of kubectl. So it is loaded where it was linked
//! for, as Kubernetes' own programs are; libraries, heap and stacks are still at random places.
//!
//! And many of those kinds are copied, compared and dropped by the same instructions, which need to be there once.
//! Only the linker that comes with Rust for this target can tell.

#![allow(clippy::print_stdout, reason = "it is how a build script talks to cargo")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, wanted: &str| std::env::var(name).is_ok_and(|value| value == wanted);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
        if is("CARGO_CFG_TARGET_ARCH", "x86_64") && is("PROFILE", "release") {
            println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
        }
    }
}
