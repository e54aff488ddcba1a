import FidoResults
import Foundation
import Testing
import UAFClient
import UAFCrypto
import UAFMessages
import UAFWire

@testable import Authenticator
@testable import UAFConfiguration
@testable import UAFHelper

/// How a joined machine learns its server's coming keys and authorities at a check-in, and what it accepts from then on.
@Suite final class AnnouncedKeyTests {
  private let (old, new, stranger): (VerdictSigner, VerdictSigner, VerdictSigner)
  private let bench: HelperBench
  private let secret = [UInt8](repeating: 4, count: 32)
  /// Who signs the server's successes and answers now.
  private var signer: VerdictSigner
  private var reports: [MachineReport] = []
  /// What the server says about its keys with each answer; nil if it says nothing, as an earlier version.
  private var said: ((inout TrustStatement) -> Void)?
  /// Changes the token with that.
  private var token: (String) -> String = { $0 }

  init() throws {
    (old, new, stranger) = (try VerdictSigner(), try VerdictSigner(), try VerdictSigner())
    signer = old
    bench = try HelperBench()
    bench.configuration += "\n[general]\noffline = \"allow\"\noffline_max_age = 864000"
    try bench.demandSignature(old.pem)
    bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
    bench.server.signed = { [unowned self] in try signer.token(for: $0, at: bench.now.wallSeconds) }
    bench.server.checkingIn = { [unowned self] in try answer($0) }
    _ = try StateDirectory.initialise(state, owner: getuid())
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0)
    try join()
  }

  private var state: String { bench.folder + "/state" }

  private func join() throws {
    let place = try SHA256.hash(Array("https://localhost/uaf/get\0https://localhost/uaf/respond\0".utf8))
    let machine = MachineRecord(machineID: Array(repeating: 3, count: 16), secret: secret, place: place)
    try JoinRecord(machine, group: "lab").store(in: state, owner: getuid())
  }

  private func answer(_ request: TransportRequest) throws -> TransportResponse {
    let (proof, _) = try #require(MachineProof.read(request.machineProof ?? ""))
    reports.append(try CheckInRequest(parsing: request.body).report)
    let about = CheckInClaims(
      deviceID: try deviceID, machineID: proof.machineID, nonce: proof.nonce, issuedAt: bench.now.wallSeconds)
    let statement = CheckInStatement(about)
    var trust: String?
    if let said {
      var statement = TrustStatement(about)
      statement.keys = [signer.publicKey]
      said(&statement)
      trust = token(try signer.token(claims(statement.json), type: TrustStatement.tokenType))
    }
    let answer = CheckInAnswer(
      statusCode: .ok, token: try signer.token(claims(statement.json), type: CheckInStatement.tokenType), trust: trust)
    return TransportResponse(status: 200, contentType: "application/json", body: answer.jsonBytes)
  }

  private func claims(_ json: JSONValue) throws -> JSONObject {
    guard case .object(let claims) = json else { throw MessageError.wrongOperation }
    return claims
  }

  private var deviceID: String {
    get throws {
      let contexts = bench.server.requests.compactMap { try? GetUAFRequest(parsing: $0.body).context }
      return try #require(contexts.compactMap { try? RequestContext(parsing: $0).deviceID }.first)
    }
  }

  private func login() throws -> UInt32 { try bench.run(bench.begin(), ["correct"]).result }

  @discardableResult private func checkIn() throws -> UInt32 {
    var begin = Begin(.checkIn)
    begin.service = Array("uafctl".utf8)
    begin.arguments = [Array("conf=\(bench.folder)/conf".utf8)]
    return try bench.run(begin, peer: 0).result
  }

  private func id(_ signer: VerdictSigner) -> String { TrustName.keyID(of: signer.publicKey) ?? "" }

  private var record: TrustRecord? { get throws { try TrustRecord.read(in: state, owner: getuid()) } }

  private func advance(_ seconds: Int64) {
    bench.now.nanoseconds += seconds * 1_000_000_000
    bench.now.wallSeconds += seconds
  }

  /// The server announces its new key, and the machine checks in.
  private func announceNew() throws {
    said = { [new] in $0.keys.append(new.publicKey) }
    #expect(try checkIn() == 0, "\(bench.log.lines)")
  }

  // MARK: Verdict keys

  @Test
  func `a machine accepts a coming key from the check-in on that announced it, and reports at once that it knows it`()
    throws
  {
    signer = new
    #expect(try login() != 0)
    signer = old
    try announceNew()
    #expect(reports.map { $0.trust?.verdictKeys ?? [] } == [[id(old)], [id(new), id(old)]])
    signer = new
    #expect(try login() == 0, "\(bench.log.lines)")
    signer = old
    #expect(try login() == 0)
    signer = stranger
    #expect(try login() != 0)
    #expect(bench.log.lines.contains { $0.hasPrefix("event=serverKeys ") && $0.contains("accepted \(id(new))") })
  }

  @Test func `a login's check-in brings the coming key too, and a server of an earlier version changes nothing`() throws
  {
    #expect(try login() == 0)
    #expect(try record == nil && reports.count == 1)
    said = { [new] in $0.keys.append(new.publicKey) }
    advance(3600)
    #expect(try login() == 0)
    #expect(try record?.keys.map(\.bytes) == [new.publicKey])
    signer = new
    #expect(try login() == 0)
  }

  @Test func `a key that the server no longer names stays, and one that it ends does not, even if it is root's`() throws
  {
    try announceNew()
    (signer, said) = (new, { _ in })
    advance(10)
    #expect(try checkIn() == 0)
    signer = old
    #expect(try login() == 0)
    signer = new
    advance(10)
    let ended = id(old)
    said = { $0.endedKeys = [ended] }
    #expect(try checkIn() == 0)
    #expect(try login() == 0)
    signer = old
    #expect(try login() != 0)
    // The ended key cannot bring itself back.
    said = { _ in }
    #expect(try checkIn() != 0)
    (signer, said) = (new, { [old] in $0.keys = [old.publicKey] })
    advance(10)
    #expect(try checkIn() == 0)
    signer = old
    #expect(try login() != 0)
  }

  @Test
  func `refuses a statement about keys by a stranger, for a different check-in, or cut off, and reports nevertheless`()
    throws
  {
    said = { [new] in $0.keys.append(new.publicKey) }
    let stolen = try stranger.token(["sub": .string("x")], type: TrustStatement.tokenType)
    for (change, why) in [
      ({ _ in stolen }, "not signed"), ({ String($0.dropLast(10)) }, "not signed"),
      ({ $0 + String(repeating: "A", count: 40_000) }, "longer than"),
    ] as [((String) -> String, String)] {
      token = change
      #expect(try checkIn() == 0)
      #expect(try record == nil)
      #expect(bench.log.lines.contains { $0.hasPrefix("event=serverKeys ") && $0.contains(why) }, "\(why)")
    }
    token = { $0 }
    said = { $0.keys = (1...5).map { [4] + Array(repeating: $0, count: 64) } }
    #expect(try checkIn() == 0)
    said = { $0.keys = [[4] + Array(repeating: 1, count: 64)] }
    #expect(try checkIn() == 0)
    let ended = id(old)
    said = { $0.endedKeys = [ended] }
    #expect(try checkIn() == 0)
    #expect(try record == nil)
    #expect(try login() == 0)
  }

  @Test func `a login without the server stays possible after the server has announced a key`() throws {
    #expect(try login() == 0)
    try announceNew()
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try login() == 0, "\(bench.log.lines)")
  }

  @Test func `root who takes a key out of the file takes out everything that was learned by it`() throws {
    try announceNew()
    let third = try VerdictSigner()
    try bench.demandSignature(old.pem + third.pem)
    signer = new
    #expect(try login() == 0)
    try bench.demandSignature(third.pem)
    #expect(try login() != 0)
    signer = third
    said = nil
    #expect(try login() == 0)
    #expect(bench.log.lines.contains { $0.hasPrefix("event=serverKeys ") && $0.contains("root's files have changed") })
  }

  @Test func `a damaged record leaves root's own keys, and one that others could have written does too`() throws {
    try announceNew()
    let path = state + "/machine.trust"
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for damage in [bytes.prefix(bytes.count - 3), Data([9, 9])] {
      try damage.write(to: URL(fileURLWithPath: path))
      // SAFETY: the path lives for the call.
      #expect(unsafe chmod(path, 0o600) == 0)
      signer = new
      #expect(try login() != 0)
      signer = old
      #expect(try login() == 0)
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    // SAFETY: the path lives for the call.
    #expect(unsafe chmod(path, 0o666) == 0)
    signer = new
    #expect(try login() != 0)
    signer = old
    try FileManager.default.removeItem(atPath: path)
    try announceNew()
    signer = new
    #expect(try login() == 0)
  }

  @Test func `what was learned ends when the machine leaves, and does not count at a different server`() throws {
    try announceNew()
    var begin = bench.begin(.leave)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin).result == 0, "\(bench.log.lines)")
    #expect(try record == nil)
    try join()
    var elsewhere = TrustRecord(place: Array(repeating: 1, count: 32))
    elsewhere.keys = [.init(new.publicKey, learnedAt: 1)]
    try elsewhere.store(in: state, owner: getuid())
    signer = new
    #expect(try login() != 0)
  }

  @Test func `status names what the server has announced, for doctor`() throws {
    try announceNew()
    let document = try #require(try bench.run(bench.begin(.status)).finished.document)
    #expect(document.contains(#""announced":{"verdictKeys":["\#(id(new))"]}"#), "\(document)")
  }

  // MARK: Authorities

  @Test func `a machine accepts a coming authority beside root's from then on, until the server ends it`() throws {
    let (root, coming) = (try HelperBench.authority(), try HelperBench.authority())
    try bench.trust(root)
    let certificate = try X509.certificates(pem: coming)[0]
    let name = try #require(TrustName.fingerprint(of: certificate))
    said = { $0.authorities = [certificate] }
    #expect(try checkIn() == 0)
    let before = try #require(bench.usedAuthorities.last ?? nil)
    #expect(try login() == 0)
    let both = try #require(bench.usedAuthorities.last ?? nil)
    #expect(try CertificateAuthorities(parsing: Array(both.utf8)).certificates.contains(certificate))
    #expect(both.hasPrefix(String(decoding: root, as: UTF8.self)) || both.utf8.count > before.utf8.count)
    #expect(reports.last?.trust?.authorities.first == name)
    advance(10)
    said = { $0.endedAuthorities = [name] }
    #expect(try checkIn() == 0)
    #expect(try login() == 0)
    let after = try #require(bench.usedAuthorities.last ?? nil)
    #expect(try !CertificateAuthorities(parsing: Array(after.utf8)).certificates.contains(certificate))
  }

  @Test func `a machine that uses its system's authorities learns none, and root's authority never ends by the server`()
    throws
  {
    let certificate = try X509.certificates(pem: HelperBench.authority())[0]
    said = { $0.authorities = [certificate] }
    #expect(try checkIn() == 0)
    #expect(try record?.authorities.isEmpty ?? true)
    #expect(bench.usedAuthorities.allSatisfy { $0 == nil })
    let root = try HelperBench.authority()
    try bench.trust(root)
    let name = try #require(TrustName.fingerprint(of: X509.certificates(pem: root)[0]))
    said = { $0.endedAuthorities = [name] }
    #expect(try checkIn() == 0)
    #expect(reports.last?.trust?.authorities == [name])
  }

  @Test func `a machine keeps a learned authority while root requires no signature`() throws {
    try bench.trust(HelperBench.authority())
    let certificate = try X509.certificates(pem: HelperBench.authority())[0]
    said = { $0.authorities = [certificate] }
    #expect(try checkIn() == 0)
    bench.configuration = bench.configuration.replacing("require_signed_verdict = true", with: "")
    #expect(try login() == 0, "\(bench.log.lines)")
    let used = try #require(bench.usedAuthorities.last ?? nil)
    #expect(try CertificateAuthorities(parsing: Array(used.utf8)).certificates.contains(certificate))
    #expect(!bench.log.lines.contains { $0.contains("root's files have changed") })
  }

  @Test func `one call reads the record and root's file once, whatever happens to them in the meantime`() throws {
    try announceNew()
    let files = TrustFiles()
    var server = ServerSettings()
    (server.requiresSignedVerdict, server.verdictKeyFile) = (true, bench.folder + "/verdict.pub")
    let (keys, found) = (
      try files.keys(of: server, owner: getuid()), try files.record(in: state, owner: getuid())
    )
    #expect(keys == [old.publicKey] && found?.keys.map(\.bytes) == [new.publicKey])
    try bench.demandSignature(stranger.pem)
    try TrustRecord.remove(in: state, owner: getuid())
    #expect(try files.keys(of: server, owner: getuid()) == keys)
    #expect(try files.record(in: state, owner: getuid()) == found)
    server.requiresSignedVerdict = false
    #expect(try files.keys(of: server, owner: getuid()) == nil)
    #expect(try TrustFiles().record(in: state, owner: getuid()) == nil)
  }

  @Test func `status says that the machine has joined, and not once it has left`() throws {
    #expect(try bench.run(bench.begin(.status)).finished.document?.contains(#""joined":true"#) == true)
    var begin = bench.begin(.leave)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin).result == 0, "\(bench.log.lines)")
    #expect(try bench.run(bench.begin(.status)).finished.document?.contains("joined") == false)
  }

  @Test func `refuses a statement with something that is no certificate`() throws {
    try bench.trust(HelperBench.authority())
    said = { [new] in
      $0.authorities = [[1, 2, 3]]
      $0.keys.append(new.publicKey)
    }
    #expect(try checkIn() == 0)
    #expect(try record == nil)
    #expect(bench.log.lines.contains { $0.hasPrefix("event=serverKeys ") && $0.contains("no certificate") })
  }
}

