import COpenSSL

/// OpenSSL's object of a curve without a point; copies of it become keys.
@safe final class CurveParameters: @unchecked Sendable {
  // Only copied after it is made; OpenSSL allows that to several threads at once.
  private let key: OpaquePointer

  /// Takes the object, and keeps it as long as the program lives.
  init(_ key: OpaquePointer) {
    // SAFETY: the object is ours, and is never freed.
    unsafe self.key = key
  }

  /// A copy, which the caller frees; nil if there is no memory.
  @unsafe func copy() -> OpaquePointer? {
    // SAFETY: the object lives as long as this one.
    unsafe EVP_PKEY_dup(key)
  }
}
