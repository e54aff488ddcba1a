import UAFMessages

/// Self-signed certificates in DER, made for these tests.
///
/// Nobody kept their private keys.
enum TestCertificate {
  /// Signed with ECDSA and SHA-256.
  static let sha256 = bytes(
    """
    MIIBhDCCASugAwIBAgIUdfZOF8ols1JHjnDCkFE4raHmSMQwCgYIKoZIzj0EAwIwFzEVMBMGA1UEAwwMZmlkby5leGFtcGxlMCAX\
    DTI2MTEyMTEyMDgyOFoYDzIxMjYxMDI4MTIwODI4WjAXMRUwEwYDVQQDDAxmaWRvLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjO\
    PQMBBwNCAAQIEKptmFsRZIFkAZTNK6dka0SxAycIHYkn6yHu9xFVKid-Or6bEtpm7pge450vVyW-04I-1aeXpG0XKdoIbzXNo1Mw\
    UTAdBgNVHQ4EFgQUcX-gk0ipSFNEksJXyle25r-OdScwHwYDVR0jBBgwFoAUcX-gk0ipSFNEksJXyle25r-OdScwDwYDVR0TAQH_\
    BAUwAwEB_zAKBggqhkjOPQQDAgNHADBEAiBJYpqAqehxv3iE4wpIpn9a2JH5KAfs058f33r4lWZP1wIgOri03-YuVcOBS9eqb91E\
    VfyCmucoXmVzJcJSvtIZmHw
    """)

  /// Signed with ECDSA and SHA-384.
  static let sha384 = bytes(
    """
    MIIBhTCCASugAwIBAgIUJYJX5zMGwrib30hYg_-DhdYHRKswCgYIKoZIzj0EAwMwFzEVMBMGA1UEAwwMZmlkby5leGFtcGxlMCAX\
    DTI2MTEyMTEyMDgyOFoYDzIxMjYxMDI4MTIwODI4WjAXMRUwEwYDVQQDDAxmaWRvLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjO\
    PQMBBwNCAARrROfzXpmMjG1tjpgA5AnHgMDKWI7QlQOOoO5dg8AbU3LOL-_caGtDKsp-q6yRmX5iMxA6jdefdOw47GH_5ssQo1Mw\
    UTAdBgNVHQ4EFgQUgdjxlRuylfE9LwxQ0nV6epQHlHAwHwYDVR0jBBgwFoAUgdjxlRuylfE9LwxQ0nV6epQHlHAwDwYDVR0TAQH_\
    BAUwAwEB_zAKBggqhkjOPQQDAwNIADBFAiEAxzXk6TWPUTM2dwiAT_tX34L7hmOD2-rxUYuos0BQwGMCIDgzX8hVck-R4koMQTHd\
    ZiMaqoM6M1eoPrt62oHWNtBP
    """)

  /// Signed with ECDSA and SHA-1.
  static let sha1 = bytes(
    """
    MIIBgzCCASqgAwIBAgIUNQ7NtOMv2AiH6nLAUN30bl5sepgwCQYHKoZIzj0EATAXMRUwEwYDVQQDDAxmaWRvLmV4YW1wbGUwIBcN\
    MjYxMTIxMTUzNzM2WhgPMjEyNjEwMjgxNTM3MzZaMBcxFTATBgNVBAMMDGZpZG8uZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49\
    AwEHA0IABMFwxGM7j2L8nUAJ4Od7Vsb8V0JCef7vJCFPuAJYRwTYIGz_3XyBASmsE9WKqk26O7tGEcGh8r3f0b1m4pB18pWjUzBR\
    MB0GA1UdDgQWBBRy_5Kw9ExoLbMn56Cdufz6_WLYqDAfBgNVHSMEGDAWgBRy_5Kw9ExoLbMn56Cdufz6_WLYqDAPBgNVHRMBAf8E\
    BTADAQH_MAkGByqGSM49BAEDSAAwRQIgVngQE8Pz_oiwR7NxsQN_-zlIGMrk-_Mg5Gj9BzSVh1sCIQDzDNG3w9nwHM-UTaVK0jwK\
    mOh-g47BWdp80PAGrG2aAg
    """)

  /// Signed with Ed25519, which names no separate hash function.
  static let ed25519 = bytes(
    """
    MIIBRDCB96ADAgECAhQR294N3XKWqFrIGgBM34h7SJ-RhjAFBgMrZXAwFzEVMBMGA1UEAwwMZmlkby5leGFtcGxlMCAXDTI2MTEy\
    MTEyMDgyOFoYDzIxMjYxMDI4MTIwODI4WjAXMRUwEwYDVQQDDAxmaWRvLmV4YW1wbGUwKjAFBgMrZXADIQCuylGvEURoNyjNwyYH\
    USqO62e76f9bYcUTnojinTNxdqNTMFEwHQYDVR0OBBYEFIH5Ki1l1BcVw0MWWqwn7-PFITXFMB8GA1UdIwQYMBaAFIH5Ki1l1BcV\
    w0MWWqwn7-PFITXFMA8GA1UdEwEB_wQFMAMBAf8wBQYDK2VwA0EAyoZKtUFdQEO0NjVYwoLmyhOrry7XxDCjWjhaTWPDNY3s8cFR\
    fRoX_e91JEkCig2C97q6R9zG4CBhENuIqvhPCw
    """)

  private static func bytes(_ text: String) -> [UInt8] {
    (try? Base64URL.decode(text, maximumCount: 1024)) ?? []
  }
}
