import UAFMessages

/// What a person authorises by an authentication that is no login.
///
/// It is part of the question, and so of the challenge that is signed: the server's token for it is good for this alone.
public enum ProofSubject: Sendable {
  /// To ask for a registration of further keys, which a registered key then has to authorise one by one.
  case furtherKeys
  /// To remove these keys.
  case removal(DeregistrationScope, keyIDs: [KeyID])

  var purpose: ChallengePurpose {
    switch self {
    case .furtherKeys: .furtherKeys
    case .removal: .removal
    }
  }

  /// The operation that is authorised.
  public var operation: UAFOperation {
    switch self {
    case .furtherKeys: .registration
    case .removal: .deregistration
    }
  }

  /// A question that asks for it.
  func described(in question: RequestContext) -> RequestContext {
    var context = question
    context.proofFor = operation
    if case .removal(let scope, let keyIDs) = self {
      (context.deregisterAAID, context.deregisterAll) = (scope.aaid, scope.isAll)
      context.deregisterKeyIDs = keyIDs
    }
    return context
  }
}
