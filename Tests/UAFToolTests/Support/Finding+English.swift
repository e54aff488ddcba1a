import FidoResults

@testable import UAFTool

extension Finding {
  /// What was looked at, in English.
  var text: String { text(in: .english).what }
}
