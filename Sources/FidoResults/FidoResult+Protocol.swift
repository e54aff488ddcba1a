// Purpose: from the status codes of the FIDO protocols to results.

extension FidoResult {
  /// The result of a server's UAF status code (UAF client API and transport 1.1, section 3.1.2).
  ///
  /// Its PAM code is asked for with `spokenByServer`. A status that is not listed is ``unknown``; the caller shows it with
  /// ``PromptText/serverStatus(_:)``.
  ///
  /// - Parameter deregistering: whether the request was a deregistration, where an unknown key has its own number.
  public init(uafStatus status: Int, deregistering: Bool = false) {
    self =
      switch status {
      case 1200: .success
      case 1408: .noAnswer
      case 1202, 1403, 1500: .forbidden
      case 1401, 1404, 1480, 1481: deregistering ? .serverDeregistrationUnknown : .serverNoRegistration
      case 1490: .channelBinding
      case 1491: .requestNotExist
      case 1492: .noSuitableAuthenticator
      case 1497: .cannotUse
      case 1400, 1498: .invalidParameter
      default: .unknown
      }
  }

  /// The result of a UAF client's ErrorCode (UAF client API and transport 1.1, section 3.2).
  ///
  /// A code that is not listed is ``unknown``.
  public init(clientErrorCode code: Int) {
    self =
      switch code {
      case 0: .success
      case 2: .channelBinding
      case 3: .userCancel
      case 4: .unsupportedVersion
      case 5: .noSuitableAuthenticator
      case 6: .jsonParser
      case 7: .untrustedFacet
      case 9: .notRegistered
      case 0x0c: .wrongValue
      case 0x10: .locked
      case 0x11: .stateNotRegistered
      default: .unknown
      }
  }
}
