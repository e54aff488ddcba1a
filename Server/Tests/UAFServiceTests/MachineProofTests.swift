import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// What a machine can prove, and which headers are not a proof.
struct MachineProofTests {
  private let proofs: MachineProofs
  private let secret: MachineSecret
  private let now: Int64 = 1_800_000_000

  init() throws {
    proofs = MachineProofs(keys: try TestServer().environment.keys)
    secret = try #require(try proofs.secret(of: "alice", holding: [Self.keyID(1)]))
  }

  private static func keyID(_ byte: UInt8) throws -> KeyID { try KeyID(bytes: Array(repeating: byte, count: 32)) }

  private func bytes(
    _ secret: MachineSecret? = nil, _ operation: UAFOperation? = .authentication, answers: Bool = false,
    account: String = "alice", for queue: MachineQueue = .own, at time: Int64? = nil
  ) throws -> [UInt8] {
    let secret = secret ?? self.secret
    let proof = try #require(
      MachineProof(
        machineID: secret.machineID,
        claim: MachineClaim(operation: operation, isAnswer: answers, username: account), queue: queue,
        madeAt: time ?? now,
        nonce: RandomBytes.make(16)))
    return try proof.authenticated
      + HMACSHA256.authenticate(proof.authenticated, keyInOrdinaryMemory: secret.secret)
  }

  private func machine(_ bytes: [UInt8], now: Int64? = nil) throws -> KnownMachine? {
    try proofs.machine(proving: Base64URL.encode(bytes), now: now ?? self.now)
  }

  @Test(arguments: [
    (UAFOperation?.some(.registration), false), (.authentication, true), (.deregistration, false),
    (.authentication, false), (nil, false),
  ])
  func `a machine's proof names its number, account, operation and step`(operation: UAFOperation?, answers: Bool) throws
  {
    let machine = try #require(try machine(bytes(nil, operation, answers: answers)))
    #expect(machine.machineID == secret.machineID)
    #expect(machine.claim == MachineClaim(operation: operation, isAnswer: answers, username: "alice"))
    #expect(machine.isCurrent)
  }

  @Test func `refuses a proof for a query of an account's state if it comes with a UAF response`() throws {
    #expect(try machine(bytes(nil, nil, answers: false))?.claim == .state(of: "alice"))
    #expect(try machine(bytes(nil, nil, answers: true)) == nil)
  }

  @Test(arguments: MachineQueue.allCases) func `a machine's proof says on whose behalf the machine asks`(
    queue: MachineQueue
  ) throws {
    #expect(try machine(bytes(for: queue))?.queue == queue)
  }

  @Test(arguments: ["a", String(repeating: "n", count: 128)])
  func `the header with a machine's longest proof is no longer than the network program accepts`(name: String) throws {
    let secret = try #require(try proofs.secret(of: name, holding: [Self.keyID(1)]))
    let bytes = try bytes(secret, account: name)
    #expect(try machine(bytes)?.claim.username == name)
    #expect(Base64URL.encode(bytes).utf8.count <= MachineProof.maximumCharacters)
  }

  @Test func `refuses a machine's proof with any bit changed, and each shorter or longer form`() throws {
    let whole = try bytes()
    for index in whole.indices {
      for bit in 0..<8 {
        var changed = whole
        changed[index] ^= 1 << bit
        #expect(try machine(changed) == nil, "bit \(bit) of byte \(index)")
      }
      #expect(try machine(Array(whole[..<index])) == nil)
      #expect(try machine(Array(whole[(index + 1)...])) == nil)
    }
    #expect(try machine(whole + [0]) == nil)
    #expect(try machine(whole) != nil)
  }

  @Test(arguments: [
    nil, "", "x", "=", "AQI, AQI", String(repeating: "A", count: 272), String(repeating: "A", count: 9000),
  ])
  func `refuses a header that is not a machine's proof`(text: String?) throws {
    #expect(try proofs.machine(proving: text, now: now) == nil)
  }

  @Test(arguments: [(Int64(900), true), (-900, true), (901, false), (-901, false), (.max, false), (.min, false)])
  func `refuses a machine's proof from a different time, earlier or later`(age: Int64, isTaken: Bool) throws {
    let time = now.subtractingReportingOverflow(age).partialValue
    #expect(try (machine(bytes(at: time)) != nil) == isTaken)
  }

  @Test func `refuses a machine's proof for a different server, and one for a different account`() throws {
    let other = MachineProofs(keys: try TestServer().environment.keys)
    let foreign = try #require(try other.secret(of: "alice", holding: [Self.keyID(1)]))
    #expect(try machine(bytes(foreign)) == nil)
    #expect(try machine(bytes(account: "bob")) == nil)
  }

  @Test func `a machine gets the same secret for the same key, and a different one for each account and key`() throws {
    let all = try [("alice", 1), ("alice", 2), ("bob", 1), ("alice", 1)].map { account, key in
      try #require(try proofs.secret(of: account, holding: [Self.keyID(key), Self.keyID(9)]))
    }
    #expect(all[0] == all[3])
    #expect(Set(all.map(\.machineID)).count == 3)
    #expect(Set(all.map(\.secret)).count == 3)
    #expect(try proofs.secret(of: "alice", holding: []) == nil)
  }

  @Test(arguments: ["alice", "nobody"]) func `a joined machine may name any account, and its secret belongs to none`(
    account: String
  ) throws {
    let joined = try proofs.secret(ofMachine: "d1", joinedWith: 7)
    let found = try #require(try machine(bytes(joined, account: account)))
    #expect(found.isJoined && found.claim.username == account && found.machineID == joined.machineID)
    #expect(try machine(bytes())?.isJoined == false)
  }

  @Test func `a joined machine's secret follows from its code and its device id, and is not an account's secret`()
    throws
  {
    let all = try [("d1", 1), ("d1", 2), ("d2", 1)].map { try proofs.secret(ofMachine: $0.0, joinedWith: $0.1) }
    #expect(Set(all.map(\.machineID)).count == 3 && Set(all.map(\.secret)).count == 3)
    #expect(try proofs.secret(ofMachine: "d1", joinedWith: 1) == all[0])
    #expect(try proofs.numbers(ofMachine: "d1", joinedWith: 1) == [all[0].machineID])
    let other = try MachineSecret(machineID: all[1].machineID, secret: all[0].secret)
    #expect(try machine(bytes(other)) == nil)
    let ofAnother = try MachineProofs(keys: TestServer().environment.keys).secret(ofMachine: "d1", joinedWith: 1)
    #expect(try machine(bytes(ofAnother)) == nil)
  }

  @Test func `the description of a machine's secret shows no part of it`() {
    #expect("\(secret)" == "the secret of a machine")
  }
}
