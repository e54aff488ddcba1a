import ArgumentParser
import Foundation
import UAFAdministration
import UAFDecoder
import UAFMessages
import UAFService

/// `uaf-server audit verify`: checks the whole audit.
struct AuditVerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check that no row of the audit was changed, removed or inserted.",
    discussion: """
      Reports the first row that is wrong, and exits with 1. The command checks the chain of the rows, each signed \
      head in the store, the last head in the state folder, and the heads of --head: lines of the file that 'serve \
      --audit-heads' wrote, kept on another machine. If somebody who can change the store and the folder has cut off \
      the end, only such a head shows it.
      Periods of more than five minutes without a signature are reported too, and the exit status is then 1. After \
      you have investigated them, give --accept-unsigned the number of the last row concerned.
      """)

  @OptionGroup var state: StateOption
  @Option(help: "A file of signed heads that was kept elsewhere.", completion: .file()) var head: String?
  @Option(help: "The public keys of heads, PEM (default: audit.pub in the state folder).", completion: .file())
  var key: String?
  @Option(help: ArgumentHelp("Do not report unsigned periods that end with this row or earlier.", valueName: "number"))
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
      lines.append(
        "row \(summary.broken) was written by the server, because rows that it had signed were missing or changed")
    }
    lines += summary.gaps.map { gap in
      "\(gap) (\(SecondText.iso8601.text(at: gap.from)) to \(SecondText.iso8601.text(at: gap.until)))"
    }
    if let fault = summary.fault {
      lines.append("\(fault)")
    } else {
      lines.append("\(summary.rows) row\(summary.rows == 1 ? "" : "s") valid; signed up to row \(summary.signed)")
    }
    return lines
  }

  /// The heads in a file; nil if there is no file.
  ///
  /// - Parameter passesCut: whether a line that a crash or a full disk has cut off is reported and skipped.
  /// - Throws: ``ServerError/unusableFile(path:reason:)`` if a line is not a head that one of the keys has signed.
  static func heads(_ path: String, _ keys: AuditHeadKeys, passesCut: Bool = false) throws -> [AuditHead]? {
    // Anybody could have written the file, so each line is verified.
    guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
    return try AuditHeadFiles.tokens(Array(bytes)).enumerated().compactMap { number, token in
      guard let head = keys.head(of: token) else {
        if passesCut, AuditHeadFiles.isCut(token) {
          Terminal.note("\(path): line \(number + 1) was cut by a crash or a full disk: it is ignored")
          return nil
        }
        throw ServerError.unusableFile(
          path: path, reason: "line \(number + 1) is not a head that a key of audit.pub has signed")
      }
      return head
    }
  }
}

