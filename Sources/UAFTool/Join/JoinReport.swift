import Doctor
import FidoResults
import UAFMessages

/// That this machine has joined a server, as one JSON object for scripts (uafctl(1)).
struct JoinReport {
  private let joined: JoinPayload
  private let hasCheckedIn: Bool
  private let findings: [Finding]

  init(_ joined: JoinPayload, hasCheckedIn: Bool, findings: [Finding]) {
    self.joined = joined
    self.hasCheckedIn = hasCheckedIn
    self.findings = findings
  }

  /// What `doctor` says is left to do.
  var open: [Finding] { findings.filter { $0.level != .ok && $0.level != .skipped } }

  /// The object, in one line.
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
