import Testing

@testable import UAFConfiguration

/// What a message tells root about a mistake in the configuration: file, line, key, and what is allowed.
@Suite struct BadConfigurationTests {
  private func refusal(_ text: String) -> String? {
    do throws(ConfigurationError) {
      _ = try Configuration(parsing: Array(text.utf8), path: "/etc/x.conf")
      return nil
    } catch {
      return error.description
    }
  }

  private static let lockTime =
    "must be seconds from 30 to 86400 (less only while every server URL leads to this machine)"
  private static let biometric =
    "require_tpm, invalidate_on_new_biometrics, max_tries, timeout, mode, allow_value_as_fallback"
  private static let busName =
    "must be the name of a face service on the system bus: parts of letters, digits and '_' with dots between them, at most "
    + "128 bytes long, and not fprintd's"
  private static let types = "passcode, pattern, fingerprint, face"
  private static let loginServices =
    "must be a list of 1 to 16 PAM services that begin a person's session at this machine, none twice, and never sudo, su, "
    + "sshd, polkit-1 or another service without such a session"
  private static let messages =
    "a text of 1 to 200 characters on one line, or one for each language: { en = \"...\", ko = \"...\" }"

  @Test(arguments: [
    ("[lock]\nretry_count_to_lock = 0", "2: lock.retry_count_to_lock: must be a whole number from 1 to 10"),
    (
      "[server]\nrequest_url='https://a/'\nresponse_url='https://a/'\nenrolment = 'none'",
      #"4: server.enrolment: must be one of "payload", "code", "token", "password", "open""#
    ),
    (
      "[server]\nrequest_url='https://a/{appID}'\nresponse_url='https://a/{appID}'",
      "2: server.request_url: {appID} is not known before the server has replied: make it the first entry of app_ids"
    ),
    ("[lock]\nretry_count_to_lock = 11", "2: lock.retry_count_to_lock: must be a whole number from 1 to 10"),
    ("[lock]\nmax_lock_count = 11", "2: lock.max_lock_count: must be a whole number from 0 to 10"),
    ("[lock]\n\nlock_time = -1", "3: lock.lock_time: \(lockTime)"),
    ("[lock]\nlock_time = nan", "2: lock.lock_time: \(lockTime)"),
    ("[lock]\nlock_time = inf", "2: lock.lock_time: \(lockTime)"),
    ("[lock.remote]\nlock_time = -0.0", "2: lock.remote.lock_time: \(lockTime)"),
    ("[pattern.lock]\nlock_time = 86400.1", "2: pattern.lock.lock_time: \(lockTime)"),
    ("[lock]\nlock_time = '300'", "2: lock.lock_time: \(lockTime)"),
    ("[lock]\nroot_permanent_lock = 1", "2: lock.root_permanent_lock: must be true or false, without quotes"),
    (
      "[service.sudo]\n\nlock_time = 60",
      "3: service.sudo.lock_time: locks are never per service: move the key to [lock]"
    ),
    (
      "[service.sudo.lock]\nretry_count_to_lock = 3",
      "1: service.sudo.lock: locks are never per service: move the key to [lock]"
    ),
    ("[keyring]\nunlock = 1", "2: keyring.unlock: must be true or false, without quotes"),
    ("[keyring]\nservices = []", "2: keyring.services: \(loginServices)"),
    ("[keyring]\nservices = ['lightdm', 'lightdm']", "2: keyring.services: \(loginServices)"),
    ("[keyring]\nservices = ['sudo']", "2: keyring.services: \(loginServices)"),
    ("[keyring]\nservices = ['login', 'sshd']", "2: keyring.services: \(loginServices)"),
    ("[keyring]\nservices = ['polkit-1']", "2: keyring.services: \(loginServices)"),
    ("[keyring]\nservices = ['su-l']", "2: keyring.services: \(loginServices)"),
    ("[keyring]\nservices = ['../login']", "2: keyring.services: \(loginServices)"),
    ("[biometric]\nrequire_tpm = 'no'", "2: biometric.require_tpm: must be true or false, without quotes"),
    (
      "[biometric]\ninvalidate_on_new_biometrics = 0",
      "2: biometric.invalidate_on_new_biometrics: must be true or false, without quotes"
    ),
    ("[biometric]\nmax_tries = 11", "2: biometric.max_tries: must be a whole number from 1 to 10"),
    ("[biometric]\ntimeout = 4", "2: biometric.timeout: must be a whole number from 5 to 120"),
    (
      "[biometric]\nallow_value_as_fallback = 1",
      "2: biometric.allow_value_as_fallback: must be true or false, without quotes"
    ),
    ("[biometric]\nlock = {}", "2: biometric.lock: unknown key (allowed: \(biometric))"),
    ("authenticators = ['biometric']", "1: authenticators: must be a list of one or more of \(types), none twice"),
    ("[face]\nbus_name = 'org'", "2: face.bus_name: \(busName)"),
    ("[face]\ntemplates = 'faces'", "2: face.templates: must be an absolute path"),
    ("[face]\nalone = 'yes'", "2: face.alone: must be true or false, without quotes"),
    ("[biometric]\nmode = 'last'", #"2: biometric.mode: must be one of "together", "first""#),
    ("[passcode]\nmin_length = 3", "2: passcode.min_length: must be a whole number from 4 to 64"),
    ("[passcode]\nmax_length = 65", "2: passcode.max_length: must be a whole number from 4 to 64"),
    (
      "[passcode]\nmax_length = 8\nmin_length = 9",
      "3: passcode.min_length: min_length (9) is above max_length (8): both must be 4 to 64, and min_length not above "
        + "max_length"
    ),
    (
      "[passcode]\nmax_length = 5",
      "2: passcode.max_length: min_length (6) is above max_length (5): both must be 4 to 64, and min_length not above "
        + "max_length"
    ),
    ("[passcode]\nui_type = 'pin5'", #"2: passcode.ui_type: must be one of "normal", "pin4", "pin6""#),
    (
      "[passcode]\n\nkeypad = 'shuffled'",
      #"3: passcode.keypad: "shuffled" has only digits: it needs ui_type = "pin4" or "pin6", or digits_only = true"#
    ),
    (
      "[passcode]\nregular_expression = 'a(b'",
      "2: passcode.regular_expression: the expression does not compile at position 3: missing closing parenthesis; "
        + "correct it there"
    ),
    (
      "[passcode.regex]\n'ok' = true\n'[a' = 'no'",
      "3: passcode.regex.[a: the expression does not compile at position 2: missing terminating ] for character class; "
        + "correct it there"
    ),
    (
      "[passcode.regex]\n'ok' = 1",
      "2: passcode.regex.ok: must be true for the built-in message, or a message: \(messages)"
    ),
    (
      "[passcode.ignore]\n'' = true",
      "2: passcode.ignore.: the key must be a text of 1 to 256 bytes that a value can contain: no control, private-use or "
        + "unassigned characters (an empty one would refuse every value)"
    ),
    (
      "[passcode.ignore]\n\"a\\u0007\" = true",
      "2: passcode.ignore.a: the key must be a text of 1 to 256 bytes that a value can contain: no control, private-use or "
        + "unassigned characters (an empty one would refuse every value)"
    ),
    (
      "[passcode.rules]\nequal_characters = true",
      "2: passcode.rules.equal_characters: unknown key (allowed: equal_character, ascending_descending, "
        + "two_character_repeat, two_equal_character_repeat, not_number_english)"
    ),
    (
      "[passcode.rules]\nequal_character = 1",
      "2: passcode.rules.equal_character: must be true, false, or a message: \(messages)"
    ),
    ("[pattern]\nmin_nodes = 3", "2: pattern.min_nodes: must be a whole number from 4 to 9"),
    ("[pattern]\nmin_nodes = 10", "2: pattern.min_nodes: must be a whole number from 4 to 9"),
    ("[pattern.appearance]\nnode_size = 9", "2: pattern.appearance.node_size: must be 1, 3, 5 or 7"),
    ("[prompt]\ntries = 11", "2: prompt.tries: must be a whole number from 1 to 10"),
    ("[state]\nkdf_cost = 21", "2: state.kdf_cost: \(SettingForm.derivationCost)"),
    ("[tpm]\nuse = 'on'", "2: tpm.use: must be one of \"off\", \"if_available\", \"require\""),
    (
      "[tpm]\ntcti = 'dev/tpm0'",
      "2: tpm.tcti: must be the absolute path of a TPM's device or socket, at most 107 bytes long, or empty"
    ),
    (
      "authenticators = []",
      "1: authenticators: must be a list of one or more of \(types), none twice"
    ),
    (
      "authenticators = ['iris']",
      "1: authenticators: must be a list of one or more of \(types), none twice"
    ),
    (
      "[iris.lock]\nlock_time = 60",
      "1: iris: unknown key (allowed: authenticators, [server], [state], [tpm], [general], [lock], [TYPE.lock] of one of "
        + "\(types), [passcode], [pattern], [biometric], [face], [prompt], [keyring], [policy], [service.NAME])"
    ),
    ("[face]\nmin_nodes = 5", "2: face.min_nodes: unknown key (allowed: bus_name, templates, alone, lock)"),
    (
      "[service.sudo]\nauthenticator = '5541#0009'",
      "2: service.sudo.authenticator: must be one of \(types), or an AAID (passcode: 5541#0001, pattern: 5541#0002, "
        + "fingerprint: 5541#0003, face: 5541#0004)"
    ),
    (
      "authenticators = ['pattern']\n[service.sudo]\nauthenticator = 'passcode'",
      "3: service.sudo.authenticator: passcode is not enabled: must be one of authenticators (pattern)"
    ),
    (
      "[service.sudo]\nauthenticator = '5541#0002'\n[service.login]\n[general]\nlanguage='de'",
      #"5: general.language: must be one of "en", "ko""#
    ),
  ])
  func `the message about a mistake in the configuration names file, line, key, and what is allowed`(
    _ text: String, _ expected: String
  ) {
    #expect(refusal(text) == "/etc/x.conf:" + expected)
  }

  @Test func `a service may choose an authenticator, by name or AAID, only if the configuration enables it`() {
    #expect(refusal("authenticators=['pattern']\n[service.sudo]\nauthenticator='5541#0002'") == nil)
    #expect(refusal("[service.sudo]\nauthenticator='5541#0002'\n[service.su]\nauthenticator='passcode'") == nil)
    #expect(refusal("authenticators=['face','passcode']\n[service.sudo]\nauthenticator='face'") == nil)
    #expect(refusal("authenticators=['passcode']\n[service.sudo]\nauthenticator='5541#0002'") != nil)
  }

  @Test func `a message about a mistake repeats the key, but never a value`() {
    let told = refusal("[passcode.regex]\n'a' = 'fine'\n'(' = 'the secret of the house'")
    #expect(told?.contains("secret") == false)
  }

  @Test(arguments: [
    ("use_first_pass", "[passcode]\nkeypad='shuffled'\nui_type='pin4'", "excludes keypad = \"shuffled\""),
    ("try_first_pass", "[passcode]\nkeypad='shuffled'\nui_type='pin4'", "excludes keypad = \"shuffled\""),
    ("use_first_pass", "[service.sudo]\ntransaction=true", "excludes transaction = true"),
    ("try_first_pass", "[service.sudo]\ntransaction=true", "excludes transaction = true"),
    (
      "authenticator=pattern", "authenticators=['passcode']",
      "pattern is not in the configuration's authenticators"
    ),
  ])
  func `refuses a module argument that the configuration forbids, and names the argument`(
    _ argument: String, _ text: String, _ problem: String
  ) throws {
    let configuration = try Configuration(parsing: Array(text.utf8), path: "/etc/x.conf")
    let name = argument.split(separator: "=")[0]
    do throws(ConfigurationError) {
      try configuration.check(ModuleArguments(parsing: [argument]), service: "sudo")
      Issue.record("\(argument) was accepted")
    } catch {
      #expect(error.description == "module argument \(name): \(problem)")
    }
  }
}
