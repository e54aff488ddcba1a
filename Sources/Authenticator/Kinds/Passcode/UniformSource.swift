import SecretMemory
import UAFCrypto

/// Small random numbers, all equally likely.
struct UniformSource: ~Copyable {
  private let random: (Int) throws(CryptoError) -> Secret
  private var pool: Secret?
  private var used = 0

  private static let poolSize = 64
  /// Half of the bytes at most are rejected: so many in a row come from a broken source, never from chance.
  private static let maximumRejections = 256

  init(random: @escaping (Int) throws(CryptoError) -> Secret) {
    self.random = random
    pool = nil
  }

  /// A number from 0 to `bound` - 1; `bound` is 1 to 256.
  ///
  /// Bytes beyond the last whole multiple of the bound are dropped, because their remainders would favour small
  /// numbers.
  ///
  /// - Throws: ``CryptoError``: what the source threw, or `unavailable` if it gives nothing that can be used.
  mutating func number(below bound: Int) throws(CryptoError) -> Int {
    let limit = 256 - 256 % bound
    for _ in 0..<Self.maximumRejections {
      let byte = Int(try nextByte())
      if byte < limit { return byte % bound }
    }
    throw .unavailable(.random)
  }

  private mutating func nextByte() throws(CryptoError) -> UInt8 {
    if let byte = byte(used) {
      used += 1
      return byte
    }
    pool = try random(Self.poolSize)
    used = 1
    guard let byte = byte(0) else { throw .unavailable(.random) }
    return byte
  }

  private borrowing func byte(_ index: Int) -> UInt8? {
    switch pool {
    case .some(let pool): pool.withBytes { index < $0.count ? $0[index] : nil }
    case nil: nil
    }
  }
}