/// `uaf-server audit prune`: removes old rows of the audit.
struct AuditPruneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune", abstract: "Remove the rows of the audit that are older than some days.",
    discussion: """
      The hash of the last removed row stays in a signed head, and a row says who removed how many, so 'audit verify' \
      still succeeds. An audit that fails verification is not shortened. Export the rows first. Confirmed texts are \
      kept: see 'audit texts'.
      """)

  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag
  @Option(help: ArgumentHelp("Keep the rows of this many days, 1 to 36500.", valueName: "days")) var olderThan: Int64
  @Flag(help: "Remove rows even if the audit says that it was changed (audit-broken); the removal's row records that.")
  var acceptBroken = false
  @Flag(help: "Remove rows even if a sink of serve has not received them yet (--audit-syslog, --audit-webhook).")
  var acceptUndelivered = false

  func validate() throws {
    guard (1...36_500).contains(olderThan) else { throw ValidationError("--older-than must be 1 to 36500 days.") }
  }

  func run() async throws {
    let directory = try state.openWithKeys()
    let store = try state.openStore(in: directory)
    let keys = try StateLock.wait(for: directory) { try ServerKeys(state: directory, now: { Terminal.now }) }
    let published = try PublicKeyFile.auditHeadKeys(path: directory.auditPublicKeyPath)
    let broken = try await check(store, published, last: AuditVerifyCommand.heads(directory.auditHeadPath, published))
    let signer = AuditSigner(store: store, keys: keys, published: published, now: { Terminal.now })
    let time = Terminal.now - olderThan * 86_400
    if !acceptUndelivered { try await Self.checkDeliveries(store, through: signer.lastNumber(before: time)) }
    let removed = try await signer.remove(before: time, by: ServerEvents.caller, accepting: broken)
    guard let removed else { return json.print(["removed": .integer(0)], orElse: "removed no row") }
    json.print(
      ["removed": .integer(Int64(removed.rows)), "through": .integer(removed.through)],
      orElse: "removed \(removed.rows) row\(removed.rows == 1 ? "" : "s"), up to row \(removed.through)")
  }

  /// Refuses to remove rows that a sink has not received: nobody would notice that the sink does not have them.
  ///
  /// - Parameter last: the number of the last row to be removed.
  static func checkDeliveries(_ store: any ServerStore, through last: Int64) async throws {
    let behind = try await store.read { try $0.auditDeliveries.all() }.filter { $0.delivered < last }
    for delivery in behind {
      Terminal.note(
        "nothing is removed: \(delivery.sink) has received only the rows up to "
          + "\(delivery.delivered), and row \(last) is "
          + "also old enough: wait until the sink has it; if the sink is no longer used, --accept-undelivered "
          + "removes the rows"
      )
    }
    guard behind.isEmpty else { throw ExitCode.failure }
  }

  /// Refuses an audit that fails verification: a new signature must not hide that rows were changed.
  ///
  /// - Parameter last: the last head that the state folder contains; nil if there is none.
  /// - Returns: the number of the row that records that the audit was changed, if the caller accepts that; 0 for none.
  func check(_ store: any ServerStore, _ keys: AuditHeadKeys, last: [AuditHead]?) async throws -> Int64 {
    let verification = AuditVerification(of: store, keys: keys, kept: last ?? [], now: Terminal.now)
    let summary = try await verification.run()
    if let fault = summary.fault {
      Terminal.note("nothing is removed, because the audit fails verification: \(fault)")
      throw ExitCode.failure
    }
    if summary.broken != 0, !acceptBroken {
      Terminal.note(
        "nothing is removed, because row \(summary.broken) says that signed rows were missing or changed: "
          + "investigate that, and "
          + "export the rows; then --accept-broken removes them")
      throw ExitCode.failure
    }
    return summary.broken
  }
}

/// `uaf-server audit texts`: checks the signature of each confirmed text again.
struct AuditTextsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "texts", abstract: "List every confirmed text, and whether its signature is valid.",
    discussion: """
      Each text is one line, separated by tabs: number, time, account, ok or what is wrong, text. The exit status is \
      1 if a signature is not valid. The check uses what was stored with the text. It does not show that a line was \
      removed: 'audit list' has a row for each text.
      """)

  @Argument(help: "Only this account.", completion: AccountCompletion.accounts) var user: String?
  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag

  func run() async throws {
    let store = try state.openStore()
    let faults = try await store.read { [user, json] records in
      var faults = 0
      var count = 0
      try records.confirmedTexts.forEach(of: user) { confirmation in
        let fault = ConfirmedTextCheck.fault(in: confirmation)
        json.print(Self.json(confirmation, fault), orElse: Self.line(confirmation, fault))
        count += 1
        if fault != nil { faults += 1 }
      }
      Terminal.note("\(count) confirmed, \(faults) of them not valid")
      return faults
    }
    if faults > 0 { throw ExitCode.failure }
  }

  static func line(_ confirmation: ConfirmedText, _ fault: ConfirmedTextCheck.Fault?) -> String {
    [
      String(confirmation.id), Terminal.time(confirmation.confirmedAt),
      CSVLine.harmless(ShownValue.name(confirmation.username)), fault?.rawValue ?? "ok",
      CSVLine.harmless(text(confirmation.shown)),
    ].joined(separator: "\t")
  }

  static func json(_ confirmation: ConfirmedText, _ fault: ConfirmedTextCheck.Fault?) -> JSONObject {
    [
      "number": .integer(confirmation.id), "time": .integer(confirmation.confirmedAt),
      "account": .string(confirmation.username), "signature": .string(fault?.rawValue ?? "ok"),
      "text": .string(confirmation.shown),
    ]
  }

  /// A text as it was shown; if it contains characters that the server would never have stored, it is quoted.
  ///
  /// An attacker who can change the store could put terminal control sequences into it.
  static func text(_ shown: String) -> String {
    TransactionText.isShowable(shown) ? shown : ShownValue.quoted(shown, maximumCount: 2048)
  }
}
