import FidoResults
import UAFMessages

extension PolicyShortfall {
  /// As it is told to people.
  var cause: EndCause {
    switch self {
    case .registeredAlready: .registeredAlready
    case .otherKeys: .keysNotHere
    case .otherTypes: .typesNotAccepted
    }
  }
}
