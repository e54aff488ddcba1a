import Testing

@testable import UAFConfiguration

@Suite struct ModuleArgumentsTests {
  /// The name of the module argument that is refused; nil if all are accepted.
  private func refused(_ arguments: [String]) -> String? {
    do throws(ConfigurationError) {
      _ = try ModuleArguments(parsing: arguments)
      return nil
    } catch {
      guard case .argument(let name, _) = error else { return "\(error)" }
      return name
    }
  }

  private static let server = "[server]\nrequest_url='https://a.example/q'\nresponse_url='https://a.example/r'\n"

  private func conflict(_ arguments: [String], _ text: String, service: String? = "sudo") throws -> String? {
    let configuration = try Configuration(parsing: Array(text.utf8), path: "FILE")
    let arguments = try ModuleArguments(parsing: arguments)
    do throws(ConfigurationError) {
      try configuration.check(arguments, service: service)
      return nil
    } catch {
      guard case .argument(let name, _) = error else { return "\(error)" }
      return name
    }
  }

  @Test func `without module arguments the defaults apply`() throws {
    let arguments = try ModuleArguments(parsing: [])
    #expect(arguments.configurationPath == nil && arguments.authenticator == nil && arguments.tries == nil)
    #expect(arguments.nouserok == nil && !arguments.debug && !arguments.quiet && arguments.timeout == nil)
    #expect(arguments.firstPass == .ignored)
  }

  @Test func `accepts each module argument`() throws {
    let arguments = try ModuleArguments(parsing: [
      "conf=/etc/a=b", "authenticator=pattern", "nouserok", "debug", "tries=10", "timeout=600", "try_first_pass",
      "quiet", "divided",
    ])
    #expect(arguments.configurationPath == "/etc/a=b" && arguments.authenticator == "pattern")
    #expect(arguments.nouserok == .always && arguments.debug && arguments.quiet && arguments.divided)
    #expect(arguments.firstPass == .tried)
    #expect(arguments.tries == 10 && arguments.timeout == .seconds(600))
    #expect(try ModuleArguments(parsing: ["use_first_pass", "authenticator=5541#0001"]).firstPass == .used)
  }

  @Test func `accepts account_check alone or as account_check=required, and in no other form`() throws {
    #expect(try ModuleArguments(parsing: []).accountCheck == nil)
    #expect(try ModuleArguments(parsing: ["account_check"]).accountCheck == .refusesBlocked)
    #expect(try ModuleArguments(parsing: ["account_check=required"]).accountCheck == .demandsActive)
    for wrong in [["account_check="], ["account_check=yes"], ["account_check", "account_check=required"]] {
      #expect(throws: ConfigurationError.self) { try ModuleArguments(parsing: wrong) }
    }
  }

  @Test func `accepts nouserok with a day, and reads it as that day`() throws {
    for text in ["2027-01-31", "2028-02-29", "1970-01-01", "9999-12-31"] {
      let day = try #require(CalendarDay(text))
      #expect(try ModuleArguments(parsing: ["nouserok=\(text)"]).nouserok == .until(day))
    }
  }

  @Test(arguments: [
    "", "2027", "2027-01", "2027-1-31", "2027-01-32", "2027-00-10", "2027-13-01", "2027-02-29", "2100-02-29",
    "1969-12-31",
    "0000-01-01", "27-01-31", "2027/01/31", "20270131", "2027-01-31 ", " 2027-01-31", "2027-01-31T00:00", "+2027-01-31",
    "2027-01--1", "2027-01-31-", "２０２７-01-31", "never", "yes",
  ])
  func `refuses nouserok with a value that is no day, and does not take it for nouserok alone`(_ value: String) {
    let expected = ConfigurationError.argument("nouserok", problem: .form(.day))
    #expect(throws: expected) { try ModuleArguments(parsing: ["nouserok=\(value)"]) }
  }

  @Test func `refuses two days, and nouserok beside a day`() {
    #expect(refused(["nouserok=2027-01-31", "nouserok=2027-02-28"]) == "nouserok")
    #expect(refused(["nouserok", "nouserok=2027-01-31"]) == "nouserok")
    #expect(refused(["nouserok=2027-01-31", "nouserok"]) == "nouserok")
  }

