import FidoResults
import Testing

import AuthenticatorTypes
@testable import UAFConfiguration

/// What a server's policy changes in root's configuration.
@Suite struct FollowingTests {
  private static let all = #"[policy]\#nfollow = ["passcode", "pattern", "lock", "prompt.texts"]\#n"#

  private func configuration(_ text: String = "", following: String = all) throws -> Configuration {
    try Configuration(parsing: Array((following + text).utf8), path: "pam_uaf.conf")
  }

  private func lent(_ text: String) throws -> LentSettings {
    try LentSettingsReader.settings(Array(text.utf8), version: 7)
  }

  private func merged(_ own: String, _ policy: String) throws -> Configuration {
    try PolicyMerge(own: configuration(own), lent: lent(policy)).merged()
  }

  /// Why a policy is refused, by itself or together with root's configuration; empty if it is accepted.
  private func problem(_ policy: String, own: String = "") -> String {
    do {
      _ = try merged(own, policy)
      return ""
    } catch { return "\(error)" }
  }

  // MARK: What root lets the server set

  @Test func `by default root lets the server set nothing, and an empty list of sections means the same`() throws {
    #expect(Configuration().policy.followed.isEmpty)
    #expect(try configuration(following: "[policy]\nfollow = []\n").policy.followed.isEmpty)
    #expect(try configuration().policy.followed == LentSection.allCases)
  }

  @Test(arguments: ["follow = 'passcode'", "follow = ['server']", "follow = ['lock', 'lock']", "follow = [1]", "x = 1"])
  func `refuses a list of followed sections that is malformed or names unknown ones`(_ line: String) {
    #expect(throws: ConfigurationError.self) { try configuration(following: "[policy]\n\(line)\n") }
  }

  @Test func `a policy has no effect in a section that root does not let the server set`() throws {
    let policy = try lent(
      """
      [passcode]
      min_length = 12
      [pattern]
      min_nodes = 9
      [lock]
      retry_count_to_lock = 1
      [prompt]
      cancel_text = { en = "no" }
      """)
    #expect(policy.sections == LentSection.allCases)
    let own = try configuration(following: "")
    let merged = try PolicyMerge(own: own, lent: policy).merged()
    #expect(merged.passcode.policy.minimumLength == 6 && merged.pattern == own.pattern && merged.prompt == own.prompt)
    #expect(merged.followedLockPolicy(for: .passcode, origin: .local) == .localDefault)
    let part = try PolicyMerge(
      own: configuration(following: "[policy]\nfollow = ['pattern']\n"), lent: policy
    ).merged()
    #expect(part.pattern.minimumNodes == 9 && part.passcode.policy.minimumLength == 6)
  }

  // MARK: The stricter value applies

  @Test(arguments: [(8, 12, 12), (12, 8, 12), (12, 12, 12)])
  func `of root's and the policy's lengths, the greater minimum and the smaller maximum apply`(
    _ own: Int, _ policy: Int, _ least: Int
  ) throws {
    let merged = try merged(
      "[passcode]\nmin_length = \(own)\nmax_length = \(own + 20)",
      "[passcode]\nmin_length = \(policy)\nmax_length = \(policy + 20)")
    #expect(merged.passcode.policy.minimumLength == least)
    #expect(merged.passcode.policy.maximumLength == min(own, policy) + 20)
  }

  @Test func `the rules, ignored texts and expressions of root and of the policy all apply`() throws {
    let merged = try merged(
      """
      [passcode.rules]
      equal_character = "Root's words."
      [passcode.ignore]
      "root" = true
      [passcode.regex]
      '.*[0-9].*' = true
      """,
      """
      [passcode.rules]
      equal_character = false
      ascending_descending = true
      [passcode.ignore]
      "example" = "Not the company's name."
      [passcode.regex]
      '.*[a-z].*' = true
      """)
    let policy = merged.passcode.policy
    #expect(policy.rules.keys.sorted { $0.rawValue < $1.rawValue } == [.ascendingDescending, .equalCharacter])
    #expect(policy.rules[.equalCharacter] != .some(nil), "root's own words stay")
    #expect(policy.ignored.count == 2 && policy.expressions.count == 2)
  }

