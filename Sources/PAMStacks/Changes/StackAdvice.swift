import Wording

/// What to do if a file still asks for the passcode after `uafctl pam disable`.
package enum StackAdvice: Catalogued {
  case authUpdate
  case byHand

  /// - Parameter name: the file that still asks.
  package init(about name: String) { self = name.hasPrefix("common-") ? .authUpdate : .byHand }

  /// The advice in English.
  package var english: String {
    switch self {
    case .authUpdate: "pam-auth-update takes it out"
    case .byHand: "take out what was written there by hand"
    }
  }

  /// The advice in Korean.
  package var korean: String {
    switch self {
    case .authUpdate: "pam-auth-update로 끄십시오"
    case .byHand: "직접 쓴 줄을 지우십시오"
    }
  }
}
