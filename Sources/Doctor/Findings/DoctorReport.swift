import FidoResults
import UAFMessages
import Wording

/// What `doctor` found, as one JSON object for scripts (uafctl(1)).
package struct DoctorReport {
  private let findings: [Finding]

  package init(_ findings: [Finding]) { self.findings = findings }

  /// Whether anything failed.
  package var hasFailed: Bool { findings.contains { $0.level == .failure } }

  /// The object, in one line; names and levels are the same in every language.
  package func text(in language: Language) -> String {
    let document: JSONObject = [
      "version": .string(ToolVersion.number), "failed": .bool(hasFailed),
      "findings": .array(findings.map { Self.object($0, language) }),
    ]
    return JSONValue.object(document).text
  }

  /// One finding.
  package static func object(_ finding: Finding, _ language: Language) -> JSONValue {
    let text = finding.text(in: language)
    var object: JSONObject = ["level": .string(level(finding))]
    object.set("id", finding.id.map { .string($0.rawValue) })
    object.set("text", .string(ShownText.line(text.what)))
    object.set("remedy", text.remedy.map { .string(ShownText.line($0)) })
    return .object(object)
  }

  private static func level(_ finding: Finding) -> String {
    switch finding.level {
    case .ok: "ok"
    case .warning, .alarm: "warning"
    case .failure: "failure"
    case .skipped: "skipped"
    }
  }
}
