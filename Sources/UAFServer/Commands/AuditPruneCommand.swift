import ArgumentParser
import UAFMessages
import UAFService

/// `uaf-server audit prune`: removes old rows of the audit.
struct AuditPruneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune", abstract: "Remove the rows of the audit that are older than some days.",
    discussion: """
      The hash of the last removed row stays in a signed head, and a row says who removed how many, so 'audit verify' still \
      holds. An audit that does not hold is not shortened. Export the rows first. What people confirmed is kept: see 'audit \
      texts'.
      """)

  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag
  @Option(help: ArgumentHelp("Days of rows that stay, 1 to 36500.", valueName: "days")) var olderThan: Int64
  @Flag(help: "Remove rows though the audit says that it was changed (audit-broken); the row of the removal says that.")
  var acceptBroken = false
  @Flag(help: "Remove rows also if a sink of serve has not got them yet (--audit-syslog, --audit-webhook).")
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

  /// Refuses to remove rows that a sink has not got: nobody would see that they are missing there.
  ///
  /// - Parameter last: the number of the last row that is to be removed.
  static func checkDeliveries(_ store: any ServerStore, through last: Int64) async throws {
    let behind = try await store.read { try $0.auditDeliveries.all() }.filter { $0.delivered < last }
    for delivery in behind {
      Terminal.note(
        "nothing is removed, since \(delivery.sink) has got the rows up to \(delivery.delivered) only, and row \(last) is "
          + "older than that: wait until it has them; if it is no more sent to, --accept-undelivered removes them")
    }
    guard behind.isEmpty else { throw ExitCode.failure }
  }

  /// Refuses an audit that does not hold: what was changed must not vanish under a new signature.
  ///
  /// - Parameter last: the last head of the state folder.
  /// - Returns: the row that says that the audit was changed, if that is accepted; 0 for none.
  func check(_ store: any ServerStore, _ keys: AuditHeadKeys, last: [AuditHead]?) async throws -> Int64 {
    let verification = AuditVerification(of: store, keys: keys, kept: last ?? [], now: Terminal.now)
    let summary = try await verification.run()
    if let fault = summary.fault {
      Terminal.note("nothing is removed, since the audit does not hold: \(fault)")
      throw ExitCode.failure
    }
    if summary.broken != 0, !acceptBroken {
      Terminal.note(
        "nothing is removed, since row \(summary.broken) says that signed rows were gone or changed: look into that, and "
          + "export the rows; then --accept-broken removes them")
      throw ExitCode.failure
    }
    return summary.broken
  }
}
