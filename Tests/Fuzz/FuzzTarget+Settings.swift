import SecretMemory

@testable import Authenticator
import AuthenticatorTypes
@testable import UAFConfiguration

extension FuzzTarget {
  /// Root's file: refused with a place, or read as a whole.
  static func configuration(_ bytes: [UInt8]) {
    do throws(ConfigurationError) {
      let configuration = try Configuration(parsing: bytes, path: "/etc/fuzz")
      precondition(!configuration.authenticators.isEmpty, "no authenticator")
      for type in configuration.authenticators {
        for origin in AttemptOrigin.allCases {
          precondition(configuration.lockPolicy(for: type, origin: origin).retryCountToLock > 0, "tries without end")
        }
      }
      for service in [nil, "login", "sudo"] {
        precondition(configuration.settings(for: service).prompt.interactive != nil, "not decided")
      }
    } catch {
      precondition(error.description.contains("/etc/fuzz"), "no place is named")
    }
  }

  /// A policy's text from a server: refused with a place, or merged with root's file.
  static func lent(_ bytes: [UInt8]) {
    do throws(ConfigurationError) {
      let lent = try LentSettingsReader.settings(bytes, version: 7)
      _ = lent.sections
      var own = Configuration()
      own.policy.followed = LentSection.allCases
      let merged = try PolicyMerge(own: own, lent: lent).merged()
      let (length, minimum) = (merged.passcode.policy.minimumLength, own.passcode.policy.minimumLength)
      precondition(length >= minimum && merged.pattern.minimumNodes >= own.pattern.minimumNodes, "a looser rule")
    } catch {
      precondition(error.description.contains("policy 7"), "no place is named")
    }
  }

  /// A module's arguments, one on each line.
  static func arguments(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard let arguments = try? ModuleArguments(parsing: lines.map { String(decoding: $0, as: UTF8.self) }) else {
      return
    }
    precondition(arguments.configurationPath?.utf8.first.map { $0 == UInt8(ascii: "/") } ?? true, "not absolute")
    precondition(arguments.timeout.map { (.seconds(1)...(.seconds(600))).contains($0) } ?? true, "not a time")
    _ = try? Configuration().check(arguments, service: "login")
  }

  /// An expression by root and a value by a person: the first byte says how long the expression is.
  static func expression(_ bytes: [UInt8]) {
    let length = Int(bytes.first ?? 0) * 4
    let pattern = String(decoding: bytes.dropFirst().prefix(length), as: UTF8.self)
    let expression: PasscodeExpression
    do throws(PasscodeExpressionError) {
      expression = try PasscodeExpression(pattern)
    } catch {
      precondition(error.description.unicodeScalars.allSatisfy(isHarmless), "steers a terminal")
      return
    }
    let value = Array(bytes.dropFirst(length + 1).prefix(PasscodeFormat.maximumByteCount))
    // Values are UTF-8 before they come here; PCRE2 must not receive anything else.
    guard String(validating: value, as: UTF8.self) != nil else { return }
    let matches = expression.matches(value.span)
    precondition(matches == expression.matches(value.span), "not the same twice")
    let points = String(decoding: value, as: UTF8.self).unicodeScalars.count
    precondition(!matches || expression.minimumLength <= points, "matches what is too short for it")
  }

  /// An entry: normalising it again changes nothing, and every rule can be applied to it.
  static func passcode(_ bytes: [UInt8]) {
    guard let entry = try? Secret(copying: bytes.span), let value = PasscodeFormat.normalised(entry) else { return }
    precondition((1...PasscodeFormat.maximumByteCount).contains(value.count), "too long to be stored")
    let first = value.withBytes { span in span.indices.map { span[$0] } }
    precondition(String(validating: first, as: UTF8.self) != nil && !first.contains(0), "not a text")
    guard let again = PasscodeFormat.normalised(value) else { preconditionFailure("refused the second time") }
    precondition(
      again.withBytes { span in span.indices.allSatisfy { span[$0] == first[$0] } }, "another the second time")
    var policy = PasscodePolicy()
    for rule in PasscodeRule.allCases { policy.rules[rule] = .some(nil) }
    policy.digitsOnly = bytes.count % 2 == 0
    policy.ignored = [IgnoredText("mina", message: nil)].compactMap(\.self)
    precondition(
      policy.check(first.span).map(\.key) == policy.check(bytes.span).map(\.key), "another verdict on the same value")
    precondition(policy.requirements.count >= PasscodeRule.allCases.count, "a rule that nobody is told")
    if let stroke = Pattern.canonical(entry) {
      precondition((1...9).contains(stroke.count), "more nodes than there are")
      let problems = Pattern.problems(with: stroke, minimumNodes: 9)
      precondition(problems.isEmpty == (stroke.count == 9), "short enough, or too long")
    }
  }

  /// Records of the state file: what was read is what would be written, apart from the zeros that pad a record.
  static func records(_ bytes: [UInt8]) {
    if let key = try? RegisteredKey(record: bytes) {
      precondition(withoutPadding(key.record) == withoutPadding(bytes), "a second form of a key")
    }
    if let enrolled = try? EnrolledAuthenticator(record: bytes) {
      precondition(withoutPadding(enrolled.record) == withoutPadding(bytes), "a second form of an authenticator")
    }
    if let identity = try? AccountIdentity(record: bytes) {
      precondition(withoutPadding(identity.record) == withoutPadding(bytes), "a second form of an account")
    }
    if let keyring = try? KeyringRecord(record: bytes) {
      precondition(withoutPadding(keyring.record) == withoutPadding(bytes), "a second form of a keyring")
    }
    if let unlock = try? UnlockRecord(record: bytes) {
      precondition((try? UnlockRecord(record: unlock.record)) == unlock, "reads itself otherwise")
    }
    if let trust = try? TrustRecord(bytes) {
      precondition((try? TrustRecord(trust.bytes)) == trust, "reads itself otherwise")
    }
    if let answer = try? LastAnswer(record: bytes) {
      precondition(answer.record == bytes, "a second form of the server's last answer")
    }
    let size = AttemptLedger.recordSize
    let body = Array(bytes.prefix(size)) + Array(repeating: 0, count: max(0, size - bytes.count))
    if let ledger = try? AttemptLedger(record: body) { count(ledger) }
  }

  /// Whatever a ledger contains, attempts end, and what is written then can be read.
  private static func count(_ ledger: AttemptLedger) {
    let now = BootTime(bootID: [1], nanoseconds: 1_000_000_000, wallSeconds: 0)
    for origin in AttemptOrigin.allCases {
      var counted = ledger
      for _ in 0..<LockPolicy.retryCountRange.upperBound {
        _ = counted.charge(origin, at: now, policy: .localDefault)
      }
      let status = counted.status(origin, at: now, policy: .localDefault)
      precondition(status.isLocked == (status.remainingTries == 0), "locked with tries left, or neither")
      // The core's own boot id has 36 bytes, and a full row has a lock: what began otherwise is not a record of ours.
      let isOurs = ledger[origin].charges.count < LockPolicy.retryCountRange.upperBound
      if isOurs, counted.record.count == AttemptLedger.recordSize {
        precondition((try? AttemptLedger(record: counted.record)) != nil, "a record that is not read again")
      }
    }
  }

  private static func withoutPadding(_ record: [UInt8]) -> ArraySlice<UInt8> {
    record.prefix((record.lastIndex { $0 != 0 } ?? -1) + 1)
  }
}
