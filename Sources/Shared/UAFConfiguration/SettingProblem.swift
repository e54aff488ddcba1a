import AuthenticatorTypes

/// What the value of a key or of a module argument must be.
///
/// Code that shows it in another language has a text for each form; logs contain the description.
public enum SettingForm: Equatable, Sendable {
  case boolean
  case integer(ClosedRange<Int>)
  /// The cost of the key derivation, which has a wider range for demonstrations.
  case derivationCost
  /// A time that root sets, which has a wider range for demonstrations.
  case lockTime
  /// A time in the server's policy.
  case lentLockTime
  case text
  case bytes(limit: Int)
  /// One of these texts.
  case choice([String])
  /// A list of some of these texts, or of none.
  case choices([String])
  /// A list of one or more types.
  case authenticators
  /// A type, or an AAID.
  case authenticator
  /// A type, or an AAID, in a line of a PAM file.
  case authenticatorArgument
  case table(String)
  case absolutePath
  /// The device or the socket of a TPM.
  case chipPlace
  /// The name of a face service on the system bus.
  case sensorService
  /// A message for everybody, or one for each language.
  case messages
  case messagesByLanguage
  /// A rule for passcodes: on, off, or on with a message.
  case rule
  /// A refused text with its own message, or with the built-in one.
  case refusal
  case deviceName
  case character
  case color
  case environmentName
  case serverURL
  case mediaType
  case appIDs
  case facetID
  case domain
  case usernameMapping
  case proxy
  /// The server's name for a member of the context.
  case parameterName
  /// A member of an answer, or its value in a success.
  case successMark
  case nodeSize
  /// A list of PAM services that log a person in at this machine.
  case loginServices
  /// A day of the calendar.
  case day
}

extension SettingForm: CustomStringConvertible {
  /// What is allowed, as a whole sentence.
  public var description: String {
    switch self {
    case .boolean: "must be true or false, without quotes"
    case .integer(let range): "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .derivationCost:
      "must be a whole number from 14 to 20 (from 10 only while every server URL leads to this machine)"
    case .lockTime: "must be seconds from 30 to 86400 (less only while every server URL leads to this machine)"
    case .lentLockTime: "must be seconds from 30 to 86400"
    case .text: "must be a text in quotes"
    case .bytes(let limit): "must be at most \(limit) bytes long"
    case .choice(let names): "must be one of \(Self.quoted(names))"
    case .choices(let names): "must be a list of \(Self.quoted(names)), none twice; empty for none"
    case .authenticators: "must be a list of one or more of \(Self.types), none twice"
    case .authenticator: "must be one of \(Self.types), or an AAID (\(Self.aaids))"
    case .authenticatorArgument:
      "must be one of \(Self.types), or an AAID without its \"#\", where a line of a PAM file ends (\(Self.argumentAAIDs))"
    case .table(let name): "must be a table: [\(name)]"
    case .absolutePath: "must be an absolute path"
    case .chipPlace: "must be the absolute path of a TPM's device or socket, at most 107 bytes long, or empty"
    case .sensorService:
      "must be the name of a face service on the system bus: parts of letters, digits and '_' with dots between them, at most "
        + "128 bytes long, and not fprintd's"
    case .messages: "must be \(Self.message), or one for each language: \(Self.languages)"
    case .messagesByLanguage: "must be a table of languages, each with \(Self.message): \(Self.languages)"
    case .rule: "must be true, false, or a message: \(Self.message), or one for each language: \(Self.languages)"
    case .refusal:
      "must be true for the built-in message, or a message: \(Self.message), or one for each language: \(Self.languages)"
    case .deviceName:
      "must be a text of 1 to \(DeviceNameTemplate.maximumLength) characters on one line, which may contain {hostname}"
    case .character: "must be one character"
    case .color: "must be a color's name or #rrggbb"
    case .environmentName: "must be an environment variable's name in capitals, or empty"
    case .serverURL: "must be a URL https://HOST[:PORT]/PATH"
    case .mediaType: "must be a media type such as application/json"
    case .appIDs: "must be a list of https URLs without duplicates"
    case .facetID: "must be 1 to 512 printable ASCII characters without spaces"
    case .domain: "must be a domain in lower case, such as example.com"
    case .usernameMapping: "must be a name that contains {user} once, without spaces"
    case .proxy: "must be http://HOST:PORT, or empty for none"
    case .parameterName: "must be 1 to 64 letters, digits, '.', '_' or '-'"
    case .successMark: "must be 1 to 64 printable ASCII characters"
    case .nodeSize: "must be 1, 3, 5 or 7"
    case .loginServices:
      "must be a list of 1 to 16 PAM services that begin a person's session at this machine, none twice, and never sudo, su, "
        + "sshd, polkit-1 or another service without such a session"
    case .day: "must be a day as YYYY-MM-DD"
    }
  }

