import Glibc
import PAMStacks
import UAFConfiguration

/// How everybody stands who is registered on this machine: for root alone, who may look into the state folder.
struct AccountSurvey {
  /// An account whose state cannot be used, and the core's words.
  struct Refused: Equatable {
    let name: String
    let text: String
  }

  /// Accounts whose state was read.
  private(set) var standing: [StatusDocument] = []
  /// Accounts whose state cannot be used.
  private(set) var refused: [Refused] = []
  /// Files of numbers that no account has.
  private(set) var nobodys: [String] = []

  /// Asks the core about each account that has a file.
  ///
  /// - Parameters:
  ///   - folder: the state folder.
  ///   - configuration: root's own configuration; nil for the machine's.
  /// - Throws: ``ToolError`` where the core cannot be asked.
  init(_ folder: String, configuration: String?, in surroundings: Surroundings) throws(ToolError) {
    let query = StatusQuery(surroundings: surroundings, configuration: configuration)
    for userID in surroundings.installation.registered(folder) {
      guard let account = surroundings.caller.accounts.account(withID: userID) else {
        nobodys.append("\(folder)/accounts/\(userID).db")
        continue
      }
      let name = String(decoding: account.name, as: UTF8.self)
      let end = try query.ask(name)
      if end.pamCode == 0 {
        let document = try StatusDocument(parsing: end.document ?? "")
        // What is left of a deregistered account is a file, too.
        if document.isRegistered { standing.append(document) }
      } else {
        refused.append(Refused(name: name, text: end.text ?? "result \(end.result)"))
      }
    }
  }

  /// The numbers of the accounts that have a file in a state folder.
  static func registered(_ folder: String) -> [uid_t] {
    let names = PAMDirectory(path: folder + "/accounts").names() ?? []
    return names.compactMap { $0.hasSuffix(".db") ? uid_t($0.dropLast(3)) : nil }.sorted()
  }

  /// The accounts in which something is locked, and what.
  var locked: [(name: String, authenticators: [StatusDocument.Authenticator])] {
    standing.compactMap { document in
      let locked = document.authenticators.filter { $0.state == StatusReport.locked }
      return locked.isEmpty ? nil : (document.accountName ?? "", locked)
    }
  }

  /// The accounts that can log in with nothing, because all that they have is locked.
  var shutOut: Int {
    standing.count { document in
      let states = document.authenticators.map(\.state)
      return states.contains(StatusReport.locked) && !states.contains(StatusReport.available)
    }
  }

  /// The accounts that changed lock options do not hold for yet (3015).
  var waiting: [String] {
    standing.filter { $0.authenticators.contains(where: \.lockOptionsWait) }.compactMap(\.accountName)
  }
}
