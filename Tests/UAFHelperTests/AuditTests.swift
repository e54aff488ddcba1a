import Authenticator
import Foundation
import Glibc
import Testing
import UAFMessages
import UAFWire

@testable import UAFHelper

/// What is written to the kernel's audit.
@Suite struct AuditTests {
  private func events(_ bench: HelperBench) -> [AuditEvent] { bench.audit.records.map(\.event) }

  @Test func `a temporary lock and its end are written to the audit, each as one record and once`() throws {
    let bench = try HelperBench.registered()
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), [wrong]) }
    #expect(events(bench) == [.tooManyFailures, .lockedForAWhile])
    try bench.run(bench.begin())
    #expect(events(bench).count == 2, "a refusal is not a new lock")
    bench.now.nanoseconds += 60_000_000_000
    for _ in 0..<2 { try bench.run(bench.begin(), ["correct"]) }
    #expect(events(bench) == [.tooManyFailures, .lockedForAWhile, .unlockedByTime])
    #expect(bench.audit.records.allSatisfy { $0.account == Array("mina".utf8) })
  }

  @Test func `a permanent lock and root's unlock are written to the audit, each as one record`() throws {
    let bench = try HelperBench.registered("max_lock_count = 0")
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), [wrong]) }
    #expect(events(bench) == [.tooManyFailures, .locked])
    #expect(try bench.run(bench.begin(.unlock)).result == 0)
    #expect(events(bench).last == .unlockedByRoot)
    #expect(try bench.run(bench.begin(.unlock), peer: 4242).result == 1001)
    #expect(events(bench).count == 3, "who may not unlock leaves no record of an unlock")
  }

  @Test(arguments: [UAFWire.Operation.reset, .forget, .deregister])
  func `removing a locked secret is written to the audit, and removing an unlocked one is not`(
    _ operation: UAFWire.Operation
  ) throws {
    for wrong in [[], ["wrong1", "wrong2", "wrong3"]] {
      let bench = try HelperBench.registered()
      bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
      for wrong in wrong { try bench.run(bench.begin(), [wrong]) }
      var begin = bench.begin(operation)
      begin.service = Array("uafctl".utf8)
      if operation == .deregister { begin.payload = Array(bench.server.payload().encoded.utf8) }
      let result = try bench.run(begin).result
      #expect(result == (operation == .reset ? 7100 : 0))
      #expect(events(bench) == (wrong.isEmpty ? [] : [.tooManyFailures, .lockedForAWhile, .unlockedByRemoval]))
    }
  }

  @Test
  func `if a new registration ends a lock, the audit says so only after the server has accepted the registration`()
    throws
  {
    let bench = try HelperBench.registered("[prompt]\noffer_reset = true", signed: true)
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), ["1", wrong]) }
    bench.server.respondStatus = .init(rawValue: 1500)
    #expect(try bench.run(bench.begin(), ["2", FakeServer.code().text, "battery", "battery"]).result == 9000)
    #expect(events(bench).last == .lockedForAWhile)
    bench.server.respondStatus = .ok
    #expect(try bench.run(bench.begin(), ["2", FakeServer.code().text, "battery", "battery"]).result == 980)
    #expect(events(bench).last == .unlockedByRemoval)
  }

  @Test func `the audit record of a remote lock contains the remote address`() throws {
    let bench = try HelperBench.registered("[lock.remote]\nretry_count_to_lock = 1")
    var begin = bench.begin()
    begin.isRemote = true
    (begin.tty, begin.remoteHost) = (Array("ssh".utf8), Array("2001:db8::1".utf8))
    try bench.run(begin, ["wrong1"])
    #expect(events(bench) == [.tooManyFailures, .lockedFromAfar])
    #expect(
      bench.audit.records.last?.text(program: "/usr/libexec/pam-uaf/uaf-helper")
        == "op=pam_uaf:lock-remote acct=\"mina\" exe=\"/usr/libexec/pam-uaf/uaf-helper\" hostname=2001:db8::1 addr=? "
        + "terminal=ssh res=success")
  }

  @Test func `a lock for other users' attempts, and its end, are marked as such in the audit`() throws {
    let bench = try HelperBench.registered("[lock.remote]\nretry_count_to_lock = 1")
    var begin = bench.begin()
    begin.callerUID = 1000
    try bench.run(begin, ["wrong1"])
    #expect(events(bench) == [.tooManyFailures, .lockedForOthers])
    #expect(bench.log.lines.contains { $0.hasPrefix("event=lock ") && $0.contains(" origin=other-user ") })
    bench.now.nanoseconds += 301_000_000_000
    try bench.run(begin, ["correct"])
    #expect(events(bench).last == .unlockedByTime)
    #expect(bench.log.lines.contains { $0.contains("the lock of other users' attempts is over") })
  }

  @Test func `the audit record is written after the end of a login, which does not wait for it`() throws {
    let bench = try HelperBench.registered()
    for wrong in ["wrong1", "wrong2"] { try bench.run(bench.begin(), [wrong]) }
    var endedBefore = false
    bench.audit.onWrite = { [unowned bench] in
      endedBefore = bench.log.lines.last?.hasPrefix("event=authenticate result=3013 ") == true
    }
    #expect(try bench.run(bench.begin(), ["wrong3"]).result == 3013)
    #expect(endedBefore)
  }

  @Test func `a kernel without audit causes no error, only one line in the debug log`() throws {
    let bench = try HelperBench.registered()
    bench.audit.failure = ECONNREFUSED
    for (wrong, result) in [("wrong1", UInt32(3012)), ("wrong2", 3012), ("wrong3", 3013)] {
      #expect(try bench.run(bench.begin(), [wrong]).result == result)
    }
    let told = bench.log.lines.indices.filter { bench.log.lines[$0].hasPrefix("event=audit ") }
    #expect(told.count == 1 && told.allSatisfy { bench.log.levels[$0] == .debug })
  }

  // MARK: The records

  @Test func `an audit message is a netlink header and a text that ends with a NUL`() {
    let record = AuditRecord(event: .lockedForAWhile, account: Array("mina".utf8))
    let message = record.message(program: "/x", sequence: 3)
    let text = "op=pam_uaf:lock-timed acct=\"mina\" exe=\"/x\" hostname=? addr=? terminal=? res=success"
    #expect(Array(message[16...]) == Array(text.utf8) + [0])
    let count = UInt32(message.count)
    #if _endian(little)
      #expect(Array(message[..<4]) == [UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8), 0, 0])
      // Type 2205; the flags for a request with acknowledgement; the sequence number; no port id.
      #expect(Array(message[4..<16]) == [0x9d, 0x08, 5, 0, 3, 0, 0, 0, 0, 0, 0, 0])
    #endif
  }

  @Test func `the audit record types are those of libaudit, and all in the range that programs may write`() {
    let numbers = AuditEvent.allCases.map(\.type)
    #expect(numbers == [2100, 2205, 2207, 2204, 2205, 2206, 1136, 1136, 1136, 1102])
    #expect(numbers.allSatisfy { (1100...1199).contains($0) || (2100...2999).contains($0) })
  }

  @Test(arguments: ["a\" res=failed", "a b", "a'", "\u{1b}", "미나", ""])
  func `the audit writes a name that could end its field in hexadecimal`(_ name: String) {
    let text = AuditRecord(event: .locked, account: Array(name.utf8)).text(program: "/x")
    let field = text.split(separator: " ").first { $0.hasPrefix("acct=") } ?? ""
    let digits = name.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    #expect(field == (name.isEmpty ? "acct=\"\"" : "acct=\(digits)"))
    #expect(text.components(separatedBy: " res=").count == 2)
  }

  @Test(arguments: ["a b", "x' res=failed", "\"", "", "a=b", String(repeating: "h", count: 257)])
  func `the audit writes a host or terminal with an invalid name as unknown`(_ host: String) {
    let record = AuditRecord(
      event: .locked, account: [97], terminal: Array(host.utf8), remoteHost: Array(host.utf8))
    #expect(record.text(program: "/x").hasSuffix("hostname=? addr=? terminal=? res=success"))
  }

  // MARK: The kernel

  @Test func `reads the error number in the kernel's reply to an audit record`() {
    func answer(_ type: UInt16, _ number: Int32) -> [UInt8] {
      AuditRecord.native(UInt32(36)) + AuditRecord.native(type) + [UInt8](repeating: 0, count: 10)
        + AuditRecord.native(number) + [UInt8](repeating: 0, count: 16)
    }
    #expect(KernelAudit.failure(in: answer(2, 0)) == 0)
    #expect(KernelAudit.failure(in: answer(2, -EPERM)) == EPERM)
    #expect(KernelAudit.failure(in: answer(2, -ECONNREFUSED)) == ECONNREFUSED)
    #expect(KernelAudit.failure(in: answer(3, -EPERM)) == 0)
    #expect(KernelAudit.failure(in: answer(2, -EPERM).prefix(19)) == 0)
    #expect(KernelAudit.failure(in: []) == 0)
  }

  /// How this machine's kernel replies to an audit record.
  ///
  /// It is asked once, with a record about no account.
  private static let answerOfTheKernel: CInt = KernelAudit(program: "/usr/lib/pam-uaf/uaf-helper").write([
    AuditRecord(event: .unlockedByTime, account: Array("pam_uaf test".utf8))
  ])

  private static let absences: Set<CInt> = [EPERM, ECONNREFUSED, EPROTONOSUPPORT, EAFNOSUPPORT, EACCES]

  @Test(.enabled(if: !absences.contains(answerOfTheKernel), "this kernel or container has no audit for this program"))
  func `the kernel of this machine accepts an audit record`() {
    #expect(Self.answerOfTheKernel == 0)
  }

  @Test func `if the kernel refuses an audit record, its error number is logged, and nothing else happens`() {
    #expect(Self.answerOfTheKernel == 0 || Self.absences.contains(Self.answerOfTheKernel))
    #expect(KernelAudit(program: "/usr/lib/pam-uaf/uaf-helper").write([]) == 0 || Self.answerOfTheKernel != 0)
  }
}