/// What a machine makes of statements that arrive in any order.
@Suite struct TrustIntakeTests {
  private static let place = [UInt8](repeating: 1, count: 32)
  private let keys: [[UInt8]]

  init() throws { keys = try (0..<20).map { _ in try P256.generate().publicKey } }

  private func trust(_ record: TrustRecord? = nil) -> ServerTrust {
    ServerTrust(pinnedKeys: [keys[0]], pinnedAuthorities: nil, found: record, place: Self.place)
  }

  private func take(
    _ record: TrustRecord?, _ announced: [Int], ended: [Int] = [], at time: Int64, by signer: Int = 0
  ) throws(TrustIntake.Refusal) -> TrustRecord {
    var statement = TrustStatement(CheckInClaims(deviceID: "d", machineID: [], nonce: [], issuedAt: time))
    statement.keys = announced.map { keys[$0] }
    statement.endedKeys = ended.compactMap { TrustName.keyID(of: keys[$0]) }
    return try TrustIntake(trust: trust(record)).outcome(of: statement, signedBy: keys[signer]).record
  }

  private func accepted(_ record: TrustRecord) -> [Int] {
    (trust(record).keys ?? []).compactMap { key in keys.firstIndex(of: key) }
  }

  @Test func `an older statement never ends a key that a newer one brought, and never brings back what has ended`()
    throws
  {
    let newer = try take(nil, [0, 1], at: 100)
    #expect(try accepted(take(newer, [0], ended: [1], at: 99)) == [0, 1])
    #expect(try accepted(take(newer, [0], ended: [1], at: 100)) == [0, 1])
    let ended = try take(newer, [0], ended: [1], at: 101)
    #expect(accepted(ended) == [0])
    #expect(try accepted(take(ended, [0, 1], at: 50)) == [0])
    #expect(try accepted(take(ended, [0, 1], at: 500)) == [0])
  }

