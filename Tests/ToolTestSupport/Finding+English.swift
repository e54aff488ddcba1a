import FidoResults
import Wording

@testable import Doctor

extension Finding {
  /// What was looked at, in English.
  package var text: String { text(in: .english).what }
}
