import UAFWire

/// The messages that Tests/Vectors/wire/README.md describes, by the names of their files.
enum GoldenMessages {
  static let all: [String: WireMessage] = begins.merging(others) { $1 }.merging(prompts) { $1 }
    .merging(finishes) { $1 }.merging(fetches) { $1 }.merging(chips) { $1 }.merging(fingers) { $1 }
    .merging(names) { $1 }

  private static func begin(_ operation: Operation, _ fill: (inout Begin) -> Void = { _ in }) -> WireMessage {
    var begin = Begin(operation)
    fill(&begin)
    return .begin(begin)
  }

  private static let chips: [String: WireMessage] = [
    "chip-request-seal": .chipRequest(ChipRequest(.seal, at: "/dev/tpmrm0"), key: Array(repeating: 7, count: 32)),
    "chip-request-unseal": .chipRequest(ChipRequest(.unseal, at: "/run/chip", opening: [1, 2, 3]), key: nil),
    "chip-request-define": .chipRequest(definition, key: nil, values: Array(repeating: 8, count: 64)),
    "chip-request-remove": .chipRequest(removal, key: nil),
    "chip-answer-full": .chipAnswer(fullAnswer, key: nil),
    "chip-answer-opened": .chipAnswer(ChipAnswer(.done), key: Array(repeating: 7, count: 32)),
  ]

  private static let definition: ChipRequest = {
    var request = ChipRequest(.define, at: "/dev/tpmrm0")
    request.mark = Array(repeating: 5, count: 32)
    request.limit = 2010
    return request
  }()

  private static let removal: ChipRequest = {
    var request = ChipRequest(.remove, at: "/run/chip", opening: [1, 2, 3])
    request.mark = [5]
    return request
  }()

  private static let fullAnswer: ChipAnswer = {
    var answer = ChipAnswer(.lockedOut)
    answer.number = 2337
    answer.step = "unseal"
    answer.missing = "seccomp:38"
    answer.sealedKey = [9]
    answer.manufacturer = "IBM"
    answer.lockoutCounter = 1
    answer.isPersistent = true
    return answer
  }()

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  private static func bytes(_ character: Character, _ count: Int) -> [UInt8] {
    bytes(String(repeating: character, count: count))
  }

  private static let fingers: [String: WireMessage] = [
    "ask-look": .fingerAsk(FingerAsk(.look, account: "mina")),
    "ask-compare": .fingerAsk(FingerAsk(.compare, account: String(repeating: "a", count: 256))),
    "ask-face": .fingerAsk(FingerAsk(.compare, account: "mina", service: "org.example.Face")),
    "stop": .fingerStop,
    "sensor-ready": .fingerSensor(FingerSensor(.ready, fingers: ["right-index-finger", "left-thumb"])),
    "sensor-failed": .fingerSensor(FingerSensor(.failed, detail: "no answer in 5 s", missing: "landlock:38")),
    "touch-matched": .fingerTouch(.matched),
    "touch-too-short": .fingerTouch(.tooShort),
    "end-stopped": .fingerEnd(FingerEnd(.stopped)),
    "end-gone": .fingerEnd(FingerEnd(.serviceGone, detail: "the name has another owner")),
  ]

  private static let names: [String: WireMessage] = [
    "name-request": .nameRequest(NameRequest(uid: 70_000)),
    "name-answer-found": .nameAnswer(NameAnswer(.found, name: bytes("DESK\\민아"))),
    "name-answer-limit": .nameAnswer(NameAnswer(.found, name: bytes("a", 256), missing: "landlock:38")),
    "name-answer-failed": .nameAnswer(NameAnswer(.failed, number: 5, missing: "seccomp:38")),
    "name-answer-unknown": .nameAnswer(NameAnswer(.unknown)),
  ]

