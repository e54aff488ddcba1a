import Authenticator
import FidoResults
import Glibc
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages

/// By which keys and authorities this machine knows its server: those of root's files, and what the server has said at check-ins.
struct ServerTrust {
  /// The verdict keys of root's file; nil if root requires no signature.
  let pinnedKeys: [[UInt8]]?
  /// The authorities of root's file; nil for the system's.
  let pinnedAuthorities: CertificateAuthorities?
  /// What the server has said; an empty record if it has said nothing that still counts.
  private(set) var record: TrustRecord
  /// Why a stored record is not used, for the log.
  private(set) var note: String?

  /// - Parameters:
  ///   - found: the stored record; nil if there is none.
  ///   - place: the hash of the server's addresses.
  init(pinnedKeys: [[UInt8]]?, pinnedAuthorities: CertificateAuthorities?, found: TrustRecord?, place: [UInt8]) {
    self.pinnedKeys = pinnedKeys
    self.pinnedAuthorities = pinnedAuthorities
    let hashes = (pinnedAuthorities?.certificates ?? []).map { (try? SHA256.hash($0)) ?? [] }
    record = TrustRecord(place: place)
    // While root requires no signature, no key counts, but root has taken none out of a file.
    var pinned = pinnedKeys ?? []
    if let found, found.place == place {
      if pinnedKeys == nil { pinned = found.pinnedKeys }
      // Root has taken something out of a file: whatever came after it may be from whom root no longer trusts.
      if Set(found.pinnedKeys).isSubset(of: pinned) { record.keys = found.keys }
      if Set(found.pinnedAuthorities).isSubset(of: hashes) { record.authorities = found.authorities }
      if record.keys != found.keys || record.authorities != found.authorities {
        note = "root's files have changed: keys or authorities that the server has announced before do not count"
      }
    }
    record.pinnedKeys = Array(pinned.prefix(TrustRecord.mostPinned))
    record.pinnedAuthorities = Array(hashes.prefix(TrustRecord.mostPinned))
  }

  /// Reads root's file of verdict keys, and what the server has said.
  ///
  /// - Parameters:
  ///   - pinnedAuthorities: root's authorities, which have been read already.
  ///   - folder: the state folder.
  ///   - files: what this call has read of these files already.
  /// - Throws: ``Ending``: root's file cannot be used (1001); the record cannot be read at the moment (1007). A caller may be
  ///   able to cause that, and must not bring back a key that has ended.
  static func read(
    of server: ServerSettings, pinnedAuthorities: CertificateAuthorities?, in folder: String, owner: UInt32,
    from files: TrustFiles = TrustFiles()
  ) throws(Ending) -> ServerTrust {
    let pinned = try files.keys(of: server, owner: owner)
    func trust(_ found: TrustRecord?) throws(Ending) -> ServerTrust {
      ServerTrust(
        pinnedKeys: pinned, pinnedAuthorities: pinnedAuthorities, found: found, place: try ServerPlace.hash(of: server))
    }
    let found: TrustRecord?
    do throws(StateError) { found = try files.record(in: folder, owner: owner) } catch {
      var trust = try trust(nil)
      if case .cannotOpen(_, let number) = error {
        guard number == ENOENT || number == ENOTDIR else {
          throw .configuration("what the server said about its keys cannot be read: \(error)", isRoots: false)
        }
        return trust
      }
      trust.note = "only root's own keys and authorities of the server count until the next check-in: \(error)"
      return trust
    }
    return try trust(found)
  }

  // MARK: What counts

  /// The keys of which one must have signed a success of the server; nil if root requires no signature.
  var keys: [[UInt8]]? {
    guard let pinnedKeys else { return nil }
    let ended = Set(record.keys.filter { $0.endedAt != nil }.map(\.bytes))
    let learned = record.keys.filter { $0.endedAt == nil }.map(\.bytes)
    return (pinnedKeys + learned.filter { !pinnedKeys.contains($0) }).filter { !ended.contains($0) }
  }

  /// All keys that were ever accepted, for what was checked when it arrived and has been in the state folder since; empty if
  /// root requires no signature.
  var earlierKeys: [[UInt8]] {
    guard let pinned = pinnedKeys else { return [] }
    return pinned + record.keys.map(\.bytes).filter { !pinned.contains($0) }
  }

  /// The authorities of which one must have issued the server's certificate; nil for the system's.
  var authorities: CertificateAuthorities? {
    guard let pinnedAuthorities else { return nil }
    let learned = record.authorities.filter { $0.endedAt == nil }.map(\.bytes)
    return pinnedAuthorities.adding(learned) ?? pinnedAuthorities
  }

  /// Whether the machine learns authorities: not if it uses those of its system, or a bundle of many, because then its trust is
  /// not about one server.
  var learnsAuthorities: Bool { pinnedAuthorities.map { $0.certificates.count <= TrustRecord.mostPinned } ?? false }

