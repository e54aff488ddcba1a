// Purpose: The store of uaf-server in PostgreSQL, through libpq. This is the only target that may import libpq. The tables that
// are the same in SQLiteStore are in SQLStore. The protocols in UAFService/Store say what each table promises. This target
// contains only what PostgreSQL needs.

import CLibPQ
import Glibc
import SecretMemory
import Synchronization

/// The address of a PostgreSQL store: a URL of libpq, without a password.
package struct PostgreSQLAddress: Sendable {
  /// Reads the password, which is done for each connection.
  ///
  /// The result ends with a zero byte; nil if there is no password.
  package typealias Password = @Sendable () throws -> Secret?

  private let settings: [String: String]
  private let password: Password

  /// The number of hosts in the URL; if there are several, the store is a cluster.
  let hosts: Int

  /// The default settings, which the URL can override.
  ///
  /// `target_session_attrs`: a server that cannot write is skipped, and the next host is tried. `keepalives_idle`: a firewall
  /// silently drops idle connections, some after four minutes, and the next login on such a connection would wait for 10 s in
  /// vain. The system's default for that, `tcp_keepalive_time`, is two hours.
  private static let standard = [
    "connect_timeout": "3", "target_session_attrs": "read-write", "tcp_user_timeout": "10000",
    "keepalives_idle": "30", "keepalives_interval": "10", "fallback_application_name": "uaf-server",
  ]

  /// Reads a URL.
  ///
  /// The password comes from the passfile that the URL or PGPASSFILE names, or from `password`.
  ///
  /// - Throws: ``PostgreSQLRefusal``, which does not repeat the URL.
  package init(_ url: String, password: @escaping Password = { nil }) throws(PostgreSQLRefusal) {
    guard Self.isURL(url) else { throw .wrongURL }
    // SAFETY: libpq copies the text, and hands over a list that ends with an entry without a keyword. Its error text could
    // repeat the URL, so it is not read.
    guard let options = unsafe PQconninfoParse(url, nil) else { throw .wrongURL }
    defer { unsafe PQconninfoFree(options) }
    var given: [String: String] = [:]
    var option = unsafe options
    while let keyword = unsafe option.pointee.keyword {
      if let value = unsafe option.pointee.val { unsafe given[String(cString: keyword)] = String(cString: value) }
      unsafe option += 1
    }
    guard given["password"] == nil, given["sslpassword"] == nil else { throw .passwordInURL }
    // A service file could contain any setting, even a password.
    if let other = ["service", "replication"].first(where: { given[$0] != nil }) { throw .settingNotAllowed(other) }
    let counts = Self.lists.map { Self.entries(given[$0] ?? "").count }
    let most = counts.max() ?? 1
    // As in libpq, there is one value for all hosts, or one for each.
    guard counts.allSatisfy({ $0 == 1 || $0 == most }) else { throw .wrongURL }
    hosts = most
    settings = Self.standard.merging(given) { $1 }.merging(["client_encoding": "UTF8"]) { $1 }
    self.password = password
  }

  /// The hosts and the database as a text for people, without the user and without a secret.
  package var place: String {
    let host = settings["host"] ?? settings["hostaddr"] ?? "this machine"
    return "the database \(settings["dbname"] ?? settings["user"] ?? "") of \(host)"
  }

  /// Whether a text looks like a URL of PostgreSQL.
  package static func isURL(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  /// The settings that are lists with a value for each host, separated by commas.
  private static let lists = ["host", "hostaddr", "port"]

  private static func entries(_ list: String) -> [Substring] {
    list.split(separator: ",", omittingEmptySubsequences: false)
  }

  /// The settings for one of the hosts.
  private func settings(ofHost number: Int) -> [String: String] {
    settings.merging(
      Self.lists.compactMap { name in
        let all = Self.entries(settings[name] ?? "")
        return all.count > 1 ? (name, String(all[number])) : nil
      }
    ) { $1 }
  }

  /// Connects to one of the hosts.
  ///
  /// The caller must pass the returned object to PQfinish, even if the connection failed.
  ///
  /// - Parameter number: the index of the host, less than ``hosts``.
  @unsafe func connect(toHost number: Int) throws -> OpaquePointer? {
    let settings = settings(ofHost: number)
    let names = Array(settings.keys)
    // SAFETY: the copies are freed after the call, which makes its own.
    let keywords = unsafe names.map { unsafe strdup($0) }
    let values = unsafe names.map { unsafe strdup(settings[$0] ?? "") }
    defer { unsafe (keywords + values).forEach { unsafe free($0) } }
    let secret = settings["passfile"] == nil ? try password() : nil
    guard let secret else {
      // SAFETY: both lists end with NULL.
      return unsafe PQconnectdbParams(Self.pointers(keywords), Self.pointers(values), 0)
    }
    return unsafe secret.withUnsafeBytes { bytes in
      // SAFETY: the secret ends with a zero byte, and lives for the call; both lists end with NULL.
      unsafe "password".withCString { keyword in
        let password = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        return unsafe PQconnectdbParams(Self.pointers(keywords, keyword), Self.pointers(values, password), 0)
      }
    }
  }

  /// A list for libpq, which ends with NULL.
  @unsafe private static func pointers(
    _ texts: [UnsafeMutablePointer<CChar>?], _ further: UnsafePointer<CChar>? = nil
  ) -> [UnsafePointer<CChar>?] {
    // SAFETY: the pointers are only copied; they are as valid as before.
    unsafe texts.map { unsafe UnsafePointer($0) } + [further, nil]
  }
}

/// Connects to the first suitable host, which is one that does not lose committed data.
///
/// It begins with the host that was suitable last.
///
/// libpq by itself would use the first host that claims to be the primary. After a failover that may be the old primary, which
/// nobody manages any longer.
final class HostSearch: Sendable {
  private let address: PostgreSQLAddress
  private let now: @Sendable () -> ContinuousClock.Instant
  private let last = Mutex(0)

  init(_ address: PostgreSQLAddress, now: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.address = address
    self.now = now
  }

  /// Connects, and checks the server.
  ///
  /// - Throws: ``PostgreSQLRefusal`` if a host can be reached but is not suitable; otherwise
  ///   ``PostgreSQLError/unreachable(message:)`` with a message for each host.
  func find() throws -> (Connection, ConnectionCheck) {
    let start = last.withLock { $0 }
    var refusal: PostgreSQLRefusal?
    var messages: [String] = []
    for number in (0..<address.hosts).map({ (start + $0) % address.hosts }) {
      do {
        let found = try use(number)
        last.withLock { $0 = number }
        return found
      } catch let error as PostgreSQLRefusal {
        refusal = refusal ?? error
      } catch PostgreSQLError.unreachable(let message) {
        messages.append(message)
      } catch let error as PostgreSQLError {
        messages.append(error.text)
      }
    }
    if let refusal { throw refusal }
    throw PostgreSQLError.unreachable(message: messages.joined(separator: "; "))
  }

  /// Connects again, after a suitable server was found at the start.
  ///
  /// - Throws: ``PostgreSQLError/unreachable(message:)``, also if no server is suitable any longer.
  func connect() throws -> Connection {
    do {
      return try find().0
    } catch let refusal as PostgreSQLRefusal {
      throw PostgreSQLError.unreachable(message: refusal.description)
    }
  }

  private func use(_ number: Int) throws -> (Connection, ConnectionCheck) {
    let connection = try Connection(to: address, host: number, now: now)
    connection.setDeadline(now() + .seconds(5))
    let check = try ConnectionCheck(connection)
    try check.requireDurability()
    if address.hosts > 1 { try check.requireStandby() }
    return (connection, check)
  }
}