  private static let message = "a text of 1 to 200 characters on one line"

  // MARK: What is the same in every language

  /// A table of texts by language.
  package static let languages = "{ en = \"...\", ko = \"...\" }"

  /// Every type.
  package static var types: String { AuthenticatorType.allCases.map(\.rawValue).joined(separator: ", ") }

  /// The AAIDs of the types that have one.
  package static var aaids: String {
    AuthenticatorType.allCases.map { "\($0.rawValue): \($0.aaid)" }.joined(separator: ", ")
  }

  /// The AAIDs as they are written in a line of a PAM file.
  package static var argumentAAIDs: String { aaids.filter { $0 != "#" } }

  package static func quoted(_ names: [String]) -> String { names.map { "\"\($0)\"" }.joined(separator: ", ") }
}

/// Why a key of the configuration, or of a server's policy, is refused.
public enum SettingProblem: Error, Equatable, Sendable {
  /// The value has the wrong form.
  case form(SettingForm)
  case unknownKey(allowed: [String])
  /// An unknown section, or an unknown key above all sections.
  case unknownSection
  case notAService
  /// A lock in the section of a service.
  case lockOfService
  /// A key of `[passcode.ignore]` that is empty, or that no passcode could contain.
  case ignoredText
  case expression(PasscodeExpressionError)

  // MARK: Several keys together

  case lengths(minimum: Int, maximum: Int, range: ClosedRange<Int>)
  /// A keypad that is shuffled, for passcodes with other characters.
  case shuffledWithoutDigits
  /// An offer to reset, without signed verdicts.
  case resetWithoutVerdict
  case offlineWithoutAge
  case offlineWithTransaction
  /// A type that `authenticators` does not name.
  case notEnabled(String, enabled: [String])
  case incompleteServer
  case insecureURL
  /// The placeholder `{appID}` in `request_url`, although no AppID is known before the server has answered.
  case unknownAppID
  /// A certificate that is not verified, although the server is on a different machine.
  case unverified
  case onlyPlainDialect
  /// A key of WebAuthn for a server of UAF.
  case onlyWebAuthn
  /// The type of privacyIDEA's tokens, for a different server.
  case onlyPrivacyIDEA
  /// A key that has no meaning for a server of WebAuthn.
  case notWithWebAuthn
  /// An address of one operation, in a dialect whose addresses all begin with `base_url`.
  case onlyConformance
  case withoutBase
  /// A server that accepts only origins of web pages, and none is set.
  case needsWebOrigin(String)
  /// The dialect's registration needs something else.
  case enrolmentOfDialect(String)
  case incompleteRelyingParty
  case incompleteSuccess
  case sameContextNames
  case verdictWithoutKey

  // MARK: The policy of a server

  case notServers
  case tooManyExpressions(limit: Int)
  case tooManyTexts(limit: Int)
  case lentLengths(minimum: Int, maximum: Int)
  /// The lengths of the policy contradict each other once root's values are added.
  case mergedLengths(minimum: Int, maximum: Int)
  /// Root's passcodes have this many digits.
  case rootsDigits(Int)
  case mergedExpression
}

