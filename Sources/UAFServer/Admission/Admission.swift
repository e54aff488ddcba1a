import NIOCore
import UAFMessages

/// How often an address may send requests and answers, and how often an account may be asked for.
///
/// Each kind has a limit of its own, so that strangers' requests do not use up what is for answers to challenges of this server.
/// Requests for unknown names count like those for known ones: a limit must not show which names are known.
struct Admission: Sendable {
  /// Requests of one address in a minute, and as many answers to no challenge of ours, unless the administrator says otherwise.
  static let standardAddressRate: Int64 = 600
  /// Requests for one account in a minute, unless the administrator says otherwise.
  static let standardAccountRate: Int64 = 120
  /// Answers to one challenge in a minute after the first one: a challenge can be used once.
  private static let challengeRate: Int64 = 1

  private let requests: RateLimiter?
  private let junk: RateLimiter?
  private let answers: RateLimiter?
  private let accounts: RateLimiter?
  private let proven = ProvenPlaces()

  /// Makes the limits; a rate of 0 means no limit.
  init(addressRate: Int64 = standardAddressRate, accountRate: Int64 = standardAccountRate) {
    requests = addressRate > 0 ? RateLimiter(.init(perMinute: addressRate)) : nil
    junk = addressRate > 0 ? RateLimiter(.init(perMinute: addressRate)) : nil
    answers = addressRate > 0 ? RateLimiter(.init(perMinute: Self.challengeRate), capacity: 100_000) : nil
    accounts = accountRate > 0 ? RateLimiter(.init(perMinute: accountRate)) : nil
  }

  /// Whether an address may send one more request.
  ///
  /// Loopback addresses have no limit: they belong to the administrator, or to a proxy through which everybody comes.
  func admits(_ address: SocketAddress?, now: Int64) -> Bool {
    guard let requests, let name = address.flatMap(Self.name) else { return true }
    return requests.admits(name, now: now)
  }

  /// Whether a request for an account is taken although its address is over the limit: the account has logged in from there.
  func isProven(_ account: String, at address: SocketAddress?) -> Bool {
    guard let name = address.flatMap(Self.name) else { return false }
    return proven.contains(account, at: name)
  }

  /// Whether one more request may be issued for an account; whether it exists makes no difference.
  ///
  /// At an address where it has logged in, an account has a limit of its own. So nobody at another address keeps its owner out.
  ///
  /// - Parameter account: a valid name, in which there is no space.
  func admits(account: String, from address: SocketAddress?, now: Int64) -> Bool {
    guard let accounts else { return true }
    let place = isProven(account, at: address) ? address.flatMap(Self.name) : nil
    return accounts.admits(place.map { "\(account) \($0)" } ?? account, now: now)
  }

  /// Whether an answer to a challenge of this server is looked at.
  ///
  /// For each, its address had to send a request first, and a challenge can be used once.
  func admits(answerTo challenge: [UInt8], now: Int64) -> Bool {
    answers?.admits(Base64URL.encode(challenge), now: now) ?? true
  }

  /// Whether an address may send one more answer that belongs to no challenge, or that was sent before.
  func admits(junkFrom address: SocketAddress?, now: Int64) -> Bool {
    guard let junk, let name = address.flatMap(Self.name) else { return true }
    return junk.admits(name, now: now)
  }

  /// Notes that an answer for an account was accepted.
  func accepted(_ account: String, from address: SocketAddress?) {
    if let name = address.flatMap(Self.name) { proven.add(account, at: name) }
  }

  /// The name under which an address is counted: IPv4 whole; IPv6 by the first 64 bits, the network of one customer; nil for
  /// loopback.
  static func name(of address: SocketAddress) -> String? {
    guard let bytes = address.ipBytes, !address.isLoopback else { return nil }
    return bytes.count == 4
      ? bytes.map { String($0) }.joined(separator: ".")
      : bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
  }
}