  private static let begins: [String: WireMessage] = [
    "begin-minimal": begin(.authenticate),
    "begin-full": begin(.authenticate) {
      $0.uid = 1000
      $0.account = bytes("maria")
      $0.typedName = bytes("MARIA")
      $0.service = bytes("sshd")
      $0.tty = bytes("ssh")
      $0.remoteHost = bytes("203.0.113.7")
      $0.remoteUser = bytes("root")
      $0.isRemote = true
      $0.pamFlags = 0x8001
      $0.arguments = ["conf=/etc/security/pam_uaf.conf", "nouserok", "timeout=60"].map(bytes)
      $0.locale = bytes("ko_KR.UTF-8")
      $0.isDivided = true
      $0.authenticator = bytes("passcode")
      $0.payload = bytes("eyJ2IjoxfQ")
      $0.wantsToken = true
      $0.callerUID = 1000
      $0.program = bytes("/usr/bin/sudo")
      $0.commandLine = bytes("sudo\0-i\0")
      $0.transaction = bytes("pay!")
      $0.denies = true
      $0.showsLists = true
      $0.takesKeyring = true
    },
    "begin-sudo": begin(.authenticate) {
      $0.uid = 1000
      $0.account = bytes("maria")
      $0.typedName = bytes("maria")
      $0.service = bytes("sudo")
      $0.tty = bytes("/dev/pts/3")
      $0.remoteUser = bytes("maria")
      $0.isRemote = false
      $0.pamFlags = 0x8000
      $0.locale = bytes("en_US.UTF-8")
      $0.callerUID = 1000
      $0.program = bytes("/usr/bin/sudo")
      $0.commandLine = bytes("sudo\0systemctl\0restart\0nginx\0")
    },
    "begin-unresolved": begin(.authenticate) {
      $0.typedName = bytes("a\u{1B}[2J\nb") + [0xFF]
      $0.service = bytes("sshd")
      $0.isRemote = true
      $0.pamFlags = 0
      $0.callerUID = 0
    },
    "begin-empty-name": begin(.authenticate) {
      $0.typedName = []
      $0.service = bytes("sshd")
      $0.isRemote = false
      $0.pamFlags = 0
    },
    "begin-peer-status": begin(.status) {
      $0.service = bytes("uafctl")
      $0.locale = bytes("C.UTF-8")
    },
    "begin-account": begin(.account) {
      $0.uid = 1000
      $0.account = bytes("alice")
      $0.typedName = bytes("alice")
      $0.service = bytes("cron")
      $0.tty = bytes("cron")
      $0.isRemote = false
      $0.pamFlags = 0x8000
      $0.arguments = [bytes("account_check")]
      $0.callerUID = 0
    },
    "begin-check-in": begin(.checkIn) { $0.service = bytes("uafctl") },
    "begin-keyring-forget": begin(.keyringForget) { $0.service = bytes("uafctl") },
    "begin-rename": begin(.rename) {
      $0.service = bytes("uafctl")
      $0.payload = bytes("mina")
    },
    "begin-trust": begin(.trust) {
      $0.service = bytes("uafctl")
      $0.isDivided = false
      $0.authenticator = bytes("p", 64)
      $0.payload = bytes("eyJ2IjoxfQ")
      $0.wantsToken = false
    },
    "begin-limits": begin(.deregisterAll) {
      $0.uid = .max
      $0.account = bytes("a", 256)
      $0.typedName = bytes("t", 256)
      $0.service = bytes("s", 64)
      $0.tty = bytes("y", 256)
      $0.remoteHost = bytes("h", 256)
      $0.remoteUser = bytes("u", 256)
      $0.isRemote = false
      $0.pamFlags = .max
      $0.arguments = [bytes("c", 4096)]
      $0.locale = bytes("l", 64)
      $0.callerUID = .max
    },
    "begin-32-arguments": begin(.authenticate) { $0.arguments = [[]] + (1...31).map { bytes("a\($0)") } },
    "begin-transaction": begin(.authenticate) {
      $0.service = bytes("uafctl")
      $0.transaction = bytes("pay 5 to 민아")
    },
    "begin-denies": begin(.authenticate) {
      $0.service = bytes("uafctl")
      $0.payload = bytes("eyJ2IjoxfQ")
      $0.denies = true
    },
    "begin-lists": begin(.authenticate) {
      $0.service = bytes("gdm-password")
      $0.showsLists = true
    },
    "begin-keyring": begin(.authenticate) {
      $0.service = bytes("gdm-password")
      $0.takesKeyring = true
    },
    "begin-version-3": begin(.authenticate) {
      $0.version = 3
      $0.uid = 1000
      $0.account = bytes("maria")
      $0.typedName = bytes("maria")
      $0.service = bytes("su")
      $0.isRemote = false
      $0.pamFlags = 0
      $0.callerUID = 1001
    },
    "begin-version-4": begin(.authenticate) {
      $0.version = 4
      $0.uid = 1000
      $0.account = bytes("maria")
      $0.typedName = bytes("maria")
      $0.service = bytes("su")
      $0.isRemote = false
      $0.pamFlags = 0
      $0.callerUID = 1001
    },
    "begin-version-1": begin(.authenticate) { $0.version = 1 },
    "begin-version-6": begin(.authenticate) { $0.version = 6 },
  ]

