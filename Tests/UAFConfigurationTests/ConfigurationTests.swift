import AuthenticatorTypes
import FidoResults
import Testing

@testable import UAFConfiguration

/// The `[server]` sections of a remote server and of one on this machine; tests append the text that they are about.
private let remoteServer = "[server]\nrequest_url='https://a.example/g'\nresponse_url='https://a.example/r'\n"
private let localServer = "[server]\nrequest_url='https://localhost:8443/g'\nresponse_url='https://127.0.0.1:8443/r'\n"

@Suite struct ConfigurationTests {
  private func configuration(_ text: String) throws -> Configuration {
    try Configuration(parsing: Array(text.utf8), path: "FILE")
  }

  /// Where the text is refused, as `LINE: KEY`; nil if it is accepted.
  private func refusal(_ text: String) -> String? {
    do throws(ConfigurationError) {
      _ = try Configuration(parsing: Array(text.utf8), path: "FILE")
      return nil
    } catch {
      switch error {
      case .key(_, let line, let key, _): return "\(line): \(key)"
      case .syntax(_, let line, _): return "\(line)"
      default: return "\(error)"
      }
    }
  }

  @Test func `transaction texts are ASCII, unless the server signs its verdicts or root configures UTF-8`() throws {
    func charset(_ more: String) throws -> ServerSettings.TransactionCharset? {
      try configuration(remoteServer + more).server?.transactionCharset
    }
    #expect(try charset("") == .ascii)
    #expect(try charset("require_signed_verdict=true\nverdict_key='/k'") == .utf8)
    #expect(try charset("require_signed_verdict=true\nverdict_key='/k'\ntransaction_charset='ascii'") == .ascii)
    #expect(try charset("transaction_charset='utf-8'") == .utf8)
    #expect(refusal(remoteServer + "transaction_charset='latin1'") == "4: server.transaction_charset")
    #expect(refusal(remoteServer + "transaction_charset=true") == "4: server.transaction_charset")
  }

  @Test func `the documentation's example is read with the values that the documentation names`() throws {
    let example = try configuration(exampleConfiguration)
    #expect(example.authenticators == [.passcode, .pattern])
    let server = try #require(example.server)
    #expect(server.requestURL?.text == "https://fido.example.com/uaf/get")
    #expect(server.responseURL?.text == "https://fido.example.com/uaf/respond")
    #expect(server.deregistration.requestURL?.text == "https://fido.example.com/uaf/dereg")
    #expect(server.registration == ServerSettings.OperationURLs() && server.authentication.requestURL == nil)
    #expect(server.dialect == .fido && server.timeout == .seconds(30) && server.verifiesTLS)
    #expect(server.certificateAuthorityFile == "/etc/pam-uaf/ca.pem" && server.facetID == "linux:pam-module:pam_uaf")
    #expect(server.username == .identity && server.proxy == nil && server.sendsDevice && !server.allowsInsecure)
    #expect(!server.requiresSignedVerdict && server.verdictKeyFile == nil)
    #expect(example.state.directory == "/var/lib/pam-uaf" && example.state.kdfCost == 16)
    #expect(example.general == GeneralSettings())
    let local = LockPolicy(retryCountToLock: 5, lockTime: .seconds(300), maxLockCount: 1)
    #expect(example.lockPolicy(for: .passcode, origin: .local) == local)
    #expect(example.lockPolicy(for: .pattern, origin: .local).retryCountToLock == 3)
    #expect(example.lockPolicy(for: .pattern, origin: .local).lockTime == .seconds(300))
    #expect(example.lockPolicy(for: .pattern, origin: .remote) == .remoteDefault)
    #expect(!example.rootPermanentLock)
  }

  @Test func `a configured message is one text for all languages, or one for each language`() throws {
    let text = """
      [passcode.rules]
      equal_character = { en = 'Not that.', ko = '안 됩니다.' }
      ascending_descending = { ko = '안 됩니다.' }
      [passcode.ignore]
      'acme' = { en = 'No acme.' }
      [passcode.regex]
      'a+' = { en = 'Only a.', ko = 'a만' }
      [service.sudo]
      reason = { en = 'an order', ko = '명령' }
      """
    let configuration = try configuration(text)
    let policy = configuration.passcode.policy
    #expect(policy.rules[.equalCharacter]??.text(in: .english) == "Not that.")
    #expect(policy.rules[.equalCharacter]??.text(in: .korean) == "안 됩니다.")
    #expect(policy.rules[.ascendingDescending]??.text(in: .english) == nil)
    #expect(policy.ignored.map { $0.message?.text(in: .english) } == ["No acme."])
    #expect(policy.expressions.map { $0.message?.text(in: .korean) } == ["a만"])
    #expect(configuration.settings(for: "sudo").reason?.text(in: .korean) == "명령")
  }

