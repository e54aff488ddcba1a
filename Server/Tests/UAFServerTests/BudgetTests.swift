import NIOCore
import Testing
import UAFMessages

@testable import UAFServer
@testable import UAFService

/// Who may send how many requests, and who uses up whose budget.
struct BudgetTests {
  private let office: SocketAddress
  private let elsewhere: SocketAddress

  init() throws {
    office = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
    elsewhere = try SocketAddress(ipAddress: "192.0.2.2", port: 1)
  }

  private func machine(
    _ number: UInt8, of account: String = "alice", for queue: MachineQueue = .own, answers: Bool = false
  ) -> KnownMachine {
    KnownMachine(
      claim: claim(account, answers: answers), queue: queue, machineID: Array(repeating: number, count: 16),
      nonce: Array(repeating: 0, count: 16), madeAt: 0, isCurrent: true, isJoined: false)
  }

  private func claim(
    _ account: String = "alice", _ operation: UAFOperation = .authentication, answers: Bool = false
  ) -> MachineClaim {
    MachineClaim(operation: operation, isAnswer: answers, username: account)
  }

  /// How many of `tries` requests for an account are admitted.
  private func followed(
    _ admission: Admission, _ account: String = "alice", by machine: KnownMachine? = nil, from address: SocketAddress?,
    tries: Int = 50, now: Int64 = 0
  ) -> Int {
    (0..<tries).count { _ in
      guard let standing = admission.admits(machine, from: address, now: now) else { return false }
      return admission.limit(of: claim(account), for: account, as: standing, from: address, now: now) == nil
    }
  }

  private func wrong(_ admission: Admission, from address: SocketAddress?, tries: Int = 50) -> Int {
    (0..<tries).count { _ in admission.admits(wrongFrom: address, now: 0) }
  }

  @Test func `the server refuses an address that sends too many requests, and no other address`() {
    let admission = Admission(addressRate: 5, accountRate: 0)
    #expect(followed(admission, from: office) == 10)
    #expect(followed(admission, from: elsewhere) == 10)
    #expect(followed(admission, from: nil) == 50)
  }

  @Test func `strangers at an address use up no part of a known machine's budget there`() {
    let admission = Admission(addressRate: 5, accountRate: 5)
    #expect(followed(admission, "bob", from: office) == 10)
    #expect(followed(admission, by: machine(1), from: office) == 10)
  }

  @Test func `strangers' requests for an account use up no part of the budget of its known machine`() {
    let admission = Admission(addressRate: 0, accountRate: 5)
    #expect(followed(admission, from: office) == 10)
    #expect(followed(admission, from: elsewhere) == 0)
    #expect(followed(admission, by: machine(1), from: office) == 10)
  }

  @Test
  func `a known machine uses up no budget of a different machine, and no budget that it has for a different account`() {
    let admission = Admission(addressRate: 1, accountRate: 5)
    #expect(followed(admission, from: office) == 2)
    #expect(followed(admission, by: machine(1), from: office) == 10)
    #expect(followed(admission, by: machine(2), from: office) == 10)
    #expect(followed(admission, "bob", by: machine(1, of: "bob"), from: office) == 10)
  }

  @Test func `others who name an account at its known machine use up no part of the person's own budget`() {
    let admission = Admission(addressRate: 1, accountRate: 5)
    #expect(followed(admission, from: office) == 2)
    for queue in [MachineQueue.otherUser, .remote, .own] {
      #expect(followed(admission, by: machine(1, for: queue), from: office) == 10)
    }
  }

  @Test func `a known machine beyond its budget is treated like a stranger, and not worse`() {
    let admission = Admission(addressRate: 10, accountRate: 5)
    // Ten from the machine's own budget, then ten from the account's. The address's budget allows twenty.
    #expect(followed(admission, by: machine(1), from: office) == 20)
    #expect(followed(admission, by: machine(1), from: office, now: 60) == 10)
  }

  @Test func `a known machine's budget is full again after a pause`() {
    let admission = Admission(addressRate: 1, accountRate: 5)
    _ = followed(admission, by: machine(1), from: office)
    #expect(followed(admission, by: machine(1), from: office, now: 12) == 1)
    #expect(followed(admission, by: machine(1), from: elsewhere, now: 600) == 12)
  }

  @Test(arguments: [
    MachineClaim(operation: .authentication, isAnswer: false, username: "bob"),
    MachineClaim(operation: .registration, isAnswer: false, username: "alice"), nil,
  ])
  func `a machine's proof for a different request is ignored: the request counts as a stranger's`(asked: MachineClaim?)
  {
    let admission = Admission(addressRate: 5, accountRate: 3)
    var followed = 0
    for _ in 0..<50 {
      guard let standing = admission.admits(machine(1), from: office, now: 0) else { continue }
      if admission.limit(of: asked, for: asked?.username, as: standing, from: office, now: 0) == nil { followed += 1 }
    }
    #expect(followed == (asked == nil ? 10 : 6))
  }

  @Test func `a machine's proof for a response does not admit a request`() {
    let admission = Admission(addressRate: 1, accountRate: 5)
    #expect(followed(admission, by: machine(1, answers: true), from: office) == 2)
  }

  @Test func `wrong responses use up no budget of requests, and requests use up no budget of wrong responses`() {
    let admission = Admission(addressRate: 1, accountRate: 0)
    #expect(wrong(admission, from: office) == 2)
    #expect(followed(admission, from: office) == 2)
    // A response to a request that the server itself has issued is verified even beyond the budget, but only twice.
    #expect((0..<9).count { _ in admission.admits(answerTo: [1], now: 0) } == 2)
    #expect(admission.admits(answerTo: [2], now: 0))
  }

  @Test func `wrong responses from one address use up no budget of a different address`() {
    let admission = Admission(addressRate: 1, accountRate: 5)
    #expect(wrong(admission, from: office) == 2)
    #expect(wrong(admission, from: elsewhere) == 2)
    #expect(wrong(admission, from: nil) == 50)
  }

  @Test func `requests and responses have no limit if the administrator wants none`() {
    let admission = Admission(addressRate: 0, accountRate: 0)
    #expect(followed(admission, from: office, tries: 5000) == 5000)
    #expect(followed(admission, by: machine(1), from: office, tries: 5000) == 5000)
    #expect(wrong(admission, from: office, tries: 5000) == 5000)
    #expect((0..<5000).allSatisfy { _ in admission.admits(answerTo: [1], now: 0) })
  }
}
