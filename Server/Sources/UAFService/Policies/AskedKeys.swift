import Foundation
import Synchronization
import UAFMessages
import WebAuthn

/// The keys that a request for an authentication names: the account's keys, and decoys in place of missing ones.
///
/// The same inputs lead to the same keys. So the keys are not stored with the request: they are computed again when the answer
/// comes.
struct AskedKeys {
  /// The alternatives of the policy.
  ///
  /// Revoked keys are listed too: only a client that can sign with one learns that it is revoked.
  let accepted: [[MatchCriteria]]

  /// Finds the keys.
  ///
  /// - Parameter stored: every key of the account, revoked ones included.
  init(environment: ServiceEnvironment, username: String, stored: [StoredKey]) throws {
    let sets = try environment.policies().accepted(for: username)
    // Computed for every name, so that the time does not show which names have accounts.
    let decoys = try Decoys(keys: environment.keys, models: environment.models)
      .keys(of: username, meeting: sets, shapes: environment.shapes.shapes)
    accepted = sets.authentication(with: stored, orElse: decoys)
  }
}

/// Makes up keys for names that have none, or too few, so that a request does not show who is registered.
struct Decoys {
  let keys: ServerKeys
  let models: AuthenticatorModels

  /// Bytes of a KeyID of our own authenticators.
  private static let keyIDLength = 32

  /// The decoys of a name: for each model as many as a real account has, in a shape that meets the policy.
  ///
  /// The shape follows from the name. So a name keeps its shape as long as the accounts' shapes stay the same, and each shape
  /// is as frequent among decoys as among real accounts. Before the first registration, there is one key for each member of the
  /// first set.
  func keys(of username: String, meeting accepted: AcceptedSets, shapes: KeyShapes?) throws -> [StoredKey] {
    let code = try keys.decoyCode("decoy shape", Array(username.utf8))
    let place = code.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let shape = shapes?.shape(at: place) { accepted.areMet(by: $0) } ?? accepted.plainShape(Self.keyIDLength)
    return try shape.models.flatMap { each -> [StoredKey] in
      guard let aaid = try? AAID(each.aaid), let model = models[aaid] else { return [] }
      return try each.lengths.enumerated().map { number, length in
        key(try keyID(of: username, model: model, number: number, length: length), model)
      }
    }
  }

  /// The keys of an answer that are decoys of this name.
  ///
  /// The decoys of a request are not stored. So each key is compared with every decoy that the name can have had at any time.
  ///
  /// - Parameters:
  ///   - named: keys that the account does not have. For each of them up to `most` HMACs are computed, 1 µs each.
  ///   - most: the most decoys of one model that are tried.
  func keys(among named: [(aaid: AAID, keyID: KeyID)], of username: String, most: Int) throws -> [StoredKey] {
    try named.compactMap { aaid, keyID in
      guard let model = models[aaid] else { return nil }
      for number in 0..<most
      where try self.keyID(of: username, model: model, number: number, length: keyID.bytes.count) == keyID {
        return key(keyID, model)
      }
      return nil
    }
  }

  private func key(_ keyID: KeyID, _ model: AuthenticatorModel) -> StoredKey {
    StoredKey(
      aaid: model.description.aaid, keyID: keyID, publicKey: keys.decoyPublicKey,
      signatureAlgorithm: model.description.authenticationAlgorithm, signCounter: 0, isRevoked: false)
  }

  /// The KeyID follows from name, model and number alone, whatever other decoys there are.
  private func keyID(of username: String, model: AuthenticatorModel, number: Int, length: Int) throws -> KeyID {
    let name = "\(model.description.aaid.text) \(username)"
    var bytes: [UInt8] = []
    while bytes.count < length {
      let further = number == 0 && bytes.isEmpty ? "" : " \(number) \(bytes.count)"
      bytes += try keys.decoyCode("decoy", Array((name + further).utf8))
    }
    return try KeyID(bytes: Array(bytes.prefix(length)))
  }
}

