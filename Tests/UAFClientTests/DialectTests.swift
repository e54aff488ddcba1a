import FidoResults
import Testing
import UAFCrypto
import UAFMessages
import WebAuthn

@testable import UAFClient

/// The dialects of WebAuthn, at servers that a script plays with answers of the forms in docs/webauthn-servers.md.
@Suite struct DialectTests {
  private typealias Step = DialectScene.Step
  private static let challenge = DialectScene.challenge

  // MARK: The servers' answers

  private static func logins(_ interface: WebAuthnInterface) throws -> [Step] {
    let id = Base64URL.encode(try Scene.keyID().bytes)
    switch interface {
    case .conformance: return []
    case .privacyIDEA:
      return [
        Step(
          path: "/validate/initialize",
          body: #"{"result":{"status":true,"value":false,"authentication":"CHALLENGE"},"detail":{"passkey":"#
            + #"{"challenge":"SGVsbG8gV29ybGQgMTIz","rpId":"login.example.com","transaction_id":"017","user_verification":"required"}}}"#
        ),
        Step(
          path: "/validate/check",
          body: #"{"result":{"status":true,"value":true,"authentication":"ACCEPT"},"detail":{"username":"mina"}}"#),
      ]
    case .allauth:
      return [
        Step(
          path: "/_allauth/app/v1/auth/webauthn/login",
          body: #"{"status":200,"data":{"request_options":{"publicKey":{"challenge":"\#(challenge)","#
            + #""rpId":"login.example.com","allowCredentials":[]}}},"meta":{"session_token":"abc"}}"#),
        Step(
          path: "/_allauth/app/v1/auth/webauthn/login",
          body: #"{"status":200,"data":{"user":{"username":"mina"}},"meta":{"is_authenticated":true}}"#),
      ]
    case .djangoOTP:
      return [
        Step(
          path: "/webauthn/authentication/begin/",
          body: #"{"challenge":"\#(challenge)","rpId":"login.example.com","allowCredentials":[]}"#,
          cookies: "csrftoken=\(Self.token); sessionid=s1"),
        Step(path: "/webauthn/authentication/complete/", body: #"{"id":1,"redirect_url":"/"}"#),
      ]
    case .glewlwyd:
      return [
        Step(
          path: "/api/auth/scheme/trigger/",
          body:
            #"{"session":"s1","challenge":"AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM=","rpId":"linux://login.example.com","#
            + #""allowCredentials":[{"credential_id":"\#(id)","name":"x","created_at":1}],"user":{"name":"mina"}}"#),
        Step(path: "/api/auth/", cookies: "GLEWLWYD2_SESSION_ID=1", type: ""),
      ]
    case .flaskSecurity:
      return [
        Step(path: "/wan-signin", body: flask(#""is_secondary":false"#), cookies: "session=s1"),
        Step(path: "/wan-signin", body: flask(#""wan_state":".ab/c","credential_options":\#(request)"#)),
        Step(path: "/wan-signin/.ab%2Fc", body: flask(#""tf_required":false,"post_login_url":"/","user":{}"#)),
      ]
    // Played by KanidmTests.
    case .kanidm: return []
    }
  }

  private static let request = #"{"challenge":"\#(challenge)","rpId":"login.example.com","allowCredentials":[]}"#

  /// An answer of Flask-Security with its token against forgery.
  private static func flask(_ members: String) -> String {
    #"{"meta":{"code":200},"response":{"csrf_token":"f0rgery",\#(members)}}"#
  }

  /// The interfaces that this suite plays.
  private static let played = WebAuthnInterface.allCases.filter { $0 != .conformance && $0 != .kanidm }

  /// Where the response of a login is sent.
  private static func lastPath(_ interface: WebAuthnInterface) throws -> String {
    try #require(logins(interface).last).path
  }

  private static let token = "pam0uaf0sends0no0browsers0cookie"

  // MARK: Logging in

  /// A login whose last answer, or first one, is replaced.
  private func login(_ interface: WebAuthnInterface, last: Step? = nil, first: Step? = nil) throws {
    var steps = try Self.logins(interface)
    if let last { steps[steps.count - 1] = last }
    if let first { steps = [first] }
    _ = try DialectScene.login(DialectScene.settings(interface), steps)
  }

  @Test func `privacyIDEA: signs the text of the challenge, names the account, and sends the origin as a header`()
    throws
  {
    let requests = try DialectScene.login(DialectScene.settings(.privacyIDEA), Self.logins(.privacyIDEA))
    #expect(requests[0].body == Array(#"{"type":"passkey"}"#.utf8) && requests[0].headers.isEmpty)
    let answer = try DialectScene.sent(requests[1])
    #expect(answer["user"] == .string("mina") && answer["transaction_id"] == .string("017"))
    #expect(requests[1].headers == [HeaderField(.origin, "linux://login.example.com")])
    let clientData = try DialectScene.clientData(answer["clientDataJSON"])
    #expect(clientData.challenge == Array("SGVsbG8gV29ybGQgMTIz".utf8))
    #expect(answer["userHandle"] == .string("AQID") && answer["signature"] != nil && answer["authenticatorData"] != nil)
  }

  @Test func `allauth: the session of the options is sent with the response`() throws {
    let requests = try DialectScene.login(DialectScene.settings(.allauth), Self.logins(.allauth))
    #expect(requests[0].method == .get && requests[0].headers.isEmpty && requests[0].body.isEmpty)
    #expect(requests[1].headers == [HeaderField(.sessionToken, "abc")])
    #expect(try DialectScene.sent(requests[1])["credential"] != nil)
  }

  @Test func `django-otp-webauthn: cookie, token and the server's own origin are sent with both requests`() throws {
    let requests = try DialectScene.login(DialectScene.settings(.djangoOTP), Self.logins(.djangoOTP))
    for request in requests {
      #expect(
        request.headers == [HeaderField(.csrfToken, Self.token), HeaderField(.referer, "https://login.example.com/")])
    }
    #expect(requests.map(\.cookies) == ["csrftoken=\(Self.token)", "csrftoken=\(Self.token); sessionid=s1"])
  }

  @Test func `glewlwyd: bytes are standard base64, and the rpId in the options is ignored`() throws {
    let requests = try DialectScene.login(DialectScene.settings(.glewlwyd), Self.logins(.glewlwyd))
    let answer = try DialectScene.sent(requests[1])
    #expect(answer["scheme_type"] == .string("webauthn") && answer["username"] == .string("mina"))
    let value = try #require(answer.value(at: "value", "credential", "response"))
    guard case .object(let response) = value, case .string(let data)? = response["authenticatorData"] else {
      return #expect(Bool(false))
    }
    #expect(data.utf8.count % 4 == 0 && !data.contains("-") && !data.contains("_"))
    #expect(answer.value(at: "value", "session") == .string("s1"))
  }

  @Test func `Flask-Security: the token of the first answer is sent with all others, and names nobody`() throws {
    let requests = try DialectScene.login(DialectScene.settings(.flaskSecurity), Self.logins(.flaskSecurity))
    #expect(requests[0].method == .get && requests[0].headers.isEmpty)
    #expect(requests[1].body == Array(#"{"csrf_token":"f0rgery"}"#.utf8))
    for request in requests.dropFirst() {
      #expect(request.cookies == "session=s1")
      #expect(
        request.headers == [HeaderField(.csrfToken, "f0rgery"), HeaderField(.referer, "https://login.example.com/")])
    }
    let credential = try Self.credential(in: requests[2])
    #expect(credential.value(at: "response", "userHandle") == .string("AQID") && credential["extensions"] == nil)
    #expect(try DialectScene.clientData(credential.value(at: "response", "clientDataJSON")).type == .get)
  }

  /// The response that Flask-Security gets as a text.
  private static func credential(in request: TransportRequest?) throws -> JSONObject {
    let text = try #require(DialectScene.sent(request).text("credential"))
    guard case .object(let object) = try JSONValue(parsing: Array(text.utf8)) else { return [:] }
    return object
  }

  @Test(arguments: [#""email":"mina@example.com""#, #""username":"eve""#, #""id":7"#, ""])
  func `Flask-Security: the answer may name the account by the attribute that the client knows`(_ members: String)
    throws
  {
    var steps = try Self.logins(.flaskSecurity)
    let body = Self.flask(#""tf_required":false,"user":{\#(members)}"#)
    steps[2] = Step(path: steps[2].path, body: body)
    _ = try DialectScene.login(DialectScene.settings(.flaskSecurity), steps, username: "mina@example.com")
  }

  @Test(arguments: [
    (WebAuthnInterface.privacyIDEA, 200, #"{"result":{"status":true,"value":false,"authentication":"REJECT"}}"#),
    (.privacyIDEA, 400, #"{"result":{"status":false,"error":{"code":905,"message":"no"}}}"#),
    (.allauth, 400, #"{"status":400,"errors":[{"code":"incorrect_code","message":"no"}]}"#),
    (.allauth, 401, #"{"status":401,"data":{"flows":[]},"meta":{"is_authenticated":false}}"#),
    (.allauth, 410, #"{"status":410}"#),
    (.djangoOTP, 422, #"{"detail":"no","code":"invalid_authentication_response"}"#),
    (.djangoOTP, 404, #"{"detail":"no"}"#), (.glewlwyd, 401, ""), (.glewlwyd, 400, "bad scheme response"),
    (.flaskSecurity, 400, #"{"meta":{"code":400},"response":{"errors":["no"],"field_errors":{"credential":["no"]}}}"#),
    (.flaskSecurity, 401, #"{"meta":{"code":401},"response":{"errors":[]}}"#),
  ])
  func `a refusal of the server is a refusal of the login`(
    _ interface: WebAuthnInterface, _ status: Int, _ body: String
  )
    throws
  {
    let type = interface == .glewlwyd ? "text/plain" : "application/json"
    let last = Step(path: try Self.lastPath(interface), status: status, body: body, type: type)
    let refused = refusal(.unknown, byServer: true) { try login(interface, last: last) }
    #expect(refused?.saysPlainNo == true)
    if body.contains(#""no""#) { #expect(refused?.serverText == "no") }
  }

  @Test(arguments: [
    (WebAuthnInterface.privacyIDEA, #"{"result":{"status":true,"value":true,"authentication":"CHALLENGE"}}"#),
    (.privacyIDEA, #"{"result":{"status":true,"value":true}}"#), (.privacyIDEA, #"{"result":{"status":true}}"#),
    (
      .privacyIDEA,
      #"{"result":{"status":true,"value":true,"authentication":"ACCEPT"},"detail":{"username":"eve"}}"#
    ),
    (.allauth, #"{"status":200,"data":{"user":{"username":"eve"}},"meta":{"is_authenticated":true}}"#),
    (.allauth, #"{"status":200,"data":{"user":{"username":"mina"}},"meta":{"is_authenticated":"true"}}"#),
    (.allauth, #"{"status":200,"data":{},"meta":{"is_authenticated":true}}"#), (.allauth, "{}"),
    (.djangoOTP, "{}"), (.djangoOTP, #"{"id":"1"}"#), (.glewlwyd, ""), (.glewlwyd, "{}"), (.flaskSecurity, "{}"),
    (.flaskSecurity, flask(#""user":{}"#)), (.flaskSecurity, flask(#""tf_required":true,"tf_state":"ready""#)),
    (.flaskSecurity, flask(#""tf_required":0"#)), (.flaskSecurity, #"{"response":{"tf_required":false}}"#),
    (.flaskSecurity, #"{"meta":{"code":400},"response":{"tf_required":false}}"#),
    (.flaskSecurity, flask(#""tf_required":false,"user":{"username":"eve"}"#)),
  ])
  func `refuses a reply that does not say that this account is logged in`(
    _ interface: WebAuthnInterface, _ body: String
  ) throws {
    let type = body.isEmpty ? "" : "application/json"
    let last = Step(path: try Self.lastPath(interface), body: body, type: type)
    _ = refusal(.jsonParser, byServer: true) { try login(interface, last: last) }
  }

  @Test(
    arguments: played,
    [(200, "text/html"), (403, "text/html"), (302, "application/json")])
  func `refuses a proxy's page, and a redirect`(_ interface: WebAuthnInterface, _ answer: (status: Int, type: String))
    throws
  {
    let path = try Self.logins(interface)[0].path
    let body = answer.type == "text/html" ? "<html></html>" : "{}"
    _ = refusal(.jsonParser, byServer: true) {
      try login(interface, first: Step(path: path, status: answer.status, body: body, type: answer.type))
    }
    let last = Step(
      path: try Self.lastPath(interface), status: answer.status, body: body, cookies: "a=b", type: answer.type)
    _ = refusal(.jsonParser, byServer: true) { try login(interface, last: last) }
  }

  @Test(arguments: played, [429, 500, 503])
  func `a server that has failed is not a server that has refused`(_ interface: WebAuthnInterface, _ status: Int) throws
  {
    let last = Step(path: try Self.lastPath(interface), status: status, body: "{}")
    let refused = refusal(.forbidden, byServer: true) { try login(interface, last: last) }
    #expect(refused?.saysPlainNo == false)
  }

  @Test(arguments: played)
  func `refuses options without the members of the dialect`(_ interface: WebAuthnInterface) throws {
    let path = try Self.logins(interface)[0].path
    for body in ["{}", #"{"result":{"status":true,"value":true},"detail":{}}"#, #"{"status":200,"data":{},"meta":{}}"#]
    {
      #expect(throws: Refusal.self) { try login(interface, first: Step(path: path, body: body)) }
    }
  }

  @Test func `glewlwyd: refuses an empty list of keys, which would let any key answer`() throws {
    let body = #"{"session":"s1","challenge":"\#(Self.challenge)","allowCredentials":[]}"#
    _ = refusal(.unknown, byServer: true) {
      try login(.glewlwyd, first: Step(path: "/api/auth/scheme/trigger/", body: body))
    }
  }

  // MARK: Registering

  private static let user = DialectScene.user
  private static var creation: String {
    #"{"rp":{"id":"login.example.com","name":"Example"},"user":\#(user),"challenge":"\#(challenge)","#
      + #""pubKeyCredParams":[{"type":"public-key","alg":-7}]}"#
  }

  private static func registrations(_ interface: WebAuthnInterface) -> [Step] {
    switch interface {
    case .conformance, .kanidm: return []
    case .privacyIDEA:
      return [
        Step(path: "/auth", body: #"{"result":{"status":true,"value":{"token":"t0k"}}}"#),
        Step(
          path: "/token/init",
          body: #"{"result":{"status":true,"value":true},"detail":{"serial":"P1","transaction_id":"7","#
            + #""passkey_registration":\#(creation)}}"#),
        Step(path: "/token/init", body: #"{"result":{"status":true,"value":true},"detail":{}}"#),
      ]
    case .allauth:
      let app = "/_allauth/app/v1/"
      return [
        Step(path: app + "auth/login", body: #"{"status":200,"meta":{"session_token":"abc"}}"#),
        Step(path: app + "auth/reauthenticate", body: #"{"status":200,"meta":{}}"#),
        Step(
          path: app + "account/authenticators/webauthn?passwordless",
          body: #"{"status":200,"data":{"creation_options":{"publicKey":"#
            + creation.replacing("mina", with: "mina@example.com") + "}}}"),
        Step(path: app + "account/authenticators/webauthn", body: #"{"status":200,"data":{"id":4}}"#),
      ]
    case .djangoOTP:
      return [
        Step(path: "/webauthn/registration/begin/", body: creation),
        Step(path: "/webauthn/registration/complete/", body: #"{"id":1}"#),
      ]
    case .glewlwyd:
      return [
        Step(path: "/api/auth/", cookies: "GLEWLWYD2_SESSION_ID=1", type: ""),
        Step(
          path: "/api/profile/scheme/register/",
          body: #"{"session":"s1","challenge":"\#(challenge)","pubKey-cred-params":[-7],"user":\#(user),"#
            + #""rpId":"linux://login.example.com","attestation-required":false}"#),
        Step(path: "/api/profile/scheme/register/", type: ""),
      ]
    case .flaskSecurity:
      let asked = creation.replacing("mina", with: "mina@example.com").dropLast()
      return [
        Step(path: "/wan-signin", body: flask(#""is_secondary":false"#), cookies: "session=s1"),
        Step(path: "/login", body: flask(#""tf_required":false,"user":{}"#), cookies: "session=s2"),
        Step(path: "/wan-register", body: flask(#""registered_credentials":[{"name":"pam-uaf"},{"name":"x"}]"#)),
        Step(
          path: "/wan-register",
          body: flask(
            #""wan_state":"st","credential_options":\#(asked),"authenticatorSelection":{"#
              + #""authenticatorAttachment":"cross-platform","userVerification":"preferred"}}"#)),
        Step(path: "/wan-register/st", body: #"{"meta":{"code":200},"response":{"csrf_token":"f0rgery"}}"#),
      ]
    }
  }

  private func register(_ interface: WebAuthnInterface, _ steps: [Step], entry: String = "s3cret") throws
    -> [TransportRequest]
  { try DialectScene.register(DialectScene.settings(interface), steps, entry: entry) }

  @Test(arguments: played)
  func `a registration sends what the person entered once or twice, and never after the options`(
    _ interface: WebAuthnInterface
  ) throws {
    let requests = try register(interface, Self.registrations(interface))
    let entries = requests.map { request in
      String(decoding: request.body, as: UTF8.self).contains("s3cret") || request.cookies?.contains("s3cret") == true
    }
    let expected: [Bool] =
      switch interface {
      case .conformance, .kanidm: []
      case .privacyIDEA, .glewlwyd: [true, false, false]
      case .allauth: [true, true, false, false]
      // The code is a session, which both requests need.
      case .djangoOTP: [true, true]
      case .flaskSecurity: [false, true, false, false, false]
      }
    #expect(entries == expected)
  }

  @Test func `privacyIDEA: the token of the sign-in authorises both requests, and the serial goes back`() throws {
    let requests = try register(.privacyIDEA, Self.registrations(.privacyIDEA))
    #expect(requests.map(\.authorization) == [nil, "t0k", "t0k"])
    let answer = try DialectScene.sent(requests.last)
    #expect(answer["serial"] == .string("P1") && answer["transaction_id"] == .string("7"))
    #expect(answer["type"] == .string("passkey") && answer["attestationObject"] != nil)
  }

  @Test(arguments: [
    (WebAuthnInterface.privacyIDEA, 401, #"{"result":{"status":false,"error":{"code":4031,"message":"Wrong"}}}"#),
    (.allauth, 400, #"{"status":400,"errors":[{"message":"wrong"}]}"#), (.allauth, 401, #"{"status":401}"#),
    (.glewlwyd, 401, ""), (.glewlwyd, 200, ""),
    (.flaskSecurity, 400, #"{"response":{"errors":["Wrong"],"field_errors":{"password":["Wrong"]}}}"#),
    (.flaskSecurity, 400, #"{"response":{"errors":["Nobody"],"field_errors":{"":["Nobody"]}}}"#),
  ])
  func `a refused password is told as one`(_ interface: WebAuthnInterface, _ status: Int, _ body: String) throws {
    // Flask-Security gives a token against forgery before it takes a password.
    var steps = Array(Self.registrations(interface).prefix(interface == .flaskSecurity ? 2 : 1))
    let path = steps.removeLast().path
    steps.append(Step(path: path, status: status, body: body, type: body.isEmpty ? "" : "application/json"))
    let refused = refusal(.invalidParameter, byServer: true) { _ = try register(interface, steps) }
    #expect(refused?.cause == .serverPasswordRefused)
  }

  @Test func `Flask-Security: registers a key of this machine, under a name that the person's other keys do not have`()
    throws
  {
    let requests = try register(.flaskSecurity, Self.registrations(.flaskSecurity))
    let signIn = try DialectScene.sent(requests[1])
    #expect(signIn["username"] == .string("mina") && signIn["email"] == nil)
    let asked = try DialectScene.sent(requests[3])
    #expect(asked["name"] == .string("pam-uaf 2") && asked["usage"] == .string("first"))
    #expect(requests.dropFirst(2).allSatisfy { $0.cookies == "session=s2" })
    let credential = try Self.credential(in: requests.last)
    #expect(credential["extensions"] == .string(#"{"credProps":{"rk":true}}"#))
    #expect(credential["authenticatorAttachment"] == .string("platform"))
  }

  @Test(arguments: [
    (1, #""tf_required":true,"tf_state":"ready""#), (1, #""user":{}"#), (2, #""registered_credentials":{}"#),
    (3, #""credential_options":{}"#), (3, #""wan_state":"","credential_options":{}"#), (3, #""wan_state":"st""#),
  ])
  func `Flask-Security: refuses a sign-in that is not over, and answers without the members of a registration`(
    _ step: Int, _ members: String
  ) throws {
    var steps = Array(Self.registrations(.flaskSecurity).prefix(step + 1))
    steps[step] = Step(path: steps[step].path, body: Self.flask(members))
    _ = refusal(.jsonParser, byServer: true) { _ = try register(.flaskSecurity, steps) }
  }

  @Test func `Flask-Security: refuses a sign-in whose token is wrong, and does not call that a wrong password`() throws
  {
    var steps = Array(Self.registrations(.flaskSecurity).prefix(2))
    let body = #"{"response":{"errors":["The CSRF token is missing."],"field_errors":{"csrf_token":["It is."]}}}"#
    steps[1] = Step(path: steps[1].path, status: 400, body: body)
    let refused = refusal(.unknown, byServer: true) { _ = try register(.flaskSecurity, steps) }
    #expect(refused?.serverText == "The CSRF token is missing.")
  }

  @Test(arguments: ["", "a b", "a;b=c", "a\r\nX", String(repeating: "a", count: 65)])
  func `django-otp-webauthn: refuses a code that is no session key, before anything is sent`(_ code: String) throws {
    let refused = refusal(.invalidParameter, byServer: false) { _ = try register(.djangoOTP, [], entry: code) }
    #expect(refused?.cause == .codeNotSendable)
  }

  @Test(arguments: [
    (WebAuthnInterface.privacyIDEA, 200, #"{"result":{"status":true,"value":false}}"#),
    (.allauth, 200, #"{"status":200,"data":{}}"#), (.djangoOTP, 422, #"{"detail":"no"}"#), (.glewlwyd, 400, #"["no"]"#),
    (.flaskSecurity, 400, #"{"meta":{"code":400},"response":{"errors":["no"]}}"#),
    (.flaskSecurity, 200, #"{"meta":{"code":200},"response":{}}"#),
  ])
  func `a key that the server does not accept is not registered`(
    _ interface: WebAuthnInterface, _ status: Int, _ body: String
  ) throws {
    var steps = Self.registrations(interface)
    steps[steps.count - 1] = Step(path: steps[steps.count - 1].path, status: status, body: body)
    #expect(throws: Refusal.self) { _ = try register(interface, steps) }
  }
}