  private static let others: [String: WireMessage] = [
    "answer": .answer(bytes("Abcdef1!")),
    "keyring": .keyring(bytes("키링 1!")),
    "keyring-limit": .keyring(bytes("k", 512)),
    "answer-empty": .answer([]),
    "answer-limit": .answer(bytes("x", 1024)),
    "cancelled": .signal(.cancelled),
    "cancelled-no-conversation": .signal(.noConversation),
    "cancelled-denied": .signal(.denied),
    "resume": .signal(.resume),
    "info": .core(.info("Waiting for the server.")),
    "info-four-byte-character": .core(.info("\u{1F511} \u{10FFFF} \u{D7FF} \u{E000}")),
    "error": .core(.error("Locked for 300 seconds.")),
    "ready": .core(.ready),
    "setenv": .core(.setenv(name: "UAF_TOKEN", value: "eyJhbGciOiJFUzI1NiJ9.e30.c2ln")),
    "setenv-empty": .core(.setenv(name: "UAF_TOKEN", value: "")),
    "chunk": .chunk([0x00, 0xFF, 0x7B, 0x7D]),
    "chunk-one-byte": .chunk([0]),
  ]

  private static func prompt(
    echo: Bool = false, _ check: Check, _ step: PromptStep, _ text: String, attempts: UInt32? = nil,
    error: String? = nil, reason: String? = nil, entryLength: UInt32? = nil, options: [String] = [],
    confirmed: String? = nil
  ) -> WireMessage {
    var prompt = Prompt(echo: echo, check: check, step: step, text: text)
    prompt.remainingAttempts = attempts
    prompt.errorMessage = error
    prompt.reason = reason
    prompt.entryLength = entryLength
    prompt.options = options
    prompt.confirmed = confirmed
    return .core(.prompt(prompt))
  }

  private static let prompts: [String: WireMessage] = [
    "prompt-minimal": prompt("passcode", .current, "Passcode: "),
    "prompt-full": prompt(
      echo: true, "choice", .newAgain, "비밀번호: ", attempts: 4, error: "틀렸습니다. 4번 남았습니다.",
      reason: "sudo: systemctl restart nginx", entryLength: 6, options: ["passcode", "패턴"],
      confirmed: "Your passcode confirms: maria@desk: sudo: id"),
    "prompt-attempts": prompt(
      "passcode", .current, "Wrong. 4 tries left. Passcode: ", attempts: 4, error: "Wrong. 4 tries left."),
    "prompt-new": prompt("passcode", .new, ""),
    "prompt-limits": prompt(
      Check(rawValue: String(repeating: "c", count: 32)), .current, String(repeating: "t", count: 4096), attempts: .max,
      error: String(repeating: "é", count: 2048), reason: String(repeating: "r", count: 4096),
      entryLength: 256, options: [String](repeating: String(repeating: "o", count: 256), count: 16)),
    "prompt-choice": prompt(
      echo: true, "choice", .current, "1 passcode\n2 pattern\nNumber: ", options: ["passcode", "pattern"]),
    "prompt-confirmed": prompt(
      "passcode", .current, "Passcode: ", confirmed: "Your passcode confirms: maria@desk: sudo: id"),
    "prompt-entry-length": prompt("passcode", .current, "Passcode: ", entryLength: 4),
  ]

  private static func finished(
    _ code: UInt8, _ result: UInt32, text: String? = nil, token: String? = nil, document: String? = nil,
    staleValue: Bool = false
  ) -> WireMessage {
    var finished = Finished(pamCode: code, result: result)
    finished.text = text
    finished.token = token
    finished.document = document
    finished.staleValue = staleValue
    return .core(.finished(finished))
  }

