import Authenticator
import FidoResults
import SecretMemory
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire

extension Session {
  /// A request from the server is used for so long at most, whatever lifetime it names.
  private static let requestLifetimeNanoseconds: Int64 = 60_000_000_000

  /// The person proves to be who they say, first here, then to the server.
  func authenticate() throws(Ending) -> Success {
    let server = try server()
    let client = try clientSettings(server)
    let type = try chosenType()
    let uid: UInt32
    do throws(Ending) { uid = try caller.requireAccount() } catch {
      guard hidesState else { throw error }
      _ = try? startInVain(client, server)
      throw try pretend()
    }
    let directory = try openState()
    guard let account = try openAccount(uid, in: directory), try isEnrolled(account, type) else {
      guard hidesState else {
        var ending = Ending(.notRegistered, log: "no key of this account on this machine")
        ending.neverHadRow = neverHadRow(uid, in: directory)
        throw ending
      }
      _ = try? startInVain(client, server)
      throw try pretend()
    }
    let token = try authenticate(account, type, client, server, in: directory)
    return Success(token: token)
  }

  /// The same for a registered account, also as the proof that deregistration and registration want.
  ///
  /// - Parameter purpose: the operation the server's token is to prove the account for; nil for a mere login.
  /// - Returns: the server's token, if it gave one.
  func authenticate(
    _ account: AccountFile, _ type: AuthenticatorType, _ client: ClientSettings, _ server: ServerSettings,
    proving purpose: UAFMessages.Operation? = nil, in directory: borrowing StateDirectory
  ) throws(Ending) -> String? {
    var network = try self.network(server)
    let asked = surroundings.now()
    var flow = try startAuthentication(client, account, proving: purpose, over: &network)
    if begin.isDivided, try !frontEnd.awaitResume() {
      throw Ending(.userCancel, text: .cancelled, log: "cancelled before the prompt")
    }
    let unlocked = UnlockedAuthenticatorBox(try verify(account, type, in: directory))
    // What was fetched while the person typed may have grown old: then it is read and dropped.
    let age = surroundings.now().nanoseconds.subtractingReportingOverflow(asked.nanoseconds)
    if age.overflow || age.partialValue > Self.requestLifetimeNanoseconds {
      _ = try? network.finish()
      flow = try startAuthentication(client, account, proving: purpose, over: &network)
    }
    var verdict = try answer(&flow, account, unlocked, over: &network)
    if case .failure(let refusal) = verdict, refusal.result == .requestNotExist, refusal.spokenByServer {
      // The challenge was used or expired, or another login of this person was faster: once more, with a fresh one.
      flow = try startAuthentication(client, account, proving: purpose, over: &network)
      verdict = try answer(&flow, account, unlocked, over: &network)
    }
    switch verdict {
    case .success(let acceptance): return acceptance.token
    case .failure(let refusal): throw try noted(refusal, account, type)
    }
  }
}
