import Foundation
import Testing
import UAFMessages
import UAFWire

extension EndToEnd {
  @Suite(.enabled(if: SystemLog.isPossible, "needs a mount namespace: root with CAP_SYS_ADMIN"))
  struct `A person at the socket` {
    /// The last message, if it is *finished*.
    private func finished(_ messages: [CoreMessage]) -> Finished? {
      guard case .finished(let finished)? = messages.last else { return nil }
      return finished
    }

    private func payload(_ machine: SocketMachine, of user: String? = nil) throws -> EnrolmentPayload {
      try EnrolmentPayload(encoded: machine.scene.server.enrol(user ?? machine.scene.user))
    }

    private func register(_ machine: SocketMachine, _ payload: EnrolmentPayload) throws -> Output {
      try machine.tool(
        "register", "--payload", "-", input: "\(payload.encoded)\n\(Scene.passcode)\n\(Scene.passcode)\n")
    }

    @Test func `over the core's socket a person who is not root registers, reads the status, logs in and deregisters`()
      throws
    {
      let machine = try SocketMachine(try Scene())
      let registration = try register(machine, payload(machine))
      #expect(registration.status == 0, "\(registration.text)")
      let status = try machine.tool("status", "--json")
      #expect(status.says("\"uid\":4242"))
      #expect(status.says("\"serverUserName\":\"\(machine.scene.user)\""))
      #expect(try machine.tool("authenticate", input: Scene.passcode + "\n").status == 0)
      #expect(try machine.tool("authenticate", input: "wrong1111\n").status == 1)
      #expect(try machine.tool("deregister", input: Scene.passcode + "\n").status == 0)
      #expect(try machine.tool("authenticate", input: Scene.passcode + "\n").status == 1)
    }

    @Test func `over the core's socket nobody registers with a different account's payload, and nothing is stored`()
      throws
    {
      let machine = try SocketMachine(try Scene())
      let output = try register(machine, payload(machine, of: "somebody"))
      #expect(output.status == 1)
      #expect(output.says("The enrolment code is for a different account."))
      #expect(output.says("[1001]"))
      #expect(try machine.accountFiles() == [])
    }

    @Test
    func `over the core's socket nobody registers at a server that root did not configure, and nothing is stored`()
      throws
    {
      let machine = try SocketMachine(try Scene())
      let own = try payload(machine)
      let bad = try BadServers.shared()
      let foreign = [
        EnrolmentPayload(
          op: own.op, server: try bad.url("good", ""), username: own.username, authCode: own.authCode,
          expires: own.expires, ca: bad.authority),
        EnrolmentPayload(
          op: own.op, server: own.server, username: own.username, authCode: own.authCode, expires: own.expires,
          ca: bad.authority),
      ]
      let state = machine.scene.settings.stateDirectory
      let before = try FileManager.default.subpathsOfDirectory(atPath: state).sorted()
      for (payload, what) in zip(foreign, [" is not for this machine's server", " and this machine's configuration"]) {
        let output = try register(machine, payload)
        #expect(output.status == 1)
        #expect(output.says("The enrolment code\(what)"))
        #expect(output.says("[1001]"))
      }
      #expect(try FileManager.default.subpathsOfDirectory(atPath: state).sorted() == before)
      // The refused attempts have not used up the code: the right payload still registers.
      #expect(try register(machine, own).status == 0)
    }

    @Test(arguments: [UAFWire.Operation.unlock, .initialise, .forget, .trust])
    func `over the core's socket a person cannot request what only root may request`(_ operation: UAFWire.Operation)
      throws
    {
      let scene = try Scene.registered { $0.lock = "retry_count_to_lock = 1\nlock_time = 300" }
      let machine = try SocketMachine(scene)
      _ = try scene.logIn("wrong1111")
      var begin = Begin(operation)
      // An unlock with a payload does not need root: everybody who has one from the helpdesk may unlock. So this unlock has
      // none.
      if operation != .unlock { begin.payload = Array(try payload(machine).encoded.utf8) }
      _ = try SystemLog.shared().take()
      let end = try finished(machine.converse(begin.packet()))
      #expect(end?.result == 1001)
      #expect(end?.pamCode == 7)
      #expect(try scene.status().state == 3008)
      #expect(
        try SystemLog.shared().take().contains {
          $0.contains(
            "peer 4242 requested something that only root may request")
        })
    }

    @Test func `over the core's socket an enrolment code ends no lock`() throws {
      let scene = try Scene.registered { $0.lock = "retry_count_to_lock = 1\nlock_time = 300" }
      let machine = try SocketMachine(scene)
      _ = try scene.logIn("wrong1111")
      var begin = Begin(.unlock)
      begin.payload = Array(try payload(machine).encoded.utf8)
      let end = try finished(machine.converse(begin.packet()))
      #expect(end?.result == 1001 && end?.pamCode == 7)
      #expect(try scene.status().state == 3008)
    }

