import Foundation
import Synchronization
import UAFMessages

/// The keys of a request for an authentication: the account's keys, and decoys instead of those that it lacks.
///
/// The same inputs lead to the same keys, so the keys are found again when the answer comes, and not stored in the meantime.
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
    // Made up for every name, so that real accounts take as long.
    let decoys = try Decoys(keys: environment.keys, models: environment.models)
      .keys(of: username, meeting: sets, shapes: environment.shapes.shapes)
    accepted = sets.authentication(with: stored, orElse: decoys)
  }
}

/// The policy of each account: the one of its group, or else the one for everybody.
package struct AccountPolicies: Equatable, Sendable {
  let everybody: AcceptedSets
  package let groups: [AccountGroup]
  /// The index in ``groups`` of an account's group.
  private let places: [String: Int]

  package init(everybody: AcceptedSets, groups: [AccountGroup] = []) {
    self.everybody = everybody
    self.groups = groups
    var places: [String: Int] = [:]
    for (place, group) in groups.enumerated() {
      for account in group.accounts where places[account] == nil { places[account] = place }
    }
    self.places = places
  }

  /// The name of the group that an account is in; nil for everybody else.
  package func group(of username: String) -> String? {
    places[username].map { groups[$0].name }
  }

  /// The accounts of a group; nil if there is no such group.
  package func members(of group: String) -> Set<String>? { groups.first { $0.name == group }?.accounts }

  /// The policy for a name, whether there is such an account or not.
  package func accepted(for username: String) -> AcceptedSets {
    // Names are plain ASCII here, which Swift compares by bytes.
    places[username].map { groups[$0].accepted } ?? everybody
  }
}

/// Accounts with a policy of their own.
package struct AccountGroup: Equatable, Sendable {
  /// The name of the group for which the helpdesk may not act.
  package static let privileged = "privileged"

  package let name: String
  /// At least one; an account is in one group at most.
  package let accounts: Set<String>
  package let accepted: AcceptedSets

  package init(name: String, accounts: Set<String>, accepted: AcceptedSets) {
    self.name = name
    self.accounts = accounts
    self.accepted = accepted
  }
}

