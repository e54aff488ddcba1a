import Foundation
import ProgramTesting
import Testing

import AuthenticatorTypes
@testable import UAFConfiguration

/// The configurations that people copy: the installed example, the package's file, and those in documents and manual pages.
struct SampleConfigurationTests {
  private static func text(_ path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func configuration(_ text: String) throws -> Configuration {
    try Configuration(parsing: Array(text.utf8), path: "sample")
  }

  /// The documents that show a configuration, and how many keys each shows at least.
  private static let documents = ["README.md": 7, "docs/configuration.md": 15]

  /// The configuration in a document: the indented block that begins with `[server]`.
  private static func shown(in path: String) throws -> String {
    let lines = try text(path).split(separator: "\n", omittingEmptySubsequences: false)
    let block = lines.drop { $0 != "    [server]" }.prefix { $0.isEmpty || $0.hasPrefix("    ") }
    return block.map { $0.dropFirst(4) }.joined(separator: "\n")
  }

  /// The installed example with the keys active that it comments out; unlike them, a remark has a space after its "#".
  private static func uncommented() throws -> String {
    try text("examples/pam_uaf.conf").split(separator: "\n")
      .map { $0.hasPrefix("#") && !$0.hasPrefix("# ") ? $0.dropFirst() : $0 }.joined(separator: "\n")
  }

  /// The names of the keys of each section, as the configuration reader defines them.
  private static var sections: [String: [String]] {
    let addresses = ServerSettings.OperationURLs.settings.map(\.name)
    let shared = (GeneralSettings.settings.map(\.name) + PromptSettings.settings.map(\.name))
    return [
      "": ["authenticators"],
      "server": ServerSettings.settings.map(\.name),
      "server.registration": addresses,
      "server.authentication": addresses,
      "server.deregistration": ServerSettings.OperationURLs.requestOnlySettings.map(\.name),
      "server.context": PlainSettings.contextSettings.map(\.name),
      "server.success": PlainSettings.successSettings.map(\.name),
      "state": StateSettings.settings.map(\.name),
      "tpm": TPMSettings.settings.map(\.name),
      "general": GeneralSettings.settings.map(\.name),
      "lock": LockSettings.settingsWithRoot.map(\.name),
      "lock.remote": LockSettings.settings.map(\.name),
      "passcode": PasscodeSettings.settings.map(\.name),
      "passcode.rules": PasscodeSettings.ruleSettings.map(\.name),
      "passcode.lock": LockSettings.settings.map(\.name),
      "pattern": PatternSettings.settings.map(\.name),
      "pattern.appearance": PatternAppearance.settings.map(\.name),
      "pattern.lock": LockSettings.settings.map(\.name),
      "fingerprint.lock": LockSettings.settings.map(\.name),
      "face": FaceSettings.settings.map(\.name),
      "face.lock": LockSettings.settings.map(\.name),
      "keyring": KeyringSettings.settings.map(\.name),
      "biometric": BiometricSettings.settings.map(\.name),
      "prompt": PromptSettings.settings.map(\.name),
      "policy": PolicySettings.settings.map(\.name),
      "service.sudo": ServiceSettings.settings.map(\.name).filter { !shared.contains($0) },
    ]
  }

  @Test func `the installed example names every key of every section`() throws {
    var named: [String: [String]] = [:]
    var section = ""
    for line in try Self.uncommented().split(separator: "\n") where !line.hasPrefix("#") {
      if line.hasPrefix("[") {
        section = String(line.dropFirst().prefix { $0 != "]" })
      } else {
        named[section, default: []].append(String(line.prefix { $0 != " " }))
      }
    }
    for (section, keys) in Self.sections {
      #expect(named[section]?.sorted() == keys.sorted(), "[\(section)]")
    }
    let own = ["passcode.ignore", "passcode.regex"]
    #expect(named.keys.sorted() == (Array(Self.sections.keys) + own).sorted())
  }

  /// The examples in the manual page, without its markup.
  private static func manual() throws -> [String] {
    try text("man/pam_uaf.conf.5").split(separator: ".Bd -literal -offset indent\n").dropFirst().map { part in
      let shown = part.prefix(upTo: part.range(of: "\n.Ed")?.lowerBound ?? part.endIndex)
      return String(shown).replacing("\\&", with: "").replacing("\\e", with: "\\")
    }
  }

  @Test func `every example of the manual page is accepted, and two of them use the plain dialect`() throws {
    let examples = try Self.manual().map(Self.configuration)
    #expect(examples.count(where: { $0.server?.dialect == .plain }) == 2)
    #expect(Set(examples.compactMap { $0.server?.enrolment }) == [.payload, .open, .code])
  }

  @Test func `the manual page names each key, and no key that does not exist`() throws {
    let keys = try Self.text("man/pam_uaf.conf.5").split(separator: "\n").filter { $0.hasPrefix(".It Cm ") }
      .flatMap { $0.dropFirst(".It Cm ".count).split(separator: " , ").map(String.init) }
    #expect(Set(keys) == Set(Self.sections.values.joined()))
  }

  @Test func `the module's manual page names each argument, and no argument that does not exist`() throws {
    let named = try Self.text("man/pam_uaf.8").split(separator: "\n").filter { $0.hasPrefix(".It Cm ") }
      .map { $0.dropFirst(".It Cm ".count).split(separator: " ") }
    let stages = ["auth", "account", "password", "session"]
    for words in named where !stages.contains(String(words[0])) {
      let argument = words[0].hasSuffix("=") ? words[0] + (Self.values[String(words[0])] ?? "") : words[0]
      #expect(throws: Never.self) { try ModuleArguments(parsing: [String(argument)]) }
    }
    #expect(named.count == stages.count + 12)
    let ranges = [("tries=", PromptSettings.triesRange), ("timeout=", ModuleArguments.timeoutRange)]
    for (argument, range) in ranges {
      let item = try Self.text("man/pam_uaf.8").split(separator: ".It Cm \(argument)")[1].prefix { $0 != "." }
      #expect(item.contains("\(range.lowerBound) to \(range.upperBound)"))
    }
  }

  /// A value for each argument that takes one.
  private static let values = [
    "conf=": "/etc/pam_uaf.conf", "authenticator=": "passcode", "tries=": "2", "timeout=": "5",
    "nouserok=": "2027-01-31",
  ]

  @Test func `the installed example is accepted, and its active keys have the default values`() throws {
    let example = try Self.configuration(Self.text("examples/pam_uaf.conf"))
    let defaults = Configuration()
    #expect(example.authenticators == defaults.authenticators)
    var server = ServerSettings()
    server.requestURL = ServerURL("https://fido.example.com/uaf/get")
    server.responseURL = ServerURL("https://fido.example.com/uaf/respond")
    #expect(example.server == server)
    #expect(example.state == defaults.state)
    #expect(example.general == defaults.general)
    #expect(example.pattern == defaults.pattern)
    #expect(example.prompt == defaults.prompt)
    #expect(example.services.isEmpty)
    #expect(example.rootPermanentLock == defaults.rootPermanentLock)
    for type in AuthenticatorType.allCases {
      for origin in AttemptOrigin.allCases {
        #expect(example.lockPolicy(for: type, origin: origin) == defaults.lockPolicy(for: type, origin: origin))
      }
    }
  }

  @Test
  func `the installed example has the default passcode rules, a longer maximum, and rules for new passcodes`()
    throws
  {
    let passcode = try Self.configuration(Self.text("examples/pam_uaf.conf")).passcode
    let defaults = PasscodeSettings()
    #expect(passcode.keypad == defaults.keypad)
    #expect(passcode.autoSubmit == defaults.autoSubmit)
    #expect(passcode.policy.uiType == defaults.policy.uiType)
    #expect(passcode.policy.minimumLength == 8 && defaults.policy.minimumLength == 6)
    #expect(passcode.policy.maximumLength == defaults.policy.maximumLength)
    #expect(passcode.policy.digitsOnly == defaults.policy.digitsOnly)
    #expect(passcode.policy.regularExpression == nil)
    #expect(Set(passcode.policy.rules.keys) == Set(PasscodeRule.allCases).subtracting([.notNumberEnglish]))
    #expect(passcode.policy.ignored.isEmpty && passcode.policy.expressions.isEmpty)
  }

  /// The package's configuration file, made by the same command as in the package.
  private static func packaged() throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let output = Pipe()
    let sed = try StartedProgram(
      ["/usr/bin/sed", "-E", "-f", root.path + "/debian/pam_uaf.conf.sed", root.path + "/examples/pam_uaf.conf"],
      output: .pipe(output))
    let made = try output.fileHandleForReading.readToEnd() ?? Data()
    #expect(sed.wait() == 0)
    return String(decoding: made, as: UTF8.self)
  }

