import FidoResults
import ToolTestSupport
import UAFWire
import Wording

@testable import Doctor

/// A core that says what a test's machine specifies, and remembers what it was asked.
final class FakeStatus: StatusSource {
  private let document: String?
  private var others: [[CoreMessage]]
  /// The accounts about which it was asked, apart from the caller's own.
  private(set) var asked: [String] = []

  init(_ machine: Machine) {
    document = machine.document
    others = machine.others
  }

  func own() throws(StatusFailure) -> StatusDocument {
    guard let document = document.flatMap(StatusDocument.init(parsing:)) else { throw Self.silence }
    return document
  }

  /// Its last answer is repeated for all further questions.
  func status(of account: String) throws(StatusFailure) -> StatusAnswer {
    asked.append(account)
    let messages = others.count > 1 ? others.removeFirst() : others.first ?? []
    guard case .finished(let end)? = messages.first else { throw Self.silence }
    guard end.pamCode == 0 else { return .refused(end.text ?? "") }
    guard let document = StatusDocument(parsing: end.document ?? "") else { throw Self.silence }
    return .standing(document)
  }

  private static let silence = StatusFailure(Silence())

  private struct Silence: Catalogued {
    let english = FindingText("nobody speaks", do: "wake it")
    let korean = FindingText("응답이 없습니다", do: "깨우십시오")
  }
}
