import FidoResults
import UAFMessages

extension PolicyShortfall {
  /// As texts for people name it.
  var cause: EndCause {
    switch self {
    case .registeredAlready: .registeredAlready
    case .otherKeys: .keysNotHere
    case .otherTypes: .typesNotAccepted
    }
  }
}
