import Authenticator
import UAFClient
import UAFMessages

/// What the server's success is for.
enum LoginPurpose {
  case login
  /// A token that proves the account for an operation.
  case proof(ProofSubject)
  /// A text that waits at the server, with its one-time code.
  case approval(code: String)

  /// Whether the person approves a text that waits at the server.
  var isApproval: Bool { if case .approval = self { true } else { false } }

  /// Whether somebody logs in.
  var isLogin: Bool { if case .login = self { true } else { false } }

  /// The question to the server, not sent yet.
  func question(
    _ client: ClientSettings, _ account: AccountFile, confirming text: TextToConfirm?
  ) -> AuthenticationFlow {
    let name = account.identity.serverUserName
    var subject: ProofSubject?
    switch self {
    case .approval(let code): return AuthenticationFlow(settings: client, username: name, approving: code)
    case .proof(let proved): subject = proved
    case .login: break
    }
    return AuthenticationFlow(
      settings: client, username: name, transaction: text?.text, isServers: text?.isServers ?? false, proof: subject)
  }
}
