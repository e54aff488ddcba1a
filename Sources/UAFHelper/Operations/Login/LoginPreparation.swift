/// The steps of a login before the request is answered.
enum LoginPreparation: Hashable {
  /// The text of an approval must be there before anything is asked.
  case approvalText
  /// A text that the server may add.
  case serversText
  /// The request must be there before the pause, so that nothing is waited for after it.
  case request
  /// The front end says when to go on.
  case pause
  /// The value that is asked for without a choice.
  case firstValue

  /// Whether the request is waited for.
  var needsRequest: Bool { self != .pause && self != .firstValue }

  /// The steps of this login, in their order.
  static func all(under rules: LoginRules) -> [LoginPreparation] {
    if rules.isApproval { return [.approvalText, .firstValue] }
    let text: [LoginPreparation] = rules.takesServersText ? [.serversText] : []
    let pause: [LoginPreparation] = rules.isDivided ? [.request, .pause] : []
    return text + pause + [.firstValue]
  }
}