  /// What the machine reports: the learned ones first, because the server asks for those.
  var known: KnownTrust {
    let learned = record.keys.filter { $0.endedAt == nil }.map(\.bytes)
    let keys = keys ?? []
    let authorities = record.authorities.filter { $0.endedAt == nil }.map(\.bytes)
    return KnownTrust(
      verdictKeys: (learned.filter(keys.contains) + keys.filter { !learned.contains($0) })
        .compactMap(TrustName.keyID),
      authorities: !learnsAuthorities
        ? []
        : (authorities + (pinnedAuthorities?.certificates ?? []).filter { !authorities.contains($0) })
          .prefix(KnownTrust.most).compactMap(TrustName.fingerprint))
  }

  /// The same trust with the record that is stored now.
  func with(stored found: TrustRecord?, because note: String? = nil) -> ServerTrust {
    var trust = ServerTrust(
      pinnedKeys: pinnedKeys, pinnedAuthorities: pinnedAuthorities, found: found, place: record.place)
    if let note { trust.note = note }
    return trust
  }

  /// The same trust with another record, which is stored.
  func with(_ record: TrustRecord) -> ServerTrust {
    var trust = self
    (trust.record, trust.note) = (record, nil)
    return trust
  }
}

/// Root's file of verdict keys, and the record of what the server has said, which one call reads once.
///
/// So a file that is replaced during the call changes nothing in it.
final class TrustFiles {
  private var heldKeys: (path: String?, keys: [[UInt8]]?)?
  private var heldRecord: (folder: String, found: Result<TrustRecord?, StateError>)?

  /// The keys, as ``VerdictKeys/read(of:owner:)`` returns them.
  ///
  /// - Throws: ``Ending``; the next call reads the file again.
  func keys(of server: ServerSettings, owner: UInt32) throws(Ending) -> [[UInt8]]? {
    let path = server.requiresSignedVerdict ? server.verdictKeyFile : nil
    if let held = heldKeys, held.path == path { return held.keys }
    let read = try VerdictKeys.read(of: server, owner: owner)
    heldKeys = (path, read)
    return read
  }

  /// The record of a state folder; nil if there is none.
  ///
  /// - Throws: ``StateError``.
  func record(in folder: String, owner: UInt32) throws(StateError) -> TrustRecord? {
    if let held = heldRecord, held.folder == folder { return try held.found.get() }
    let found: Result<TrustRecord?, StateError>
    do throws(StateError) { found = .success(try TrustRecord.read(in: folder, owner: owner)) } catch {
      found = .failure(error)
    }
    heldRecord = (folder, found)
    return try found.get()
  }
}

/// What a machine makes of a statement about its server's keys and authorities (docs/protocol.md, "Check-in").
struct TrustIntake {
  /// Why a statement is refused completely.
  enum Refusal: String, Error, CaseIterable {
    case endsItsSigner = "it ends the key that signed it"
    case contradicts = "it names the same key or authority as present and as ended"
    case noKey = "one of its keys is no public key of P-256"
    case noCertificate = "one of its authorities is no certificate"
    case tooMany = "with it there would be too many keys"
  }

  /// The record after a statement.
  struct Outcome: Equatable {
    var record: TrustRecord
    /// Whether the statement's new authorities are left out, because there would be too many.
    var leavesOutAuthorities = false
  }

  let trust: ServerTrust

  /// The record after a statement, which one of the accepted keys signed.
  ///
  /// A key is added unless it is there, or has ended: an ended key never comes back, since somebody else may have it. An
  /// authority comes back with a statement that was signed after the one that ended it: the keys vouch for it. Something ends
  /// only if it was learned before the statement was signed. So an older statement never ends what a newer one brought.
  ///
  /// - Throws: ``Refusal``; then nothing of the statement counts.
  func outcome(of statement: TrustStatement, signedBy signer: [UInt8]) throws(Refusal) -> Outcome {
    guard let signerID = TrustName.keyID(of: signer), !statement.endedKeys.contains(signerID) else {
      throw .endsItsSigner
    }
    var record = trust.record
    for key in statement.keys {
      guard let id = TrustName.keyID(of: key), P256.isOnCurve(key) else { throw .noKey }
      guard !statement.endedKeys.contains(id) else { throw .contradicts }
      let isKnown = record.pinnedKeys.contains(key) || record.keys.contains { $0.bytes == key }
      if !isKnown { record.keys.append(.init(key, learnedAt: statement.claims.issuedAt)) }
    }
    for key in record.pinnedKeys where !record.keys.contains(where: { $0.bytes == key }) {
      guard TrustName.keyID(of: key).map(statement.endedKeys.contains) == true else { continue }
      record.keys.append(.init(key, learnedAt: 0, endedAt: statement.claims.issuedAt))
    }
    for index in record.keys.indices
    where TrustName.keyID(of: record.keys[index].bytes).map(statement.endedKeys.contains) == true {
      end(&record.keys[index], at: statement.claims.issuedAt)
    }
    record.keys = try fitting(record.keys, most: TrustRecord.mostKeys, keeping: record.pinnedKeys)
    for index in record.authorities.indices
    where TrustName.fingerprint(of: record.authorities[index].bytes).map(statement.endedAuthorities.contains) == true {
      end(&record.authorities[index], at: statement.claims.issuedAt)
    }
    let all = try authorities(of: statement, and: record.authorities)
    // Without room for an authority, the keys count nevertheless: the machine needs them for every login.
    do throws(Refusal) {
      record.authorities = try fitting(all, most: TrustRecord.mostAuthorities, keeping: [])
    } catch { return Outcome(record: record, leavesOutAuthorities: true) }
    return Outcome(record: record)
  }

