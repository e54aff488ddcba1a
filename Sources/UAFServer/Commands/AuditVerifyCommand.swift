import ArgumentParser
import Foundation
import UAFMessages
import UAFService

/// `uaf-server audit verify`: checks the whole audit.
struct AuditVerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check that no row of the audit was changed, removed or inserted.",
    discussion: """
      Names the first row that does not hold, and exits with 1. Checked are the chain of the rows, each signed head in the \
      store, the last head of the state folder, and the heads of --head: lines of the file that 'serve --audit-heads' wrote, \
      kept on another machine. Only such a head shows that the end was cut off by somebody who can change store and folder.
      Periods of more than five minutes without a signature are reported, too, and the exit status is then 1. Once you \
      have looked into them, pass --accept-unsigned with the number of the last row concerned.
      """)

  @OptionGroup var state: StateOption
  @Option(help: "A file of signed heads that was kept elsewhere.", completion: .file()) var head: String?
  @Option(help: "The public keys of heads, PEM (default: audit.pub in the state folder).", completion: .file())
  var key: String?
  @Option(help: ArgumentHelp("Do not report unsigned periods of rows up to this one.", valueName: "number"))
  var acceptUnsigned: Int64 = 0
  @OptionGroup var json: JSONFlag

  func run() async throws {
    let directory = try state.open(create: false)
    let store = try state.openStore(in: directory)
    let keys = try PublicKeyFile.auditHeadKeys(path: key ?? directory.auditPublicKeyPath)
    var kept = try Self.heads(directory.auditHeadPath, keys) ?? []
    if let head {
      guard let heads = try Self.heads(head, keys, passesCut: true) else {
        throw ServerError.unusableFile(path: head, reason: "cannot be read")
      }
      kept += heads
    }
    let verification = AuditVerification(of: store, keys: keys, kept: kept, now: Terminal.now)
    var summary = try await verification.run()
    summary.gaps.removeAll { $0.through <= acceptUnsigned }
    json.print(Self.json(summary), orElse: Self.lines(summary).joined(separator: "\n"))
    if summary.fault != nil || summary.broken != 0 || !summary.gaps.isEmpty { throw ExitCode.failure }
  }

  static func json(_ summary: AuditSummary) -> JSONObject {
    var object: JSONObject = [
      "rows": .integer(Int64(summary.rows)), "last": .integer(summary.last), "signed": .integer(summary.signed),
      "removed": .integer(summary.removed), "broken": .integer(summary.broken),
    ]
    object.set("unsigned", .array(summary.gaps.map { .object(json($0)) }))
    object.set("fault", summary.fault.map { .string("\($0)") })
    return object
  }

  private static func json(_ gap: AuditGap) -> JSONObject {
    [
      "after": .integer(gap.after), "through": .integer(gap.through), "from": .integer(gap.from),
      "until": .integer(gap.until),
    ]
  }

  static func lines(_ summary: AuditSummary) -> [String] {
    var lines = summary.removed == 0 ? [] : ["rows up to \(summary.removed) were removed by 'audit prune'"]
    if summary.broken != 0 {
      lines.append("row \(summary.broken) was written by the server: rows that it had signed were gone or changed")
    }
    lines += summary.gaps.map { gap in
      "\(gap) (\(SecondText.iso8601.text(at: gap.from)) to \(SecondText.iso8601.text(at: gap.until)))"
    }
    if let fault = summary.fault {
      lines.append("\(fault)")
    } else {
      lines.append("\(summary.rows) row\(summary.rows == 1 ? "" : "s") hold; signed up to row \(summary.signed)")
    }
    return lines
  }

  /// The heads of a file; nil if there is none.
  ///
  /// - Parameter passesCut: tells of a line that a crash or a full disk has cut, and passes it over.
  /// - Throws: ``ServerError/unusableFile(path:reason:)`` if a line is no head that one of the keys has signed.
  static func heads(_ path: String, _ keys: AuditHeadKeys, passesCut: Bool = false) throws -> [AuditHead]? {
    // Whoever could have written it: each line is checked.
    guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
    return try AuditHeadFiles.tokens(Array(bytes)).enumerated().compactMap { number, token in
      guard let head = keys.head(of: token) else {
        if passesCut, AuditHeadFiles.isCut(token) {
          Terminal.note("\(path): line \(number + 1) was cut by a crash or a full disk: it is passed over")
          return nil
        }
        throw ServerError.unusableFile(
          path: path, reason: "line \(number + 1) is not a head that a key of audit.pub has signed")
      }
      return head
    }
  }
}
