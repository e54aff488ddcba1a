import Glibc
import UAFMessages
import UAFService

/// What the program itself writes into the audit.
enum ServerEvents {
  /// What somebody did at the command line.
  ///
  /// - Parameter now: seconds since 1970.
  static func command(
    _ kind: AuditKind, account: String = "", detail: JSONObject = [:], now: Int64
  ) -> AuditEntry {
    AuditEntry(
      time: now, kind: kind, account: account, actor: caller, machine: host, detail: text(detail))
  }

  /// That a server begins to serve, with which keys and policies.
  ///
  /// - Parameter policy: the SHA-256 of the file of policies; nil without one.
  static func start(version: String, keys: String, policy: [UInt8]?, now: Int64) -> AuditEntry {
    var detail: JSONObject = ["version": .string(version), "keys": .string(keys)]
    detail.set("policy", policy.map { .string(Base64URL.encode($0)) })
    return AuditEntry(time: now, kind: .serverStart, actor: .server, machine: host, detail: text(detail))
  }

  /// That a server ends as it was told to.
  static func stop(now: Int64) -> AuditEntry {
    AuditEntry(time: now, kind: .serverStop, actor: .server, machine: host)
  }

  /// That a server has read its keys again.
  static func keysRead(_ keys: String, now: Int64) -> AuditEntry {
    AuditEntry(time: now, kind: .keysRead, actor: .server, machine: host, detail: text(["keys": .string(keys)]))
  }

  /// That rows which were signed are not there any more, or are others; or that the last stored head is not one of them.
  ///
  /// Such a head is in the row, since it may be removed; of a longer text the beginning.
  static func broken(_ refusal: AuditSigner.Refusal, now: Int64) -> AuditEntry {
    var detail: JSONObject = ["number": .integer(refusal.number)]
    if case .headUnfit(let head) = refusal { detail.set("head", .string(String(head.token.prefix(1024)))) }
    return AuditEntry(
      time: now, kind: .broken, outcome: "changed", actor: .server, machine: host, detail: text(detail))
  }

  private static func text(_ detail: JSONObject) -> String {
    detail.members.isEmpty ? "" : JSONValue.object(detail).text
  }

  /// Who runs this program: the user it has, and the one who logged in, whoever they have become since.
  static var caller: AuditActor { .commandLine(uid: geteuid(), login: LoginUser.id(of: "self")) }

  /// The name of this machine; empty if it cannot be told.
  static var host: String {
    var name = [CChar](repeating: 0, count: 256)
    // SAFETY: the buffer is as long as it is said to be; the last byte stays zero.
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
