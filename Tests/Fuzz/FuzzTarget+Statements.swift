@testable import UAFMessages

extension FuzzTarget {
  /// The claims of everything that a server signs, and a challenge that says what it is for.
  static func statement(_ bytes: [UInt8]) {
    if let challenge = try? ServerChallenge(bytes: bytes), case .marked(let read) = PurposedChallenge.read(challenge) {
      precondition((try? read.challenge.bytes) == bytes, "a second form of a challenge")
    }
    guard case .object(let claims)? = try? JSONValue(parsing: bytes) else { return }
    again(claims, CheckInStatement.init(claims:)) { $0.json }
    again(claims, TrustStatement.init(claims:)) { $0.json }
    again(claims, WorkstationPolicy.init(claims:)) { $0.json }
    again(claims, AccountStatement.init(claims:)) { $0.json }
    again(claims, UnknownMachineStatement.init(claims:)) { $0.json }
    again(claims, JoinStatement.init(claims:)) { $0.json }
    again(claims, UnlockStatement.init(claims:)) { $0.json }
  }

  /// What was read, written, and read again, is the same.
  private static func again<Statement: Equatable>(
    _ claims: JSONObject, _ read: (JSONObject) -> Statement?, _ json: (Statement) -> JSONValue
  ) {
    guard let statement = read(claims) else { return }
    // Only a server writes, by its clock: the end of a statement is some minutes after its issue.
    if case .integer(let issuedAt)? = claims["iat"], issuedAt > 1 << 40 { return }
    guard case .object(let written) = json(statement) else { preconditionFailure("not an object") }
    precondition(read(written) == statement, "reads itself otherwise")
  }

  /// What a machine reports, the answer, and the proof of the machine.
  static func checkIn(_ bytes: [UInt8]) {
    member(CheckInRequest.self, bytes)
    member(CheckInAnswer.self, bytes)
    if let request = try? CheckInRequest(parsing: bytes) {
      precondition((try? CheckInRequest(parsing: request.paddedBytes)) == request, "reads itself otherwise with spaces")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let (proof, code) = MachineProof.read(text) else { return }
    precondition(proof.text(with: code) == text, "a second form of a proof")
    _ = (proof.claim.isCheckIn, proof.claim.isJoining, proof.claim.asksForState)
  }

  /// What a person pastes or types: a code, a payload or a token, in the middle of anything.
  static func pastedCode(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    for word in PastedCode.words(of: text) { _ = (PastedCode.isUnlockCode(word), CodeKind(word)) }
    _ = (PastedCode.kind(in: text), PastedCode.standsAlone(in: text), EnrolmentCode.wrongGroup(typed: text))
    _ = (EnrolmentCode.mayBeMistyped(text), EnrolmentCode.isTypedInHangul(text), EnrolmentPayload.mayBeMistyped(text))
    for keepsOthers in [false, true] {
      if let code = PastedCode.enrolment(in: text, keepsOthers: keepsOthers).code {
        precondition(
          PastedCode.enrolment(in: code, keepsOthers: keepsOthers).code == code, "another code the second time")
      }
    }
    _ = PastedCode.unlock(in: text, beside: ["mina"])
    if let code = EnrolmentCode(typed: text) {
      precondition(EnrolmentCode(typed: code.text) == code && EnrolmentCode.isEvident(code.text), "another code")
    }
    let now: Int64 = 1_800_000_000
    if let code = UnlockCode(typed: text, near: now) {
      precondition(UnlockCode(typed: code.text, near: now) == code, "another unlock code")
      precondition(abs(code.issuedAt - now) <= 60 << 23, "not the nearest minute")
    }
    if let token = try? RedeemableToken(parsing: text) {
      precondition((1...1024).contains(token.token.utf8.count), "not the length of a token")
    }
  }
}
