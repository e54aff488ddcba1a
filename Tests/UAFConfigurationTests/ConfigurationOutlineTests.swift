import Testing

@testable import UAFConfiguration

/// What a report may show of a configuration.
@Suite struct ConfigurationOutlineTests {
  private func outline(_ texts: String...) -> ConfigurationOutline {
    ConfigurationOutline(
      texts.enumerated().map { ConfigurationDocument(path: "file-\($0.offset)", bytes: Array($0.element.utf8)) })
  }

  private func lines(_ text: String) -> [String] { outline(text).files.flatMap(\.lines) }

  private static let server = """
    [server]
    request_url = "https://fido.example.com:8443/uaf/get"
    response_url = "https://fido.example.com:8443/uaf/respond"

    """

  @Test func `numbers, switches, names, paths and addresses of a usable configuration are shown`() {
    #expect(
      lines(
        "authenticators = [\"passcode\"]\n" + Self.server
          + "timeout = 9\nca_file = \"/etc/ca.pem\"\n[lock.remote]\nlock_time = 60\n") == [
          "authenticators = [\"passcode\"]", "[server]",
          "request_url = \"https://fido.example.com:8443/uaf/get\"",
          "response_url = \"https://fido.example.com:8443/uaf/respond\"", "timeout = 9", "ca_file = \"/etc/ca.pem\"",
          "[lock.remote]", "lock_time = 60",
        ])
  }

  @Test func `of an address, user, password, query and parts of the path that are no words are left out`() {
    let found = outline(
      "[server]\nrequest_url = \"https://mina:pa55word@fido.example.com/uaf/T0ken77/get?key=s3cretkey&b\"\n")
    #expect(
      found.files.flatMap(\.lines) == ["[server]", "request_url = \"https://fido.example.com/uaf/.../get\""])
    #expect(found.withheld.isSuperset(of: ["mina:pa55word", "mina", "pa55word", "T0ken77", "s3cretkey"]))
    #expect(found.hosts == ["fido.example.com"])
  }

  @Test func `an address of a different form is not shown at all`() {
    for text in ["hunter-22", "https://exa mple/", "https://hunter22\u{7}/"] {
      #expect(
        lines("[server]\nproxy = \"\(text)\"\n").allSatisfy { !$0.contains("hunter") && !$0.contains("exa") })
    }
  }

  @Test func `texts of root's are not shown, and of lists with such texts only the number of keys`() {
    #expect(
      lines(
        Self.server + """
          device_name = "the boss's machine"
          [passcode]
          regular_expression = "hunter.*"
          [passcode.rules]
          equal_character = "Not hunter22!"
          two_character_repeat = true
          [passcode.ignore]
          "hunter22" = true
          "hunter23" = true
          """
      ).dropFirst(3) == [
        "device_name = (not shown)", "[passcode]", "regular_expression = (not shown)", "[passcode.rules]",
        "equal_character = (not shown)", "two_character_repeat = true", "[passcode.ignore]: 2 keys, not shown",
      ])
  }

  @Test func `an unknown key, section and service show neither name nor value, and then no other text is shown either`()
  {
    #expect(
      lines(
        "hunter23 = \"hunter22\"\nauthenticators = [\"hunter22\"]\n[state]\nkdf_cost = 14\ndirectory = \"/hunter22\"\n"
          + "[hunter22]\nkey = 1\n[service.hunter22]\ntries = 2\n") == [
          "(a key that is not known)", "authenticators = [(not shown)]", "[state]", "kdf_cost = 14",
          "directory = (not shown)", "[a section that is not known]", "[a section that is not known]",
        ])
  }

  @Test func `a file that is not TOML shows nothing, and the others are shown`() {
    let files = outline("[lock]\nlock_time = 60\n", "hunter22\n").files
    #expect(files.map(\.path) == ["file-0", "file-1"])
    #expect(files.map(\.lines) == [["[lock]", "lock_time = 60"], ["(not TOML)"]])
  }

  @Test func `each key of each section has a form`() {
    let tables: [[String]] = [
      ServerSettings.settings.map(\.name), ServerSettings.OperationURLs.settings.map(\.name),
      StateSettings.settings.map(\.name), TPMSettings.settings.map(\.name), GeneralSettings.settings.map(\.name),
      LockSettings.settingsWithRoot.map(\.name), PasscodeSettings.settings.map(\.name),
      PasscodeSettings.ruleSettings.map(\.name), PatternSettings.settings.map(\.name),
      PatternAppearance.settings.map(\.name), BiometricSettings.settings.map(\.name),
      PromptSettings.settings.map(\.name), PolicySettings.settings.map(\.name), ServiceSettings.settings.map(\.name),
    ]
    #expect(tables.joined().filter { ConfigurationOutline.form(of: $0) == nil } == [])
  }
}
