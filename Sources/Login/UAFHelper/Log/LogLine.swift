import AuthenticatorTypes
import Authenticator
import Glibc
import UAFWire

/// One line of the log: `event=...`, then `key=value` parts in the order of ``LogKey``, each at most once.
///
/// The escapes ensure that no value can be mistaken for another part or another line. Bytes outside visible ASCII, and `%`, `"`
/// and `=`, are written as `%XX`; text for people is in quotes, where `\u{X}` replaces quotes, backslashes, an `=` right after
/// a letter, a digit or `_`, and for control characters and invisible ones.
struct LogLine: CustomStringConvertible {
  /// What the line is about.
  let event: LogEvent
  private var values: [LogKey: String] = [:]
  /// The maximum length of a value in bytes, before escaping.
  private static let valueLimit = 256

  /// Begins a line about an event.
  init(_ event: LogEvent) { self.event = event }

  /// The line, without the final line break.
  var description: String {
    LogKey.allCases.reduce("event=\(event.rawValue)") { line, key in
      values[key].map { "\(line) \(key.rawValue)=\($0)" } ?? line
    }
  }

  /// Sets a part, if there is a value for it.
  mutating func add(_ key: LogKey, _ value: String?) {
    guard let value else { return }
    if key.isQuoted { values[key] = Self.quoted(value) } else { add(key, Array(value.utf8)) }
  }

  /// Sets a part whose value comes from outside, if there is a value for it.
  mutating func add(_ key: LogKey, _ value: [UInt8]?) {
    guard let value else { return }
    guard !key.isQuoted else { return add(key, String(decoding: value, as: UTF8.self)) }
    var text = ""
    for byte in value.prefix(Self.valueLimit) {
      if (0x21...0x7e).contains(byte), !Array("%\"=".utf8).contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    values[key] = text
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    var followsWord = false
    for scalar in text.unicodeScalars.prefix(4 * valueLimit) {
      // An "=" right after a word would make the word look like a key of the line.
      if isHidden(scalar) || scalar == "\"" || scalar == "\\" || scalar == "=" && followsWord {
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      } else {
        result.unicodeScalars.append(scalar)
      }
      followsWord = scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_"
    }
    return result + "\""
  }

  /// Logs are read on terminals, where bidirectional and invisible code points could make a line look like a different one.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
    default: scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}

/// The parts of a line of the log, after the event, in the order in which they are written.
///
/// pam_uaf(8) has the same list.
enum LogKey: String, CaseIterable {
  case result, name, pam
  case account, uid, service, origin, via, peer, tty, rhost
  case type, lock, seconds
  case offline, age
  case policy
  case unused
  case program, missing
  case tls
  case detail

  /// Whether the value is text for people, which is written in quotes.
  var isQuoted: Bool { self == .detail }
}

/// What a line of the log is about: the value of its first part.
///
/// pam_uaf(8) has the same list.
enum LogEvent: String, CaseIterable {
  // The operation of a call, in the one line that reports how the call ended.
  case authenticate, change, register, deregister, deregisterAll, status, unlock, reset, initialise, forget, trust
  case seal, unseal, recover, account, join, leave, repair, checkIn, rename
  case keyringSet, keyringForget

  // Other events, which have lines of their own.

  /// A wrong entry has locked an authenticator.
  case lock
  /// An attempt was refused because of a lock.
  case locked
  /// A lock was found to have ended.
  case unlocked
  /// Every lock was ended with an unlock from the server's helpdesk.
  case helpdesk
  /// A file of the state is damaged, edited, or belongs to a different account.
  case damaged
  /// The configuration, or an argument of the module, is wrong.
  case configuration
  /// A peer was refused, or requested an operation that it is not permitted to request.
  case peer
  /// A change of the lock policy does not apply yet, because attempts were counted under a stricter one (3015).
  case policy
  /// The server's policy for this workstation was accepted or refused, has expired, or is not in force.
  case serverPolicy
  /// The server announced or ended keys or authorities, or what it said about them is not used.
  case serverKeys
  /// A person denied a text that waited at the server.
  case approval
  /// Keys were removed here, the server no longer has some, or some were replaced.
  case keys
  /// A text that the server had added was confirmed, and the server accepted that.
  case confirmed
  /// A part of the state could not be read or written, and the call continued.
  case state
  /// The front end broke the protocol, or went away.
  case conversation
  /// The device key was moved between file and chip, or the chip failed.
  case binding
  /// Part of the sandbox is missing.
  case sandbox
  /// A fingerprint could not be used, or changed prints were accepted.
  case fingerprint
  /// A face could not be used.
  case face
  /// The password of a person's keyring was kept, handed to a host, or removed.
  case keyring
  /// Memory could not be locked.
  case memory
  /// A record for the kernel's audit could not be written.
  case audit
  /// The program was not started as it must be.
  case start

  /// The event for the end of a call with this operation.
  init(_ operation: Operation) {
    self =
      switch operation {
      case .authenticate: .authenticate
      case .change: .change
      case .register: .register
      case .deregister: .deregister
      case .deregisterAll: .deregisterAll
      case .status: .status
      case .unlock: .unlock
      case .reset: .reset
      case .initialise: .initialise
      case .forget: .forget
      case .trust: .trust
      case .seal: .seal
      case .unseal: .unseal
      case .recover: .recover
      case .account: .account
      case .join: .join
      case .leave: .leave
      case .repair: .repair
      case .checkIn: .checkIn
      case .rename: .rename
      case .keyringSet: .keyringSet
      case .keyringForget: .keyringForget
      }
  }
}

/// The destination of the log's lines.
protocol LogSink {
  /// Writes one line.
  func write(_ line: LogLine, _ level: LogLevel)
}

/// The importance of a line.
enum LogLevel {
  case debug, notice, warning, error
}

extension LogSink {
  /// Writes a line that consists of its event and a text for people.
  func write(_ event: LogEvent, _ detail: String, _ level: LogLevel) {
    var line = LogLine(event)
    line.add(.detail, detail)
    write(line, level)
  }
}

/// The system's log, facility authpriv, opened once before the first prompt.
struct SystemLog: LogSink {
  // SAFETY: openlog keeps the pointer; a static string lives as long as the process.
  private static let name: StaticString = "pam-uaf"

  init() {
    // SAFETY: a static string ends with a NUL, which the capacity includes.
    unsafe Self.name.utf8Start.withMemoryRebound(to: CChar.self, capacity: Self.name.utf8CodeUnitCount + 1) {
      unsafe openlog($0, LOG_PID | LOG_NDELAY, LOG_AUTHPRIV)
    }
  }

  func write(_ line: LogLine, _ level: LogLevel) {
    let priority =
      switch level {
      case .debug: LOG_DEBUG
      case .notice: LOG_NOTICE
      case .warning: LOG_WARNING
      case .error: LOG_ERR
      }
    // SAFETY: the line is an argument of "%s", never a format; the pointer is valid for the call.
    unsafe line.description.withCString { text in
      unsafe withVaList([text]) { unsafe vsyslog(priority, "%s", $0) }
    }
  }
}

/// The log of a call whose server's certificate is not checked (`tls_verify = false`): each line states this.
struct UnverifiedServerLog: LogSink {
  /// The log to which the lines are written.
  let log: any LogSink

  func write(_ line: LogLine, _ level: LogLevel) {
    var line = line
    line.add(.tls, "unverified")
    log.write(line, level)
  }
}

extension AttemptOrigin {
  /// The name of the origin in the log.
  var logName: String {
    switch self {
    case .local: "local"
    case .remote: "remote"
    case .otherUser: "other-user"
    }
  }
}
