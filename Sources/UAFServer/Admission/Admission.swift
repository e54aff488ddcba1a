import NIOCore

/// How often one address may ask, and one account may be asked for.
///
/// An account's limit is generous: whoever uses it up keeps its owner out for a while, which a tight one would make easy.
struct Admission: Sendable {
  /// Requests of one address in a minute, unless the administrator says otherwise.
  static let standardAddressRate: Int64 = 600
  /// Requests for one account in a minute, unless the administrator says otherwise.
  static let standardAccountRate: Int64 = 120

  private let addresses: RateLimiter?
  private let accounts: RateLimiter?

  /// Makes the limits; 0 is none.
  init(addressRate: Int64 = standardAddressRate, accountRate: Int64 = standardAccountRate) {
    addresses = addressRate > 0 ? RateLimiter(.init(perMinute: addressRate)) : nil
    accounts = accountRate > 0 ? RateLimiter(.init(perMinute: accountRate)) : nil
  }

  /// Whether an address may send one more request.
  ///
  /// This machine's own is not limited: it is the administrator's, or a proxy's behind which everybody has it.
  func admits(_ address: SocketAddress?, now: Int64) -> Bool {
    guard let addresses, let name = address.flatMap(Self.name) else { return true }
    return addresses.admits(name, now: now)
  }

  /// Whether one more request may be issued for an account; whether it exists makes no difference.
  func admits(account: String, now: Int64) -> Bool {
    accounts?.admits(account, now: now) ?? true
  }

  /// What an address counts as: IPv4 whole, IPv6 by its network of 64 bits, which is one customer's; nil for this machine's.
  static func name(of address: SocketAddress) -> String? {
    switch address {
    case .v4(let v4):
      // SAFETY: four bytes of a number.
      let bytes = unsafe withUnsafeBytes(of: v4.address.sin_addr) { unsafe Array($0) }
      return bytes.first == 127 ? nil : bytes.map { String($0) }.joined(separator: ".")
    case .v6(let v6):
      // SAFETY: sixteen bytes of a number.
      let bytes = unsafe withUnsafeBytes(of: v6.address.sin6_addr) { unsafe Array($0) }
      if bytes == Array(repeating: 0, count: 15) + [1] { return nil }
      let isMapped = bytes.starts(with: Array(repeating: 0, count: 10) + [0xFF, 0xFF])
      if isMapped { return bytes[12] == 127 ? nil : bytes[12...].map { String($0) }.joined(separator: ".") }
      return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    case .unixDomainSocket: return nil
    }
  }
}
