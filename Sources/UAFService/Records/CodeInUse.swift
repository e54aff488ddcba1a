/// The one-time code that a request was asked for with.
package enum CodeInUse: Equatable, Sendable {
  case enrolment(id: Int64)
  case approval(id: Int64)

  package init?(enrolmentID: Int64?, approvalID: Int64?) {
    if let enrolmentID {
      self = .enrolment(id: enrolmentID)
    } else if let approvalID {
      self = .approval(id: approvalID)
    } else {
      return nil
    }
  }

  package var enrolmentID: Int64? {
    if case .enrolment(let id) = self { id } else { nil }
  }

  package var approvalID: Int64? {
    if case .approval(let id) = self { id } else { nil }
  }
}
