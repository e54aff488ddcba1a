import Testing
import ToolTestSupport

@testable import Doctor

@Suite struct StatusDocumentTests {
  @Test func `doctor reads the status document that the core writes`() {
    let more = #","atServer":"revoked","lockOptionsWait":true"#
    let document = StatusDocument(parsing: Machine.document(Machine.authenticator(state: 3008, more: more)))
    #expect(document?.version == ToolVersion.number && document?.accountName == "alice")
    #expect(document?.serverUserName == nil && document?.isRegistered == true)
    let passcode = document?.authenticators.first
    #expect(passcode?.isCalled("passcode") == true && passcode?.isCalled("5541#0001") == true)
    #expect(passcode?.isCalled("pattern") == false && passcode?.state == AuthenticatorState.locked)
    #expect(passcode?.atServer == "revoked" && passcode?.lockOptionsWait == true && passcode?.remote == nil)
    #expect(passcode?.local?.remainingTries == 5 && passcode?.local?.isPermanent == false)
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"authenticators":{}}"#, Machine.document("7"), Machine.document(#"{"type":"passcode"}"#),
    // A type that can be verified has a name at the server, and counters.
    Machine.document(#"{"type":"passcode","state":3006}"#),
    Machine.document(#"{"type":"passcode","aaid":"5541#0001","state":3006}"#),
    Machine.document(Machine.passcode) + "x",
  ])
  func `doctor refuses a status document that the core would not write`(text: String) {
    #expect(StatusDocument(parsing: text) == nil)
  }

  @Test func `doctor reads a type that this version cannot verify without a name and counters`() {
    let document = StatusDocument(parsing: Machine.document(#"{"type":"face","state":3005}"#))
    #expect(document?.authenticators.map(\.state) == [AuthenticatorState.notSupported])
    #expect(document?.isRegistered == false)
  }
}
