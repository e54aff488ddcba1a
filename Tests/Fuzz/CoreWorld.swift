import Authenticator
import FidoResults
import Glibc
import UAFClient
import UAFMessages
import UAFWire

@testable import UAFHelper

/// The machine that every run of the core meets: a state folder with one account that has a passcode, restored before each run.
@safe struct CoreWorld {
  static let uid: UInt32 = 4242
  static let name = Array("mina".utf8)
  /// The passcode of the account.
  static let value = Array("correct".utf8)
  private static let moment: Int64 = 1_800_000_000

  /// Made once; the process ends if it cannot be.
  static let shared = CoreWorld(folder: folder)

  private let folder: String
  private let account: [UInt8]

  /// A configuration: what its first lines, the section of the server and its end have in addition.
  private struct Variant {
    var head = ""
    var server = ""
    var end = ""
  }

  private static let variants = [
    Variant(), Variant(end: "[general]\nhide_state = true"),
    // Registering again is not offered if the server's success need not be signed.
    Variant(
      server: "require_signed_verdict = true\nverdict_key = \"FOLDER/verdict.pub\"",
      end: "[prompt]\noffer_reset = true\ntries = 3"),
    Variant(end: "[service.login]\ntransaction = true\n[service.sudo]\ntransaction = true"),
    Variant(end: "[passcode]\nkeypad = \"shuffled\"\nui_type = \"6digit\""),
    Variant(end: "[general]\nlanguage = \"ko\"\nexport_token = \"TOKEN\""),
    Variant(end: "[passcode]\nmin_length = 12"), Variant(end: "[prompt]\ninteractive = false"),
    Variant(head: "authenticators = [\"pattern\"]"),
    Variant(head: "authenticators = [\"passcode\", \"passcode\"]"),
    Variant(server: "dialect = \"plain\"\nenrolment = \"code\""),
    Variant(
      server: "dialect = \"plain\"",
      end: "[server.success]\nmember = \"ok\"\nvalue = \"yes\"\n[server.context]\nusername = \"user\""),
    Variant(server: "app_ids = [\"https://id.example.net/facets\"]\naccept_transaction = \"any\""),
    Variant(end: "[general]\noffline = \"allow\"\noffline_max_age = 3600\naccount_check_online = true"),
    Variant(end: "[keyring]\nunlock = true"),
  ]

  /// An unrelated public key: no server here signs anything with it.
  private static let verdictKey = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEgAMzY2JUH0AcMFh+j0DQxFQvAh01
    b1pAPixRO11Zvkcbx+scn+HtvM7TsNAGxuxETX5+uUwCprrdDn8K4WanEg==
    -----END PUBLIC KEY-----

    """

  /// A new folder in the one that `scripts/fuzz.sh` makes and removes, or else in /tmp, where it remains.
  ///
  /// libFuzzer runs several processes at once or one after the other, each with a world of its own.
  private static var folder: String {
    // SAFETY: nothing changes the environment of this process.
    let place = unsafe getenv("FUZZ_FOLDER").map { unsafe String(cString: $0) } ?? "/tmp"
    var name = Array("\(place)/core-XXXXXX".utf8CString)
    // SAFETY: the array ends with a NUL, and mkdtemp changes only the six letters before it.
    guard unsafe mkdtemp(&name) != nil else { return "" }
    return String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private init(folder: String) {
    self.folder = folder
    let state = folder + "/state"
    guard !folder.isEmpty, (try? StateDirectory.initialise(state, owner: geteuid())) == true else {
      print("fuzz: core: FUZZ_FOLDER must name a folder in which one can make another")
      exit(64)
    }
    Self.write(Array(Self.verdictKey.utf8), to: folder + "/verdict.pub")
    let addresses = "request_url = \"https://localhost/uaf/get\"\nresponse_url = \"https://localhost/uaf/respond\""
    let rest = "[state]\ndirectory = \"\(state)\"\nkdf_cost = 10\n[lock]\nretry_count_to_lock = 3\nlock_time = 60"
    for (number, variant) in Self.variants.enumerated() {
      let server = variant.server.replacing("FOLDER", with: folder)
      let parts = [variant.head, "[server]", addresses, server, rest, variant.end]
      Self.write(Array(parts.joined(separator: "\n").utf8), to: "\(folder)/conf.\(number)")
    }
    account = []
  }

  private init(_ world: CoreWorld, account: [UInt8]) {
    folder = world.folder
    self.account = account
  }

  /// The same with the account as it is now.
  func keepingAccount() -> CoreWorld { CoreWorld(self, account: Self.read(accountPath)) }

  private var accountPath: String { "\(folder)/state/accounts/\(Self.uid).db" }

  /// Restores the state.
  func putBack() {
    let accounts = folder + "/state/accounts"
    // SAFETY: each entry is read only until the next one is requested, and d_name ends with a NUL.
    guard let open = unsafe opendir(accounts) else { return }
    var others: [String] = []
    while let entry = unsafe readdir(open) {
      others.append(
        unsafe withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    unsafe closedir(open)
    for name in others where name != "." && name != ".." && name != "\(Self.uid).db" {
      _ = unsafe unlink("\(accounts)/\(name)")
    }
    for name in ["trust.conf", "trust-ca.pem"] { _ = unsafe unlink("\(folder)/state/\(name)") }
    if account.isEmpty { _ = unsafe unlink(accountPath) } else { Self.write(account, to: accountPath) }
  }

  /// The environment of one conversation.
  func environment(_ number: Int, _ server: CoreServer, _ log: CoreLog) -> SessionEnvironment {
    var passed: Int64 = 0
    return SessionEnvironment(
      configurationPath: "\(folder)/conf.\(number % Self.variants.count)", owner: geteuid(),
      now: { BootTime(bootID: [1], nanoseconds: passed, wallSeconds: Self.moment) },
      pause: { passed += Int64($0) * 1_000_000 }, derivationSlots: 2, log: log, audit: CoreAudit(),
      network: { (_, _, _) throws(Ending) in
        server.connect()
        return Network(
          begin: { (request) throws(TransportFailure) in try server.begin(request) },
          finish: { () throws(TransportFailure) in try server.finish() })
      }, device: DeviceDescription())
  }

  /// The payload of an enrolment, or of any other operation that uses one.
  static func payload(for operation: UAFWire.Operation) -> [UInt8] {
    if operation == .join {
      let payload = MachinePayload(
        server: "https://localhost", code: "code", expires: moment + 100, group: .standard, verdictKeys: "keys")
      return Array(payload.encoded.utf8)
    }
    let purpose: UAFOperation =
      switch operation {
      case .authenticate: .authentication
      case .deregister, .deregisterAll: .deregistration
      default: .registration
      }
    let payload = EnrolmentPayload(
      op: purpose, server: "https://localhost", username: "mina", authCode: "code", expires: moment + 100, ca: nil)
    return Array(payload.encoded.utf8)
  }

  private static func write(_ bytes: [UInt8], to path: String) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    // SAFETY: the array is lent for the call.
    let count = unsafe Glibc.write(file, bytes, bytes.count)
    precondition(count == bytes.count && close(file) == 0, "\(path) cannot be written")
  }

  private static func read(_ path: String) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    // SAFETY: the array has room for as many bytes as are asked for.
    let count = unsafe Glibc.read(file, &bytes, bytes.count)
    precondition(count > 0 && close(file) == 0, "\(path) cannot be read")
    return Array(bytes.prefix(count))
  }
}
