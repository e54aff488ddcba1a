import Doctor
import FidoResults
import Glibc
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire

/// Joins a server.
///
/// Afterwards the machine has either joined or is unchanged.
///
/// The core joins with a copy of the configuration. The files are installed only once the server has accepted the machine.
struct JoinRun {
  let context: ToolContext
  /// The path of the configuration's main file.
  let configuration: String
  /// The uid to which the configuration must belong.
  let owner: uid_t

  /// Joins the payload's server.
  ///
  /// - Returns: how the core's conversation ended. Unless that is a success, nothing was changed.
  /// - Throws: ``ToolError``; then nothing was changed either.
  func join(_ join: JoinPayload) throws(ToolError) -> Finished {
    let place = try DropInPlace(of: configuration, owner: owner)
    let server = ServerFiles(join.payload)
    let documents = try requireFree(join, in: place.path)
    let contents = server.contents(in: place.path)
    try require(documents, with: contents, in: place.path)
    try place.prepare(contents)
    let trial = try TrialConfiguration(of: documents, main: configuration, server)
    var request = Request(.join)
    request.code = join.line
    let finished = try withExtendedLifetime(trial) { () throws(ToolError) in
      try CoreCall(context: context, configuration: trial.path).run(request)
    }
    if finished.pamCode == 0 { try place.commit(contents.map(\.name)) }
    return finished
  }

  /// Leaves the server.
  ///
  /// The files of a join are removed if the core has left the server, or knows of no join. Otherwise the files stay, because
  /// the server was not told, and the command can be run again.
  ///
  /// - Parameter chosen: the path of root's own configuration; nil for the machine's.
  /// - Returns: how the core's conversation ended, and whether the files of a join were removed.
  /// - Throws: ``ToolError``.
  func leave(_ chosen: String?) throws(ToolError) -> (finished: Finished, hasRemoved: Bool) {
    let place = try DropInPlace(of: configuration, owner: owner)
    let isOurs = try ownServer(documents(), in: place.path) != nil
    let finished = try CoreCall(context: context, configuration: chosen).run(Request(.leave))
    let hasLeft = finished.pamCode == 0 || finished.result == FidoResult.requestNotExist.code
    guard isOurs, hasLeft else { return (finished, false) }
    place.remove()
    return (finished, true)
  }

  private func documents() throws(ToolError) -> [ConfigurationDocument] {
    do throws(ConfigurationError) {
      let isDefault = configuration == context.installation.configurationPath
      return try Configuration.documents(
        path: isDefault ? nil : configuration, defaultPath: configuration, requiredOwner: owner)
    } catch { throw .configuration(.unusable(error)) }
  }

  /// The documents of the configuration without those of an earlier join of the same server.
  ///
  /// - Throws: ``ToolError/join(_:)`` if a different server is configured, or one of another dialect.
  private func requireFree(_ join: JoinPayload, in folder: String) throws(ToolError) -> [ConfigurationDocument] {
    let documents = try documents()
    if let joined = try ownServer(documents, in: folder), joined != join.payload.server + "/uaf/get" {
      throw .join(.joinedElsewhere(joined))
    }
    let others = documents.filter { $0.path != folder + "/" + ServerFiles.configurationName }
    // A configuration that is incomplete only because it names no server is no obstacle.
    let server = (try? Configuration(others, path: configuration))?.server
    if let server, server.dialect != .fido { throw .join(.otherDialect(server.dialect.rawValue)) }
    if let configured = server?.requestURL?.text, configured != join.payload.server + "/uaf/get" {
      throw .join(.configuredElsewhere(configured))
    }
    guard others.count <= ConfigurationFile.maximumDropIns else { throw .join(.tooManyFiles(folder)) }
    return others
  }