/// How many accounts have each key shape.
struct KeyShapes: Equatable, Codable, Sendable {
  /// One shape, and how many of the sampled accounts have it.
  struct Entry: Equatable, Codable, Sendable {
    let shape: KeyShape
    let count: Int
  }

  /// In the order of ``KeyShape/precedes(_:_:)``.
  let entries: [Entry]

  init(_ shapes: [KeyShape]) {
    let counts = shapes.reduce(into: [KeyShape: Int]()) { $0[$1, default: 0] += 1 }
    entries = counts.sorted { KeyShape.precedes($0.key, $1.key) }.map { Entry(shape: $0.key, count: $0.value) }
  }

  /// The shape that a name's number selects, each as often as accounts have it; nil if no shape is suitable.
  ///
  /// - Parameters:
  ///   - place: a number that follows from the name, evenly distributed over all 64-bit numbers.
  ///   - willDo: which shapes may be returned.
  func shape(at place: UInt64, where willDo: (KeyShape) -> Bool) -> KeyShape? {
    let entries = entries.filter { willDo($0.shape) }
    let total = entries.reduce(UInt64(0)) { $0 + UInt64(clamping: $1.count) }
    var rest = place.multipliedFullWidth(by: total).high
    for entry in entries {
      let count = UInt64(clamping: entry.count)
      if rest < count { return entry.shape }
      rest -= count
    }
    return nil
  }

  /// The most keys of one model that any account has; 0 without accounts.
  var mostOfOneModel: Int {
    entries.lazy.flatMap(\.shape.models).map(\.lengths.count).max() ?? 0
  }

  /// Whether these shapes, which were just read, must replace the ones in use.
  ///
  /// Each replacement gives some decoys a different shape, which real accounts seldom do. So a change of up to a tenth of the
  /// accounts waits. A shape that is new does not wait: as long as only real accounts had it, it would show that they are real.
  func replace(_ others: KeyShapes) -> Bool {
    let (own, theirs) = (shares, others.shares)
    if own.keys.contains(where: { theirs[$0] == nil }) { return true }
    let moved = Set(own.keys).union(theirs.keys).reduce(0) { $0 + abs((own[$1] ?? 0) - (theirs[$1] ?? 0)) }
    return moved / 2 > 0.1
  }

  private var shares: [KeyShape: Double] {
    let total = Double(entries.reduce(0) { $0 + $1.count })
    return entries.reduce(into: [:]) { $0[$1.shape] = Double($1.count) / total }
  }
}

