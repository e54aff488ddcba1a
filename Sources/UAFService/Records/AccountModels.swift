/// The models of the keys with which an account can log in, machine by machine.
package struct AccountModels: Equatable, Sendable {
  package let username: String
  /// AAIDs in small letters, a set for each machine.
  ///
  /// Keys without a machine are a set of their own.
  package let machines: [Set<String>]

  package init(username: String, machines: [Set<String>]) {
    self.username = username
    self.machines = machines
  }

  /// Joins rows of one machine each, which come in the order of accounts.
  package static func joined(_ rows: [(username: String, aaids: Set<String>)]) -> [AccountModels] {
    rows.reduce(into: []) { accounts, row in
      let isNext = accounts.last?.username != row.username
      let machines = isNext ? [] : accounts.removeLast().machines
      accounts.append(AccountModels(username: row.username, machines: machines + [row.aaids]))
    }
  }
}
