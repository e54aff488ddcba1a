import Testing
import ToolTestSupport

@testable import Doctor

/// What `doctor` says about the server's policy, only from the core's status.
@Suite struct ServerPolicyCheckTests {
  private let machine = Machine()
  private static let times = #""version":7,"issued":1800000000,"expires":1807776000"#
  private static let values =
    #"{"key":"passcode.min_length","value":"12","from":"policy 7"},{"key":"lock.lock_time","value":"30","from":"default"},"#
    + #"{"key":"passcode.ignore","value":"2","from":"/etc/pam_uaf.conf:3"},"#
    + #"{"key":"passcode.ignore","value":"4","from":"policy 7"},{"key":"pattern.min_nodes","value":"6","from":"policy 70"}"#

  private func lines() -> [String] { machine.doctor(as: 1000).lines(about: "policy") }

  @Test func `doctor names the version of the policy in force, its times and the keys that it sets`() {
    machine.follow(Self.times, values: Self.values)
    #expect(
      lines() == [
        "ok   policy: version 7 of the server's policy is in force, signed 2027-01-15 08:00 UTC, good until "
          + "2027-04-15 08:00 UTC; it sets: passcode.min_length, passcode.ignore"
      ])
  }

  @Test func `doctor reports a policy that sets nothing as in force`() {
    machine.follow(Self.times)
    #expect(lines().first?.hasSuffix("; it sets: nothing") == true)
  }

  @Test func `doctor warns of an expired policy, and does not fail`() {
    machine.follow(Self.times + #","note":"policy 7 has expired; it stays in force""#, values: Self.values)
    #expect(lines().first?.hasPrefix("warn policy: version 7 of the server's policy has expired, signed ") == true)
    #expect(lines().first?.contains("it still applies, and sets: passcode.min_length") == true)
    #expect(machine.has(.policyExpired) && !machine.doctor().findings.contains { $0.id == .policyRefused })
  }

  @Test func `doctor warns of a stored policy that is not in force, with the core's reason`() {
    machine.follow(#""joined":true,"note":"the stored policy is not in force: it is not signed with verdict_key""#)
    #expect(
      lines().first?.contains("only root's configuration: the stored policy is not in force: it is not") == true)
    #expect(machine.has(.policyRefused) && !machine.has(.policyExpired))
  }

  @Test func `doctor warns if root lets the server set keys but the machine has joined no server`() {
    machine.follow(#""joined":false"#)
    #expect(
      lines().first?.hasPrefix("warn policy: [policy] follow lets the server set passcode, lock, and this machine")
        == true)
    #expect(machine.has(.policyUnjoined))
  }

  @Test func `doctor does not warn if the server has sent no policy yet`() {
    machine.follow(#""joined":true"#)
    #expect(
      lines() == ["ok   policy: root lets the server set passcode, lock, and no policy of the server is in force"])
  }

  @Test func `doctor does not mention policies if root lets the server set nothing`() { #expect(lines().isEmpty) }

  @Test(arguments: [#""version":"7""#, #""version":7.5"#, #""version":null"#])
  func `doctor reports a policy as in force only if the core names its version`(members: String) {
    machine.follow(members, values: Self.values)
    #expect(!lines().contains { $0.contains("is in force, signed") })
  }

  @Test(arguments: [#"[]"#, #"{}"#, #"{"follow":"passcode","version":7}"#, "7"])
  func `doctor refuses a policy state from the core that it does not know`(policy: String) {
    machine.document = Machine.document(Machine.passcode).replacing(
      #""authenticators""#, with: #""policy":\#(policy),"authenticators""#)
    #expect(lines().isEmpty)
  }

  @Test func `control characters in the core's reason about a policy start no new line`() {
    machine.follow(#""note":"not in force\nok   policy: fine""#)
    #expect(lines().count == 1)
  }
}