  @Test(arguments: [
    "{}", "{ de = 'x' }", "{ en = '' }", "{ en = 1 }", "{ en = { ko = 'x' } }", "{ en = \"a\\u0007\" }", "['x']",
  ])
  func `refuses a table of messages that has an unknown language or no text`(_ value: String) {
    for (section, key) in [
      ("passcode.rules", "equal_character"), ("passcode.ignore", "acme"), ("passcode.regex", "x"),
      ("service.sudo", "reason"),
    ] {
      #expect(refusal("[\(section)]\n\(key) = \(value)") == "2: \(section).\(key)")
    }
  }

  @Test func `the documentation's example is read with the rules and prompts that the documentation names`() throws {
    let example = try configuration(exampleConfiguration)
    let policy = example.passcode.policy
    #expect(policy.uiType == .normal && policy.minimumLength == 6 && policy.maximumLength == 64 && !policy.digitsOnly)
    #expect(example.passcode.keypad == .plain && !example.passcode.autoSubmit && policy.regularExpression == nil)
    let noRuns: AdministratorText? = "No runs such as 123456, please."
    #expect(
      policy.rules == [
        .equalCharacter: nil, .ascendingDescending: noRuns, .twoCharacterRepeat: nil, .twoEqualCharacterRepeat: nil,
      ])
    #expect(policy.ignored == [IgnoredText("example", message: "Not the company's name, please.")])
    #expect(policy.expressions.map(\.expression.pattern) == [#"^(?=.*[A-Za-z])(?=.*\d).{8,}$"#])
    #expect(policy.expressions.map(\.message) == ["At least 8 characters, letters and digits."])
    #expect(example.pattern == PatternSettings())
    #expect(!example.prompt.accessible && !example.prompt.offersReset && example.prompt.tries == 1)
    #expect(example.prompt.interactive == true)
    #expect(
      example.prompt.cancelTexts == [.english: "empty line: use your password", .korean: "빈 줄: 비밀번호로 로그인"])
    #expect(example.settings(for: "sudo").transaction && example.settings(for: "sudo").authenticator == nil)
    #expect(example.settings(for: "sshd").authenticator == "passcode" && !example.settings(for: "sshd").transaction)
  }

  @Test func `with an empty configuration the defaults apply, and there is no server`() throws {
    let empty = try configuration("")
    #expect(empty.server == nil && empty.authenticators == [.passcode, .pattern])
    #expect(empty.lockPolicy(for: .passcode, origin: .local) == .localDefault)
    #expect(empty.lockPolicy(for: .passcode, origin: .remote) == .remoteDefault)
    #expect(empty.general.hidesState(remote: true) && !empty.general.hidesState(remote: false))
  }

  @Test(arguments: [
    "authenticators = ['face', 'pattern', 'fingerprint']", "[state]\ndirectory='/x/y'", "[state]\nkdf_cost=14",
    "[state]\nkdf_cost=20", "[general]\nlanguage='ko'", "[general]\nexport_token='UAF_TOKEN'",
    "[general]\nhide_state=false",
    "[general]\noffline='allow'\noffline_max_age=60", "[service.su]\noffline='allow'\noffline_max_age=60",
    "[general]\noffline='allow'\noffline_max_age=60\n[service.sudo]\ntransaction=true",
    "[general]\noffline_max_age=2592000",
    "[lock]\nretry_count_to_lock=1",
    "[lock]\nretry_count_to_lock=10", "[lock]\nlock_time=30", "[lock]\nlock_time=86400", "[lock]\nlock_time=30.5",
    "[lock]\nmax_lock_count=0", "[lock]\nmax_lock_count=10", "[lock]\nroot_permanent_lock=true",
    "[face.lock]\nlock_time=30", "[biometric]\nrequire_tpm=false\ninvalidate_on_new_biometrics=false",
    "[face]\nbus_name='a.b'\ntemplates='/var/lib/face'\nalone=true", "[face]\nbus_name='org.example_1.Face2'",
    "[biometric]\nallow_value_as_fallback=true", "[face]\nbus_name='A.\(String(repeating: "b", count: 126))'",
    "[biometric]\nmax_tries=1\ntimeout=5\nmode='first'", "[biometric]\nmax_tries=10\ntimeout=120\nmode='together'",
    "[keyring]\nunlock=true", "[keyring]\nunlock=true\nservices=['lightdm', 'uaf-own']",
    "[lock.remote]\nmax_lock_count=3", "[passcode]\nui_type='pin4'", "[passcode]\nui_type='pin6'",
    "[passcode]\nmin_length=4",
    "[passcode]\nmin_length=64", "[passcode]\nmax_length=64", "[passcode]\nmin_length=4\nmax_length=4",
    "[passcode]\ndigits_only=true", "[passcode]\nregular_expression='a.*'",
    "[passcode]\nkeypad='shuffled'\ndigits_only=true",
    "[passcode]\nkeypad='shuffled'\nui_type='pin4'",
    "[passcode]\nauto_submit=true", "[passcode.rules]\nnot_number_english='x'",
    "[passcode.rules]\nequal_character=false",
    "[passcode.ignore]\n'a b'=true", "[passcode.regex]\n'(?i)a+'=true", "[pattern]\nmin_nodes=4",
    "[pattern]\nmin_nodes=9",
    "[pattern.appearance]\nnode_default='o'\nnode_selected='●'\nnode_mismatch='x'\nnode_size=7\nline_width='heavy'",
    "[pattern.appearance]\nline_color='red'\nmismatch_line_color='#A0b1C2'\nnode_size=1", "[prompt]\naccessible=true",
    "[prompt]\ntries=1", "[prompt]\ntries=10", "[prompt]\noffer_reset=false\ninteractive=false",
    "[service.sudo]\nreason='root'",
    "[service.\"a.b\"]\ntries=3\noffline='deny'\nhide_state=true\nlanguage='ko'\nauthenticator='5541#0002'",
  ])
  func `accepts each key with its lowest and highest value`(_ text: String) {
    #expect(refusal(text) == nil)
    #expect(refusal(text + "\n" + remoteServer) == nil)
  }

  @Test(arguments: [
    "enrolment='payload'", "enrolment='code'", "enrolment='token'", "enrolment='open'",
    "app_ids=['https://b.example/f']\n[server.authentication]\nrequest_url='https://b.example/{appID}'",
    "dialect='plain'", "content_type='application/json'", "content_type='application/fido+uaf; charset=utf-8'",
    "app_ids=['https://b.example/facets']", "app_ids=['https://b.example/', 'https://c.example:1/x?y']",
    "dialect='plain'\n[server.context]\nusername='userId'\ndeviceID='d'\nauthCode='a.b_c-1'\nderegisterAll='all'",
    "dialect='plain'\n[server.success]\nmember='status'\nvalue='SUCCESS'", "dialect='plain'\n[server.context]",
    "accept_transaction='ours'", "accept_transaction='any'",
    "timeout=1", "timeout=300", "ca_file='/a'", "facet_id='x'", "username='{user}@example.com'",
    "proxy='http://proxy.example:3128'", "send_device=false", "device_name='{hostname}'",
    "device_name='민아의 노트북 {hostname}'", "allow_insecure=true\ntls_verify=false",
    "require_signed_verdict=true\nverdict_key='/k'", "tls_verify=true",
    "[server.registration]\nrequest_url='https://b.example/'",
    "[server.authentication]\nresponse_url='https://b.example/?u={user}&a={appID}&t={transaction}'",
  ])
  func `accepts each key of the server section`(_ text: String) {
    #expect(refusal(remoteServer + text) == nil)
  }

  @Test(arguments: [
    ("colour = 1", "1: colour"), ("\n[sever]\na=1", "2: sever"), ("[state]\ndir='/x'", "2: state.dir"),
    ("[state]\n\n'kdf.cost'=1", "3: state.kdf.cost"), ("state.cost = 16", "1: state.cost"),
    ("[lock]\n\n[lock.local]", "3: lock.local"),
    ("[general]\nlanguage='en'\n\"hide state\"=true", "3: general.hide state"),
    ("[passcode.rule]\na=1", "1: passcode.rule"),
    ("[passcode.rules]\nequal=true", "2: passcode.rules.equal"), ("passcode = { min = 4 }", "1: passcode.min"),
    ("[pattern.appearance]\ncolor=1", "2: pattern.appearance.color"), ("[face]\nui_type='x'", "2: face.ui_type"),
    ("[service.sudo]\nreson='x'", "2: service.sudo.reson"), ("[prompt]\ntries=1\ntimeout=1", "3: prompt.timeout"),
    ("[lock.remote]\nroot_permanent_lock=true", "2: lock.remote.root_permanent_lock"), ("state = 1", "1: state"),
    ("[service]\nsudo = true", "2: service.sudo"), ("lock = []", "1: lock"), ("[iris.lock]\nlock_time=30", "1: iris"),
  ])
  func `refuses an unknown key, and names its line`(_ text: String, _ expected: String) {
    #expect(refusal(text) == expected)
  }

  @Test(arguments: [
    ("authenticators = []", "1: authenticators"), ("authenticators = 'passcode'", "1: authenticators"),
    ("authenticators = [\n'passcode',\n'iris']", "3: authenticators"),
    ("authenticators=['face','face']", "1: authenticators"), ("authenticators=['biometric']", "1: authenticators"),
    ("[biometric.lock]\nlock_time=30", "1: biometric.lock"), ("[face]\ntemplates='/'", "2: face.templates"),
    ("authenticators = [1]", "1: authenticators"), ("[state]\ndirectory='x'", "2: state.directory"),
    ("[state]\ndirectory='/a/../b'", "2: state.directory"), ("[state]\ndirectory=1", "2: state.directory"),
    ("[state]\nkdf_cost=13", "2: state.kdf_cost"), ("[state]\nkdf_cost=21", "2: state.kdf_cost"),
    ("[state]\nkdf_cost=16.0", "2: state.kdf_cost"), ("[general]\nlanguage='de'", "2: general.language"),
    ("[general]\nexport_token='LD_PRELOAD'", "2: general.export_token"),
    ("[general]\nexport_token='a'", "2: general.export_token"),
    ("[general]\nexport_token='PATH'", "2: general.export_token"),
    ("[general]\nhide_state='yes'", "2: general.hide_state"),
    ("[general]\noffline='allow'", "2: general.offline"),
    ("[general]\noffline_max_age=59", "2: general.offline_max_age"),
    ("[general]\noffline_max_age=2592001", "2: general.offline_max_age"),
    ("[passcode]\nmin_length=3", "2: passcode.min_length"),
    ("[passcode]\nmin_length=65", "2: passcode.min_length"), ("[passcode]\nmax_length=65", "2: passcode.max_length"),
    ("[passcode]\nmin_length=8\nmax_length=7", "2: passcode.min_length"),
    ("[passcode]\n\nmax_length=5", "3: passcode.max_length"),
    ("[passcode]\nui_type='pin5'", "2: passcode.ui_type"), ("[passcode]\nkeypad='random'", "2: passcode.keypad"),
    ("[passcode]\nregular_expression='('", "2: passcode.regular_expression"),
    ("[pattern]\nmin_nodes=3", "2: pattern.min_nodes"),
    ("[pattern]\nmin_nodes=10", "2: pattern.min_nodes"),
    ("[pattern.appearance]\nnode_size=2", "2: pattern.appearance.node_size"),
    ("[pattern.appearance]\nnode_default='ab'", "2: pattern.appearance.node_default"),
    ("[prompt]\ntries=0", "2: prompt.tries"),
    ("[pattern.appearance]\nline_color='#12345'", "2: pattern.appearance.line_color"),
    ("[prompt]\ntries=11", "2: prompt.tries"),
    ("[prompt]\ncancel_text='x'", "2: prompt.cancel_text"), ("[prompt]\ncancel_text={de='x'}", "2: prompt.cancel_text"),
    ("[prompt]\ncancel_text={en=''}", "2: prompt.cancel_text"), ("[prompt]\ninteractive=1", "2: prompt.interactive"),
    ("[passcode.rules]\nequal_character=1", "2: passcode.rules.equal_character"),
    ("[service.'a b']\ntries=1", "1: service.a b"),
    ("[passcode.rules]\nequal_character=''", "2: passcode.rules.equal_character"),
    ("[service.'']\ntries=1", "1: service."),
    ("[service.sudo]\nauthenticator='iris'", "2: service.sudo.authenticator"),
    ("[service.sudo]\nauthenticator='0000-0000'", "2: service.sudo.authenticator"),
    ("[service.sudo]\noffline='allow'", "2: service.sudo.offline"),
    ("[service.sudo]\noffline='allow'\noffline_max_age=60\ntransaction=true", "2: service.sudo.offline"),
    ("[general]\noffline='maybe'", "2: general.offline"),
    ("[service.sudo]\ntransaction='x'", "2: service.sudo.transaction"),
  ])
  func `refuses a wrong value, and names the line and the key`(_ text: String, _ expected: String) {
    #expect(refusal(text) == expected)
  }

  /// No name of a D-Bus interface could follow from these, or they are not those of a face service.
  @Test(arguments: [
    "", "org", ".org.Face", "org.Face.", "org..Face", "org.1Face", "org.face-service", "org.example.Face ",
    "org/example",
    "org.ex\u{e4}mple.Face", "org.example.Face'", ":1.7", "net.reactivated.Fprint", "org.freedesktop.DBus",
    "org.freedesktop.DBus.Local", "a.\(String(repeating: "b", count: 127))",
  ]) func `refuses a name of a face service that is not one`(_ name: String) {
    let text = "[face]\nbus_name = \"\(name)\"\n"
    #expect(throws: ConfigurationError.self) { try Configuration(parsing: Array(text.utf8), path: "test") }
  }

  @Test func `a face counts alone only if root says so, and every other type always does`() throws {
    let usual = Configuration()
    #expect(AuthenticatorType.allCases.filter { !usual.countsAlone($0) } == [.face])
    let alone = try Configuration(parsing: Array("[face]\nalone = true".utf8), path: "test")
    #expect(AuthenticatorType.allCases.allSatisfy(alone.countsAlone))
    #expect(!usual.biometric.allowsValueAsFallback && usual.face.busName == nil)
  }

  @Test(arguments: ["lock", "lock.remote", "passcode.lock", "pattern.lock", "fingerprint.lock", "face.lock"])
  func `refuses lock settings outside the documented limits`(_ section: String) {
    for value in ["0", "11", "-1", "5.0", "'5'", "true"] {
      #expect(refusal("[\(section)]\nretry_count_to_lock = \(value)") == "2: \(section).retry_count_to_lock")
    }
    for value in ["29", "29.999", "86401", "86400.5", "0", "-1", "inf", "-inf", "nan", "'300'"] {
      #expect(refusal("[\(section)]\nlock_time = \(value)") == "2: \(section).lock_time")
    }
    for value in ["-1", "11", "1.5"] {
      #expect(refusal("[\(section)]\nmax_lock_count = \(value)") == "2: \(section).max_lock_count")
    }
  }

  @Test func `allows short locks and cheap derivations only if all server addresses are on this machine`() throws {
    let demonstration = localServer + "[lock]\nlock_time=0.5\n[state]\nkdf_cost=10\n"
    let accepted = try configuration(demonstration)
    #expect(accepted.lockPolicy(for: .passcode, origin: .local).lockTime == .milliseconds(500))
    #expect(accepted.state.kdfCost == 10)
    #expect(refusal(remoteServer + "[lock]\nlock_time=0.5") == "5: lock.lock_time")
    #expect(refusal(remoteServer + "[state]\nkdf_cost=10") == "5: state.kdf_cost")
    #expect(refusal(localServer + "[state]\nkdf_cost=9") == "5: state.kdf_cost")
    for value in ["0", "-0.1", "86400.1", "nan", "inf"] {
      #expect(refusal(localServer + "[lock]\nlock_time=\(value)") == "5: lock.lock_time")
    }
    let oneElsewhere = localServer + "[server.registration]\nrequest_url='https://a.example/'\n[lock]\nlock_time=1"
    #expect(refusal(oneElsewhere) == "7: lock.lock_time", "one URL elsewhere makes it no demonstration")
  }

  @Test func `keys of a lock section replace the defaults one by one`() throws {
    let text =
      "[lock]\nretry_count_to_lock=4\nlock_time=60.25\n[pattern.lock]\nmax_lock_count=0\n[lock.remote]\nmax_lock_count=2"
    let locks = try configuration(text)
    #expect(
      locks.lockPolicy(for: .passcode, origin: .local)
        == LockPolicy(retryCountToLock: 4, lockTime: .milliseconds(60_250), maxLockCount: 1))
    #expect(locks.lockPolicy(for: .pattern, origin: .local).maxLockCount == 0)
    #expect(locks.lockPolicy(for: .pattern, origin: .local).retryCountToLock == 4)
    #expect(
      locks.lockPolicy(for: .passcode, origin: .remote)
        == LockPolicy(
          retryCountToLock: 5, lockTime: .seconds(300), maxLockCount: 2, doublesUpTo: .seconds(86_400)))
  }

  @Test func `attempts of other users have the lock for remote attempts, but no setting makes it permanent`() throws {
    #expect(Configuration().lockPolicy(for: .passcode, origin: .otherUser) == .remoteDefault)
    let strict = try configuration(
      "[lock]\nretry_count_to_lock=2\nmax_lock_count=0\n[passcode.lock]\nmax_lock_count=0\n"
        + "[lock.remote]\nretry_count_to_lock=3\nlock_time=60\nmax_lock_count=0")
    #expect(strict.lockPolicy(for: .passcode, origin: .remote).maxLockCount == 0)
    #expect(
      strict.lockPolicy(for: .passcode, origin: .otherUser)
        == LockPolicy(
          retryCountToLock: 3, lockTime: .seconds(60), maxLockCount: nil, doublesUpTo: .seconds(86_400)))
  }

  @Test(arguments: ["retry_count_to_lock = 3", "lock_time = 60", "max_lock_count = 0", "root_permanent_lock = true"])
  func `refuses the keys of a lock in a service's section`(_ key: String) {
    #expect(refusal("[service.sudo]\n\(key)")?.hasPrefix("2: service.sudo.") == true)
    #expect(refusal("[service.sudo.lock]\n\(key)") == "1: service.sudo.lock")
  }

  @Test(arguments: [
    ("", "1: server"), ("request_url='https://a.example/'", "1: server"),
    ("request_url='ftp://a.example/'", "2: server.request_url"),
    ("accept_transaction='all'", "2: server.accept_transaction"),
    ("accept_transaction=true", "2: server.accept_transaction"),
    ("timeout=0", "2: server.timeout"), ("timeout=301", "2: server.timeout"), ("dialect='xml'", "2: server.dialect"),
    ("ca_file='ca.pem'", "2: server.ca_file"), ("facet_id=''", "2: server.facet_id"),
    ("facet_id='a b'", "2: server.facet_id"),
    ("username='alice'", "2: server.username"), ("username='{user}{user}'", "2: server.username"),
    ("proxy='proxy'", "2: server.proxy"),
    ("proxy='http://p.example/x'", "2: server.proxy"), ("send_device=1", "2: server.send_device"),
    ("device_name=''", "2: server.device_name"), ("device_name='{host}'", "2: server.device_name"),
    ("device_name='a\u{202E}b'", "2: server.device_name"), ("device_name=' a'", "2: server.device_name"),
    ("device_name='\(String(repeating: "x", count: 65))'", "2: server.device_name"),
    ("color=1", "2: server.color"),
    ("verdict_key=''", "2: server.verdict_key"),
    ("[server.deregistration]\nresponse_url='https://a.example/'", "3: server.deregistration.response_url"),
    ("[server.deregistration]\nusername='{user}'", "3: server.deregistration.username"),
    ("content_type='json'", "2: server.content_type"), ("content_type='a/b/c'", "2: server.content_type"),
    ("content_type=''", "2: server.content_type"), ("content_type='a/b; q=1'", "2: server.content_type"),
    ("content_type='a/b\\r'", "2: server.content_type"),
    ("app_ids='https://b.example/'", "2: server.app_ids"), ("app_ids=[]", "2: server.app_ids"),
    ("app_ids=['http://b.example/']", "2: server.app_ids"),
    ("app_ids=['https://b.example/{user}']", "2: server.app_ids"),
    ("app_ids=['https://b.example/','https://b.example/']", "2: server.app_ids"), ("app_ids=[1]", "2: server.app_ids"),
    ("[server.context]\nusername='u'", "2: server.context"), ("[server.success]\nmember='s'", "2: server.success"),
    ("dialect='plain'\n[server.context]\nname='u'", "4: server.context.name"),
    ("dialect='plain'\n[server.context]\nusername='a=b'", "4: server.context.username"),
    ("dialect='plain'\n[server.context]\nusername=''", "4: server.context.username"),
    ("dialect='plain'\n[server.success]\nvalue=1", "4: server.success.value"),
    ("dialect='plain'\n[server.success]\nmember=''\nvalue='x'", "4: server.success.member"),
    ("[server.login]\nrequest_url='https://a.example/'", "2: server.login"),
  ])
  func `refuses keys that the section of a server's operation must not contain`(_ text: String, _ expected: String) {
    #expect(refusal("[server]\n" + text) == expected)
  }

  @Test func `the general server addresses can be left out if each operation has its own`() {
    let sections = ["registration", "authentication", "deregistration"]
    func own(_ name: String, response: Bool = true) -> String {
      let answered = response && name != "deregistration" ? "response_url='https://b.example/r'\n" : ""
      return "[server.\(name)]\nrequest_url='https://b.example/q'\n" + answered
    }
    #expect(refusal("[server]\n" + sections.map { own($0) }.joined()) == nil)
    for missing in ["registration", "authentication"] {
      #expect(refusal("[server]\n" + sections.filter { $0 != missing }.map { own($0) }.joined()) == "1: server")
    }
    for silent in ["registration", "authentication"] {
      #expect(refusal("[server]\n" + sections.map { own($0, response: $0 != silent) }.joined()) == "1: server")
    }
    #expect(
      refusal("[server]\nresponse_url='https://a.example/'\n" + sections.map { own($0, response: false) }.joined())
        == nil)
  }

  @Test func `a server may have no address for deregistrations, and one for everything is also one for them`() throws {
    let own = "request_url='https://b.example/q'\nresponse_url='https://b.example/r'\n"
    let text = "[server]\n[server.registration]\n\(own)[server.authentication]\n\(own)"
    func server(_ text: String) throws -> ServerSettings {
      try #require(try Configuration(parsing: Array(text.utf8), path: "FILE").server)
    }
    #expect(try !server(text).hasDeregistration)
    #expect(try server(text + "[server.deregistration]\nrequest_url='https://b.example/d'\n").hasDeregistration)
    #expect(try server("[server]\n\(own)").hasDeregistration)
  }

  @Test func `refuses a server on another machine without encryption or without a check of its certificate`() {
    #expect(refusal(remoteServer + "tls_verify=false") == "4: server.tls_verify")
    #expect(refusal(localServer + "tls_verify=false") == nil)
    let plain = "[server]\nresponse_url='https://HOST/'\nrequest_url='http://HOST/'\n"
    func with(_ host: String) -> String { plain.split(separator: "HOST").joined(separator: host) }
    #expect(refusal(with("127.0.0.1")) == "3: server.request_url")
    #expect(refusal(with("127.0.0.1") + "allow_insecure=true") == nil)
    #expect(refusal(with("a.example") + "allow_insecure=true") == "3: server.request_url")
    #expect(refusal(remoteServer + "require_signed_verdict=true") == "4: server.require_signed_verdict")
  }

  @Test func `refuses to send two members of the context under one name`() {
    let text = "dialect='plain'\n[server.context]\nusername='u'\ndeviceID='u'"
    #expect(refusal(remoteServer + text) == "5: server.context")
  }

  @Test func `refuses a success value whose definition is incomplete`() {
    #expect(refusal(remoteServer + "dialect='plain'\n[server.success]\nmember='status'") == "5: server.success")
    #expect(refusal(remoteServer + "dialect='plain'\n[server.success]\nvalue='1'") == "5: server.success")
  }

  @Test func `reads the keys that only the plain dialect has`() throws {
    let text =
      remoteServer + "dialect='plain'\ncontent_type='text/x'\napp_ids=['https://b.example/f']\n"
      + "[server.context]\nusername='u'\n[server.success]\nmember='m'\nvalue='v'"
    let server = try #require(try configuration(text).server)
    #expect(server.dialect == .plain && server.contentType == "text/x" && server.appIDs == ["https://b.example/f"])
    #expect(server.plain.contextNames == ["username": "u"])
    #expect(server.plain.successMember == "m" && server.plain.successValue == "v")
  }

  @Test func `refuses a passcode expression that does not compile, with line and position`() {
    let text = "[passcode.regex]\n'a' = 'ok'\n'a(b' = 'no'"
    #expect(refusal(text) == "3: passcode.regex.a(b")
    #expect(throws: ConfigurationError.self) { _ = try configuration(text) }
    do throws(ConfigurationError) {
      _ = try Configuration(parsing: Array(text.utf8), path: "FILE")
    } catch {
      #expect(
        error.description.hasPrefix("FILE:3: passcode.regex.a(b: the expression does not compile at position 3: "))
    }
  }

  @Test func `refuses an empty passcode expression, because it would refuse every passcode`() {
    #expect(refusal("[passcode]\nregular_expression = ''") == "2: passcode.regular_expression")
    #expect(refusal("[passcode.regex]\n'a' = true\n'' = 'x'") == "3: passcode.regex.")
  }

  @Test func `refuses an empty ignored text, because it would refuse every passcode`() {
    #expect(refusal("[passcode.ignore]\n'' = 'x'") == "2: passcode.ignore.")
  }

  @Test func `the keys of a service's section replace those of the general sections`() throws {
    let text = "[service.sudo]\ntries=2\nhide_state=true\n[prompt]\ntries=3\naccessible=true\n[general]\nlanguage='ko'"
    let configuration = try configuration(text)
    let sudo = configuration.settings(for: "sudo")
    #expect(sudo.prompt.tries == 2 && sudo.prompt.accessible && sudo.general.language == .korean)
    #expect(sudo.general.hideState == true && configuration.general.hideState == nil)
    #expect(configuration.settings(for: "login").prompt.tries == 3)
    #expect(configuration.settings(for: nil).prompt.tries == 3)
  }

  @Test func `refuses offer_reset unless require_signed_verdict is set`() throws {
    let signed = "require_signed_verdict = true\nverdict_key = '/etc/verdict.pub'\n"
    for section in ["prompt", "service.su"] {
      let text = "[\(section)]\noffer_reset = true\n"
      #expect(refusal(text) == "2: \(section).offer_reset")
      #expect(refusal(remoteServer + text) == "5: \(section).offer_reset")
      #expect(refusal(remoteServer + "require_signed_verdict = false\n" + text) == "6: \(section).offer_reset")
      #expect(refusal(remoteServer + signed + text) == nil)
    }
  }

  @Test func `by default only services that can show several prompts are interactive`() throws {
    let byDefault = try configuration("")
    for service in ["sudo", "sudo-i", "su", "su-l", "login", "sshd", "passwd", "uafctl"] {
      #expect(byDefault.settings(for: service).prompt.interactive == true)
    }
    for service in ["gdm-password", "swaylock", "", "SUDO", nil] {
      #expect(byDefault.settings(for: service).prompt.interactive == false)
    }
    let off = try configuration("[prompt]\ninteractive=false\n[service.su]\ninteractive=true")
    #expect(off.settings(for: "sudo").prompt.interactive == false && off.settings(for: "su").prompt.interactive == true)
  }

  @Test func `settings without a server address do not count as a server on this machine`() {
    #expect(!ServerSettings().isLoopbackOnly)
  }

  @Test func `the configuration reader never crashes on the example with a changed byte or a missing end`() {
    let example = Array(exampleConfiguration.utf8)
    let hostile: [UInt8] = [0x0a, 0x22, 0x27, 0x30, 0x39, 0x5b, 0x5d, 0x7b, 0x2e, 0x2d, 0x3d, 0x20, 0xc3]
    var accepted = 0
    for index in example.indices {
      _ = try? Configuration(parsing: Array(example[..<index]), path: "FILE")
      var changed = example
      changed[index] = hostile[index % hostile.count]
      if (try? Configuration(parsing: changed, path: "FILE")) != nil { accepted += 1 }
    }
    #expect(accepted > 0 && accepted < example.count, "comments may change, keys may not")
  }

  @Test func `a message about a mistake is one line without control characters`() {
    let error = ConfigurationError.key(path: "/etc/x", line: 7, key: "a\u{1b}[2J\nb", problem: .form(.text))
    #expect(error.description == "/etc/x:7: a[2J b: must be a text in quotes")
    let twice = ConfigurationError.syntax(path: "/etc/x", line: 2, problem: .defined("a\u{1b}\nb", line: 1))
    #expect(twice.description == "/etc/x:2: a b is already defined in line 1")
    #expect(refusal("a = 1\nb = ") == "2")
  }
}