  /// Passcodes that are too easy to guess, and good passcodes.
  private static let weak = [
    "111111111111", "aaaaaaaa", "12345678", "87654321", "abcdefgh", "37373737", "33557799", "1234567",
  ]
  private static let strong = ["correct horse battery", "tangerine9", "딸기 우유와 바나나 빵", "zebra-kettle"]

  @Test
  func `the package's file, the example and the documents refuse the same weak passcodes, and the files no good ones`()
    throws
  {
    let files = [
      try Self.packaged(), try Self.text("examples/pam_uaf.conf"), try Self.shown(in: "docs/configuration.md"),
    ]
    for (index, file) in files.enumerated() {
      let policy = try Self.configuration(file).passcode.policy
      for value in Self.weak {
        #expect(!policy.check(Array(value.utf8).span).isEmpty, "\(index): \(value)")
      }
      // The document's own expression demands digits, which the good passcodes lack.
      for value in Self.strong where index < 2 {
        #expect(policy.check(Array(value.utf8).span).isEmpty, "\(index): \(value)")
      }
    }
  }

  @Test func `the configuration file of the package sets nothing but the rules for new passcodes`() throws {
    let keys = try Self.packaged().split(separator: "\n").filter { $0.first?.isLetter == true }
      .map { $0.prefix { $0 != " " } }
    let rules = PasscodeRule.allCases.map(\.rawValue).filter { $0 != "not_number_english" }
    #expect(keys.map(String.init) == ["min_length"] + rules)
  }

