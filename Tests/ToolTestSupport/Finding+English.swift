import FidoResults
import Wording

@testable import Doctor

extension Finding {
  /// The finding's text in English.
  package var text: String { text(in: .english).what }
}
