import Foundation

/// Certificates of an authority that nobody has, for fido.example.com, until 2126; DER.
package enum WeakCertificate {
  /// Its key is one of RSA with 1024 bits.
  package static let key = decoded(
    """
    MIIBszCCAVmgAwIBAgIBATAKBggqhkjOPQQDAjANMQswCQYDVQQDDAJjYTAgFw0yNjExMjgyMDIxMDFaGA8yMTI2MTEwNDIwMjEwMVowDzENMA\
    sGA1UEAwwEdGVzdDCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEAmLO7ympjqMo2llKmXoMANZgBAJk1H2GmynH9JVBqaRO2GqShQIzuS4vB\
    CawGNwoNvZvcgfF5TULfz9teLEPA5e3OlHLCNfc0rAEgRYaQRUclhbCnZFlJr1Q+jOCchTcix5b6mLsZwiAfz9bWEaCBQJ/IuXfhIqo+k1vf3L\
    9yVYECAwEAAaNfMF0wGwYDVR0RBBQwEoIQZmlkby5leGFtcGxlLmNvbTAdBgNVHQ4EFgQU7exAL3ZnNuBbMuRaOBFFsZoFGRgwHwYDVR0jBBgw\
    FoAUxr3l8fBxSouC7ZGuAnF84zxXfYYwCgYIKoZIzj0EAwIDSAAwRQIgKiJsCNhLm1yO8H5gq1FVJhfDmiEW9ZWHR+BsIZMv0OkCIQCDKsNJHn\
    y4DhdIIfUFOId38CuuB1RSVp3ELHmZFIbEuQ==
    """)
  /// Its signature is one with SHA-1.
  package static let signature = decoded(
    """
    MIIBazCCARGgAwIBAgIBAjAJBgcqhkjOPQQBMA0xCzAJBgNVBAMMAmNhMCAXDTI2MTEyODIwMjEwMVoYDzIxMjYxMTA0MjAyMTAxWjAPMQ0wCw\
    YDVQQDDAR0ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAERoVOwox9USSVyzcV4A4cakzqLLmRDifLkuB+cEExfq0Lmw0aoNG7o4ZF0AZ+\
    fD0NEjTbwrxDGd3KtQ8UWvDRXaNfMF0wGwYDVR0RBBQwEoIQZmlkby5leGFtcGxlLmNvbTAdBgNVHQ4EFgQUP5GLMFBG+D7C6cVHJL5ZLoHO2V\
    kwHwYDVR0jBBgwFoAUxr3l8fBxSouC7ZGuAnF84zxXfYYwCQYHKoZIzj0EAQNJADBGAiEAnDq1+HP1oKeyb0ehdr++w9fjTYf2WQjg21A8hRGe\
    74QCIQDHEp1/muHmJ+wM9n9iFUzSeB5sdAXZYP7XBfnfHlu+sQ==
    """)

  private static func decoded(_ text: String) -> [UInt8] { Array(Data(base64Encoded: text) ?? Data()) }
}
