/// What comes in a login before the request is answered.
enum LoginPreparation: Hashable {
  /// The text of an approval has to be there, or nobody is asked anything.
  case approvalText
  /// A text that the server may add.
  case serversText
  /// The request has to be there, so that nothing is waited for after the pause.
  case request
  /// The front end says when to go on.
  case pause
  /// The value that is asked for without a choice.
  case firstValue

  /// Whether the request is waited for.
  var needsRequest: Bool { self != .pause && self != .firstValue }

  /// What comes first, in this order.
  static func all(under rules: LoginRules) -> [LoginPreparation] {
    if rules.isApproval { return [.approvalText, .firstValue] }
    let text: [LoginPreparation] = rules.takesServersText ? [.serversText] : []
    let pause: [LoginPreparation] = rules.isDivided ? [.request, .pause] : []
    return text + pause + [.firstValue]
  }
}
