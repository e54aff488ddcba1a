import COpenSSL
import SecretMemory

/// The memory-hard key derivation scrypt (RFC 7914).
public enum Scrypt {
  /// What one derivation costs.
  public struct Parameters: Equatable, Sendable {
    /// Binary logarithm of the cost N; memory is 128 * r * 2^logN bytes.
    public let logN: Int
    /// Block size.
    public let r: Int
    /// Passes, one after the other.
    public let p: Int

    /// Makes parameters; ``Scrypt/derive(value:salt:parameters:length:)`` checks the ranges.
    public init(logN: Int, r: Int, p: Int) {
      self.logN = logN
      self.r = r
      self.p = p
    }
  }

  /// The most memory that the cost N may need: 1 GiB, which is `kdf_cost` 20; the passes add a few KiB.
  ///
  /// Stored parameters come from a file, so a damaged row must not be able to ask for all memory.
  public static let maximumMemory: UInt64 = 1 << 30

  /// Derives `length` bytes from a secret.
  ///
  /// - Parameters:
  ///   - value: any length.
  ///   - salt: any length; 16 bytes or more in use.
  ///   - parameters: logN 1 to 24, r 1 to 32, p 1 to 16, 128 * r * 2^logN at most ``maximumMemory``.
  ///   - length: 1 to 64 bytes.
  /// - Throws: ``CryptoError/outOfMemory`` if there is not enough memory, which says nothing about the secret;
  ///   ``CryptoError/invalidParameter(_:)``; ``CryptoError/unavailable(_:)``.
  public static func derive(
    value: borrowing Secret, salt: [UInt8], parameters: Parameters, length: Int
  ) throws(CryptoError) -> Secret {
    try derive(
      value: value, salt: salt, parameters: parameters, length: length,
      memoryLimit: try memory(for: parameters))
  }

  /// The same with an explicit limit, so that a test can make it too small.
  static func derive(
    value: borrowing Secret, salt: [UInt8], parameters: Parameters, length: Int, memoryLimit: UInt64
  ) throws(CryptoError) -> Secret {
    _ = try memory(for: parameters)
    guard (1...64).contains(length) else { throw .invalidParameter(.scrypt) }
    var done: CInt = 0
    let key: Secret
    do {
      // SAFETY: every buffer is lent for the call with its own length.
      key = try unsafe Secret(count: length) { output in
        done = unsafe value.withUnsafeBytes { input in
          unsafe EVP_PBE_scrypt(
            input.baseAddress?.assumingMemoryBound(to: CChar.self), input.count, salt, salt.count,
            UInt64(1) << UInt64(parameters.logN), UInt64(parameters.r), UInt64(parameters.p),
            memoryLimit, output.baseAddress?.assumingMemoryBound(to: UInt8.self), output.count)
        }
      }
    } catch { throw CryptoError(error) }
    guard done == 1 else { throw OpenSSLQueue.failure(.unavailable(.scrypt)) }
    return key
  }

  /// The memory that OpenSSL is allowed: its own default of 32 MiB is too small for any useful cost.
  static func memory(for parameters: Parameters) throws(CryptoError) -> UInt64 {
    guard (1...24).contains(parameters.logN), (1...32).contains(parameters.r), (1...16).contains(parameters.p)
    else { throw .invalidParameter(.scrypt) }
    let blockSize = 128 * UInt64(parameters.r)
    let needed = blockSize * (1 << UInt64(parameters.logN))
    guard needed <= maximumMemory else { throw .invalidParameter(.scrypt) }
    // OpenSSL counts a block for each pass and two working blocks in addition.
    return needed + blockSize * UInt64(parameters.p) + 4 * blockSize
  }
}

/// The key that both ends derive from a code that a person types.
///
/// What is authenticated with the key can be seen by somebody who does not have the code, and who may then try codes until one
/// fits. Each try costs as much as one derivation.
public enum EnteredCodeKey {
  /// What a slow derivation costs: 1 MiB, and between one and two milliseconds.
  ///
  /// A server pays this for each code that it makes, and for 10,000 of them in one list. docs/decisions.md has what it costs an
  /// attacker. The number is part of the protocol.
  public static let cost = Scrypt.Parameters(logN: 10, r: 8, p: 1)

  /// Derives the key.
  ///
  /// - Parameters:
  ///   - characters: the code in its canonical form, 1 byte or more.
  ///   - purpose: what the key is for; keys for different purposes have nothing to do with each other. At most 1,024 bytes.
  ///   - isStretched: whether scrypt derives it at ``cost``, with `purpose` as its salt; otherwise HKDF-SHA-256 without a salt.
  ///   - length: 1 to 64 bytes.
  /// - Throws: ``CryptoError``, as ``Scrypt/derive(value:salt:parameters:length:)`` and
  ///   ``HKDFSHA256/derive(material:info:length:)``.
  public static func derive(
    from characters: [UInt8], for purpose: [UInt8], isStretched: Bool, length: Int
  ) throws(CryptoError) -> Secret {
    guard isStretched else { return try HKDFSHA256.derive(material: characters, info: purpose, length: length) }
    let value: Secret
    do throws(SecretMemoryError) { value = try Secret(copying: characters.span) } catch { throw CryptoError(error) }
    return try Scrypt.derive(value: value, salt: purpose, parameters: cost, length: length)
  }
}