  /// The server's address in the configuration that an earlier join has written; nil if there is none.
  private func ownServer(_ documents: [ConfigurationDocument], in folder: String) throws(ToolError) -> String? {
    let path = folder + "/" + ServerFiles.configurationName
    guard let document = documents.first(where: { $0.path == path }) else { return nil }
    guard document.bytes.starts(with: ServerFiles.mark.utf8),
      let server = try? Configuration(parsing: document.bytes, path: path).server, let url = server.requestURL
    else { throw .join(.otherFile(path)) }
    return url.text
  }

  /// Refuses to join if the configuration would not be usable afterwards.
  private func require(
    _ documents: [ConfigurationDocument], with contents: [(name: String, bytes: [UInt8])], in folder: String
  ) throws(ToolError) {
    let added = contents.filter { $0.name == ServerFiles.configurationName }.map {
      ConfigurationDocument(path: folder + "/" + $0.name, bytes: $0.bytes)
    }
    let main = documents.filter { $0.path == configuration }
    let dropIns = (documents.filter { $0.path != configuration } + added).sorted {
      $0.path.utf8.lexicographicallyPrecedes($1.path.utf8)
    }
    do throws(ConfigurationError) { _ = try Configuration(main + dropIns, path: configuration) } catch {
      throw .configuration(.unusable(error))
    }
  }
}

/// The report of a join, as one JSON object for scripts (uafctl(1)).
struct JoinReport {
  private let joined: JoinPayload
  private let hasCheckedIn: Bool
  private let findings: [Finding]

  init(_ joined: JoinPayload, hasCheckedIn: Bool, findings: [Finding]) {
    self.joined = joined
    self.hasCheckedIn = hasCheckedIn
    self.findings = findings
  }

  /// The findings of `uafctl doctor` that need attention.
  var open: [Finding] { findings.filter { $0.level != .ok && $0.level != .skipped } }

  /// The report as one line.
  func text(in language: Language) -> String {
    let document: JSONObject = [
      "version": .string(ToolVersion.number), "server": .string(joined.payload.server),
      "group": .string(joined.payload.group.name), "fingerprint": .string(joined.fingerprint),
      "checkedIn": .bool(hasCheckedIn),
      "findings": .array(open.map { DoctorReport.object($0, language) }),
    ]
    return JSONValue.object(document).text
  }
}

/// A machine payload as it was read.
struct JoinPayload {
  /// The content of the payload.
  let payload: MachinePayload
  /// The line of the payload, which is sent to the core.
  let line: [UInt8]
  /// The fingerprint of the server, 64 hex digits.
  let fingerprint: String

  /// Reads the one line of a payload.
  ///
  /// - Throws: ``ToolError/join(_:)`` if the line is not a machine payload.
  init(_ line: [UInt8]) throws(ToolError) {
    self.line = line
    let text = String(decoding: line, as: UTF8.self)
    do throws(MessageError) {
      payload = try MachinePayload(encoded: text)
    } catch {
      throw .join(.notUnderstood(.message(error)))
    }
    guard ServerURL(payload.server + "/") != nil, !payload.server.contains(where: { "'?{".contains($0) }) else {
      throw .join(.notUnderstood(.message(.outOfRange("payload.server"))))
    }
    guard let hash = try? SHA256.hash(payload.fingerprinted) else { throw .outOfMemory }
    let digits = Array("0123456789abcdef".utf8)
    fingerprint = String(decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Refuses a payload for a server or group other than those that the administrator named.
  ///
  /// - Parameters:
  ///   - fingerprint: hex digits, which may be grouped; nil to accept any server.
  ///   - group: nil to accept any group.
  /// - Throws: ``ToolError/join(_:)``.
  func require(fingerprint: String?, group: String?) throws(ToolError) {
    if let fingerprint {
      let digits = fingerprint.lowercased().filter { $0 != ":" && $0 != " " }
      guard digits == self.fingerprint else { throw .join(.otherFingerprint(self.fingerprint)) }
    }
    if let group, group != payload.group.name { throw .join(.otherGroup(payload.group.name)) }
  }
}
