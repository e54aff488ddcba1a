import Glibc

@testable import PAMStacks
@testable import UAFTool

/// A libpam that answers by what the service's file says, and remembers what it was asked.
final class FakeTester: StackTester {
  /// What it says of a service whose file holds the text; the first that fits counts.
  var codes: [(text: String, code: CInt)] = []
  /// What it says otherwise: refused.
  var otherwise: CInt = 7
  /// What it says of an account where the service's file holds the text; the first that fits counts, otherwise success.
  var accountCodes: [(text: String, code: CInt)] = []
  private(set) var accounts: [String] = []
  /// Whether it was to ask for the account of whoever answers.
  private(set) var asksAccount: [Bool] = []
  /// What it says to whoever answers.
  var end: Result<Void, StackRefusal> = .success(())
  /// What happens while somebody answers.
  var whileAnswering: () -> Void = {}
  private(set) var asked: [String] = []
  private(set) var people: [String] = []

  func cancelled(_ service: String, in folder: String, as user: String) -> CInt {
    let bytes = PAMDirectory(path: folder).bytes(of: service) ?? []
    // Includes are led into the folder of the trial.
    let text = String(decoding: bytes, as: UTF8.self).replacing(folder + "/", with: "")
    asked.append(text)
    people.append(user)
    return codes.first { text.contains($0.text) }?.code ?? otherwise
  }

  func account(_ service: String, in folder: String, as user: String) -> CInt {
    accounts.append(user)
    let text = String(decoding: PAMDirectory(path: folder).bytes(of: service) ?? [], as: UTF8.self)
    // An empty text fits every file.
    return accountCodes.first { $0.text.isEmpty || text.replacing(folder + "/", with: "").contains($0.text) }?.code ?? 0
  }

  func answered(
    _ service: String, in folder: String, as user: String, account: Bool, by answerer: (any StackAnswerer)?
  ) -> Result<Void, StackRefusal> {
    asksAccount.append(account)
    whileAnswering()
    return end
  }
}