  @Test
  func `for each key of a lock the stricter value applies, and a looser lock in the policy changes nothing`() throws {
    let own = "[lock]\nretry_count_to_lock = 4\nlock_time = 600\nmax_lock_count = 2"
    let looser = try merged(own, "[lock]\nretry_count_to_lock = 10\nlock_time = 30\nmax_lock_count = 10")
    #expect(
      looser.followedLockPolicy(for: .passcode, origin: .local)
        == LockPolicy(retryCountToLock: 4, lockTime: .seconds(600), maxLockCount: 2))
    let mixed = try merged(own, "[lock]\nretry_count_to_lock = 10\nlock_time = 900\nmax_lock_count = 1")
    #expect(
      mixed.followedLockPolicy(for: .pattern, origin: .local)
        == LockPolicy(retryCountToLock: 4, lockTime: .seconds(900), maxLockCount: 1))
    #expect(mixed.lockPolicy(for: .passcode, origin: .local).maxLockCount == 2, "root's own values are as they were")
  }

  @Test func `lock keys that the policy omits keep root's values, even in the lock of one authenticator type`() throws {
    let merged = try merged("[passcode.lock]\nretry_count_to_lock = 2", "[lock]\nretry_count_to_lock = 3")
    #expect(merged.followedLockPolicy(for: .passcode, origin: .local).retryCountToLock == 2)
    #expect(merged.followedLockPolicy(for: .pattern, origin: .local).retryCountToLock == 3)
    #expect(merged.followedLockPolicy(for: .pattern, origin: .local).lockTime == .seconds(300))
    #expect(merged.followedLockPolicy(for: .pattern, origin: .remote) == .remoteDefault)
  }

  @Test func `a policy that makes remote locks permanent does not make those of other users permanent`() throws {
    let merged = try merged("", "[lock.remote]\nmax_lock_count = 0\nretry_count_to_lock = 2")
    #expect(merged.followedLockPolicy(for: .passcode, origin: .remote).maxLockCount == 0)
    let other = merged.followedLockPolicy(for: .passcode, origin: .otherUser)
    #expect(other.maxLockCount == nil && other.retryCountToLock == 2)
    #expect(merged.followedLockPolicy(for: .passcode, origin: .local) == .localDefault)
  }

  @Test func `the policy's texts apply to every service for which root has written none`() throws {
    let own = """
      [prompt]
      cancel_text = { en = "root", ko = "루트" }
      [service.sudo]
      cancel_text = { en = "sudo" }
      [service.su]
      tries = 2
      """
    let merged = try merged(own, "[prompt]\ncancel_text = { en = \"server\" }")
    #expect(merged.settings(for: "login").prompt.cancelTexts == [.english: "server", .korean: "루트"])
    #expect(merged.settings(for: "su").prompt.cancelTexts[.english] == "server")
    #expect(merged.settings(for: "sudo").prompt.cancelTexts == [.english: "sudo"])
  }

  @Test
  func `if a policy lowers the maximum length, a longer passcode that was set earlier can still be typed`() throws {
    let own = "[passcode]\nauto_submit = true\nmax_length = 20"
    #expect(try merged(own, "[passcode]\nmax_length = 12").rules(for: .passcode).completeLength == nil)
    #expect(try merged(own, "[passcode]\nmax_length = 30").rules(for: .passcode).completeLength == 20)
  }

  @Test func `an empty policy changes no setting`() throws {
    let merged = try merged("[passcode]\nmin_length = 9", "")
    #expect(merged.passcode.policy.minimumLength == 9 && merged.policyVersion == 7)
    #expect(merged.followedLockPolicy(for: .passcode, origin: .remote) == .remoteDefault)
  }

  // MARK: Refusals

  @Test(arguments: [
    "[server]\nrequest_url = 'https://a.test/'", "[state]\ndirectory = '/x'", "[tpm]\nuse = 'off'",
    "[general]\noffline = 'allow'", "[keyring]\nunlock = true",
    "[biometric]\nrequire_tpm = false", "[policy]\nfollow = []",
    "[service.sudo]\ntries = 3", "authenticators = ['passcode']", "[passcode.lock]\nlock_time = 60",
    "[pattern.lock]\nlock_time = 60", "[fingerprint.lock]\nlock_time = 60", "[lock]\nroot_permanent_lock = true",
    "[lock.root]\nlock_time = 60", "[lock.remote]\nroot_permanent_lock = true", "[passcode]\nui_type = 'pin4'",
    "[passcode]\nkeypad = 'shuffled'", "[passcode]\nauto_submit = true", "[passcode]\ndigits_only = true",
    "[passcode]\nregular_expression = 'a*'", "[pattern.appearance]\nnode_size = 3", "[prompt]\naccessible = true",
    "[prompt]\noffer_reset = true", "[prompt]\ntries = 10", "[prompt]\ninteractive = true", "[new]\nx = 1", "x = 1",
  ]) func `refuses a policy with a key that no server may set`(_ text: String) {
    #expect(throws: ConfigurationError.self) { try lent(text) }
    #expect(throws: ConfigurationError.self) { try lent("[passcode]\nmin_length = 8\n" + text) }
  }

  @Test(arguments: [
    "[passcode]\nmin_length = 3", "[passcode]\nmin_length = 65", "[passcode]\nmax_length = '8'",
    "[passcode]\nmin_length = 12\nmax_length = 11", "[passcode.regex]\n'(' = true", "[passcode.ignore]\n'' = true",
    "[passcode.rules]\nnew_rule = true", "[pattern]\nmin_nodes = 10", "[lock]\nretry_count_to_lock = 0",
    "[lock]\nlock_time = 29", "[lock]\nlock_time = 0.5", "[lock]\nlock_time = 86401", "[lock.remote]\nlock_time = 29",
    "[lock]\nmax_lock_count = -1", "[prompt]\ncancel_text = 'one'", "[prompt]\ncancel_text = { en = \"a\\nb\" }",
    "passcode", "[passcode", "[passcode]\nmin_length = 8\nmin_length = 9", "passcode = 1", "{}",
  ]) func `refuses a policy with a mistake that root's own file could not contain either`(_ text: String) {
    #expect(throws: ConfigurationError.self) { try lent(text) }
  }

  @Test func `refuses a policy text of 17 KiB, and one that is not UTF-8`() throws {
    #expect(throws: Never.self) { try lent(String(repeating: "#", count: LentSettings.maximumSize)) }
    #expect(throws: ConfigurationError.self) { try lent(String(repeating: "#", count: 17 * 1024)) }
    #expect(throws: ConfigurationError.self) { try LentSettingsReader.settings([0x23, 0xFF], version: 1) }
  }

  @Test func `refuses a policy with more expressions or ignored texts than a login should check`() {
    func table(_ name: String, _ count: Int) -> String {
      "[passcode.\(name)]\n" + (1...count).map { "'a{\($0)}.*' = true\n" }.joined()
    }
    #expect(throws: Never.self) { try lent(table("regex", 32)) }
    #expect(throws: ConfigurationError.self) { try lent(table("regex", 33)) }
    #expect(throws: Never.self) { try lent(table("ignore", 256)) }
    #expect(throws: ConfigurationError.self) { try lent(table("ignore", 257)) }
  }

  @Test(arguments: [
    ("[passcode]\nmax_length = 8", "[passcode]\nmin_length = 9"),
    ("[passcode]\nmin_length = 9", "[passcode]\nmax_length = 8"),
    ("[passcode]\nui_type = 'pin4'", "[passcode]\nmin_length = 5"),
    ("[passcode]\nui_type = 'pin6'", "[passcode]\nmax_length = 5"),
    ("[passcode]\nui_type = 'pin4'", "[passcode.regex]\n'.{5,}' = true"),
    ("[passcode]\nmax_length = 8", "[passcode.regex]\n'[a-z]{9}' = true"),
    ("[passcode.regex]\n'[a-z]{9}' = true", "[passcode]\nmax_length = 8"),
  ]) func `refuses a policy that permits no passcode together with root's values, and names its line`(
    _ own: String, _ policy: String
  ) {
    let found = problem(policy, own: own)
    #expect(found.hasPrefix("policy 7:") && found.contains(": passcode.") && found.contains("root's"), "\(found)")
    #expect(throws: Never.self, "by itself it is accepted") { try lent(policy) }
  }

  @Test func `a contradiction within root's own configuration is not reported as one of the policy`() {
    let own = "[passcode]\nmax_length = 8\n[passcode.regex]\n'[a-z]{9}' = true"
    #expect(problem("[passcode]\nmin_length = 7", own: own).isEmpty)
  }

  // MARK: Where each setting comes from

  @Test func `tells for each setting whether it comes from root, from the defaults or from the policy`() throws {
    let own = try configuration("[passcode]\nmin_length = 9\nmax_length = 20\n[lock]\nlock_time = 600")
    let text = "[passcode]\nmin_length = 12\nmax_length = 30\n[lock]\nlock_time = 60\nmax_lock_count = 0"
    let merged = try PolicyMerge(own: own, lent: lent(text)).merged()
    let origins = SettingOrigins(own: own, now: merged).all
    func origin(_ key: String) -> String? {
      origins.first { $0.key == key }.map { "\($0.value) \($0.origin)" }
    }
    #expect(origin("passcode.min_length") == "12 policy 7")
    #expect(origin("passcode.max_length") == "20 pam_uaf.conf:5")
    #expect(origin("lock.lock_time") == "600 pam_uaf.conf:7")
    #expect(origin("lock.max_lock_count") == "0 policy 7")
    #expect(origin("lock.retry_count_to_lock") == "5 default")
    #expect(origin("lock.remote.max_lock_count") == "never default")
    #expect(origin("pattern.min_nodes") == "5 default")
  }
}
