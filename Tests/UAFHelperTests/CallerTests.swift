import AuthenticatorTypes
import Authenticator
import FidoResults
import Testing
import UAFWire

@testable import UAFHelper

@Suite struct CallerTests {
  private static let passwd = Array("root:x:0:0::/:/bin/sh\nmina:x:1000:1000::/:/bin/sh\n".utf8)

  private func result(_ begin: Begin, peer: UInt32) -> UInt32 {
    do throws(Ending) {
      _ = try CallerIdentity(begin, peer: peer, passwd: { Self.passwd })
      return 0
    } catch { return error.result.code }
  }

  @Test func `a peer without root acts only for its own uid, whatever it claims`() throws {
    var begin = Begin(.authenticate)
    begin.service = Array("sudo".utf8)
    let caller = try CallerIdentity(begin, peer: 1000, passwd: { Self.passwd })
    #expect(caller.uid == 1000 && caller.name == nil && !caller.isRoot && caller.origin == .local)
  }

  @Test func `a peer without root is named by /etc/passwd or by its uid, and a name that root sends is believed`()
    throws
  {
    let named = try CallerIdentity(Begin(.status), peer: 1000, passwd: { Self.passwd })
    #expect(named.shownName == Array("mina".utf8))
    let unnamed = try CallerIdentity(Begin(.status), peer: 1001, passwd: { Self.passwd })
    #expect(unnamed.shownName == Array("1001".utf8))
    var begin = Begin(.authenticate)
    begin.typedName = Array("nobody-known".utf8)
    let root = try CallerIdentity(
      begin, peer: 0,
      passwd: {
        Issue.record("read for root")
        return []
      })
    #expect(root.shownName == Array("nobody-known".utf8))
  }

  @Test func `a peer without root can describe neither an account nor its own location or caller`() {
    var begins: [Begin] = Array(repeating: Begin(.authenticate), count: 7)
    begins[0].uid = 0
    begins[1].account = Array("root".utf8)
    begins[2].typedName = Array("root".utf8)
    begins[3].isRemote = true
    begins[4].callerUID = 1000
    begins[5].program = Array("/usr/bin/sudo".utf8)
    begins[6].commandLine = Array("sudo\0id\0".utf8)
    #expect(begins.map { result($0, peer: 1000) } == Array(repeating: 1001, count: 7))
    #expect(begins.map { result($0, peer: 0) } == Array(repeating: 0, count: 7))
  }

  /// The account has uid 4242.
  ///
  /// Each row: who called the host, whether the host reports a remote person, and the origin that counts.
  @Test(
    arguments: [
      (nil, false, .local), (0, false, .local), (4242, false, .local), (1000, false, .otherUser),
      (.max, false, .otherUser), (nil, true, .remote), (0, true, .remote), (1000, true, .remote),
    ] as [(UInt32?, Bool, AttemptOrigin)])
  func `an attempt at this machine counts as that of another user if another user called the host`(
    _ callerUID: UInt32?, _ isRemote: Bool, _ origin: AttemptOrigin
  ) throws {
    var begin = Begin(.authenticate)
    (begin.uid, begin.account, begin.callerUID) = (4242, Array("mina".utf8), callerUID)
    if isRemote { begin.isRemote = true }
    let caller = try CallerIdentity(begin, peer: 0, passwd: { Self.passwd })
    #expect(caller.origin == origin && caller.callerUID == callerUID)
    begin.uid = nil
    let nobody = try CallerIdentity(begin, peer: 0, passwd: { Self.passwd })
    #expect((nobody.origin == .otherUser) == (origin == .otherUser || callerUID == 4242 && !isRemote))
  }

  @Test func `a terminal counts as the machine's own seat only if root runs the host and nobody called it`() throws {
    var begin = Begin(.authenticate)
    (begin.uid, begin.account, begin.tty) = (4242, Array("mina".utf8), Array("tty1".utf8))
    func terminal(peer: UInt32 = 0) throws -> [UInt8]? {
      try CallerIdentity(begin, peer: peer, passwd: { Self.passwd }).uncalledTerminal
    }
    #expect(try terminal() == begin.tty)
    begin.callerUID = 0
    #expect(try terminal() == begin.tty)
    begin.callerUID = 4242
    #expect(try terminal() == nil)
    (begin.callerUID, begin.remoteUser) = (0, Array("mina".utf8))
    #expect(try terminal() == nil, "sudo, whose real user id is root's")
    (begin.callerUID, begin.remoteUser, begin.uid, begin.account) = (nil, nil, nil, nil)
    #expect(try terminal(peer: 4242) == nil)
  }

