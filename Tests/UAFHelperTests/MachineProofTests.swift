import Authenticator
import Foundation
import Testing
import UAFClient
import UAFCrypto
import UAFMessages
import UAFWire

@testable import UAFHelper

/// The proofs by which a machine shows the server, with each request, that it is known.
@Suite struct MachineProofTests {
  private static func secret(_ byte: UInt8 = 1) throws -> MachineSecret {
    try MachineSecret(machineID: Array(repeating: byte, count: 16), secret: Array(repeating: byte, count: 32))
  }

  /// A bench whose server has known the machine since a registration.
  private func known() throws -> HelperBench {
    let bench = try HelperBench()
    bench.server.machineSecret = try Self.secret()
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0)
    return bench
  }

  /// The claims in the last `count` requests whose proof is valid under a secret; nil for a request without such a proof.
  private func proved(_ bench: HelperBench, last count: Int, by secret: MachineSecret) throws -> [MachineClaim?] {
    try bench.server.requests.suffix(count).map { request in
      let (proof, code) = try #require(MachineProof.read(request.machineProof ?? ""))
      let expected = try HMACSHA256.authenticate(proof.authenticated, keyInOrdinaryMemory: secret.secret)
      return code == expected && proof.machineID == secret.machineID && proof.madeAt == bench.now.wallSeconds
        ? proof.claim : nil
    }
  }

  private static let login = [false, true].map {
    MachineClaim(operation: .authentication, isAnswer: $0, username: "mina")
  }

  @Test func `the machine secret from a registration proves both requests of the next login`() throws {
    let bench = try known()
    bench.now.wallSeconds += 1000
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(try proved(bench, last: 2, by: Self.secret()) == Self.login)
  }

  @Test func `a successful login gives a machine its secret, or replaces an old one`() throws {
    let bench = try HelperBench.registered()
    for byte in [UInt8(1), 2] {
      bench.server.machineSecret = try Self.secret(byte)
      #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
      bench.server.machineSecret = nil
      #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
      #expect(try proved(bench, last: 2, by: Self.secret(byte)) == Self.login)
    }
  }

  @Test func `a machine's proof says who the request is for: the person, a remote person or another user`() throws {
    let bench = try known()
    var begin = bench.begin()
    var queues: [MachineQueue?] = []
    func login() throws {
      _ = try bench.run(begin, ["correct"])
      queues.append(MachineProof.read(bench.server.requests.last?.machineProof ?? "")?.proof.queue)
    }
    try login()
    begin.isRemote = true
    try login()
    (begin.isRemote, begin.service, begin.callerUID) = (false, Array("su".utf8), 1001)
    try login()
    #expect(queues == [.own, .remote, .otherUser])
  }

  @Test func `no two proofs of a machine are equal`() throws {
    let bench = try known()
    for _ in 0..<2 { #expect(try bench.run(bench.begin(), ["correct"]).result == 0) }
    #expect(Set(bench.server.requests.suffix(4).map(\.machineProof)).count == 4)
  }

  @Test func `a refusal gives a machine no secret`() throws {
    let bench = try HelperBench.registered()
    bench.server.machineSecret = try Self.secret()
    bench.server.respondStatus = UAFStatusCode(rawValue: 1498)
    #expect(try bench.run(bench.begin(), ["correct"]).result != 0)
    (bench.server.respondStatus, bench.server.machineSecret) = (UAFStatusCode(rawValue: 1200), nil)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(try proved(bench, last: 2, by: Self.secret()) == [nil, nil])
  }

  @Test func `without a secret the core sends a made-up proof of the same length, also for an unknown name`() throws {
    let bench = try known()
    _ = try bench.run(bench.begin(), ["correct"])
    let real = try #require(bench.server.requests.suffix(2).first?.machineProof)
    let unknown = try HelperBench.registered()
    _ = try unknown.run(unknown.begin(), ["correct"])
    #expect(unknown.server.requests.suffix(2).first?.machineProof?.count == real.count)
    #expect(try proved(unknown, last: 2, by: Self.secret()) == [nil, nil])
    let hidden = try HelperBench()
    hidden.configuration += "\n[general]\nhide_state = true"
    _ = try StateDirectory.initialise(hidden.folder + "/state", owner: getuid())
    _ = try hidden.run(hidden.begin(), ["correct", nil])
    #expect(hidden.server.requests.first?.machineProof?.count == real.count)
  }

  @Test func `a machine proves nothing to a server other than the one that gave the secret`() throws {
    let bench = try known()
    bench.configuration = bench.configuration.replacing(
      "https://localhost/uaf/respond", with: "https://localhost/x/respond")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(try proved(bench, last: 2, by: Self.secret()) == [nil, nil])
  }

  @Test(arguments: [true, false])
  func `if root demands signed verdicts, the machine stores only a secret that the server has signed`(isCovered: Bool)
    throws
  {
    let bench = try HelperBench.registered()
    let signer = try VerdictSigner()
    try bench.demandSignature(signer.pem)
    let secret = try Self.secret()
    bench.server.machineSecret = secret
    bench.server.signed = { [unowned bench] yes in
      try signer.token(for: yes, at: bench.now.wallSeconds, with: isCovered ? secret : Self.secret(2))
    }
    for _ in 0..<2 { #expect(try bench.run(bench.begin(), ["correct"]).result == 0) }
    #expect(try proved(bench, last: 2, by: secret) == (isCovered ? Self.login : [nil, nil]))
  }
}
