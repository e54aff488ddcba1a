import Authenticator
import FidoResults
import Foundation
import Testing
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire
import WebAuthn

@testable import UAFHelper

/// Whole calls with a WebAuthn relying party.
@Suite struct WebAuthnTests {
  private func bench(_ server: String = "enrolment = \"open\"", _ more: String = "") throws -> HelperBench {
    let bench = try HelperBench()
    bench.server.relyingParty = FakeRelyingParty()
    speakWebAuthn(bench, server)
    bench.configuration += "\n" + more
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    return bench
  }

  private func speakWebAuthn(_ bench: HelperBench, _ server: String) {
    bench.configuration = bench.configuration
      .replacing("request_url = \"https://localhost/uaf/get\"\n", with: "")
      .replacing(
        "response_url = \"https://localhost/uaf/respond\"",
        with: "dialect = \"webauthn\"\nbase_url = \"https://localhost/fido\"\n\(server)")
  }

  private func party(_ bench: HelperBench) throws -> FakeRelyingParty { try #require(bench.server.relyingParty) }

  private func registration(_ bench: HelperBench, _ type: String = "passcode") -> Begin {
    var begin = bench.registration(type)
    begin.payload = nil
    return begin
  }

  private func registered(_ server: String = "enrolment = \"open\"", _ more: String = "") throws -> HelperBench {
    let bench = try bench(server, more)
    #expect(try bench.run(registration(bench), ["correct", "correct"]).result == 0, "\(bench.log.lines)")
    return bench
  }

  @Test func `at a relying party a person registers, and logs in with the passcode`() throws {
    let bench = try registered()
    let party = try party(bench)
    #expect(party.models == ["b42d5cb8-3c89-4b7c-bb56-d6dfb1390734"])
    for _ in 0..<3 { #expect(try bench.run(bench.begin(), ["correct"]).result == 0, "\(bench.log.lines)") }
    #expect(party.credentials["mina"]?.map(\.signatureCounter) == [3] && party.refusals.isEmpty)
  }

  @Test func `a relying party can verify a self attestation too`() throws {
    let bench = try bench()
    try party(bench).attestation = .direct
    #expect(try bench.run(registration(bench), ["correct", "correct"]).result == 0, "\(bench.log.lines)")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test(arguments: [AttestationConveyance.none, .direct])
  func `a relying party that does not take ES256 gets a key of Ed25519, which logs in after a change of the value too`(
    _ attestation: AttestationConveyance
  ) throws {
    let bench = try bench()
    try party(bench).algorithms = [.rs256, .edDSA]
    try party(bench).attestation = attestation
    #expect(try bench.run(registration(bench), ["correct", "correct"]).result == 0, "\(bench.log.lines)")
    #expect(try party(bench).credentials["mina"]?.map(\.publicKey.algorithm) == [.edDSA])
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0, "\(bench.log.lines)")
    let change = try bench.run(bench.begin(.change), ["correct", "renewed1", "renewed1"])
    #expect(change.result == 7110, "\(bench.log.lines)")
    #expect(try bench.run(bench.begin(), ["renewed1"]).result == 0, "\(bench.log.lines)")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 3012)
  }

  @Test func `a relying party that takes only RS256 gets no key, and nothing is stored`() throws {
    let bench = try bench()
    let party = try party(bench)
    party.algorithms = [.rs256]
    #expect(try bench.run(registration(bench), ["correct", "correct"]).result == 2002, "\(bench.log.lines)")
    #expect(party.credentials.isEmpty)
    #expect(try bench.run(bench.begin(), ["correct"]).result != 0)
  }

  @Test func `a login succeeds at a relying party that names no allowed credentials`() throws {
    let bench = try registered()
    try party(bench).namesCredentials = false
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0, "\(bench.log.lines)")
  }

  @Test func `at a relying party a wrong passcode is counted and locks, and nothing is signed`() throws {
    let bench = try registered()
    let count = bench.server.requests.count
    for left in [2, 1, 0] {
      #expect(try bench.run(bench.begin(), ["wrong"]).result == (left == 0 ? 3013 : 3012))
    }
    #expect(try bench.run(bench.begin(), ["correct"]).result == 3013)
    #expect(!bench.server.requests[count...].contains { $0.url.hasSuffix("/result") })
  }

  @Test func `a divided login continues once the relying party's options have arrived`() throws {
    let bench = try registered()
    var begin = bench.begin()
    begin.isDivided = true
    let transcript = try bench.run(begin, entries: [.resume, .answer("correct")])
    #expect(transcript.result == 0, "\(bench.log.lines)")
  }

  @Test func `at a relying party a second authenticator is registered after a login with the first`() throws {
    let bench = try registered()
    #expect(
      try bench.run(registration(bench, "pattern"), ["correct", "12369", "12369"]).result == 0, "\(bench.log.lines)")
    let party = try party(bench)
    #expect(party.models.count == 2 && Set(party.models).count == 2)
    var begin = bench.begin(.authenticate)
    begin.authenticator = Array("pattern".utf8)
    #expect(try bench.run(begin, ["12369"]).result == 0, "\(bench.log.lines)")
  }

