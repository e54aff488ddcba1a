// Purpose: the arguments after the module's name in pam.d. An unknown or bad one is an error and never ignored, whoever runs the
// host, because a misspelt `use_first_pass` would change who may log in.

/// The module's arguments, as they appear in a line of /etc/pam.d.
public struct ModuleArguments: Equatable, Sendable {
  /// Whether the secret that another module asked for is used.
  public enum FirstPass: Sendable {
    /// It is not used.
    case ignored
    /// It is used, and the person is asked if there is none.
    case tried
    /// It is used, and the person is never asked.
    case used
  }

  /// Until when accounts that were never registered here are passed on to the next module of the stack.
  public enum UnregisteredPass: Equatable, Sendable {
    /// As long as the argument is there.
    case always
    /// Up to the end of this day.
    case until(CalendarDay)
  }

  /// `conf=`: the configuration's path.
  public private(set) var configurationPath: String?
  /// `authenticator=`: a type, or an AAID with its "#".
  public private(set) var authenticator: String?
  /// `nouserok`, or `nouserok=` with a day: until when the stack continues with the next module for accounts that were never
  /// registered here; nil if it does not.
  public private(set) var nouserok: UnregisteredPass?
  /// `debug`: more in the log, nothing secret.
  public private(set) var debug = false
  /// `quiet`: no informational texts.
  public private(set) var quiet = false
  /// `divided`: the host gets a message when the login is ready, and may draw its screen before the first prompt.
  public private(set) var divided = false
  /// `tries=`: how often one call asks; nil for the configuration's value.
  public private(set) var tries: Int?
  /// `timeout=`: how long the whole call may take; nil if only its parts have limits.
  public private(set) var timeout: Duration?
  /// `try_first_pass` or `use_first_pass`.
  public private(set) var firstPass = FirstPass.ignored
  /// `account_check`, or `account_check=required`: what is required of an account in the account stage; nil for nothing.
  public private(set) var accountCheck: AccountCheck?

  /// The allowed values of `timeout=`, in seconds.
  ///
  /// The module has the same limit (`cshim/limits.h`).
  public static let timeoutRange = 1...600

  /// More arguments than anyone needs.
  static let maximumCount = 32

  /// Reads the arguments, none of which may be given twice.
  ///
  /// - Throws: ``ConfigurationError/argument(_:problem:)``.
  public init(parsing arguments: [String]) throws(ConfigurationError) {
    guard arguments.count <= Self.maximumCount else {
      throw .argument("list", problem: .tooMany(limit: Self.maximumCount))
    }
    var seen: Set<String> = []
    for argument in arguments {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let name = parts.first ?? ""
      guard seen.insert(name).inserted else { throw .argument(name, problem: .twice) }
      if parts.count == 2 {
        try take(name, value: parts[1])
      } else {
        try take(flag: name)
      }
    }
    guard !seen.isSuperset(of: ["try_first_pass", "use_first_pass"]) else {
      throw .argument("use_first_pass", problem: .bothFirstPasses)
    }
  }

  private mutating func take(_ name: String, value: String) throws(ConfigurationError) {
    switch name {
    case "conf":
      configurationPath = try Self.checked(name, AllowedText.absolutePath(value), .absolutePath)
    case "authenticator":
      authenticator = try Self.checked(name, AllowedText.authenticatorArgument(value), .authenticatorArgument)
    case "tries":
      tries = try Self.number(name, value, PromptSettings.triesRange)
    case "timeout":
      timeout = .seconds(try Self.number(name, value, Self.timeoutRange))
    case "nouserok":
      guard let day = CalendarDay(value) else { throw .argument(name, problem: .form(.day)) }
      nouserok = .until(day)
    case "account_check":
      guard value == "required" else { throw .argument(name, problem: .accountCheckValue) }
      accountCheck = .demandsActive
    default: throw .argument(name, problem: .unknown)
    }
  }

  private mutating func take(flag: String) throws(ConfigurationError) {
    switch flag {
    case "nouserok": nouserok = .always
    case "debug": debug = true
    case "quiet": quiet = true
    case "divided": divided = true
    case "account_check": accountCheck = .refusesBlocked
    case "try_first_pass": firstPass = .tried
    case "use_first_pass": firstPass = .used
    default: throw .argument(flag, problem: .unknown)
    }
  }

  private static func checked(
    _ name: String, _ value: String?, _ form: SettingForm
  ) throws(ConfigurationError) -> String {
    guard let value else { throw .argument(name, problem: .form(form)) }
    return value
  }

  private static func number(
    _ name: String, _ value: String, _ range: ClosedRange<Int>
  ) throws(ConfigurationError) -> Int {
    let isPlain = (1...4).contains(value.utf8.count) && value.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard isPlain, value.first != "0", let number = Int(value), range.contains(number) else {
      throw .argument(name, problem: .form(.integer(range)))
    }
    return number
  }
}
