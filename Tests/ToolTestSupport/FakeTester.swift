import Glibc

@testable import PAMStacks

/// A libpam that answers by what the service's file says, and remembers what it was asked.
package final class FakeTester: StackTester {
  /// What it says of a service whose file holds the text; the first that fits counts.
  package var codes: [(text: String, code: CInt)] = []
  /// What it says otherwise: refused.
  package var otherwise: CInt = 7
  /// What it says of an account where the service's file holds the text; the first that fits counts, otherwise success.
  package var accountCodes: [(text: String, code: CInt)] = []
  /// What it says of an account, whatever the file says.
  package var accountCodesOfPeople: [String: CInt] = [:]
  package private(set) var accounts: [String] = []
  /// Whether it was to ask for the account of whoever answers.
  package private(set) var asksAccount: [Bool] = []
  /// What it says to whoever answers.
  package var end: Result<Void, StackRefusal> = .success(())
  /// What happens while somebody answers.
  package var whileAnswering: () -> Void = {}
  package private(set) var asked: [String] = []
  package private(set) var people: [String] = []

  package init() {}

  package func cancelled(_ service: String, in folder: String, as user: String) -> CInt {
    let bytes = PAMDirectory(path: folder).bytes(of: service) ?? []
    // Includes are led into the folder of the trial.
    let text = String(decoding: bytes, as: UTF8.self).replacing(folder + "/", with: "")
    asked.append(text)
    people.append(user)
    return codes.first { text.contains($0.text) }?.code ?? otherwise
  }

  package func account(_ service: String, in folder: String, as user: String) -> CInt {
    accounts.append(user)
    if let code = accountCodesOfPeople[user] { return code }
    let text = String(decoding: PAMDirectory(path: folder).bytes(of: service) ?? [], as: UTF8.self)
    // An empty text fits every file.
    return accountCodes.first { $0.text.isEmpty || text.replacing(folder + "/", with: "").contains($0.text) }?.code ?? 0
  }

  package func answered(
    _ service: String, in folder: String, as user: String, account: Bool, by answerer: (any StackAnswerer)?
  ) -> Result<Void, StackRefusal> {
    asksAccount.append(account)
    whileAnswering()
    return end
  }
}