  @Test func `sudo is recognised by its PAM service, or by the executable that the module names`() throws {
    var begin = Begin(.authenticate)
    begin.service = Array("sudo-i".utf8)
    #expect(try CallerIdentity(begin, peer: 0, passwd: { Self.passwd }).isSudo)
    #expect(try !CallerIdentity(begin, peer: 1000, passwd: { Self.passwd }).isSudo)
    begin.service = Array("admins".utf8)
    #expect(try !CallerIdentity(begin, peer: 0, passwd: { Self.passwd }).isSudo)
    begin.program = Array("/usr/bin/sudo".utf8)
    #expect(try CallerIdentity(begin, peer: 0, passwd: { Self.passwd }).isSudo)
  }

  @Test(arguments: [Operation.unlock, .initialise, .forget, .trust, .seal, .unseal, .recover, .join, .leave, .checkIn])
  func `only root can use an administrator's operation`(_ operation: UAFWire.Operation) {
    #expect(result(Begin(operation), peer: 1000) == 1001)
    #expect(result(Begin(operation), peer: 0) == 0)
  }

  @Test
  func `the name services are asked neither about root nor about people in /etc/passwd, and only for a registration`()
    throws
  {
    var asked: [UInt32] = []
    func identify(_ operation: UAFWire.Operation, _ peer: UInt32, _ passwd: [UInt8]) -> CallerIdentity? {
      try? CallerIdentity(Begin(operation), peer: peer, passwd: { passwd }) {
        asked.append($0)
        return .found(Array("lena".utf8))
      }
    }
    for operation in UAFWire.Operation.allCases { _ = identify(operation, 0, Self.passwd) }
    for operation in UAFWire.Operation.allCases where operation != .register {
      #expect(identify(operation, 70_000, Self.passwd)?.ownName == nil)
    }
    let twice = Self.passwd + Array("mona:x:1000:1000::/:/bin/sh\n".utf8)
    #expect(identify(.register, 1000, Self.passwd)?.ownName == Array("mina".utf8))
    #expect(identify(.register, 1000, twice)?.ownName == nil && identify(.register, 1000, [])?.ownName == nil)
    var overreach = Begin(.register)
    overreach.account = Array("root".utf8)
    #expect(throws: Ending.self) {
      try CallerIdentity(overreach, peer: 70_000, passwd: { Self.passwd }) {
        asked.append($0)
        return .unknown
      }
    }
    #expect(asked == [])
    #expect(identify(.register, 70_000, Self.passwd)?.ownName == Array("lena".utf8) && asked == [70_000])
  }

  @Test func `a uid in /etc/passwd has a name only if exactly one line has the uid`() {
    let text = Array("root:x:0:0::/:/bin/sh\nmina:x:10:10::/:\nminb:x:11:1::/:\ndouble:x:11:1::/:\nshort:x:12\n".utf8)
    #expect(PasswdFile.name(of: 10, in: text) == Array("mina".utf8))
    #expect(PasswdFile.name(of: 11, in: text) == nil)
    #expect(PasswdFile.name(of: 12, in: text) == nil)
    #expect(PasswdFile.name(of: 1, in: text) == nil)
    #expect(PasswdFile.standing(of: 10, in: text) == .named(Array("mina".utf8)))
    #expect(PasswdFile.standing(of: 1, in: text) == .absent)
  }

  @Test func `a uid with an empty or ambiguous name, or with an empty /etc/passwd, does not count as absent`() {
    let text = Array("root:x:0:0::/:/bin/sh\nmina:x:10:10::/:\nmona:x:10:10::/:\n:x:11:11::/:\n".utf8)
    #expect(PasswdFile.standing(of: 10, in: text) == .unclear)
    #expect(PasswdFile.standing(of: 11, in: text) == .unclear)
    #expect(PasswdFile.standing(of: 12, in: []) == .unclear)
  }

  @Test func `a name is found in any line of /etc/passwd, and only as a whole`() {
    let text = Array("root:x:0:0::/:/bin/sh\nmina:x:10:10::/:\nshort\n".utf8)
    for name in ["root", "mina", "short"] { #expect(PasswdFile.has(Array(name.utf8), in: text)) }
    for name in ["", "min", "mina:", "minas", "/"] { #expect(!PasswdFile.has(Array(name.utf8), in: text)) }
  }
}