  /// These authorities and those of a statement.
  ///
  /// Those of root's own file never end here, so a server cannot make itself unreachable.
  private func authorities(
    of statement: TrustStatement, and known: [TrustRecord.Entry]
  ) throws(Refusal) -> [TrustRecord.Entry] {
    var entries = known
    for certificate in statement.authorities {
      guard X509.isCertificate(certificate), let name = TrustName.fingerprint(of: certificate) else {
        throw .noCertificate
      }
      guard !statement.endedAuthorities.contains(name) else { throw .contradicts }
      guard trust.learnsAuthorities, trust.pinnedAuthorities?.certificates.contains(certificate) == false else {
        continue
      }
      let entry = TrustRecord.Entry(certificate, learnedAt: statement.claims.issuedAt)
      guard let index = entries.firstIndex(where: { $0.bytes == certificate }) else {
        entries.append(entry)
        continue
      }
      if let end = entries[index].endedAt, end < statement.claims.issuedAt { entries[index] = entry }
    }
    return entries
  }

  private func end(_ entry: inout TrustRecord.Entry, at time: Int64) {
    if entry.endedAt == nil, entry.learnedAt < time { entry.endedAt = time }
  }

  /// The entries without the oldest of those that have ended, as far as there is no room for them.
  private func fitting(
    _ entries: [TrustRecord.Entry], most: Int, keeping pinned: [[UInt8]]
  ) throws(Refusal) -> [TrustRecord.Entry] {
    var entries = entries
    while entries.count > most {
      guard let oldest = entries.firstIndex(where: { $0.endedAt != nil && !pinned.contains($0.bytes) }) else {
        throw .tooMany
      }
      entries.remove(at: oldest)
    }
    return entries
  }
}

extension CertificateAuthorities {
  /// These and further certificates, DER; nil if one of them cannot be read.
  func adding(_ certificates: [[UInt8]]) -> CertificateAuthorities? {
    let new = certificates.filter { !self.certificates.contains($0) }
    guard !new.isEmpty else { return self }
    return try? CertificateAuthorities(parsing: Array((pem + Self.text(new)).utf8))
  }

  /// Certificates, DER; nil if there are none, or one cannot be read.
  init?(certificates: [[UInt8]]) {
    guard let made = try? CertificateAuthorities(parsing: Array(Self.text(certificates).utf8)) else { return nil }
    self = made
  }

  private static func text(_ certificates: [[UInt8]]) -> String {
    certificates.map { "-----BEGIN CERTIFICATE-----\n\(Base64.encode($0))\n-----END CERTIFICATE-----\n" }.joined()
  }
}

/// Which server a secret or a statement came from.
enum ServerPlace {
  /// The hash of a server's addresses.
  ///
  /// - Throws: ``Ending``: an address is missing.
  static func hash(of server: ServerSettings) throws(Ending) -> [UInt8] {
    try hash(endpoint(server, server.authentication))
  }

  /// The hash of the addresses of an endpoint.
  static func hash(_ endpoint: ServerEndpoint) throws(Ending) -> [UInt8] {
    let texts = [endpoint.requestURL, endpoint.responseURL]
    let bytes: [UInt8] = texts.flatMap { text -> [UInt8] in Array(text.utf8) + [0] }
    do throws(CryptoError) { return try SHA256.hash(bytes) } catch { throw Ending(.cannotUse, log: "\(error)") }
  }

  /// The addresses of one operation.
  ///
  /// - Throws: ``Ending`` (1001) if there is none for requests.
  static func endpoint(
    _ server: ServerSettings, _ own: ServerSettings.OperationURLs
  ) throws(Ending) -> ServerEndpoint {
    guard let request = own.requestURL ?? server.requestURL else {
      throw .configuration("server.request_url is missing")
    }
    // A deregistration sends no response. For the other operations the configuration must have this address.
    let response = own.responseURL ?? server.responseURL ?? request
    return ServerEndpoint(requestURL: request.text, responseURL: response.text)
  }
}
