/// What is to be done next in a login.
///
/// Each action but ``finish(_:)`` is answered with a ``LoginEvent``.
enum LoginAction: Hashable {
  /// Ask the server for a request, and do not wait for it. A text that the server adds counts with the first question only.
  case sendQuestion(isFirst: Bool)
  /// Wait for the request.
  case receiveRequest
  /// Wait for the answer to the last question, and drop it.
  case dropAnswer
  /// Show the request's text with every prompt to come.
  case takeText
  /// Say that everything is ready, and wait until the front end goes on.
  case awaitResume
  /// Have the person verify the one authenticator that is asked for without a choice, if there is one.
  case openFirst
  /// Have the person verify any authenticator.
  case openAny
  /// Have the person verify what the request needs and is not open yet.
  case openWay
  /// Register anew. This ends the login without success, whatever its result.
  case registerAnew
  /// Say whether the request is too old.
  case measureAge
  /// Say whether the front end is still there.
  case checkFrontEnd
  /// Make one signature.
  case sign
  /// Send the signatures, and wait for the server's verdict.
  case sendAnswer
  /// Check the server's success as root demands.
  case believe
  /// Say whether the refusal allows another attempt.
  case judgeRefusal
  /// Say whether the server's last success still holds.
  case judgeLastYes
  /// End.
  case finish(LoginEnd)
}
