import FidoResults
import Foundation
import Testing
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire

@testable import Authenticator
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
    return try TrustIntake(trust: trust(record)).record(after: statement, signedBy: keys[signer])
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
}