  @Test func `refuses a statement that ends its own signer, or a key that it announces`() throws {
    #expect(throws: TrustIntake.Refusal.endsItsSigner) { try take(nil, [1], ended: [0], at: 1) }
    #expect(throws: TrustIntake.Refusal.contradicts) { try take(nil, [0, 1], ended: [1], at: 1) }
  }

  @Test func `what has ended makes room for later keys, and too many that are accepted are refused`() throws {
    var record: TrustRecord?
    for number in 1..<20 {
      let time = Int64(number) * 10
      record = try take(record, [number], at: time, by: number - 1)
      record = try take(record, [number], ended: [number - 1], at: time + 1, by: number)
    }
    let last = try #require(record)
    #expect(accepted(last) == [19] && last.keys.count == TrustRecord.mostKeys)
    // Root's own key stays among those that have ended, however many come later.
    #expect(last.keys.contains { $0.bytes == keys[0] && $0.endedAt != nil })
    var many: TrustRecord?
    for number in 1...16 { many = try take(many, [number], at: Int64(number)) }
    #expect(throws: TrustIntake.Refusal.tooMany) { try take(many, [17], at: 99) }
  }

  @Test func `the end of a key that the machine never knew changes nothing`() throws {
    #expect(try take(nil, [0], ended: [5], at: 9).keys.isEmpty)
  }

