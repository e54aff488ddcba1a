import Testing

@testable import UAFMessages

/// What a server says about its keys and authorities, and what a machine reports that it knows.
@Suite struct TrustStatementTests {
  private static let id = "0123456789abcdef"
  private static let fingerprint = String(repeating: "0123456789abcdef", count: 4)

  private func statement() -> TrustStatement {
    var statement = TrustStatement(
      CheckInClaims(
        deviceID: "d1", machineID: Array(repeating: 1, count: 16), nonce: Array(repeating: 2, count: 16), issuedAt: 9))
    statement.keys = [key(1), key(2)]
    statement.authorities = [[1, 2, 3]]
    return statement
  }

  private func key(_ byte: UInt8) -> [UInt8] { [4] + Array(repeating: byte, count: 64) }

  private func claims(_ statement: TrustStatement) throws -> JSONObject {
    guard case .object(let claims) = statement.json else { throw MessageError.wrongOperation }
    return claims
  }

  private func isRead(_ change: (inout TrustStatement) -> Void) throws -> Bool {
    var statement = statement()
    change(&statement)
    return TrustStatement(claims: try claims(statement)) == statement
  }

  @Test func `a statement about keys is read back as it was written, with as many of each as are allowed`() throws {
    #expect(try isRead { _ in })
    #expect(
      try isRead { statement in
        statement.keys = (1...4).map { key($0) }
        statement.authorities = (1...4).map { Array(repeating: $0, count: TrustStatement.maximumAuthorityBytes) }
        statement.endedKeys = (1...4).map { "000000000000000\($0)" }
        statement.endedAuthorities = (1...4).map { String(repeating: "0", count: 63) + String($0) }
      })
    #expect(try isRead { $0.keys = [] })
  }

  @Test func `the longest statement that is allowed fits into a token`() throws {
    var statement = statement()
    statement.keys = (1...4).map { key($0) }
    statement.authorities = (1...4).map { Array(repeating: $0, count: TrustStatement.maximumAuthorityBytes) }
    statement.endedKeys = (1...4).map { "000000000000000\($0)" }
    statement.endedAuthorities = (1...4).map { String(repeating: "0", count: 63) + String($0) }
    let claims = Base64URL.encode(statement.json.bytes)
    #expect(claims.utf8.count + 200 <= TrustStatement.maximumTokenBytes)
  }

  @Test func `refuses a statement about too many keys, authorities or ends, and one with a part that is too long`()
    throws
  {
    #expect(try !isRead { $0.keys = (1...5).map { key($0) } })
    #expect(try !isRead { $0.authorities = (1...5).map { [$0] } })
    #expect(try !isRead { $0.endedKeys = (1...5).map { "000000000000000\($0)" } })
    #expect(try !isRead { $0.endedAuthorities = (1...5).map { String(repeating: "0", count: 63) + String($0) } })
    #expect(try !isRead { $0.authorities = [Array(repeating: 1, count: TrustStatement.maximumAuthorityBytes + 1)] })
    #expect(try !isRead { $0.keys = [key(1) + [0]] })
    #expect(try !isRead { $0.keys = [Array(key(1).dropLast())] })
  }

  @Test func `refuses a statement that names something twice, or by no name`() throws {
    #expect(try !isRead { $0.keys = [key(1), key(1)] })
    #expect(try !isRead { $0.authorities = [[1], [1]] })
    #expect(try !isRead { $0.authorities = [[]] })
    for id in ["", "0123", "0123456789ABCDEF", "0123456789abcdeg", Self.fingerprint] {
      #expect(try !isRead { $0.endedKeys = [id] }, "\(id)")
    }
    for name in ["", Self.id, Self.fingerprint.uppercased()] {
      #expect(try !isRead { $0.endedAuthorities = [name] }, "\(name)")
    }
  }

  @Test(arguments: ["sub", "machine", "nonce", "keys", "iat"])
  func `refuses a statement about keys without one of its claims, or with one of a different type`(_ name: String)
    throws
  {
    var claims = try claims(statement())
    #expect(TrustStatement(claims: JSONObject(claims, without: name)) == nil)
    claims.set(name, .bool(true))
    #expect(TrustStatement(claims: claims) == nil)
  }

  @Test func `a report says which keys and authorities the machine knows, and at most sixteen of each`() throws {
    var report = MachineReport(module: "1.0", nextMark: Array(repeating: 2, count: 16))
    report.trust = KnownTrust(verdictKeys: [Self.id], authorities: [Self.fingerprint])
    let request = CheckInRequest(report)
    #expect(try CheckInRequest(parsing: request.jsonBytes) == request)
    let many = KnownTrust(
      verdictKeys: Array(repeating: Self.id, count: 20), authorities: Array(repeating: Self.fingerprint, count: 20))
    #expect(many.verdictKeys.count == 16 && many.authorities.count == 16)
  }

  @Test(arguments: [
    #"{"verdictKeys":["0123456789ABCDEF"]}"#, #"{"verdictKeys":["0123"]}"#, #"{"verdictKeys":[1]}"#,
    #"{"verdictKeys":"0123456789abcdef"}"#, #"{"authorities":["0123456789abcdef"]}"#, "[]",
  ]) func `refuses a report with a name of a key or authority that is none`(_ text: String) {
    #expect(throws: MessageError.self) {
      try KnownTrust(json: JSONValue(parsing: Array(text.utf8)), path: "trust")
    }
  }

  @Test func `an answer without a statement about keys is read, and one with it is read by a machine that ignores it`()
    throws
  {
    let old = try CheckInAnswer(parsing: #"{"statusCode":1200,"token":"a.b.c"}"#)
    #expect(old.trust == nil && old.token == "a.b.c")
    let new = CheckInAnswer(statusCode: .ok, token: "a.b.c", trust: "d.e.f")
    #expect(try CheckInAnswer(parsing: new.jsonBytes) == new)
  }
}

extension JSONObject {
  /// The object without a member.
  fileprivate init(_ object: JSONObject, without name: String) {
    self.init()
    for member in object.members where member.name != name { set(member.name, member.value) }
  }
}
