/// The outcome of an operation: a number, its name, and its PAM code.
///
/// The listed results are in the table; numbers from 10000 upwards are a server's own and are kept. Two results are equal if
/// their numbers are equal.
public struct FidoResult: Sendable {
  /// The number of the table, or the server's.
  public let code: UInt32

  /// The symbolic name of the table; `SERVER_n` or `RESULT_n` for a number it does not list.
  public let name: String

  let rule: PAMRule

  /// A row of the table.
  ///
  /// The default rule of a row is PAM_AUTH_ERR.
  init(_ code: UInt32, _ name: String, _ rule: PAMRule = .always(.authenticationError)) {
    self.code = code
    self.name = name
    self.rule = rule
  }

  /// The result for a number from outside; a number that is not in the table is PAM_AUTH_ERR.
  public init(code: UInt32) {
    if let listed = Self.allListed.first(where: { $0.code == code }) {
      self = listed
    } else {
      self.init(code, (code >= Self.firstServerCode ? "SERVER_" : "RESULT_") + String(code))
    }
  }

  /// Numbers from here upwards are the server's.
  public static let firstServerCode: UInt32 = 10_000

  /// Whether the number is the server's.
  public var isServers: Bool { code >= Self.firstServerCode }

  /// The code for PAM.
  ///
  /// PAM_SUCCESS comes only from ``success`` in `auth` and from ``changeSuccess`` and ``resetSuccess`` in `password`;
  /// PAM_IGNORE comes only from ``notRegistered``, if root has set `nouserok`, the account was never registered, and states are
  /// not hidden; or, in `password`, if the stack's other modules change the password.
  public func pamCode(_ context: PAMContext) -> PAMCode {
    rule.code(in: context)
  }

  /// One sentence for the person.
  public func text(in language: Language) -> String {
    language.catalogue.results(.persons)[code]?.text ?? language.catalogue.text(.serverNumber(code), .persons)
  }

  /// What the person, or the administrator, can do about it; nil if there is nothing to do.
  ///
  /// - Parameter codes: who may set a new value with a code.
  public func nextStep(in language: Language, codes: CodeUse = .persons) -> String? {
    language.catalogue.results(codes)[code]?.nextStep
  }
}

extension FidoResult: Hashable {
  /// Whether both have the same number.
  public static func == (left: FidoResult, right: FidoResult) -> Bool { left.code == right.code }

  /// Hashes the number.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension FidoResult: CustomStringConvertible {
  /// Name and number, for the log.
  public var description: String { "\(name) (\(code))" }
}

// Makes results from the status codes of the FIDO protocols.

extension FidoResult {
  /// The result of a server's UAF status code (UAF client API and transport 1.1, section 3.1.2).
  ///
  /// To get its PAM code, the caller sets `spokenByServer` in the context. A status that is not listed is ``unknown``; the
  /// caller shows it with ``PromptText/serverStatus(_:)``.
  ///
  /// - Parameter deregistering: whether the request was a deregistration, in which an unknown key has its own number.
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
