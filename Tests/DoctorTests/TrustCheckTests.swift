import Testing
import ToolTestSupport
import UAFWire

@testable import Doctor

@Suite struct TrustCheckTests {
  private let whole = WholeMachine()

  private func trust(_ text: String) {
    whole.forgetServer()
    _ = whole.machine.folder.file("state/trust.conf", Array(text.utf8), mode: 0o600)
  }

  @Test func `doctor accepts the server that root has trusted, and contacts it`() {
    trust(Machine.configuration)
    let examined = whole.machine.doctor()
    #expect(!examined.hasFailed)
    #expect(
      examined.lines(about: "trust") == [
        "ok   trust: \(whole.machine.folder.path)/state/trust.conf names the server"
      ])
    #expect(whole.machine.requests.first?.url == "https://fido.example.com/uaf/get")
  }

  @Test func `doctor accepts the trusted server without a configuration, too`() {
    trust(Machine.configuration)
    let state = whole.machine.folder.path + "/state"
    let configuration = whole.machine.folder.file(
      "other.conf", Array("[state]\ndirectory = \"\(state)\"\n".utf8), mode: 0o644)
    whole.machine.installation.configurationPath = configuration
    #expect(!whole.machine.doctor().hasFailed)
  }

  @Test func `doctor shows only to root whether there is a trusted server`() {
    trust(Machine.configuration)
    let examined = whole.machine.doctor(as: 1000)
    #expect(examined.lines(about: "trust").first?.hasPrefix("skip trust: ") == true)
    #expect(whole.machine.requests.isEmpty)
  }

  @Test(arguments: ["", "[server]\nrequest_url = 'https://x/'\n", "[server\n", "[srever]\n"])
  func `doctor refuses a trust record that names no server or cannot be read`(text: String) {
    trust(text)
    #expect(whole.machine.has(.trustUnusable) && whole.machine.doctor().hasFailed)
    #expect(whole.machine.requests.isEmpty)
  }

  @Test func `doctor refuses a trust record that others can write`() {
    trust(Machine.configuration)
    whole.machine.folder.setMode(0o666, of: "state/trust.conf")
    #expect(whole.machine.has(.trustUnusable))
  }
}
