import CProcess
import Glibc
import Logging
import ServiceLifecycle
import UAFMessages
import UAFService

/// Settings of the server's own process.
enum ServerProcess {
  /// Protects the process's memory: forbids core dumps, and tracing by other processes of the same user.
  ///
  /// - Throws: ``ServerError/unprotectedMemory(errorNumber:)``.
  static func forbidDumps() throws(ServerError) {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    // SAFETY: `none` is an rlimit.
    guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0,
      process_control(PR_SET_DUMPABLE, 0) == 0
    else { throw .unprotectedMemory(errorNumber: errno) }
  }

  /// Ignores SIGHUP while the server starts, so that it does not end the process.
  ///
  /// Later, ``KeyReload`` handles the signal.
  static func ignoreHangup() { _ = signal(SIGHUP, SIG_IGN) }

  /// The most connections that may be open at the same time: `wanted`, but not more than half of the limit of open files.
  ///
  /// The other half is for connections that are being closed. First the limit of open files is raised as far as the system
  /// allows.
  static func connections(atMost wanted: Int) -> Int {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    // SAFETY: `limit` is an rlimit.
    guard unsafe getrlimit(resource, &limit) == 0 else { return wanted }
    let needed = rlim_t(wanted * 4)
    if limit.rlim_cur < needed, limit.rlim_cur < limit.rlim_max {
      var raised = rlimit(rlim_cur: min(needed, limit.rlim_max), rlim_max: limit.rlim_max)
      // SAFETY: `raised` is an rlimit.
      if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
    }
    return max(1, min(wanted, Int(clamping: limit.rlim_cur / 2)))
  }
}

/// The rows that this program itself writes into the audit.
enum ServerEvents {
  /// The row about a command that somebody ran.
  ///
  /// - Parameter now: seconds since 1970.
  static func command(
    _ kind: AuditKind, account: String = "", detail: JSONObject = [:], now: Int64
  ) -> AuditEntry {
    AuditEntry(
      time: now, kind: kind, account: account, actor: caller, machine: host, detail: text(detail))
  }

  /// The row about the start of a server, with its keys and policy file.
  ///
  /// - Parameter policy: the SHA-256 of the policy file; nil without one.
  static func start(version: String, keys: String, policy: [UInt8]?, now: Int64) -> AuditEntry {
    var detail: JSONObject = ["version": .string(version), "keys": .string(keys)]
    detail.set("policy", policy.map { .string(Base64URL.encode($0)) })
    return AuditEntry(time: now, kind: .serverStart, actor: .server, machine: host, detail: text(detail))
  }

  /// The row about a regular stop of a server.
  static func stop(now: Int64) -> AuditEntry {
    AuditEntry(time: now, kind: .serverStop, actor: .server, machine: host)
  }

  /// The row about a server that has reread its keys.
  static func keysRead(_ keys: String, now: Int64) -> AuditEntry {
    AuditEntry(time: now, kind: .keysRead, actor: .server, machine: host, detail: text(["keys": .string(keys)]))
  }

  /// The row about signed rows that are missing or changed, or about a last stored head that fits none of them.
  ///
  /// The row contains such a head, because the head itself may be removed. A head of more than 1024 characters is cut off.
  static func broken(_ refusal: AuditSigner.Refusal, now: Int64) -> AuditEntry {
    var detail: JSONObject = ["number": .integer(refusal.number)]
    if case .headUnfit(let head) = refusal { detail.set("head", .string(String(head.token.prefix(1024)))) }
    return AuditEntry(
      time: now, kind: .broken, outcome: "changed", actor: .server, machine: host, detail: text(detail))
  }

  private static func text(_ detail: JSONObject) -> String {
    detail.members.isEmpty ? "" : JSONValue.object(detail).text
  }

  /// Who runs this program: its user, and the user who originally logged in, even if they switched to a different user since.
  static var caller: AuditActor { .commandLine(uid: geteuid(), login: LoginUser.id(of: "self")) }

  /// The name of this machine; empty if it cannot be determined.
  static var host: String {
    var name = [CChar](repeating: 0, count: 256)
    // SAFETY: the buffer is as long as stated; the last byte stays zero.
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// Ends the server if stopping takes too long, although requests are still in progress.
///
/// Nobody has received a success for a request that is dropped in this way.
struct StopDeadline: Service {
  /// One second less than the server may take, so that it ends in time even on a busy machine.
  static let standard = Duration.seconds(4)

  let limit: Duration
  let end: @Sendable () -> Void

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }
    // This is not awaited, because the other services are to stop in the meantime.
    Task { [limit, end] in
      try? await Task.sleep(for: limit)
      end()
    }
  }
}

/// The user who originally logged in, even if they switched to a different user since.
enum LoginUser {
  /// The login user of a process.
  ///
  /// - Parameter process: its ID, or `self`.
  /// - Returns: nil if the process does not come from a login, or if that cannot be determined.
  static func id(of process: String) -> UInt32? {
    var bytes = [UInt8](repeating: 0, count: 32)
    // SAFETY: the string lives for the call.
    let descriptor = unsafe open("/proc/\(process)/loginuid", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // SAFETY: the buffer is as long as is read.
    let count = unsafe read(descriptor, &bytes, bytes.count)
    let digits = String(decoding: bytes.prefix(max(0, count)).prefix { (0x30...0x39).contains($0) }, as: UTF8.self)
    // The kernel's value for a process that does not come from a login is the highest number.
    return UInt32(digits).flatMap { $0 == .max ? nil : $0 }
  }
}

/// The version of this program.
enum ServerVersion {
  static let current = "0.2.0"
}
