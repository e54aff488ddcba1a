import FidoResults
import Glibc
import UAFConfiguration
import UAFMessages

/// The server that root has trusted with an enrolment payload.
///
/// It is used if the configuration names no server.
///
/// It is stored in the state folder as a part of a configuration, and read with the same checks as root's configuration file.
enum TrustedServer {
  private static let fileName = StateSettings.trustFileName
  private static let authorityName = "trust-ca.pem"

  /// Reads the server; nil if root never trusted one in this way.
  ///
  /// - Throws: ``Ending`` (1001) if the file cannot be used.
  static func load(_ directory: String, owner: uid_t) throws(Ending) -> ServerSettings? {
    let path = "\(directory)/\(fileName)"
    do throws(ConfigurationError) {
      return try Configuration.load(onlyFile: path, requiredOwner: owner).server
    } catch {
      if case .file(_, .missing) = error { return nil }
      throw .configuration("\(error)", isRoots: error.isRoots)
    }
  }

  /// Stores the server of a payload that has already been parsed.
  ///
  /// - Throws: ``Ending``.
  static func store(_ payload: EnrolmentPayload, in directory: String) throws(Ending) {
    guard ServerURL(payload.server + "/") != nil, !payload.server.contains("'"), !directory.contains("'") else {
      throw Ending(.invalidParameter, log: "code: server is not a plain https URL")
    }
    var text = "# Written by 'uafctl trust'. The configuration's [server] comes first.\n[server]\n"
    for (key, path) in [("request_url", "/uaf/get"), ("response_url", "/uaf/respond")] {
      text += "\(key) = '\(payload.server + path)'\n"
    }
    if let authorities = payload.ca {
      try write(Array(authorities.utf8), to: authorityName, in: directory)
      text += "ca_file = '\(directory)/\(authorityName)'\n"
    }
    do throws(ConfigurationError) { _ = try Configuration(parsing: Array(text.utf8), path: "code") } catch {
      throw Ending(
        .invalidParameter, detail: RootText("the code: \(error)", korean: "코드의 내용으로는 서버를 설정할 수 없습니다(\(error.place))"),
        log: "code: \(error)")
    }
    try write(Array(text.utf8), to: fileName, in: directory)
  }

  /// Writes a file under a temporary name first, so that the file is either complete or missing.
  private static func write(_ bytes: [UInt8], to name: String, in directory: String) throws(Ending) {
    let path = "\(directory)/\(name)"
    let temporary = "\(directory)/.\(name).\(getpid())"
    // SAFETY: the paths live for the calls, and neither has a NUL in it.
    _ = unsafe unlink(temporary)
    let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    // SAFETY: the array is lent for the call; both paths are NUL-terminated.
    let count = file < 0 ? -1 : unsafe Glibc.write(file, bytes, bytes.count)
    let isWritten = count == bytes.count && fsync(file) == 0
    let failure = errno
    if file >= 0 { close(file) }
    guard isWritten, unsafe rename(temporary, path) == 0 else {
      _ = unsafe unlink(temporary)
      throw Ending(.cannotUse, log: "\(path): errno \(failure)")
    }
  }
}