extension SettingProblem: CustomStringConvertible {
  /// What is wrong, and what is allowed.
  public var description: String {
    switch self {
    case .form(let form): form.description
    case .unknownKey(let names): "unknown key (allowed: \(names.joined(separator: ", ")))"
    case .unknownSection:
      "unknown key (allowed: \(Self.firstSections), [TYPE.lock] of one of \(SettingForm.types), \(Self.lastSections))"
    case .notAService: "is not a name of a PAM service"
    case .lockOfService: "locks are never per service: move the key to [lock]"
    case .ignoredText:
      "the key must be a text of 1 to \(PasscodeFormat.maximumByteCount) bytes that a value can contain: no control, "
        + "private-use or unassigned characters (an empty one would refuse every value)"
    case .expression(let error): error.description
    case .lengths(let minimum, let maximum, let range):
      "min_length (\(minimum)) is above max_length (\(maximum)): both must be \(range.lowerBound) to "
        + "\(range.upperBound), and min_length not above max_length"
    case .shuffledWithoutDigits:
      "\"shuffled\" has only digits: it needs ui_type = \"pin4\" or \"pin6\", or digits_only = true"
    case .resetWithoutVerdict:
      "true needs server.require_signed_verdict = true: without it, whoever controls uaf-fetch could set a new value with "
        + "any code"
    case .offlineWithoutAge: "\"allow\" needs offline_max_age, in seconds"
    case .offlineWithTransaction:
      "\"allow\" excludes transaction = true: the confirmed text must reach the server"
    case .notEnabled(let type, let enabled):
      "\(type) is not enabled: must be one of authenticators (\(enabled.joined(separator: ", ")))"
    case .incompleteServer: "must have request_url and response_url, here or for each operation"
    case .insecureURL: "every URL must be https (http only to this machine, with allow_insecure = true)"
    case .unknownAppID:
      "{appID} is not known before the server has replied: make it the first entry of app_ids"
    case .unverified: "false is only for servers on this machine (elsewhere: allow_insecure = true)"
    case .onlyPlainDialect: "works only with dialect = \"plain\""
    case .onlyWebAuthn: "works only with a dialect of WebAuthn (webauthn, privacyidea, allauth ...)"
    case .onlyPrivacyIDEA: "works only with dialect = \"privacyidea\": no other server has types of tokens"
    case .notWithWebAuthn: "cannot be used with a dialect of WebAuthn, which has nothing of the kind"
    case .onlyConformance: "works only with dialect = \"webauthn\": the others derive every address from base_url"
    case .withoutBase: "must have base_url"
    case .needsWebOrigin(let dialect):
      "dialect = \"\(dialect)\" needs origin = \"https://...\": the server accepts no other origin (pam_uaf.conf(5) says what "
        + "that means)"
    case .enrolmentOfDialect(let allowed): "must be \"\(allowed)\" with this dialect"
    case .incompleteRelyingParty:
      "must have base_url, or both URLs in [server.registration] and in [server.authentication]"
    case .incompleteSuccess: "must have member and value"
    case .sameContextNames: "must give each member a different name"
    case .verdictWithoutKey: "true needs verdict_key"
    case .notServers: "a server may not set this (allowed: \(Self.lentSections))"
    case .tooManyExpressions(let limit): "has more than \(limit) expressions"
    case .tooManyTexts(let limit): "has more than \(limit) texts"
    case .lentLengths(let minimum, let maximum):
      "min_length (\(minimum)) is above max_length (\(maximum)): no passcode can meet both"
    case .mergedLengths(let minimum, let maximum):
      "with root's values min_length (\(minimum)) is above max_length (\(maximum)): no passcode can meet both"
    case .rootsDigits(let count): "root's ui_type has \(count) digits: no passcode can meet both"
    case .mergedExpression: "with root's values an expression needs more characters than are allowed"
    }
  }

  // MARK: What is the same in every language

  /// The keys of the file, up to the locks of types.
  package static let firstSections = "authenticators, [server], [state], [tpm], [general], [lock]"
  /// The keys after them.
  package static let lastSections =
    "[passcode], [pattern], [biometric], [face], [prompt], [keyring], [policy], [service.NAME]"
  /// The sections that a server's policy may have.
  package static let lentSections = "[passcode], [pattern], [lock], [lock.remote], [prompt]"
}

/// Why a module argument is refused.
public enum ModuleArgumentProblem: Equatable, Sendable {
  /// The value has the wrong form.
  case form(SettingForm)
  /// It is unknown, has a value although it takes none, or lacks one.
  case unknown
  case twice
  case tooMany(limit: Int)
  case bothFirstPasses
  case accountCheckValue
  /// `account_check` in a line of a different type.
  case notAccount

  // MARK: Against the configuration

  /// A type that `authenticators` does not name.
  case notEnabled(String)
  case shuffledKeypad
  case transaction
  /// Texts to confirm that the server may add by itself (`accept_transaction = "any"`).
  case anyTransaction
}

extension ModuleArgumentProblem: CustomStringConvertible {
  /// What is wrong, and what is allowed.
  public var description: String {
    switch self {
    case .form(let form): form.description
    case .unknown:
      "unknown, or with a value where none belongs, or without one (allowed: \(Self.allowed))"
    case .twice: "given twice"
    case .tooMany(let limit): "more than \(limit) arguments"
    case .bothFirstPasses: "excludes try_first_pass: give only one of the two"
    case .accountCheckValue: "must have no value, or be account_check=required"
    case .notAccount: "belongs to a line of type account"
    case .notEnabled(let type): "\(type) is not in the configuration's authenticators"
    case .shuffledKeypad: "excludes keypad = \"shuffled\""
    case .transaction: "excludes transaction = true"
    case .anyTransaction: "excludes server.accept_transaction = \"any\""
    }
  }

  /// Every argument, the same in every language.
  package static let allowed =
    "conf=, authenticator=, nouserok, nouserok=, debug, tries=, timeout=, try_first_pass, use_first_pass, quiet, "
    + "divided, account_check, account_check=required"
}
