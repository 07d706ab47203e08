//! The cryptography that TLS uses on every connection, in and out.

use std::sync::Arc;

use rustls::CipherSuite;
use rustls::crypto::CryptoProvider;

/// The cryptography that is used. It is passed on to whoever needs it, so that no process-wide choice is made.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    let mut provider = rustls::crypto::ring::default_provider();
    if has_aes() {
        // As Go's servers choose: AES with the short key, which is as strong as anything else in the handshake, takes
        // a quarter less time than with the long one.
        provider.cipher_suites.sort_by_key(|suite| match suite.suite() {
            CipherSuite::TLS13_AES_128_GCM_SHA256
            | CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
            | CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 => 0,
            _ => 1,
        });
    }
    Arc::new(provider)
}

/// Whether the processor has instructions for AES. Without them the other cipher is faster, and clients that know it
/// of themselves put that first.
pub(crate) fn has_aes() -> bool {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    let has = std::arch::is_x86_feature_detected!("aes");
    #[cfg(target_arch = "aarch64")]
    let has = std::arch::is_aarch64_feature_detected!("aes");
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
    let has = false;
    has
}
