import Testing
import ToolTestSupport

@testable import Doctor

/// The order of the checks, and the input of each.
@Suite struct ExaminationTests {
  private let machine = Machine()

  private func examination(
    configuration: String? = nil, isRoot: Bool = true, isForReport: Bool = false
  ) -> Examination {
    Examination(
      of: machine.installation, core: FakeStatus(machine), accounts: FakeAccounts(), isRoot: isRoot,
      configuration: configuration, services: machine.pam, isForReport: isForReport)
  }

  @Test func `for a report to the server, doctor sends the server nothing, and finds the same failures of the machine`()
  {
    machine.installation.helperPath = Installation.nowherePath
    let all = examination().run { _ in }
    let asked = machine.requests.count
    let reported = examination(isForReport: true).run { _ in }
    #expect(asked > 0 && machine.requests.count == asked)
    #expect(!reported.contains { $0.text.hasPrefix("server: ") })
    let failures = all.filter { $0.level == .failure && !$0.text.hasPrefix("server: ") }
    #expect(!failures.isEmpty && reported.filter { $0.level == .failure } == failures)
  }

  @Test func `doctor shows quick findings before it contacts the server`() {
    var toldBefore = 0
    var told: [Finding] = []
    let exchange = machine.installation.exchange
    machine.installation.exchange = { request in
      toldBefore = told.count
      return exchange(request)
    }
    let all = examination().run { told += $0 }
    #expect(told == all)
    #expect(toldBefore > 10 && toldBefore < all.count)
    #expect(all[toldBefore].text.hasPrefix("server: "))
  }

  @Test func `with an unusable configuration doctor skips what depends on it, and contacts no server`() {
    let findings = examination(configuration: "/nonexistent").run { _ in }
    #expect(findings.contains { $0.id == .configurationUnusable })
    #expect(findings.contains(.skipped(StateText.unknown)))
    #expect(!findings.contains { $0.text.hasPrefix("accounts: ") || $0.text.hasPrefix("server: ") })
    #expect(machine.requests.isEmpty)
  }

  @Test func `doctor tells a caller without root what only root can check`() {
    let findings = examination(isRoot: false).run { _ in }
    let skipped = findings.filter { $0.level == .skipped }.map(\.text)
    #expect(skipped == ["state: \(machine.folder.path)/state", "accounts: everybody's locks and files"])
  }
}
