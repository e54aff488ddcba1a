import UAFMessages

/// For which operations an authentication is to be a proof.
///
/// The token of an ordinary login is no proof for another operation, because it may be readable in a session's environment. A
/// client that authenticates in order to register or deregister says so in the context of its request, either with the members
/// `deregisterAll` or `deregisterAAID`, or with our own `proofFor`: `"Reg"` or `"Dereg"`.
enum ProofPurpose {
  static func operations(in context: RequestContext) -> [UAFOperation] {
    var operations: [UAFOperation] = []
    if context.deregisterAll == true || context.deregisterAAID != nil { operations.append(.deregistration) }
    if let operation = context.proofFor, operation != .authentication, !operations.contains(operation) {
      operations.append(operation)
    }
    return operations
  }
}