  @Test func `a code is sent to a relying party in the member that the configuration names`() throws {
    let bench = try bench("enrolment = \"code\"\n[server.context]\nauthCode = \"token\"")
    #expect(try bench.run(registration(bench), ["abc-123", "correct", "correct"]).result == 0, "\(bench.log.lines)")
    #expect(try party(bench).lastQuestion["token"] == .string("abc-123"))
  }

  @Test func `without a configured member a code is sent in a header, which logins do not have`() throws {
    let bench = try bench("enrolment = \"code\"")
    #expect(try bench.run(registration(bench), ["abc-123", "correct", "correct"]).result == 0, "\(bench.log.lines)")
    #expect(bench.server.requests.allSatisfy { $0.authorization == "Bearer abc-123" })
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(bench.server.requests.suffix(2).allSatisfy { $0.authorization == nil })
    #expect(!bench.log.lines.contains { "\($0)".contains("abc-123") })
  }

  @Test func `a code in a file is sent to a relying party as an entered one is, and proves nobody here`() throws {
    let bench = try bench("enrolment = \"code\"")
    var begin = registration(bench)
    begin.payload = Array("8hMEe-WYhLr-vfStK-EENR5".utf8)
    #expect(try bench.run(begin, ["correct", "correct"]).result == 0, "\(bench.log.lines)")
    #expect(bench.server.requests.allSatisfy { $0.authorization == "Bearer 8hMEe-WYhLr-vfStK-EENR5" })
    #expect(!bench.log.lines.contains { "\($0)".contains("8hMEe") })
    // A person who is not root: nothing proves here that the server looked at the code.
    for type in ["passcode", "pattern"] {
      var further = Begin(.register)
      further.service = Array("uafctl".utf8)
      further.authenticator = Array(type.utf8)
      further.payload = begin.payload
      #expect(try bench.run(further, [], peer: 4242).result == 1001, "\(bench.log.lines)")
    }
    #expect(try party(bench).credentials["mina"]?.count == 1)
    var repair = registration(bench)
    repair.operation = .repair
    repair.payload = begin.payload
    #expect(try bench.run(repair, ["correct"]).result == 0, "\(bench.log.lines)")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  private func atProduct(_ answer: (path: String, response: TransportResponse)) throws -> HelperBench {
    let bench = try HelperBench()
    bench.server.relyingParty = FakeRelyingParty()
    bench.server.relyingParty?.instead = answer
    speakWebAuthn(bench, "")
    bench.configuration = bench.configuration.replacing("\"webauthn\"", with: "\"privacyidea\"")
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    return bench
  }

