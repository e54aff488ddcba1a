import FidoResults
import UAFWire

/// The one place where an end becomes a code for PAM.
enum PAMExit {
  /// The code of an end, by the table of results.
  static func code(of ending: Ending, in context: PAMContext = PAMContext()) -> PAMCode {
    var context = context
    context.isRootsFault = ending.circumstance == .rootsFault
    return ending.result.pamCode(context)
  }

  /// The last message of a conversation that ends without success.
  static func finished(_ ending: Ending, in context: PAMContext = PAMContext(), text: String) -> Finished {
    var finished = Finished(
      pamCode: UInt8(truncatingIfNeeded: code(of: ending, in: context).rawValue), result: ending.result.code)
    finished.text = text
    return finished
  }

  /// The last message of a conversation that ends with success.
  static func finished(_ success: Success) -> Finished {
    Finished(pamCode: UInt8(PAMCode.success.rawValue), result: success.result.code)
  }
}
