import CProcess
import Glibc
import Logging
import ServiceLifecycle
import UAFMessages
import UAFService

/// Settings of the server's own process.
enum ServerProcess {
  /// Protects the process's memory: no core dump, and no tracing by other processes of the same user.
  ///
  /// - Throws: ``ServerError/unprotectedMemory(errorNumber:)``.
  static func forbidDumps() throws(ServerError) {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    // SAFETY: `none` is an rlimit.
    guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0,
      process_control(PR_SET_DUMPABLE, 0) == 0
    else { throw .unprotectedMemory(errorNumber: errno) }
  }

  /// Keeps SIGHUP from ending a server that has just been started; a running server rereads its keys then (``KeyReload``).
  static func ignoreHangup() { _ = signal(SIGHUP, SIG_IGN) }

  /// How many connections may be open at the same time: at most `wanted`, and at most half of the limit of open files.
  ///
  /// The other half is for connections that are being closed. The limit of open files is raised first, as far as allowed.
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

/// The rows that the program itself writes into the audit.
enum ServerEvents {
  /// A command that somebody gave at the command line.
  ///
  /// - Parameter now: seconds since 1970.
  static func command(
    _ kind: AuditKind, account: String = "", detail: JSONObject = [:], now: Int64
  ) -> AuditEntry {
    AuditEntry(
      time: now, kind: kind, account: account, actor: caller, machine: host, detail: text(detail))
  }

  /// That a server starts, with which keys and policies.
  ///
  /// - Parameter policy: the SHA-256 of the policy file; nil without one.
  static func start(version: String, keys: String, policy: [UInt8]?, now: Int64) -> AuditEntry {
    var detail: JSONObject = ["version": .string(version), "keys": .string(keys)]
    detail.set("policy", policy.map { .string(Base64URL.encode($0)) })
    return AuditEntry(time: now, kind: .serverStart, actor: .server, machine: host, detail: text(detail))
  }

  /// That a server stops, as it was told to.
  static func stop(now: Int64) -> AuditEntry {
    AuditEntry(time: now, kind: .serverStop, actor: .server, machine: host)
  }

  /// That a server has reread its keys.
  static func keysRead(_ keys: String, now: Int64) -> AuditEntry {
    AuditEntry(time: now, kind: .keysRead, actor: .server, machine: host, detail: text(["keys": .string(keys)]))
  }

  /// That signed rows are gone or changed, or that the last stored head does not belong to one of them.
  ///
  /// The row contains such a head, because the head may be removed; of a longer text only the beginning.
  static func broken(_ refusal: AuditSigner.Refusal, now: Int64) -> AuditEntry {
    var detail: JSONObject = ["number": .integer(refusal.number)]
    if case .headUnfit(let head) = refusal { detail.set("head", .string(String(head.token.prefix(1024)))) }
    return AuditEntry(
      time: now, kind: .broken, outcome: "changed", actor: .server, machine: host, detail: text(detail))
  }

  private static func text(_ detail: JSONObject) -> String {
    detail.members.isEmpty ? "" : JSONValue.object(detail).text
  }

  /// Who runs this program: its user, and the user who logged in, whoever they have become since.
  static var caller: AuditActor { .commandLine(uid: geteuid(), login: LoginUser.id(of: "self")) }

  /// The name of this machine; empty if it cannot be determined.
  static var host: String {
    var name = [CChar](repeating: 0, count: 256)
    // SAFETY: the buffer is as long as stated; the last byte stays zero.
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// Ends the server although something is still running, if stopping takes too long.
///
/// What is not answered by then was not promised to anybody.
struct StopDeadline: Service {
  /// One second less than the server may take, so that it ends in time on a busy machine too.
  static let standard = Duration.seconds(4)

  let limit: Duration
  let end: @Sendable () -> Void

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }
    // Not awaited: the other services stop at the same time.
    Task { [limit, end] in
      try? await Task.sleep(for: limit)
      end()
    }
  }
}

/// The user who logged in, whoever they have become since.
enum LoginUser {
  /// The login of a process.
  ///
  /// - Parameter process: its number, or `self`.
  /// - Returns: nil if nobody has logged in, or if it cannot be determined.
  static func id(of process: String) -> UInt32? {
    var bytes = [UInt8](repeating: 0, count: 32)
    // SAFETY: the string lives for the call.
    let descriptor = unsafe open("/proc/\(process)/loginuid", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // SAFETY: the buffer is as long as is read.
    let count = unsafe read(descriptor, &bytes, bytes.count)
    let digits = String(decoding: bytes.prefix(max(0, count)).prefix { (0x30...0x39).contains($0) }, as: UTF8.self)
    // The kernel's number for "nobody has logged in".
    return UInt32(digits).flatMap { $0 == .max ? nil : $0 }
  }
}

/// The version of this program.
enum ServerVersion {
  static let current = "0.2.0"
}
