import AuthenticatorTypes
import Authenticator
import FidoResults
import ServiceNames
import UAFMessages
import UAFWire

/// Who calls, for which account, and from where, as far as the peer is allowed to state that in *begin*.
struct CallerIdentity: Equatable {
  /// The peer's uid, as the kernel reports it.
  let peer: UInt32
  /// The account's uid; nil for a name that could not be resolved.
  let uid: UInt32?
  /// The account's canonical name, as a host with root privileges looked it up; nil for peers that are not root.
  let name: [UInt8]?
  /// The name as typed, for texts and the log.
  let typedName: [UInt8]?
  /// For a peer that is not root, the name that this machine has for the peer's uid, or why it has none; nil for root.
  let own: OwnName?
  /// The text of `/etc/passwd`; empty for a host with root privileges, because it has already looked up the name.
  private let passwd: [UInt8]
  /// The name under which the account was registered, once its file has been opened.
  private(set) var registeredName: [UInt8]?
  /// The origin under which the attempt is counted.
  let origin: AttemptOrigin
  /// The real uid of the person who called the host, such as su or sudo.
  ///
  /// Nil if a front end with root privileges does not state it; uafctl never does.
  let callerUID: UInt32?
  /// The PAM service: for a peer that is root, it selects a section of the configuration; for others, it is only a label.
  let service: String?

  /// The terminal and the host the person comes from, as stated by a host with root privileges.
  let terminal: [UInt8]?
  let remoteHost: [UInt8]?
  /// The terminal, if root itself runs the host, as with login and display managers; nil if a person called the host, as with
  /// sudo and su.
  let uncalledTerminal: [UInt8]?

  /// For a peer that is not root, the name that this machine has for the peer's uid; nil if it has none.
  var ownName: [UInt8]? {
    guard case .known(let name) = own else { return nil }
    return name
  }

  /// The account's name in texts and in the log.
  ///
  /// For a peer that is not root, this is the name that the machine has for the uid, or else the registered name, or else the
  /// uid.
  var shownName: [UInt8]? {
    name ?? typedName ?? ownName ?? registeredName ?? (isRoot ? nil : Self.digits(peer))
  }

  private static func digits(_ number: UInt32) -> [UInt8] { Array(String(number).utf8) }

  /// Another uid than `uid` that has this name in `/etc/passwd`; nil if there is none, or the file was not read.
  func otherHolder(of name: [UInt8], than uid: UInt32) -> UInt32? {
    PasswdFile.numbers(of: name, in: passwd).first { $0 != uid }
  }

  /// The name of a uid in `/etc/passwd`; nil if it has none there, or the file was not read.
  func knownName(of uid: UInt32) -> [UInt8]? { PasswdFile.name(of: uid, in: passwd) }

  /// Whether the peer is root.
  var isRoot: Bool { peer == 0 }

  /// Whether the front end is uafctl, which shows the text of *finished* itself.
  var isTool: Bool { service == Self.toolService }

  /// The service that the server is told, for its audit; nil if the name has a different form.
  ///
  /// Only a host that runs as root names its own service. Any program of the person could pretend to be sudo.
  var toldService: PAMServiceName? { isRoot || isTool ? service.flatMap { PAMServiceName($0) } : nil }

  /// Whether the host is sudo, for which the person confirms a command, not only a login.
  ///
  /// It is recognised by its PAM service or, if sudoers names a different service, by the executable that the module reports.
  let isSudo: Bool

  /// The service name that uafctl uses.
  static let toolService = "uafctl"

  /// Takes from *begin* what this peer may state, and looks up the name of a peer that is not root.
  ///
  /// - Parameters:
  ///   - passwd: reads `/etc/passwd`; called for a peer that is not root, and for uafctl.
  ///   - directory: asks the name services; called if a peer registers that is not root and not in that file.
  /// - Throws: ``Ending`` (1001) if a peer that is not root describes an account, or wants an operation that is reserved for
  ///   root.
  init(
    _ begin: Begin, peer: UInt32, passwd: () -> [UInt8],
    directory: (UInt32) -> DirectoryName = { _ in .failed("uaf-name does not exist") }
  ) throws(Ending) {
    self.peer = peer
    service = begin.service.flatMap { String(validating: $0, as: UTF8.self) }
    isSudo = peer == 0 && (service == "sudo" || service == "sudo-i" || begin.program != nil)
    if peer == 0 {
      uid = begin.uid
      name = begin.uid == nil ? nil : begin.account
      typedName = begin.typedName ?? begin.account
      own = nil
      self.passwd = service == Self.toolService ? passwd() : []
      callerUID = begin.callerUID
      origin = Self.origin(of: begin)
      (terminal, remoteHost) = (begin.tty, begin.remoteHost)
      // sudo states its caller, so it gets nil here.
      uncalledTerminal = (begin.callerUID ?? 0) == 0 && begin.remoteUser == nil ? begin.tty : nil
      return
    }
    let passwd = passwd()
    self.passwd = passwd
    let saysTooMuch =
      begin.uid != nil || begin.account != nil || begin.typedName != nil || begin.isRemote
      || begin.callerUID != nil || begin.program != nil || begin.commandLine != nil || begin.showsLists
      || begin.takesKeyring
    guard !saysTooMuch, !Self.isAdministrative(begin) else {
      throw Ending(
        .invalidParameter, text: .cause(.onlyRoot), log: "peer \(peer) requested something that only root may request",
        .overreach(peer: peer, name: PasswdFile.name(of: peer, in: passwd) ?? Self.digits(peer)))
    }
    own = OwnName(
      of: peer, for: begin.operation, isTool: service == Self.toolService, passwd: passwd, directory: directory)
    uid = peer
    callerUID = peer
    name = nil
    typedName = nil
    origin = .local
    (terminal, remoteHost, uncalledTerminal) = (nil, nil, nil)
  }

