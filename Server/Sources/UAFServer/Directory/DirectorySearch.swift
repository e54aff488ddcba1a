import Glibc
import SecretMemory
import UAFAdministration

/// A search in a directory, which ldapsearch of Debian's package ldap-utils makes in a process of its own.
///
/// The process gets the password through a pipe, and neither as an argument nor in its environment. It reads no configuration of
/// libldap, so nothing there can weaken TLS. If root starts it, it gives up root: it runs as a uid that owns nothing, without
/// groups and capabilities. So a directory that breaks ldapsearch gets the password that it knows anyway, and nothing else.
struct DirectorySearch {
  /// The uid and gid of the search.
  ///
  /// Like those of the programs of a login (docs/sandboxes.md), it needs no entry.
  static let userID: uid_t = 60_993
  /// How long a search may take, in milliseconds.
  private static let patience: Int64 = 600_000
  private static let programs = (search: "/usr/bin/ldapsearch", dropping: "/usr/bin/setpriv")

  let settings: DirectorySettings
  /// Milliseconds of a clock that is never set.
  let now: () -> Int64

  /// The programs that are started, and their arguments.
  ///
  /// - Parameter isRoot: whether this process is root's.
  func command(
    base: String, filter: String, attributes: [String], isRoot: Bool
  ) -> [String] {
    let id = String(Self.userID)
    let dropping = [
      Self.programs.dropping, "--reuid", id, "--regid", id, "--clear-groups", "--no-new-privs", "--bounding-set=-all",
      "--inh-caps=-all", "--",
    ]
    var command = isRoot ? dropping : []
    command += [Self.programs.search, "-x", "-H", settings.url]
    // Twice: without TLS, the search ends.
    if settings.startsTLS { command.append("-ZZ") }
    command += ["-o", "tls_reqcert=demand", "-o", "tls_cacert=\(settings.authorities)", "-o", "nettimeout=30"]
    if let bind = settings.bind { command += ["-D", bind.dn, "-y", "/dev/fd/\(SearchProcess.passwordDescriptor)"] }
    command += ["-LLL", "-o", "ldif_wrap=no", "-a", "never", "-s", "sub", "-E", "!pr=\(settings.pageSize)/noprompt"]
    // The filter begins with a parenthesis and attributes with a letter or a digit, so neither can be taken for an option.
    return command + ["-b", base, filter] + attributes
  }

  /// Searches, and passes each entry to `body`.
  ///
  /// - Throws: ``ServerError``, also for a malformed filter; what `body` throws is thrown as
  ///   ``ServerError/unusableDirectoryAnswer(_:)``.
  func entries(
    base: String, filter: String, attributes: [String], _ body: (DirectoryEntry) throws(DirectoryProblem) -> Void
  ) throws(ServerError) {
    let isRoot = geteuid() == 0
    try checkAuthorities(isRoot: isRoot)
    let command = command(base: base, filter: filter, attributes: attributes, isRoot: isRoot)
    let process = try SearchProcess(
      command, password: try settings.bind.map { bind throws(ServerError) in try Self.password(bind.passwordFile) },
      owner: isRoot ? Self.userID : nil)
    var reader = LDIFReader()
    let end = now() + Self.patience
    while let bytes = try process.output(by: end, now: now) {
      try Self.reading { () throws(DirectoryProblem) in
        for entry in try reader.received(bytes) { try body(entry) }
      }
    }
    // Only a search that has ended well was complete: the entries before a failure prove nothing about people who are gone.
    do throws(ServerError) { try process.ended(by: end, now: now) } catch { throw Self.naming(filter, error) }
    try Self.reading { () throws(DirectoryProblem) in
      if let last = try reader.end() { try body(last) }
    }
  }

  /// Refuses a file that the search could not read; its failure would look like one of the directory.
  private func checkAuthorities(isRoot: Bool) throws(ServerError) {
    let path = settings.authorities
    var file = stat()
    // SAFETY: `file` and the path live for the calls.
    guard unsafe stat(path, &file) == 0 else {
      throw .unusableFile(path: path, system: "the authorities cannot be read")
    }
    let isReadable = isRoot ? file.st_mode & 0o004 != 0 : unsafe access(path, R_OK) == 0
    guard file.st_mode & S_IFMT == S_IFREG, isReadable else {
      throw .unusableFile(path: path, reason: "the authorities must be a file that everybody can read")
    }
  }

  /// The failure; if ldapsearch cannot read the filter, an error of the settings that names it.
  static func naming(_ filter: String, _ error: ServerError) -> ServerError {
    guard case .directory(let failure) = error, failure.cause == .code(DirectorySearchFailure.filterStatus) else {
      return error
    }
    return .directory(DirectorySearchFailure(.badFilter(filter), said: failure.said))
  }

  private static func reading(_ body: () throws(DirectoryProblem) -> Void) throws(ServerError) {
    do throws(DirectoryProblem) { try body() } catch { throw .unusableDirectoryAnswer(error) }
  }

  private static func password(_ path: String) throws(ServerError) -> Secret {
    guard let password = try StateFile.readPassword(path: path) else {
      throw .unusableFile(path: path, reason: "no such file")
    }
    return password
  }
}
