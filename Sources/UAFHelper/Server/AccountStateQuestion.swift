import Authenticator
import FidoResults
import UAFClient
import UAFCrypto
import UAFMessages

/// Asks root's server in which state the call's account is.
struct AccountStateQuestion {
  let call: Call
  let server: ServerAccess
  let now: () -> BootTime

  /// Asks.
  ///
  /// - Returns: what the server says, to be stored.
  /// - Throws: ``AccountStateSilence``.
  func ask(of account: AccountFile) throws(AccountStateSilence) -> StandingRecord {
    let answer: Result<StandingRecord, AccountStateSilence>
    do throws(Ending) { answer = try self.answer(of: account) } catch { throw .notHeard(error.log) }
    return try answer.get()
  }

  private func answer(of account: AccountFile) throws(Ending) -> Result<StandingRecord, AccountStateSilence> {
    let settings = try server.settings()
    guard let publicKeys = server.verdictKeys else {
      throw unknown("server.require_signed_verdict and server.verdict_key are needed to believe what it says")
    }
    let endpoint = try server.clientSettings(settings).authentication
    guard let url = OwnRoute.account.url(beside: endpoint.requestURL) else {
      throw unknown("server.request_url does not end in /get, so nobody knows where to ask")
    }
    guard let record = try server.machine(settings, of: account) else {
      throw unknown("the server has given this machine no secret for the account yet; a login with uaf brings one")
    }
    let asked = now()
    guard let prover = try? MachineProver(record, from: call.caller.origin, now: now),
      let made = prover.make(.state(of: account.identity.serverUserName))
    else { throw unknown("nothing could be proved to the server") }
    let network = try server.network(settings, for: account, isForLogin: true)
    let flow = AccountStateFlow(made.proof, publicKeys: publicKeys)
    let terms = try server.terms(endpoint)
    do throws(AccountStateFlow.Fault) {
      let state = try flow.ask(url, header: made.text, over: network) { now().wallSeconds }
      return .success(StandingRecord(Self.standing(state), asked: asked, terms: terms))
    } catch { return .failure(error == .status(403) ? .machineUnknown("\(error)") : .notHeard("\(error)")) }
  }

  private func unknown(_ log: String) -> Ending { Ending(.noAnswer, log: log) }

  private static func standing(_ state: AccountState) -> AccountStanding {
    switch state {
    case .active: .active
    case .disabled: .disabled
    case .locked(let until): .locked(until: until)
    }
  }
}

/// Why the server said nothing of an account's state; the person never reads it.
enum AccountStateSilence: Error {
  /// It was not asked, or not heard, or what came is not believed.
  case notHeard(String)
  /// It has answered that it does not know this machine for the account.
  case machineUnknown(String)

  /// What the log says.
  var log: String {
    switch self {
    case .notHeard(let log), .machineUnknown(let log): log
    }
  }
}
