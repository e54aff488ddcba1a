import Authenticator
import UAFConfiguration
import UAFMessages

/// What *status* says of an account's server: in which state it said that the account is, and whether it can be asked again.
///
/// Of the machine's secret only its presence is said.
struct ServerSideStatus {
  let server: ServerAccess

  func write(_ account: AccountFile, to document: inout JSONObject) {
    document.set("serverState", Self.state(of: account))
    document.set("hasMachineSecret", hasSecret(account).map(JSONValue.bool))
  }

  /// Nil where no server is known: then it cannot be the one that gave the secret.
  private func hasSecret(_ account: AccountFile) -> Bool? {
    do throws(Ending) {
      return try server.machine(server.settings(), of: account) != nil
    } catch {
      return nil
    }
  }

  /// Nil for an account about which the server was never asked.
  private static func state(of account: AccountFile) -> JSONValue? {
    do throws(StateError) {
      guard let record = try StandingRecord.of(account) else { return nil }
      var state: JSONObject = ["asked": .integer(record.asked.wallSeconds)]
      switch record.standing {
      case .active: state.set("state", .string("active"))
      case .disabled: state.set("state", .string("disabled"))
      case .locked(let until):
        state.set("state", .string("locked"))
        state.set("until", .integer(until))
      }
      return .object(state)
    } catch {
      // A damaged record must not hide what else there is to say.
      return .object(["state": .string("unreadable")])
    }
  }
}
