import Glibc

@testable import PAMStacks

/// A libpam whose answers depend on the service's file, and which remembers what it was asked.
package final class FakeTester: StackTester {
  /// Its result for a service whose file contains the text; the first match applies.
  package var codes: [(text: String, code: CInt)] = []
  /// Its result otherwise: refused.
  package var otherwise: CInt = 7
  /// Its result for an account if the service's file contains the text; the first match applies, otherwise success.
  package var accountCodes: [(text: String, code: CInt)] = []
  /// Its result for an account, whatever the file says.
  package var accountCodesOfPeople: [String: CInt] = [:]
  package private(set) var accounts: [String] = []
  /// Whether it had to ask for the account of whoever answers.
  package private(set) var asksAccount: [Bool] = []
  /// Its result for whoever answers.
  package var end: Result<Void, StackRefusal> = .success(())
  /// What happens while somebody answers.
  package var whileAnswering: () -> Void = {}
  /// What is wrong with the sessions of people.
  package var sessions: [String: SessionFlaw] = [:]
  /// Each session that was started: the name, the shell, the lines that were opened, and whether sudo was needed.
  package private(set) var started: [(name: String, shell: String, lines: String, needsSudo: Bool)] = []
  package private(set) var asked: [String] = []
  package private(set) var people: [String] = []

  package init() {}

  package func cancelled(_ service: String, in folder: String, as user: String) -> CInt {
    let bytes = PAMDirectory(path: folder).bytes(of: service) ?? []
    // Includes lead into the folder of the trial.
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

  package func session(
    of name: String, shell: String, opening service: String?, in folder: String, needsSudo: Bool
  ) -> SessionFlaw? {
    let lines = service.flatMap { PAMDirectory(path: folder).bytes(of: $0) } ?? []
    started.append((name, shell, String(decoding: lines, as: UTF8.self), needsSudo))
    return sessions[name]
  }
}

/// libpam, without the shells of people that this machine does not have.
package struct LibPAMAlone: StackTester {
  private let libpam = LibPAM(tty: nil)

  package init() {}

  package func cancelled(_ service: String, in folder: String, as user: String) throws(TrialProblem) -> CInt {
    try libpam.cancelled(service, in: folder, as: user)
  }

  package func account(_ service: String, in folder: String, as user: String) throws(TrialProblem) -> CInt {
    try libpam.account(service, in: folder, as: user)
  }

  package func answered(
    _ service: String, in folder: String, as user: String, account: Bool, by answerer: (any StackAnswerer)?
  ) -> Result<Void, StackRefusal> {
    libpam.answered(service, in: folder, as: user, account: account, by: answerer)
  }

  package func session(
    of name: String, shell: String, opening service: String?, in folder: String, needsSudo: Bool
  ) -> SessionFlaw? { nil }
}