  private static let finishes: [String: WireMessage] = [
    "finished-success": finished(0, 0),
    "finished-stale": finished(0, 0, staleValue: true),
    "finished-full": finished(
      0, 0, text: "Welcome.", token: "eyJ0b2tlbiI6MX0", document: #"{"version":"1"}"#, staleValue: true),
    "finished-wrong-value": finished(7, 3012, text: "Wrong passcode."),
    "finished-locked": finished(11, 3013, text: "Locked for 300 seconds."),
    "finished-not-registered": finished(25, 1009),
    "finished-document": finished(0, 0, document: #"{"state":3006}"#),
    "finished-server-number": finished(7, .max, text: ""),
  ]

  private static func request(
    _ method: FetchRequest.Method, _ url: String, _ timeout: UInt32, _ fill: (inout FetchRequest) -> Void = { _ in }
  ) -> WireMessage {
    var request = FetchRequest(method, url: url, timeoutMilliseconds: timeout)
    fill(&request)
    return .request(request)
  }

  private static func response(
    _ outcome: FetchOutcome, handshake: Bool, status: UInt16 = 0, bodyLength: UInt32 = 0,
    _ fill: (inout FetchResponse) -> Void = { _ in }
  ) -> WireMessage {
    var response = FetchResponse(outcome, handshakeCompleted: handshake, status: status, bodyLength: bodyLength)
    fill(&response)
    return .response(response)
  }

  private static let fetches: [String: WireMessage] = [
    "request-get": request(.get, "https://fido.example.com/uaf/get", 30000),
    "request-post-full": request(.post, "https://127.0.0.1:8443/uaf/respond", 600_000) {
      $0.contentType = "application/fido+uaf; charset=utf-8"
      $0.accept = "application/fido+uaf"
      $0.body = bytes(#"{"uafResponse":""#) + [0xFF, 0x00] + bytes(#""}"#)
      $0.certificateAuthorities = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
      $0.proxy = "http://proxy.example.com:3128"
      $0.skipsVerification = true
      $0.machineProof = "AQI"
      $0.cookies = "session=a1; csrf=b2"
      $0.authorization = "Bearer abc"
    },
    "request-limits": request(.get, String(repeating: "u", count: 4096), 1) {
      $0.contentType = String(repeating: "c", count: 128)
      $0.accept = String(repeating: "a", count: 128)
      $0.proxy = String(repeating: "p", count: 4096)
      $0.skipsVerification = false
      $0.machineProof = String(repeating: "m", count: 272)
      $0.cookies = String(repeating: "k", count: 4096)
      $0.authorization = String(repeating: "z", count: 1024)
    },
    "request-headers": request(.post, "https://fido.example.com/webauthn/begin/", 30000) {
      $0.headers = ["X-CSRFToken: abc", "Referer: https://fido.example.com/"]
    },
    "request-authorities": request(.get, "https://fido.example.com/uaf/get", 30000) {
      $0.certificateAuthorities = String(repeating: "A", count: 24_577)
    },
    "authorities": .authorities(bytes("--A")),
    "places": .places(
      FetchPlaces(
        of: ["https://fido.example.com/uaf/get", "https://127.0.0.1:8443/x"], proxy: "http://proxy.example.com:3128")),
    "response-answered": response(.answered, handshake: true, status: 200, bodyLength: 262_144) {
      $0.contentType = "application/json"
      $0.certificate = [0x30, 0x03, 0x02, 0x01, 0x00]
      $0.detail = ""
      $0.date = 1_800_000_000
      $0.cookies = "session=a1"
      $0.session = "abc"
    },
    "response-no-body": response(.answered, handshake: true, status: 204),
    "response-refused": response(.refused, handshake: false) { $0.detail = "connection refused" },
    "response-missing": response(.refused, handshake: false) { $0.missing = "landlock:38,seccomp:38" },
    "response-too-large": response(.tooLarge, handshake: true) { $0.certificate = [0x30, 0x00] },
    "response-redirect": response(.answered, handshake: true, status: 302) {
      $0.redirect = FetchResponse.Redirect(url: "https://a.example/f", isAuthorized: true)
    },
    "response-other": response(.other, handshake: false) { $0.detail = String(repeating: "d", count: 512) },
  ]
}