  @Test(arguments: ["55410002", "5541#0002"])
  func `accepts an AAID without its number sign, which would begin a comment in a PAM configuration file`(
    _ text: String
  ) throws {
    #expect(try ModuleArguments(parsing: ["authenticator=\(text)"]).authenticator == "5541#0002")
    #expect(try conflict(["authenticator=\(text)"], "authenticators=['passcode']") == "authenticator")
  }

  @Test func `refuses an AAID that ends at its number sign, and says how to write it`() {
    let expected = ConfigurationError.argument("authenticator", problem: .form(.authenticatorArgument))
    #expect(throws: expected) { try ModuleArguments(parsing: ["authenticator=5541"]) }
    #expect(
      SettingForm.authenticatorArgument.description
        == "must be one of passcode, pattern, fingerprint, face, or an AAID without its \"#\", where a line of a "
        + "PAM file ends (passcode: 55410001, pattern: 55410002, fingerprint: 55410003, face: 55410004)")
  }

  @Test(arguments: [
    ("", ""), ("nouserOK", "nouserOK"), ("use_first_pas", "use_first_pas"), ("nouserok=1", "nouserok"),
    ("conf", "conf"), ("conf=", "conf"),
    ("conf=a.conf", "conf"), ("conf=/a/../b", "conf"), ("authenticator=", "authenticator"),
    ("authenticator=iris", "authenticator"), ("authenticator=5541#0009", "authenticator"),
    ("authenticator=55410009", "authenticator"), ("authenticator=5541-0001", "authenticator"),
    ("tries=", "tries"), ("tries=0", "tries"), ("tries=11", "tries"), ("tries=-1", "tries"), ("tries=+1", "tries"),
    ("tries=01", "tries"),
    ("tries=1 ", "tries"), ("tries=99999999999999999999", "tries"), ("timeout=0", "timeout"),
    ("timeout=601", "timeout"),
    ("timeout=1.5", "timeout"), ("debug ", "debug "), ("=x", ""),
  ])
  func `refuses an unknown or wrong module argument, and names it`(_ argument: String, _ name: String) {
    #expect(refused(["quiet", argument]) == name)
  }

  @Test func `refuses a module argument that is given twice`() {
    #expect(refused(["debug", "debug"]) == "debug")
    #expect(refused(["tries=1", "tries=2"]) == "tries")
    #expect(refused(["try_first_pass", "use_first_pass"]) == "use_first_pass")
    #expect(refused([String](repeating: "debug", count: 33)) == "list")
  }

  @Test func `refuses use_first_pass together with a shuffled keypad or a transaction`() throws {
    for name in ["use_first_pass", "try_first_pass"] {
      #expect(try conflict([name], "[passcode]\nkeypad='shuffled'\nui_type='pin6'") == name)
      #expect(try conflict([name], "[service.sudo]\ntransaction=true") == name)
      #expect(try conflict([name], "[service.sudo]\ntransaction=true", service: "login") == nil)
      #expect(try conflict([name], Self.server + "accept_transaction='any'") == name)
      #expect(try conflict([name], Self.server + "accept_transaction='ours'") == nil)
    }
    #expect(try conflict(["quiet"], "[passcode]\nkeypad='shuffled'\nui_type='pin6'") == nil)
  }

  @Test func `refuses a module argument for an authenticator that is not enabled`() throws {
    #expect(try conflict(["authenticator=pattern"], "authenticators=['passcode']") == "authenticator")
    #expect(try conflict(["authenticator=passcode"], "authenticators=['passcode']") == nil)
    #expect(try conflict(["authenticator=5541#0002"], "authenticators=['passcode']") == "authenticator")
    #expect(try conflict(["authenticator=5541#0002"], "authenticators=['pattern']") == nil)
  }

  @Test func `accepts nouserok together with hide_state`() throws {
    #expect(try conflict(["nouserok"], "[general]\nhide_state=true") == nil)
    #expect(try conflict(["nouserok"], "[service.sudo]\nhide_state=true") == nil)
  }
}
