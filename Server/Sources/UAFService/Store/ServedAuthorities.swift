import Synchronization
import UAFCrypto

/// The chain of the certificate that this instance serves, or that of its proxy.
package final class ServedChain: Sendable {
  private struct State {
    var chain: [[UInt8]] = []
    /// Whether an authority, by its fingerprint, has issued a certificate of the chain: each is verified once.
    var known: [String: Bool] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// Uses another chain from now on.
  ///
  /// - Parameter chain: DER; several leaves of a proxy count as one chain.
  package func set(_ chain: [[UInt8]]) { state.withLock { $0 = State(chain: chain) } }

  /// Whether an authority is in the chain, or has issued a certificate of it.
  package func comes(from authority: AnnouncedAuthority) -> Bool {
    state.withLock { state in
      if let known = state.known[authority.fingerprint] { return known }
      let comes = Self.comes(state.chain, from: authority)
      state.known[authority.fingerprint] = comes
      return comes
    }
  }

  /// Whether an authority is in a chain, or has issued a certificate of it.
  package static func comes(_ chain: [[UInt8]], from authority: AnnouncedAuthority) -> Bool {
    chain.contains { der in
      der == authority.certificate || (try? X509.isIssued(by: authority.certificate, der: der)) == true
    }
  }
}

/// Which announced authorities have issued a certificate that an instance serves: each instance notes its own once a minute.
///
/// A root that was renewed with the same name and key has issued the certificates of its predecessor too: both count as served.
///
/// A command that ends an authority is a different process, and knows no certificate of an instance.
package struct ServedAuthorities: Equatable, Sendable {
  /// An authority that no instance has noted for this many seconds before the last note is not served any more.
  ///
  /// Counted from the last note, so that it stays known what servers that have stopped will serve again.
  package static let lately: Int64 = 300

  /// When an instance last noted anything, in seconds since 1970, like the times below; nil if none has.
  private var last: Int64?
  /// When an instance last noted each authority, by its fingerprint.
  private var times: [String: Int64] = [:]

  /// Reads the notes; what is not of their form counts as no note.
  ///
  /// - Throws: ``StoreFailure``.
  package init(in records: any StoreTransaction) throws {
    let words = try records.settings.value(of: .servedAuthorities)?.split(separator: " ").map(String.init) ?? []
    last = words.first.flatMap { Int64($0) }
    for word in words.dropFirst() {
      let parts = word.split(separator: "=")
      if parts.count == 2, let time = Int64(parts[1]) { times[String(parts[0])] = time }
    }
  }

  /// The fingerprints of the authorities that are served.
  package var fingerprints: Set<String> {
    guard let last else { return [] }
    return Set(times.filter { last - $0.value < Self.lately }.keys)
  }

  /// Notes the authorities that an instance serves.
  ///
  /// - Throws: ``StoreFailure``.
  package static func note(_ own: [String], in records: any StoreTransaction, now: Int64) throws {
    var served = try ServedAuthorities(in: records)
    served.last = now
    for name in own { served.times[name] = now }
    let names = served.fingerprints
    let words = served.times.filter { names.contains($0.key) }.sorted { $0.key < $1.key }.map {
      "\($0.key)=\($0.value)"
    }
    try records.settings.set(.servedAuthorities, to: (["\(now)"] + words).joined(separator: " "))
  }
}