  @Test func `a server with a sign-in of its own gets the password, which is neither shown nor logged`() throws {
    let refused = TransportResponse(
      status: 401, contentType: "application/json", body: Array(#"{"result":{"status":false}}"#.utf8))
    let bench = try atProduct(("/fido/auth", refused))
    let transcript = try bench.run(registration(bench), ["s3cret-word"])
    #expect(transcript.prompts.map(\.text) == ["Password of mina at the server: "])
    #expect(transcript.prompts.allSatisfy { !$0.echo } && transcript.result == 1001)
    #expect(transcript.finished.text?.contains("does not accept this name and password") == true)
    #expect(bench.server.requests.count == 1 && !bench.log.lines.contains { "\($0)".contains("s3cret-word") })
  }

  @Test func `an empty password is sent to no server`() throws {
    let bench = try atProduct(("/", TransportResponse(status: 200, contentType: "", body: [])))
    let transcript = try bench.run(registration(bench), [""])
    #expect(transcript.result == 1001 && bench.server.requests.isEmpty)
  }

  @Test func `each dialect of WebAuthn in the configuration is one that the client has`() {
    let configured = ServerSettings.Dialect.allCases.filter(\.isWebAuthn).map(\.rawValue)
    #expect(Set(configured) == Set(WebAuthnInterface.allCases.map(\.rawValue)))
    #expect(!ServerSettings.Dialect.fido.isWebAuthn && !ServerSettings.Dialect.plain.isWebAuthn)
  }

  @Test func `uaf-fetch sends each header that a dialect has`() {
    #expect(Set(HeaderField.Name.allCases.map(\.rawValue)) == FetchRequest.headerNames)
  }

  @Test func `the value can be changed, and the new value logs in`() throws {
    let bench = try registered()
    #expect(
      try bench.run(bench.begin(.change), ["correct", "better1", "better1"]).result == 7110, "\(bench.log.lines)")
    #expect(try bench.run(bench.begin(), ["better1"]).result == 0, "\(bench.log.lines)")
  }

  // MARK: Refusals

  @Test func `a login by a credential that the relying party has forgotten ends with its text, after the passcode`()
    throws
  {
    let bench = try registered()
    try party(bench).forget()
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 9999 && transcript.prompts.count == 1)
    #expect(transcript.finished.text?.contains("mina has no credential") == true)
    #expect(try bench.run(bench.begin(), ["wrong"]).result == 3012)
  }

  @Test func `if a relying party does not accept the origin, it refuses, and the log says so`() throws {
    let bench = try registered()
    try party(bench).origins = ["https://localhost"]
    #expect(try bench.run(bench.begin(), ["correct"]).result == 9999)
    #expect(try party(bench).refusals == [.originMismatch])
  }

  @Test func `the signature covers the origin and the relying party id that root has configured`() throws {
    let bench = try bench("enrolment = \"open\"\norigin = \"https://example.org\"\nrp_id = \"example.org\"")
    try party(bench).origins = ["https://example.org"]
    try party(bench).rpID = "example.org"
    #expect(try bench.run(registration(bench), ["correct", "correct"]).result == 0, "\(bench.log.lines)")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0, "\(bench.log.lines)")
  }

  @Test func `nothing is signed for a relying party other than the configured one`() throws {
    let bench = try registered()
    try party(bench).rpID = "example.org"
    let count = bench.server.requests.count
    #expect(try bench.run(bench.begin(), ["correct"]).result == 1001)
    #expect(bench.server.requests.count == count + 1)
  }

