/// PAM's codes, as libpam's header numbers them.
enum PAMCode: Int32 {
  case success = 0
  case serviceError = 3
  case systemError = 4
  case permissionDenied = 6
  case authenticationError = 7
  case informationUnavailable = 9
  case userUnknown = 10
  case maximumTries = 11
  case newTokenRequired = 12
  case conversationError = 19
  case tokenError = 20
  case ignore = 25
}
