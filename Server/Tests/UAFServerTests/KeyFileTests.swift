import Foundation
import Glibc
import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFServer
@testable import UAFService

/// The files with the server's keys, and their rotation.
final class KeyFileTests {
  let state: ServerDirectory
  private let clock = TestClock()

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "uaf-keys-\(UUID().uuidString)")
    state = try ServerDirectory(path: folder.path, create: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: state.path)
  }

  private func keys() throws -> ServerKeys { try ServerKeys(state: state, now: { [clock] in clock.now }) }

  private func bytes(_ path: String) throws -> [UInt8] {
    try #require(try StateFile.read(path: path, isSecret: false))
  }

  private let data = ServerData(.login, username: "mina", expiresAt: 1)
  private let challenge = [UInt8](repeating: 7, count: 32)

  @Test
  func `data that the old secret sealed is readable for a day, even by a server that was stopped during the change`()
    throws
  {
    let before = try ServerDataSeal(keys: keys()).seal(data, challenge: challenge)
    _ = try state.secrets.rotate(now: clock.now, from: clock.now + 60)
    #expect(try ServerDataSeal(keys: keys()).seal(data, challenge: challenge) == before, "not used before its time")
    clock.advance(seconds: 60)
    let after = try keys()
    #expect(try ServerDataSeal(keys: after).seal(data, challenge: challenge) != before)
    #expect(try ServerDataSeal(keys: after).open(before, challenge: challenge) == data)
    clock.advance(seconds: KeyOverlap.seconds - 1)
    #expect(try ServerDataSeal(keys: after).open(before, challenge: challenge) == data)
    clock.advance(seconds: 1)
    #expect(try ServerDataSeal(keys: after).open(before, challenge: challenge) == nil)
  }

  @Test func `a server with the new secret and one that has not loaded it yet read each other's session data`()
    throws
  {
    let late = try keys()
    _ = try state.secrets.rotate(now: clock.now, from: clock.now + 60)
    let early = try keys()
    let first = try ServerDataSeal(keys: late).seal(data, challenge: challenge)
    #expect(try ServerDataSeal(keys: early).open(first, challenge: challenge) == data)
    let second = try ServerDataSeal(keys: early).seal(data, challenge: challenge)
    #expect(try ServerDataSeal(keys: late).open(second, challenge: challenge) == data)
    try late.reload(from: state)
    clock.advance(seconds: 60)
    let third = try ServerDataSeal(keys: early).seal(data, challenge: challenge)
    #expect(try ServerDataSeal(keys: late).open(third, challenge: challenge) == data)
  }

  @Test func `a verdict names the key that signed it, and a new key signs only from its start time on`() throws {
    let claims = VerdictClaims(
      issuer: "i", subject: "s", operation: .authentication, purpose: .login, challengeHash: "c", issuedAt: 1,
      expiresAt: 2, tokenID: "t")
    let running = try keys()
    let old = running.verdictKey
    let token = try VerdictToken(keys: running).sign(claims)
    _ = try state.verdictKeys.rotate(now: clock.now, from: clock.now + 604_800)
    try running.reload(from: state)
    #expect(running.verdictKey.id == old.id)
    #expect(
      running.announcedPEM == old.publicKeyPEM + (try #require(running.rings.verdictKeys.entries.last)).key.publicKeyPEM
    )
    #expect(try bytes(state.verdictPublicKeyPath) == running.announcedPEM)
    clock.advance(seconds: 604_800)
    #expect(running.verdictKey.id != old.id)
    #expect(VerdictToken(keys: running).claims(of: token) == claims)
    clock.advance(seconds: KeyOverlap.seconds)
    #expect(VerdictToken(keys: running).claims(of: token) == nil)
  }

  @Test func `a new key that is finished signs at once, and only one that waits can be finished`() throws {
    let running = try keys()
    let old = running.verdictKey
    #expect(throws: ServerError.self) { try state.verdictKeys.finish(now: clock.now) }
    _ = try state.verdictKeys.rotate(now: clock.now, from: clock.now + 604_800)
    try running.reload(from: state)
    let coming = try #require(running.comingVerdictKeys.last)
    #expect(coming.from == clock.now + 604_800 && coming.id != old.id)
    _ = try state.verdictKeys.finish(now: clock.now)
    try running.reload(from: state)
    #expect(running.verdictKey.id == coming.id && running.comingVerdictKeys.isEmpty)
    #expect(running.acceptedPEM == running.verdictKey.publicKeyPEM + old.publicKeyPEM)
    #expect(throws: ServerError.self) { try state.verdictKeys.finish(now: clock.now) }
  }

  @Test func `a rotation that was interrupted between both key files is completed by the next start`() throws {
    _ = try keys()
    let old = try bytes(state.verdictPublicKeyPath)
    _ = try state.verdictKeys.rotate(now: clock.now, from: clock.now + 100)
    // The private key file has the new key, and the public key file does not have it yet.
    #expect(try bytes(state.verdictPublicKeyPath) == old)
    let restarted = try keys()
    #expect(restarted.verdictKey.publicKeyPEM == old)
    #expect(try bytes(state.verdictPublicKeyPath) == restarted.acceptedPEM)
    #expect(restarted.acceptedPEM.count > old.count && restarted.acceptedPEM.starts(with: old))
  }

  @Test func `a key file that was left half written under its temporary name changes nothing`() throws {
    let before = try keys()
    let half = "\(state.secretPath).\(getpid()).new"
    try Data([1, 2, 3]).write(to: URL(filePath: half))
    #expect(try keys().authenticationCode("a", []) == before.authenticationCode("a", []))
    _ = try state.secrets.rotate(now: clock.now, from: clock.now + 1)
    #expect(!FileManager.default.fileExists(atPath: half))
    #expect(try keys().authenticationCode("a", []) == before.authenticationCode("a", []))
  }

  @Test
  func `no rotation changes the secret for decoys, even in a state folder from before this secret existed`()
    throws
  {
    let old = try keys().authenticationCode("decoy", [1])
    try FileManager.default.removeItem(atPath: state.decoySecretPath)
    #expect(try keys().decoyCode("decoy", [1]) == old, "as that store made its decoys")
    _ = try state.secrets.rotate(now: clock.now, from: clock.now + 1)
    clock.advance(seconds: KeyOverlap.seconds * 2)
    #expect(try keys().authenticationCode("decoy", [1]) != old)
    #expect(try keys().decoyCode("decoy", [1]) == old)
  }

  @Test
  func `a state folder from before the secret for machines existed keeps its machines, whatever is rotated`() throws {
    let old = try keys().authenticationCode("joined machine", [1])
    try FileManager.default.removeItem(atPath: state.machineSecretPath)
    #expect(try keys().machineCode("joined machine", [1]) == old, "as that server made its machines' secrets")
    _ = try state.secrets.rotate(now: clock.now, from: clock.now + 1)
    clock.advance(seconds: KeyOverlap.seconds * 2)
    #expect(try keys().machineCode("joined machine", [1]) == old)
    #expect(try keys().authenticationCode("joined machine", [1]) != old)
    _ = try state.machineSecrets.rotate(now: clock.now, from: clock.now + 1)
    clock.advance(seconds: 2)
    #expect(try keys().machineCode("joined machine", [1]) != old)
    #expect(try keys().machineCodes("joined machine", [1]).contains(old), "for one more day")
    clock.advance(seconds: KeyOverlap.seconds)
    #expect(try !keys().machineCodes("joined machine", [1]).contains(old))
  }

  @Test func `a new state folder has its own secret for machines`() throws {
    #expect(try keys().machineCode("machine", [1]) != keys().authenticationCode("machine", [1]))
  }

  @Test func `a new state folder has its own secret for decoys`() throws {
    #expect(try keys().decoyCode("decoy", [1]) != keys().authenticationCode("decoy", [1]))
  }

  @Test func `refuses a further rotation while a new key is not yet in use, and more keys than a file may have`() throws
  {
    _ = try keys()
    _ = try state.secrets.rotate(now: clock.now, from: clock.now + 60)
    #expect(throws: ServerError.self) {
      _ = try self.state.secrets.rotate(now: self.clock.now, from: self.clock.now + 120)
    }
    for _ in 2..<KeyFile<ServerSecret>.mostKeys {
      clock.advance(seconds: 120)
      _ = try state.secrets.rotate(now: clock.now, from: clock.now + 60)
    }
    clock.advance(seconds: 120)
    #expect(throws: ServerError.self) {
      _ = try self.state.secrets.rotate(now: self.clock.now, from: self.clock.now + 60)
    }
    clock.advance(seconds: KeyOverlap.seconds)
    #expect(try state.secrets.rotate(now: clock.now, from: clock.now + 60).entries.count == 2)
  }

  @Test func `refuses a key file with keys out of order, one that was cut, and one that others can read`() throws {
    _ = try keys()
    _ = try state.secrets.rotate(now: clock.now, from: clock.now + 60)
    let good = try bytes(state.secretPath)
    #expect(good.count == 80)
    for bad in [Array(good[40...] + good[..<40]), Array(good.dropLast()), good + [0], good + good] {
      try StateFile.replace(path: state.secretPath, mode: 0o600, contents: bad)
      #expect(throws: ServerError.self) { _ = try self.keys() }
    }
    try StateFile.replace(path: state.secretPath, mode: 0o640, contents: good)
    #expect(throws: ServerError.self) { _ = try self.keys() }
  }

  @Test func `a running server whose key files become unusable continues with the keys that it has loaded`() throws {
    let running = try keys()
    let before = try running.authenticationCode("a", [])
    try StateFile.replace(path: state.secretPath, mode: 0o600, contents: [1])
    #expect(throws: ServerError.self) { try running.reload(from: self.state) }
    #expect(try running.authenticationCode("a", []) == before)
  }

  @Test func `'keys list' names each key by an id that reveals nothing about it`() throws {
    let keys = try keys()
    _ = try state.secrets.rotate(now: clock.now, from: clock.now + 60)
    try keys.reload(from: state)
    let lines = KeyList.lines(keys, now: clock.now).map { $0.split(separator: "\t").map(String.init) }
    #expect(lines.map { $0[0] } == ["kind", "secret", "secret", "verdict", "audit", "machine"])
    #expect(lines.map { $0[3] } == ["use", "in-use", "to-come", "in-use", "in-use", "in-use"])
    #expect(lines[1][1].count == 8 && lines[3][1] == keys.verdictKey.id)
    // Machines were told the end of a verdict key by its id, so an administrator must be able to find it.
    let old = keys.verdictKey.id
    _ = try state.verdictKeys.rotate(now: clock.now, from: clock.now + 60)
    try keys.reload(from: state)
    clock.advance(seconds: 60 + KeyOverlap.seconds)
    #expect(KeyList.text(keys, now: clock.now).contains("verdict \(old) ended, verdict \(keys.verdictKey.id) in-use"))
    let objects = KeyList.objects(keys, now: clock.now)
    #expect(
      objects.filter { $0["use"] == .string("ended") }.map { $0["kind"] } == [.string("secret"), .string("verdict")])
    #expect(KeyList.facts(keys, now: clock.now).count { $0.use == .ended } == 2)
  }
}