/// Keeps the statistics of the accounts' key shapes, from which decoys get theirs.
///
/// The statistics are kept in the store, so that a name's decoys stay the same after a restart. The accounts are read when the
/// server starts and every hour; new statistics replace the old ones only if ``KeyShapes/replace(_:)`` says so.
package final class KeyShapeKeeper: Sendable {
  /// The most accounts that are read.
  ///
  /// These are the accounts whose numbers are multiples of a power of two. So the sample changes little when the store grows,
  /// and a million accounts cost no more time than 2048.
  static let maximumSample: Int64 = 2048
  /// Seconds from one reading to the next.
  static let interval: Int64 = 3600
  /// How many accounts are read in one transaction; requests are served between two transactions.
  private static let chunk = 64

  /// The keys whose shapes are kept.
  package enum Source: Sendable {
    /// The keys of UAF.
    case keys
    /// The passkeys, whose transports take the place of the model.
    case passkeys

    fileprivate var setting: SettingName {
      switch self {
      case .keys: .keyShapes
      case .passkeys: .passkeyShapes
      }
    }
  }

  private let source: Source
  private let current = Mutex<KeyShapes?>(nil)

  /// The shapes in use; nil if none were found yet.
  var shapes: KeyShapes? { current.withLock { $0 } }

  /// Makes a keeper that has found no shapes yet.
  package init(of source: Source = .keys) { self.source = source }

  /// Makes a keeper with the shapes that an earlier run of the server stored.
  package init(of source: Source = .keys, from store: any ServerStore) async throws {
    self.source = source
    let stored = try await store.read { try $0.settings.value(of: source.setting) }
    // A text that cannot be read is ignored: the next reading replaces it.
    let found = stored.flatMap { try? JSONDecoder().decode(KeyShapes.self, from: Data($0.utf8)) }
    current.withLock { $0 = found }
  }

  /// Reads the store now and every hour, for as long as the process lives.
  ///
  /// - Parameter failed: is called with the error if reading fails; the store is read again an hour later.
  package func keep(upWith store: any ServerStore, appID: String, failed: @escaping @Sendable (any Error) -> Void) {
    Task {
      while !Task.isCancelled {
        do { try await refresh(store, appID: appID) } catch { failed(error) }
        try await Task.sleep(for: .seconds(Self.interval))
      }
    }
  }

  /// Reads the store once, and replaces the shapes in use if that is necessary.
  func refresh(_ store: any ServerStore, appID: String) async throws {
    let found = try await KeyShapes(sample(store, appID: appID))
    guard !found.entries.isEmpty, shapes.map(found.replace) ?? true else { return }
    let text = String(decoding: try JSONEncoder().encode(found), as: UTF8.self)
    try await store.write { [source] in try $0.settings.set(source.setting, to: text) }
    current.withLock { $0 = found }
  }

  private func sample(_ store: any ServerStore, appID: String) async throws -> [KeyShape] {
    let last = try await store.read { try $0.accounts.lastNumber() }
    var stride: Int64 = 1
    while last / stride > Self.maximumSample { stride *= 2 }
    var shapes: [KeyShape] = []
    var next = stride
    while next <= last {
      let numbers = (0..<Int64(Self.chunk)).map { [next] in next + $0 * stride }
      shapes += try await store.read { [source] records in
        switch source {
        case .keys: try records.credentials.shapes(ofAccounts: numbers, appID: appID)
        case .passkeys:
          // The AppID begins with the server's URL.
          try PasskeyRelyingParty(publicURL: appID).map {
            try records.passkeys.shapes(ofAccounts: numbers, relyingPartyID: $0.id.text)
          } ?? []
        }
      }
      next += Int64(Self.chunk) * stride
    }
    return shapes
  }
}

/// What a request for an authentication reveals about an account's keys: their models, the number of keys of each model, and
/// the lengths of the KeyIDs.
package struct KeyShape: Hashable, Codable, Sendable {
  /// The keys of one model, oldest first.
  package struct Model: Hashable, Codable, Sendable {
    let aaid: String
    /// Bytes of each KeyID.
    let lengths: [Int]
  }

  /// In ascending order of AAID.
  let models: [Model]

  /// Makes the shape of an account's keys, oldest first.
  package init(_ keys: [(aaid: String, length: Int)]) {
    var lengths: [String: [Int]] = [:]
    for key in keys { lengths[key.aaid.lowercased(), default: []].append(key.length) }
    models = lengths.sorted { $0.key < $1.key }.map { Model(aaid: $0.key, lengths: $0.value) }
  }

  /// The order of shapes: fewer keys first.
  ///
  /// So shapes that differ by one key are close to each other in this order.
  static func precedes(_ one: KeyShape, _ other: KeyShape) -> Bool {
    one.place.lexicographicallyPrecedes(other.place)
  }

  private var place: [[UInt8]] {
    let count = models.reduce(0) { $0 + $1.lengths.count }
    let numbers = { (number: Int) -> [UInt8] in
      [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }
    return [numbers(count)] + models.flatMap { [Array($0.aaid.utf8)] + $0.lengths.map(numbers) }
  }
}

extension [[UInt8]] {
  fileprivate func lexicographicallyPrecedes(_ other: [[UInt8]]) -> Bool {
    lexicographicallyPrecedes(other) { $0.lexicographicallyPrecedes($1) }
  }
}
