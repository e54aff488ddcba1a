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

  /// A question that asks for it.
  func described(in question: RequestContext) -> RequestContext {
    var context = question
    context.proofFor = purpose.authorizedOperation
    if case .removal(let scope, let keyIDs) = self { scope.describe(keyIDs, in: &context) }
    return context
  }
}

/// What the person wants to be deregistered.
public enum DeregistrationScope: Equatable, Sendable {
  /// One authenticator.
  case authenticator(AAID)
  /// Every authenticator of the account.
  case all

  /// Names what is to be removed, in the question for the removal as in the one for its proof: the server compares them.
  func describe(_ keyIDs: [KeyID], in context: inout RequestContext) {
    switch self {
    case .authenticator(let aaid): context.describeRemoval(of: aaid, keyIDs)
    case .all: context.describeRemoval(of: nil, keyIDs)
    }
  }
}