  /// The origin under which an attempt through a host with root privileges is counted.
  ///
  /// An attempt is local unless the host states that it came over the network, or that a different account called the host. A
  /// host that is not setuid, such as login or a display manager, is only started by root, so it states no such account.
  private static func origin(of begin: Begin) -> AttemptOrigin {
    if begin.isRemote { return .remote }
    guard let caller = begin.callerUID, caller != 0, caller != begin.uid else { return .local }
    return .otherUser
  }

  /// Whether the operation is reserved for root.
  ///
  /// An unlock is not, if it comes with a code or a signed unlock: then the account itself may use it.
  private static func isAdministrative(_ begin: Begin) -> Bool {
    administrative.contains(begin.operation) && !(begin.operation == .unlock && begin.payload != nil)
  }

  private static let administrative: Set<Operation> = [
    .unlock, .initialise, .forget, .trust, .seal, .unseal, .recover, .account, .join, .leave, .checkIn,
    .rename,
  ]

  /// Records the name under which the account was registered; nil if there is no such account.
  mutating func recognise(registeredName name: [UInt8]?) { registeredName = name }

  /// The ending for a registration by a peer that is not root and whose name is not known.
  var nameless: Ending {
    guard case .missing(let cause, let log) = own else {
      return Ending(.invalidUsername, because: .nameNotFound, log: "the account's name is not known")
    }
    return Ending(.invalidUsername, because: cause, log: log)
  }

  /// The account's uid.
  ///
  /// Throws if the account cannot have state, for which it needs a uid and a name of visible ASCII.
  ///
  /// - Throws: ``Ending``: 19019 for an empty name, 1011 for one with other characters, 1009 for an unknown one.
  func requireAccount() throws(Ending) -> UInt32 {
    if isRoot {
      guard let shown = name ?? typedName else {
        throw Ending(.invalidUsername, log: "the user name is too long or could not be sent")
      }
      guard !shown.isEmpty else { throw Ending(.emptyUsername, log: "the user name is empty") }
      guard shown.allSatisfy({ (0x21...0x7e).contains($0) }) else {
        throw Ending(.invalidUsername, log: "the user name has characters that are not visible ASCII")
      }
    }
    guard let uid else {
      // An unknown name gets the same text as an account that is not registered, so that the text does not show which names
      // exist.
      throw Ending(.notRegistered, log: "no such account, or its lookup failed")
    }
    return uid
  }
}

extension CallerIdentity {
  /// Adds the account and where the attempt comes from to a line of the log.
  func describe(in line: inout LogLine) {
    line.add(.account, shownName)
    line.add(.uid, uid.map { String($0) })
    line.add(.service, service)
    line.add(.origin, origin.logName)
    line.add(.via, isRoot ? "root" : "socket")
    if !isRoot { line.add(.peer, String(peer)) }
    line.add(.tty, terminal)
    line.add(.rhost, remoteHost)
  }
}

extension Begin {
  /// Whether the operation may send requests to a server, if one is configured.
  var mayAskServer: Bool {
    switch operation {
    case .authenticate, .register, .deregister, .deregisterAll, .join, .leave, .repair, .checkIn: true
    case .reset: payload != nil
    case .account: !isUnattended
    case .change, .status, .unlock, .initialise, .forget, .rename, .trust, .seal, .unseal, .recover, .keyringSet,
      .keyringForget:
      false
    }
  }

  /// Whether nobody waits for the outcome: the service runs jobs by itself, or a host that root runs shows nothing and has no
  /// terminal.
  ///
  /// Such a call never uses the network: the jobs of a thousand accounts may start in the same second.
  ///
  /// A host that anybody but root called is never treated as unattended. sudo can be called without a terminal, and its account
  /// stage sets PAM_SILENT, so a disabled person could otherwise keep the machine from learning that the account is disabled.
  var isUnattended: Bool {
    let name = service.flatMap { String(validating: $0, as: UTF8.self) } ?? ""
    if ServiceFamily.unattended.contains(name) { return true }
    return callerUID ?? 0 == 0 && pamFlags & Self.silent != 0 && tty?.isEmpty ?? true
  }

  /// PAM_SILENT.
  private static let silent: UInt32 = 0x8000
}

extension Begin {
  /// The person's locale, if it is text.
  var localeText: String? { locale.flatMap { String(validating: $0, as: UTF8.self) } }
}
