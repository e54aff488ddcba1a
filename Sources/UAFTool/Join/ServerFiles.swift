import UAFMessages

/// The files by which a machine that has joined a server knows it: in the folder of drop-ins, and with nothing else of root's.
struct ServerFiles {
  /// The configuration that names the server.
  static let configurationName = "50-server.conf"
  /// The server's authorities.
  static let authorityName = "50-server-ca.pem"
  /// The keys of its verdicts.
  static let verdictKeyName = "50-server-verdict.pem"
  /// All of them; the configuration is the last, because it makes the others count.
  static let names = [authorityName, verdictKeyName, configurationName]

  /// How a configuration of ours begins: `uafctl leave` removes no other.
  static let mark = "# Written by 'uafctl join'."

  private let payload: MachinePayload

  init(_ payload: MachinePayload) { self.payload = payload }

  /// Names and contents for a folder.
  ///
  /// The texts of a payload have no quote character: ``JoinPayload`` has checked them.
  func contents(in folder: String) -> [(name: String, bytes: [UInt8])] {
    var contents: [(String, [UInt8])] = []
    if let authorities = payload.ca { contents.append((Self.authorityName, Array(authorities.utf8))) }
    contents.append((Self.verdictKeyName, Array(payload.verdictKeys.utf8)))
    contents.append((Self.configurationName, Array(configuration(in: folder).utf8)))
    return contents
  }

  private func configuration(in folder: String) -> String {
    var lines = [
      "\(Self.mark) 'uafctl leave' removes it.", "# Group of machines: \(payload.group)", "[server]",
      "request_url = '\(payload.server)/uaf/get'", "response_url = '\(payload.server)/uaf/respond'",
      "require_signed_verdict = true", "verdict_key = '\(folder)/\(Self.verdictKeyName)'",
    ]
    if payload.ca != nil { lines.append("ca_file = '\(folder)/\(Self.authorityName)'") }
    return lines.joined(separator: "\n") + "\n"
  }
}
