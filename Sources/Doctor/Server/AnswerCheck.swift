import UAFConfiguration
import UAFMessages
import UAFWire

/// Whether a UAF server of the configured dialect answers at an address.
struct AnswerCheck {
  let question: ServerQuestion
  let dialect: ServerSettings.Dialect

  /// What is wrong; nil for an answer that a UAF server gives.
  func objection(to answer: FetchAnswer) -> Finding? {
    let body = try? JSONValue(parsing: answer.body)
    guard !isUAF(body) else { return nil }
    let status = answer.response.status
    let place = AnswerText.Place(key: question.key, url: question.url.text, status: status)
    switch status {
    case 300...399:
      return .failure(.serverPath, AnswerText.redirected(place, to: answer.response.redirect?.url))
    case 404 where dialect == .plain && body != nil && question.kind != .response:
      return .warning(.serverPath, AnswerText.nothingOrNobody(place))
    case 404, 405, 410, 501: return .failure(.serverPath, AnswerText.nothingThere(place))
    case 406, 415: return .failure(.serverType, AnswerText.otherType(place))
    case 401, 403, 407: return .failure(.serverAnswer, AnswerText.forbidden(place))
    case 429: return .warning(.serverAnswer, AnswerText.busy(place))
    case 502, 503, 504: return .failure(.serverAnswer, AnswerText.away(place))
    case 200...299:
      if dialect == .plain, body != nil, question.kind == .response { return nil }
      return .failure(.serverAnswer, AnswerText.foreign(place, type: answer.response.contentType))
    // A server may refuse an empty question without a UAF status. The question of a login is not empty.
    default: return question.kind == .login ? .failure(.serverAnswer, AnswerText.foreign(place, type: nil)) : nil
    }
  }

  /// A status of UAF or, in `plain`, a list of messages.
  ///
  /// Frameworks answer `{"statusCode":404}`, too.
  private func isUAF(_ body: JSONValue?) -> Bool {
    switch body {
    case .object(let object):
      if case .integer(let status)? = object["statusCode"] { status >= 1000 } else { false }
    case .array: dialect == .plain
    default: false
    }
  }
}
