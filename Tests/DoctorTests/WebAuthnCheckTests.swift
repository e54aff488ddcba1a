import Testing
import ToolTestSupport
import UAFWire

@testable import Doctor

/// A machine whose server speaks WebAuthn.
@Suite struct WebAuthnCheckTests {
  private static let configuration = """
    [server]
    dialect = "webauthn"
    base_url = "https://fido.example.com/fido"

    """
  private static let no = #"{"status":"failed","errorMessage":"no such user"}"#
  private static let options = #"{"status":"ok","challenge":"AwMDAwMDAwMDAwMDAwMDAwMD","rpId":"example.com"}"#

  private func machine(_ more: String = "", login: String = no) -> Machine {
    let machine = Machine(configuration: Self.configuration + more)
    for path in ["/fido/attestation/options", "/fido/assertion/result", "/fido/attestation/result"] {
      machine.server?.answers[path] = FakeServer.json(Self.no)
    }
    machine.server?.answers["/fido/assertion/options"] = FakeServer.json(login)
    return machine
  }

  @Test(arguments: [no, options])
  func `doctor accepts a relying party that sends options, or a refusal, for a name that nobody has`(
    _ login: String
  ) {
    let machine = machine(login: login)
    #expect(!machine.has(.serverAnswer) && !machine.has(.serverPath) && !machine.has(.facetList))
    #expect(
      machine.requests.prefix(4).map { "\($0.url.dropFirst(29)) \(String(decoding: $0.body ?? [], as: UTF8.self))" }
        == [
          #"/assertion/options {"username":"uafctl-doctor.invalid","userVerification":"required"}"#,
          "/attestation/options {}", "/assertion/result {}", "/attestation/result {}",
        ])
  }

  private static let challenge = #""challenge":"AwMDAwMDAwMDAwMDAwMDAwMDAwMDAw","rpId":"example.com""#

  @Test(arguments: [
    (
      "privacyidea", "/validate/initialize",
      #"{"result":{"status":true,"value":false},"detail":{"passkey":{"transaction_id":"1",\#(challenge)}}}"#
    ),
    (
      "allauth", "/_allauth/app/v1/auth/webauthn/login",
      #"{"status":200,"data":{"request_options":{"publicKey":{\#(challenge)}}},"meta":{"session_token":"a"}}"#
    ),
    ("django-otp-webauthn", "/authentication/begin/", #"{\#(challenge)}"#),
    (
      "flask-security", "/wan-signin",
      #"{"meta":{"code":200},"response":{"csrf_token":"a","wan_state":"b","credential_options":{\#(challenge)}}}"#
    ),
    (
      "glewlwyd", "/api/auth/scheme/trigger/",
      #"{"session":"a","allowCredentials":[{"credential_id":"AQID"}],"challenge":"AwMDAwMDAwMDAwMDAwMDAwMDAwMDAw"}"#
    ),
  ])
  func `doctor asks a product's server for the options of a login, and for nothing else`(
    _ dialect: String, _ path: String, _ options: String
  ) {
    let machine = Machine(
      configuration: """
        [server]
        dialect = "\(dialect)"
        base_url = "https://fido.example.com"
        origin = "https://example.com"

        """)
    machine.server?.answers[path] = FakeServer.json(options)
    #expect(!machine.has(.serverAnswer) && !machine.has(.serverPath) && !machine.has(.facetList))
    #expect(machine.requests.map { String($0.url.dropFirst(24)) }.first == path)
    #expect(!machine.requests.dropFirst().contains { $0.url == "https://fido.example.com" })
    machine.server?.answers[path] = FakeServer.json("{}")
    #expect(machine.has(.serverAnswer))
  }

  @Test func `doctor accepts kanidm's refusal of a name that nobody has, and no proxy's`() {
    let machine = Machine(
      configuration: """
        [server]
        dialect = "kanidm"
        base_url = "https://fido.example.com"
        origin = "https://fido.example.com"

        """)
    for (text, isFine) in [(#""nomatchingentries""#, true), ("404 page not found", false), ("", false)] {
      machine.server?.answers["/v1/auth"] = FakeServer.text(text, type: "text/plain; charset=utf-8", status: 404)
      #expect(machine.has(.serverPath) != isFine && !machine.has(.serverAnswer))
    }
    var known = FakeServer.json(#"{"sessionid":"0","state":{"choose":["passkey"]}}"#)
    known.response.session = "eyJ.a.b"
    machine.server?.answers["/v1/auth"] = known
    // The same answer to the second step is none of that step.
    #expect(machine.has(.serverAnswer))
    #expect(machine.requests.contains { $0.headers == ["X-KANIDM-AUTH-SESSION-ID: eyJ.a.b"] })
  }

  @Test(arguments: [
    #"{"status":"ok","challenge":"AAAA"}"#,
    #"{"status":"ok","challenge":"AwMDAwMDAwMDAwMDAwMDAwMD","rpId":"other.example"}"#,
  ])
  func `doctor reports options of a relying party by which no login could succeed`(_ login: String) {
    #expect(machine(login: login).has(.serverAnswer))
  }

  @Test func `doctor reports an address at which no WebAuthn server answers`() {
    let machine = machine()
    machine.server?.answers["/fido/assertion/options"] = FakeServer.text("no", type: "text/html", status: 404)
    #expect(machine.has(.serverPath))
  }

  @Test func `doctor warns of an https origin, and of no other`() {
    #expect(machine("origin = \"https://example.com\"\n").has(.webOrigin))
    #expect(!machine("origin = \"linux://example.com\"\n").has(.webOrigin) && !machine().has(.webOrigin))
  }
}