  @Test(arguments: [("<html>", 1005), (#"{"status":"failed","errorMessage":"no"}"#, 9999), ("{}", 1005)])
  func `only a relying party's reply with the status ok lets anybody in`(_ body: String, _ result: UInt32) throws {
    let bench = try registered()
    let response = TransportResponse(status: 200, contentType: "application/json", body: Array(body.utf8))
    try party(bench).instead = ("/assertion/result", response)
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == result && transcript.pamCode != 0)
  }

  @Test func `without codes a forgotten passcode is reset by root, and its person registers again`() throws {
    let bench = try registered()
    for _ in 0..<3 { _ = try bench.run(bench.begin(), ["wrong"]) }
    var begin = Begin(.authenticate)
    begin.service = Array("uafctl".utf8)
    let told = try bench.run(begin, ["correct"], peer: 4242).finished.text ?? ""
    #expect(told.contains("'uafctl reset USER'") && told.contains("'uafctl register'"), "\(told)")
    #expect(!told.contains("code"), "\(told)")
    _ = try bench.run(bench.begin(.reset))
    #expect(try bench.run(registration(bench), ["another", "another"]).result == 0, "\(bench.log.lines)")
    #expect(try bench.run(bench.begin(), ["another"]).result == 0, "\(bench.log.lines)")
  }

  @Test
  func `a relying party that cannot be reached has the same result as a UAF server that cannot be reached`() throws {
    let bench = try registered()
    bench.server.failure = .noHandshake(.refused)
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 4001 && transcript.pamCode == 9)
  }

  @Test func `an offline login is possible after a success of the relying party`() throws {
    let bench = try registered("enrolment = \"open\"", "[general]\noffline = \"allow\"\noffline_max_age = 3600")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0, "\(bench.log.lines)")
    bench.server.failure = .noHandshake(.refused)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0, "\(bench.log.lines)")
    bench.configuration = bench.configuration.replacing("[state]", with: "rp_id = \"example.org\"\n[state]")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 4001)
  }

  @Test
  func `with hide_state, an unknown name causes the request of a known one, and gives the result of a wrong passcode`()
    throws
  {
    let bench = try registered("enrolment = \"open\"", "[general]\nhide_state = true")
    var begin = bench.begin()
    (begin.uid, begin.account, begin.typedName) = (nil, nil, Array("nobody".utf8))
    let count = bench.server.requests.count
    #expect(try bench.run(begin, ["correct"]).result == 3012)
    #expect(bench.server.requests[count...].map(\.url) == ["https://localhost/fido/assertion/options"])
    #expect(try bench.run(bench.begin(), ["wrong"]).result == 3012)
  }

  // MARK: Keys of both protocols

  @Test
  func `a UAF key logs in at no relying party, and a registration adds a WebAuthn credential next to it`() throws {
    let bench = try HelperBench.registered()
    let uaf = bench.configuration
    bench.server.relyingParty = FakeRelyingParty()
    speakWebAuthn(bench, "enrolment = \"open\"")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 9999)
    // The passcode stays, and gets a WebAuthn credential in addition.
    #expect(try bench.run(registration(bench), ["correct"]).result == 0, "\(bench.log.lines)")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0, "\(bench.log.lines)")
    bench.configuration = uaf
    bench.server.relyingParty = nil
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0, "\(bench.log.lines)")
  }

  // MARK: The end

  @Test func `a WebAuthn deregistration, after the correct passcode, removes keys only here, and says so`() throws {
    let bench = try registered()
    let count = bench.server.requests.count
    #expect(try bench.run(bench.begin(.deregister), ["wrong", nil]).result != 0)
    let transcript = try bench.run(bench.begin(.deregister), ["correct"])
    #expect(transcript.result == 0, "\(bench.log.lines)")
    #expect(transcript.finished.text?.contains("on this machine alone") == true)
    #expect(bench.server.requests.count == count)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 1009)
  }

  @Test func `status shows an authenticator with a WebAuthn credential as registered`() throws {
    let bench = try registered()
    let document = try #require(try bench.run(bench.begin(.status)).finished.document)
    #expect(document.contains(#""registeredTypes":4"#) && document.contains(#""protocol":"WebAuthn""#))
    let uaf = try HelperBench.registered()
    #expect(try uaf.run(uaf.begin(.status)).finished.document?.contains(#""protocol":"UAF""#) == true)
  }
}
