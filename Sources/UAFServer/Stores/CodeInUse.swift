/// The one-time code that a request was asked for with.
enum CodeInUse: Equatable, Sendable {
  case enrolment(id: Int64)
  case approval(id: Int64)

  init?(enrolmentID: Int64?, approvalID: Int64?) {
    if let enrolmentID {
      self = .enrolment(id: enrolmentID)
    } else if let approvalID {
      self = .approval(id: approvalID)
    } else {
      return nil
    }
  }

  var enrolmentID: Int64? {
    if case .enrolment(let id) = self { id } else { nil }
  }

  var approvalID: Int64? {
    if case .approval(let id) = self { id } else { nil }
  }
}