  // MARK: Authorities

  private func outcome(
    _ record: TrustRecord?, _ authorities: [[UInt8]], ended: [[UInt8]] = [], root: CertificateAuthorities,
    announcing announced: Int = 0, at time: Int64
  ) throws(TrustIntake.Refusal) -> TrustIntake.Outcome {
    var statement = TrustStatement(CheckInClaims(deviceID: "d", machineID: [], nonce: [], issuedAt: time))
    (statement.keys, statement.authorities) = ([keys[announced]], authorities)
    statement.endedAuthorities = ended.compactMap { TrustName.fingerprint(of: $0) }
    let trust = ServerTrust(pinnedKeys: [keys[0]], pinnedAuthorities: root, found: record, place: Self.place)
    return try TrustIntake(trust: trust).outcome(of: statement, signedBy: keys[0])
  }

  private func root() throws -> CertificateAuthorities {
    try CertificateAuthorities(parsing: HelperBench.authority())
  }

  @Test func `an authority that had ended counts again once a later statement announces it, and never by an older one`()
    throws
  {
    let (root, certificate) = (try root(), try X509.certificates(pem: HelperBench.authority())[0])
    let learned = try outcome(nil, [certificate], root: root, at: 10).record
    let ended = try outcome(learned, [], ended: [certificate], root: root, at: 20).record
    #expect(ended.authorities == [.init(certificate, learnedAt: 10, endedAt: 20)])
    #expect(try outcome(ended, [certificate], root: root, at: 19).record == ended)
    #expect(try outcome(ended, [certificate], root: root, at: 20).record == ended)
    let again = try outcome(ended, [certificate], root: root, at: 21).record
    #expect(again.authorities == [.init(certificate, learnedAt: 21)])
    #expect(try outcome(again, [], ended: [certificate], root: root, at: 21).record == again)
  }

