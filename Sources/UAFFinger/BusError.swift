import Glibc
import UAFWire

/// Why the bus gave no answer.
enum BusError: Error, Equatable {
  /// An error that somebody on the bus answered with: its name, and its text.
  case answered(name: String, text: String)
  /// A failure on the way; the system's error number.
  case failed(CInt)
}

extension BusError: CustomStringConvertible {
  /// What failed, fit for a packet.
  var description: String {
    let text =
      switch self {
      case .answered(let name, let text): "\(name): \(text)"
      // SAFETY: strerror returns a NUL-terminated text for every number.
      case .failed(let number): "the system bus: \(unsafe String(cString: strerror(number)))"
      }
    return LogText.cleaned(text.utf8, limit: WireLimit.fingerDetail)
  }
}