    @Test
    func `over the core's socket a person who describes the account or caller, or sends a wrong argument, is refused`()
      throws
    {
      let machine = try SocketMachine(try Scene.registered())
      let changes: [@Sendable (inout Begin) -> Void] = [
        { $0.uid = 0 }, { $0.uid = UInt32(Scene.uid) }, { $0.account = Array("root".utf8) },
        { $0.typedName = Array("root".utf8) }, { $0.isRemote = true },
        { $0.arguments = [Array("nouserok".utf8), Array("nouserokay".utf8)] },
        { $0.arguments = [Array("conf=pam_uaf.conf".utf8)] }, { $0.program = Array("sudo".utf8) },
        { $0.callerUID = UInt32(Scene.uid) }, { $0.commandLine = Array("sudo\0id\0".utf8) },
      ]
      for change in changes {
        for operation in [UAFWire.Operation.authenticate, .status] {
          var begin = Begin(operation)
          change(&begin)
          let messages = try machine.converse(begin.packet())
          #expect(finished(messages)?.result == 1001)
          #expect(!messages.contains { $0.type == .prompt })
        }
      }
    }

    @Test
    func `over the core's socket a person cannot choose the configuration, or change the status with module arguments`()
      throws
    {
      let machine = try SocketMachine(try Scene.registered())
      var begin = Begin(.status)
      let own = try finished(machine.converse(begin.packet()))
      begin.arguments = [Array("conf=/tmp/pam_uaf.conf".utf8), Array("quiet".utf8)]
      let named = try finished(machine.converse(begin.packet()))
      #expect(named?.result == own?.result && named?.document == own?.document && own?.document != nil)
    }

    @Test func `a forged packet at the core's socket ends the conversation, and no attempt is counted`() throws {
      let machine = try SocketMachine(try Scene.registered())
      let begin = try Begin(.authenticate).packet()
      let yes = try CoreMessage.finished(Finished(pamCode: 0, result: 0)).packet()
      let answer: [UInt8] = [0x02, 1, 0, 1, 0x31]
      let first: [[UInt8]] = [
        yes, answer, [0x00], [0x7f], [0x01], begin + [0], Array(begin.dropLast()), begin + [99, 0, 1, 0],
      ]
      for forged in first {
        #expect(try machine.converse(forged) == [])
      }
      // After the prompt anything but an answer ends the conversation too, with no verdict and no attempt counted. Only
      // *resume* is ignored, because it may come late.
      let later: [[UInt8]] = [yes, begin, [0x02], answer + [0]]
      for forged in later {
        let messages = try machine.converse(begin, forged)
        #expect(messages.map(\.type) == [.prompt])
      }
      #expect(try machine.scene.status().remainingTries == 5)
    }

    @Test(arguments: [UInt16(0), 1, 2, Begin.currentVersion + 1, 65_535])
    func `the core refuses a version of its protocol that does not exist`(_ version: UInt16) throws {
      let machine = try SocketMachine(try Scene.registered())
      var begin = Begin(.authenticate)
      begin.version = version
      // The core cannot read the fields of a later version, but it still answers.
      for more in [[], [99, 0, 1, 0], [0xFF]] as [[UInt8]] {
        let end = try finished(machine.converse(begin.packet() + more))
        #expect(end?.result == 1006)
        #expect(end?.pamCode == 4)
      }
    }

    @Test func `the core still serves the version of its protocol that 0.2.0 speaks`() throws {
      let machine = try SocketMachine(try Scene.registered())
      var begin = Begin(.authenticate)
      begin.version = 3
      let answer = [0x02, 1, 0, UInt8(Scene.passcode.utf8.count)] + Array(Scene.passcode.utf8)
      #expect(try finished(machine.converse(begin.packet(), answer))?.result == 0)
      // A field that this version did not have yet is refused in it.
      #expect(try machine.converse(begin.packet() + [24, 0, 1, 1]) == [])
    }

    @Test func `a person who sends resume to the core without a paused login is told that no login is paused`() throws {
      let machine = try SocketMachine(try Scene.registered())
      let end = try finished(machine.converse(FrontEndSignal.resume.packet))
      #expect(end?.result == 1100 && end?.pamCode == 7)
    }

    @Test func `a divided login gets 'ready' first, and its prompt only after resume`() throws {
      let machine = try SocketMachine(try Scene.registered())
      var begin = Begin(.authenticate)
      begin.isDivided = true
      let answer = [0x02, 1, 0, UInt8(Scene.passcode.utf8.count)] + Array(Scene.passcode.utf8)
      let messages = try machine.converse(begin.packet(), FrontEndSignal.resume.packet, answer)
      #expect(messages.map(\.type) == [.ready, .prompt, .finished])
      #expect(finished(messages)?.result == 0)
      let stopped = try machine.converse(begin.packet(), FrontEndSignal.cancelled.packet)
      #expect(stopped.map(\.type).filter { $0 != .error } == [.ready, .finished], "ready is not a verdict")
      #expect(finished(stopped)?.result == 999 && finished(stopped)?.pamCode == 19)
    }

