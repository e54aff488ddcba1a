import ArgumentParser
import UAFAdministration
import UAFDecoder
import UAFMessages
import UAFService

/// `uaf-server audit texts`: checks the signature of each confirmed text again.
struct AuditTextsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "texts", abstract: "List every confirmed text, and whether its signature holds.",
    discussion: """
      One line each, tab-separated: number, time, account, ok or what is wrong, text. Exits with 1 if one does not hold. \
      What is checked was stored with the text. That nobody removed a line, this does not tell: 'audit list' has a row of each.
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
      Terminal.note("\(count) confirmed, \(faults) of them do not hold")
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

  /// A text as it was shown; quoted if it contains what the server would not have stored.
  ///
  /// An attacker who can change the store could add control sequences for a terminal.
  static func text(_ shown: String) -> String {
    TransactionText.isShowable(shown) ? shown : ShownValue.quoted(shown, maximumCount: 2048)
  }
}
