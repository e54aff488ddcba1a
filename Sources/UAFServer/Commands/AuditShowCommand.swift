import ArgumentParser
import Foundation
import UAFCrypto
import UAFDecoder
import UAFMessages
import UAFService

/// `uaf-server audit show`: one confirmed text, with what was signed and whether that holds.
struct AuditShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one confirmed text, what of it was signed, and by which key.",
    discussion: """
      The number is that of `audit texts`. A text of more than 200 bytes is signed as its head, its tail, its \
      length and its SHA-256. Exits with 1 if the signature does not hold, or there is no such number.
      """)

  @Argument(help: "The number of the text.") var number: Int64
  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag

  func run() async throws {
    let store = try state.openStore()
    let found = try await store.read { [number] in try $0.confirmedTexts.confirmation(number) }
    guard let confirmation = found else {
      Terminal.note("there is no confirmed text with the number \(number)")
      throw ExitCode.failure
    }
    let fault = ConfirmedTextCheck.fault(in: confirmation)
    json.print(Self.json(confirmation, fault), orElse: Self.lines(confirmation, fault).joined(separator: "\n"))
    if fault != nil { throw ExitCode.failure }
  }

  static func json(_ confirmation: ConfirmedText, _ fault: ConfirmedTextCheck.Fault?) -> JSONObject {
    var object = AuditTextsCommand.json(confirmation, fault)
    object.set(
      "signed", (try? TransactionText(sent: confirmation.shown)?.signed(hash: SHA256.hash)).map(JSONValue.string))
    object.set("key", (try? SHA256.hash(confirmation.publicKey)).map { .string(Base64URL.encode($0)) })
    return object
  }

  static func lines(_ confirmation: ConfirmedText, _ fault: ConfirmedTextCheck.Fault?) -> [String] {
    let signed = try? TransactionText(sent: confirmation.shown)?.signed(hash: SHA256.hash)
    let key = try? SHA256.hash(confirmation.publicKey)
    return [
      "number     \(confirmation.id)",
      "time       \(Terminal.time(confirmation.confirmedAt))",
      "account    \(ShownValue.name(confirmation.username))",
      "text       \(AuditTextsCommand.text(confirmation.shown))",
      "signed     \(signed.map(AuditTextsCommand.text) ?? "-")",
      "key        SHA-256 \(key.map { Base64URL.encode($0) } ?? "-")",
      "signature  \(fault?.rawValue ?? "ok")",
    ]
  }
}