  @Test func `too many authorities are left out, and the keys of the same statement count`() throws {
    let root = try root()
    var record: TrustRecord?
    var all: [[UInt8]] = []
    for number in 1...TrustRecord.mostAuthorities {
      all.append(try X509.certificates(pem: HelperBench.authority())[0])
      record = try outcome(record, [all[number - 1]], root: root, at: Int64(number)).record
    }
    let more = try X509.certificates(pem: HelperBench.authority())[0]
    let full = try outcome(record, [more], root: root, announcing: 1, at: 99)
    #expect(full.leavesOutAuthorities && full.record.authorities.map(\.bytes) == all)
    #expect(full.record.keys.map(\.bytes) == [keys[1]])
    // An end makes room in the same statement.
    let room = try outcome(full.record, [more], ended: [all[3]], root: root, at: 100)
    #expect(!room.leavesOutAuthorities && room.record.authorities.contains(.init(more, learnedAt: 100)))
  }

  @Test func `a machine with the authorities of its system, or with more than 64, reports none`() throws {
    var many: [UInt8] = []
    for _ in 0...TrustRecord.mostPinned { many += try HelperBench.authority() }
    for authorities in [nil, try CertificateAuthorities(parsing: many)] {
      let trust = ServerTrust(pinnedKeys: [keys[0]], pinnedAuthorities: authorities, found: nil, place: Self.place)
      #expect(!trust.learnsAuthorities && trust.known.authorities.isEmpty && trust.known.verdictKeys.count == 1)
    }
  }

  @Test
  func `while root requires no signature, learned authorities count, and no key does until root requires one again`()
    throws
  {
    let (root, certificate) = (try root(), try X509.certificates(pem: HelperBench.authority())[0])
    let record = try outcome(nil, [certificate], root: root, announcing: 1, at: 10).record
    let free = ServerTrust(pinnedKeys: nil, pinnedAuthorities: root, found: record, place: Self.place)
    #expect(free.authorities?.certificates.contains(certificate) == true)
    #expect(free.keys == nil && free.earlierKeys.isEmpty && free.note == nil)
    let strict = ServerTrust(pinnedKeys: [keys[0]], pinnedAuthorities: root, found: free.record, place: Self.place)
    #expect(strict.keys == [keys[0], keys[1]])
    let others = ServerTrust(pinnedKeys: [keys[2]], pinnedAuthorities: root, found: free.record, place: Self.place)
    #expect(others.keys == [keys[2]])
  }
}