    @Test
    func `over the core's socket a person has at most four conversations, and a hundred attempts keep nobody else out`()
      throws
    {
      let machine = try SocketMachine(try Scene.registered())
      let begin = try Begin(.authenticate).packet()
      let crowd = try machine.crowd(100, begin)
      let lines = crowd.text.split(separator: "\n").map(String.init)
      #expect(lines.first == "asked 4, turned away 96")
      // All who were turned away got the same message.
      #expect(lines.count == 3)
      let end = try finished([SocketMachine.message(try #require(lines.dropFirst().first))])
      #expect(end?.result == 7011 && end?.pamCode == 4)
      #expect(
        end?.text
          == "You have too many logins at the same time or in a short time: wait a moment, or end one, and try again.")
      // The person's conversations use up neither root's nor those of a different person.
      try machine.scene.stack("auth required MODULE", module: Module.atSocket().path)
      #expect(Login(try machine.asRoot(machine.scene.host(), input: Scene.passcode + "\n")).code == .success)
      #expect(try finished(machine.converse(begin, uid: 4243))?.result == 1009)
      let fifth = try machine.tool("authenticate", input: Scene.passcode + "\n")
      #expect(fifth.status == 1 && fifth.says("You have too many logins at the same time"), "\(fifth.text)")
      #expect(try machine.scene.status().remainingTries == 5, "nothing was charged")
      _ = try crowd.end()
      try Wait.until("a place") { try machine.tool("authenticate", input: Scene.passcode + "\n").status == 0 }
    }

    @Test func `the core keeps one empty file for the conversations of all people`() throws {
      let machine = try SocketMachine(try Scene.registered())
      for uid in [4242, 4243, 4_294_967_294] { _ = try machine.converse(Begin(.status).packet(), uid: uid) }
      let slots = machine.scene.settings.stateDirectory + "/slots"
      let files = try FileManager.default.contentsOfDirectory(atPath: slots).filter {
        !$0.hasSuffix("lock") || $0 == "peers.lock"
      }
      #expect(files == ["peers.lock"])
      #expect(try FileManager.default.attributesOfItem(atPath: slots + "/peers.lock")[.size] as? Int == 0)
    }

    @Test func `over the core's socket uafctl refuses a person's --conf`() throws {
      let machine = try SocketMachine(try Scene.registered())
      let output = try machine.tool("--conf", machine.scene.configuration, "authenticate", input: "x\n")
      #expect(output.status == 2)
    }
  }

  @Suite(.enabled(if: SystemLog.isPossible, "needs a mount namespace: root with CAP_SYS_ADMIN"))
  struct `The module at the socket` {
    private func machine() throws -> SocketMachine {
      let scene = try Scene.registered()
      try scene.stack("auth required MODULE", module: Module.atSocket().path)
      return try SocketMachine(scene)
    }

    @Test
    func `with the core at a socket, the module accepts a right and refuses a wrong passcode for a program of root's`()
      throws
    {
      let machine = try machine()
      let host = try machine.scene.host()
      #expect(Login(try machine.asRoot(host, input: "wrong1111\n")).errors == ["Wrong passcode: 4 tries left."])
      #expect(Login(try machine.asRoot(host, input: Scene.passcode + "\n")).code == .success)
    }

    @Test func `with the core at a socket, the module serves a person's own program, and wrong passcodes are counted`()
      throws
    {
      let machine = try machine()
      let host = try machine.scene.host()
      let login = Login(try machine.asPerson(host, input: "wrong1111\n"))
      #expect(login.code == .authenticationError)
      #expect(try machine.scene.status().remainingTries == 4)
      #expect(Login(try machine.asPerson(host, input: Scene.passcode + "\n")).code == .success)
    }

    @Test func `with the core at a socket, the module refuses a person's program that asks for a different account`()
      throws
    {
      let machine = try machine()
      let login = Login(try machine.asPerson(machine.scene.host(user: "root"), input: Scene.passcode + "\n"))
      #expect(login.code == .authenticationError)
      #expect(login.prompts.isEmpty)
    }

    @Test func `a login is a system error if nobody listens at the core's socket and the caller is not root`() throws {
      let machine = try machine()
      let removal = try machine.asRoot(["rm", "/run/pam-uaf/helper.sock"])
      #expect(removal.status == 0)
      #expect(Login(try machine.asPerson(machine.scene.host(), input: "x\n")).code == .systemError)
    }
  }
}