/// Which authenticators are accepted: alternatives in order of preference.
///
/// The models of one alternative must be used together.
package struct AcceptedSets: Equatable, Sendable {
  /// At least one alternative.
  ///
  /// No alternative is empty, and none names a model twice.
  let sets: [[AAID]]

  /// Accepts each model by itself, in the order of `models`.
  package init(each models: AuthenticatorModels) {
    sets = models.all.map { [$0.description.aaid] }
  }

  /// Takes checked alternatives; see ``sets`` for the rules.
  package init(checked sets: [[AAID]]) {
    self.sets = sets
  }

  /// The policy of a registration: the models of each set that are still missing on this machine.
  ///
  /// A complete set stays in the list as a whole. The client then reports that everything is registered, not that everything
  /// is refused.
  ///
  /// - Parameter keys: the person's usable keys on this machine.
  func registration(besides keys: [StoredKey]) -> [[MatchCriteria]] {
    var accepted: [[MatchCriteria]] = []
    for set in sets {
      let missing = set.filter { aaid in !keys.contains { $0.aaid == aaid } }
      let criteria = (missing.isEmpty ? set : missing).map { MatchCriteria(aaid: $0) }
      if !accepted.contains(criteria) { accepted.append(criteria) }
    }
    return accepted
  }

  /// The policy of an authentication: the sets for each of whose models there is a key.
  ///
  /// If there is no such set, decoys fill the gaps. So the request for a name with no keys, or too few, looks like one for a
  /// name with enough.
  ///
  /// - Parameter madeUp: keys that meet at least one set.
  /// - Returns: the sets. An answer to a set with a decoy can never be accepted, since nobody can sign with the decoy.
  func authentication(with keys: [StoredKey], orElse madeUp: [StoredKey]) -> [[MatchCriteria]] {
    let covered = covered(by: keys)
    if !covered.isEmpty { return covered }
    // For each model at most as many keys as there are decoys, real ones first. With more of them the request would show a
    // shape that no account has.
    var rest = keys
    let filled = madeUp.map { key in
      let own = rest.firstIndex { $0.aaid == key.aaid && $0.keyID.bytes.count == key.keyID.bytes.count }
      return own.map { rest.remove(at: $0) } ?? key
    }
    return self.covered(by: filled)
  }

  private func covered(by keys: [StoredKey]) -> [[MatchCriteria]] {
    sets.compactMap { set in
      let criteria = set.compactMap { aaid -> MatchCriteria? in
        let keyIDs = keys.filter { $0.aaid == aaid }.map(\.keyID)
        return keyIDs.isEmpty ? nil : MatchCriteria(aaid: aaid, keyIDs: keyIDs)
      }
      return criteria.count == set.count ? criteria : nil
    }
  }

  /// Whether an account of this shape can authenticate.
  func areMet(by shape: KeyShape) -> Bool { areMet(by: Set(shape.models.map(\.aaid))) }

  /// Whether an account with keys of these models can authenticate.
  ///
  /// - Parameter aaids: in lower case.
  private func areMet(by aaids: Set<String>) -> Bool {
    sets.contains { $0.allSatisfy { aaids.contains($0.text.lowercased()) } }
  }

  /// Whether an account can authenticate with the keys of one machine.
  package func areMet(by account: AccountModels) -> Bool { account.machines.contains { areMet(by: $0) } }

  /// One key for each member of the first set.
  func plainShape(_ keyIDLength: Int) -> KeyShape {
    KeyShape((sets.first ?? []).map { ($0.text, keyIDLength) })
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
  /// The name decides which shape it gets. So it keeps that shape as long as the accounts' shapes stay the same, and each shape
  /// is as frequent as among the accounts. Before the first registration, there is one key for each member of the first set.
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
  /// The decoys of a request are not kept. So each key is compared with every decoy that the name may have had, whichever
  /// shapes were in use then.
  ///
  /// - Parameters:
  ///   - named: keys that the account does not have. For each of them up to `most` codes are computed, 1 µs each.
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

  /// The same KeyID each time for a name, a model and a number; other decoys do not change it.
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

  /// The shape at a position of the distribution; nil if no shape is suitable.
  ///
  /// - Parameters:
  ///   - place: the name's number; the numbers of many names are evenly distributed over all 64-bit numbers.
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

  /// The most keys of one model that an account has; 0 without accounts.
  var mostOfOneModel: Int {
    entries.lazy.flatMap(\.shape.models).map(\.lengths.count).max() ?? 0
  }

  /// Whether new shapes must replace these.
  ///
  /// Each replacement gives some decoys a different shape, and real accounts seldom change theirs. So a change of up to a
  /// tenth of the accounts waits. A new shape does not wait: if only real accounts had it, it would show that they are real.
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

/// Knows which key shapes the accounts of the store have: decoys are given the same ones.
///
/// The result is kept in the store, so that a name's decoys stay the same after a restart. The accounts are read when the
/// server starts and every hour; a new result replaces the old one only if ``KeyShapes/replace(_:)`` says so.
package final class KeyShapeKeeper: Sendable {
  /// The maximum number of accounts that are read.
  ///
  /// These are the accounts whose number is a multiple of a power of two. So the sample changes little when the store grows, and
  /// a million accounts cost no more than this many.
  static let maximumSample: Int64 = 2048
  /// Seconds from one reading to the next.
  static let interval: Int64 = 3600
  /// Accounts read in one transaction; requests are served between two of them.
  private static let chunk = 64

  private let current = Mutex<KeyShapes?>(nil)

  /// The shapes in use; nil if none were found yet.
  var shapes: KeyShapes? { current.withLock { $0 } }

  /// Makes one that has found no shapes yet.
  package init() {}

  /// Makes one with the shapes that an earlier run of the server has stored.
  package init(from store: any ServerStore) async throws {
    let stored = try await store.read { try $0.settings.value(of: .keyShapes) }
    // A text that cannot be read is ignored: the next reading replaces it.
    let found = stored.flatMap { try? JSONDecoder().decode(KeyShapes.self, from: Data($0.utf8)) }
    current.withLock { $0 = found }
  }

  /// Reads the store now and every hour, for as long as the process lives.
  ///
  /// - Parameter failed: is called with the error of a failed reading; the next one is an hour later.
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
    try await store.write { try $0.settings.set(.keyShapes, to: text) }
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
      shapes += try await store.read { try $0.credentials.shapes(ofAccounts: numbers, appID: appID) }
      next += Int64(Self.chunk) * stride
    }
    return shapes
  }
}

/// What a request for an authentication shows of an account's keys: their models, how many there are of each, and how long their
/// KeyIDs are.
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
  /// So the neighbours of a shape are those that differ from it by one key.
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

/// A policy that is in force, or was.
package struct PolicyVersion: Equatable, Sendable {
  /// From 1 on; the highest number is in force.
  package let number: Int64
  /// Seconds since 1970.
  package let savedAt: Int64
  /// As ``AuditActor/text`` writes it.
  package let actor: String
  /// The reason, in the words of whoever saved it.
  package let reason: String
  /// The policy in JSON, as it was given.
  package let text: String

  package init(number: Int64, savedAt: Int64, actor: String, reason: String, text: String) {
    self.number = number
    self.savedAt = savedAt
    self.actor = actor
    self.reason = reason
    self.text = text
  }
}

/// The saved policies: each is kept, none is changed.
package protocol PolicyVersions {
  /// The number of the policy in force; 0 if none was saved.
  func lastNumber() throws -> Int64

  /// A policy by its number; nil if there is none.
  func version(_ number: Int64) throws -> PolicyVersion?

  /// Policies with a lower number, the newest first.
  ///
  /// - Parameter limit: how many at most.
  func versions(before number: Int64, limit: Int) throws -> [PolicyVersion]

  /// Adds a policy, which is in force from then on.
  ///
  /// - Returns: false if its number is not the next one, and nothing was changed: a different administrator was faster.
  func add(_ version: PolicyVersion) throws -> Bool
}