  @Test func `the keys that the installed example comments out are accepted too`() throws {
    let plain = try Self.uncommented().replacing(#"= "fido""#, with: #"= "plain""#)
    // Leaves out the keys of the WebAuthn dialect, which the plain dialect does not have.
    let ofWebAuthn = ["base_url", "origin", "rp_id", "token_type"]
    let lines = plain.split(separator: "\n").filter { line in !ofWebAuthn.contains { line.hasPrefix($0) } }
    let example = try Self.configuration(lines.joined(separator: "\n"))
    #expect(example.server?.plain.contextNames.count == PlainSettings.contextMembers.count)
    #expect(example.services.keys.sorted() == ["sudo"])
    #expect(example.lockPolicy(for: .pattern, origin: .local).retryCountToLock == 3)
  }

  @Test func `the keys that the installed example gives for the plain dialect are refused in another dialect`() throws {
    let error = #expect(throws: ConfigurationError.self) { try Self.configuration(Self.uncommented()) }
    #expect(error?.description.contains("server.context") == true)
  }

  @Test(arguments: documents.keys.sorted()) func `the configuration in each document is accepted`(path: String)
    throws
  {
    let example = try Configuration(parsing: Array(Self.shown(in: path).utf8), path: path)
    #expect(example.server != nil)
    let defaults = Configuration().lockPolicy(for: .passcode, origin: .local)
    #expect(example.lockPolicy(for: .passcode, origin: .local) == defaults)
  }

  @Test(arguments: documents) func `the configuration in each document is refused if any of its keys is misspelt`(
    path: String, least: Int
  ) throws {
    let lines = try Self.shown(in: path).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let keys = lines.indices.filter { lines[$0].first?.isLetter == true }
    try #require(keys.count >= least)
    for index in keys {
      var changed = lines
      changed[index] = "x" + changed[index]
      #expect(throws: (any Error).self, "\(changed[index])") {
        try Configuration(parsing: Array(changed.joined(separator: "\n").utf8), path: path)
      }
    }
  }
}
