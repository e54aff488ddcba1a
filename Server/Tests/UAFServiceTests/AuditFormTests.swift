import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// The bytes of an audit row, and the counts of refusals.
struct AuditFormTests {
  private let first = AuditEntry(
    time: 1_800_000_000, kind: .login, account: "alice", actor: .person, address: "192.0.2.7", machine: "desk",
    authenticators: "5541#0001 AAAA 7")

  @Test func `the bytes and hashes of audit rows are those that an independent program has computed`() throws {
    let second = AuditEntry(
      time: -1, kind: .registration, outcome: "invalid-signature", actor: .server, machine: "책상",
      detail: #"{"by":"code"}"#)
    #expect(
      first.body.hex
        == "01000000006b49d200000000056c6f67696e000000026f6b00000005616c69636500000006706572736f6e000000093139322e302e322e37"
        + "000000046465736b000000103535343123303030312041414141203700000000")
    let one = try AuditLink.start.next(first.body)
    #expect(one.hash.hex == "d446aedf4acd4d9520a7a48909cd40dc9793346724f7ea2daaec8f1d68bfc52e")
    let two = try one.next(second.body)
    #expect(two.number == 2)
    #expect(two.hash.hex == "d34b175a0bb541468512824c8c7345b8f45996cb6753ae271cb1d1a42ebcb9c3")
  }

  @Test func `two audit rows have different bytes even if their texts joined together are the same`() {
    func event(_ address: String, _ machine: String) -> AuditEntry {
      AuditEntry(time: 1, kind: .login, actor: .person, address: address, machine: machine)
    }
    #expect(event("ab", "c").body != event("a", "bc").body)
    #expect(event("", "a").body != event("a", "").body)
  }

  @Test func `an audit row is read back as it was stored, and is refused with a wrong number of texts`() {
    #expect(AuditEntry(time: first.time, texts: first.texts) == first)
    #expect(AuditEntry(time: 1, texts: Array(first.texts.dropLast())) == nil)
    #expect(AuditEntry(time: 1, texts: first.texts + [""]) == nil)
  }

  @Test(arguments: [
    (AuditActor.person, "person"), (.server, "server"),
    (.commandLine(uid: 998, login: 1000), "command-line uid 998 login 1000"),
    (.commandLine(uid: 0, login: nil), "command-line uid 0"),
  ])
  func `an audit row names who caused its event`(actor: AuditActor, text: String) {
    #expect(actor.text == text)
  }

  @Test func `refusals are counted by reason and address, and each is reported once`() {
    let count = RefusalCount()
    #expect(count.take(now: 1) == nil)
    for _ in 0..<3 { count.add("limited", from: "192.0.2.1") }
    count.add("unknown-key-id", from: "")
    #expect(
      count.take(now: 9)
        == AuditEntry(
          time: 9, kind: .refusals, outcome: "refused", actor: .server,
          detail: #"{"count":4,"reasons":{"limited":3,"unknown-key-id":1},"addresses":{"192.0.2.1":3}}"#))
    #expect(count.take(now: 10) == nil)
  }

  @Test func `the count of refusals remembers a bounded number of addresses, however many there are`() throws {
    let count = RefusalCount()
    for number in 0..<1000 { count.add("limited", from: "10.0.\(number / 256).\(number % 256)") }
    let detail = try #require(count.take(now: 1)?.detail)
    #expect(detail.contains(#""others":968"#))
    #expect(detail.utf8.count < 1000)
  }
}
