import Foundation
import Invocation
import ProgramTesting
import Testing
import UAFCrypto
import UAFMessages
import UAFService

@testable import ServerTesting
@testable import UAFServer

/// `uaf-server keys finish` and `authority`, as programs: they refuse while machines lack what is going to be used.
struct FinishedRotationTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "finish-\(UUID().uuidString)")

  private func run(_ arguments: [String]) throws -> (status: Int32, notes: String, results: String) {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let path = URL(filePath: own).deletingLastPathComponent().appending(path: "uaf-server").path(percentEncoded: false)
    let (results, notes) = (Pipe(), Pipe())
    let program = try StartedProgram(
      [path] + arguments + ["--state", folder.path()], input: .file(.nullDevice), output: .pipe(results),
      errors: .pipe(notes))
    let output = results.fileHandleForReading.readDataToEndOfFile()
    let told = notes.fileHandleForReading.readDataToEndOfFile()
    return (program.wait(), String(decoding: told, as: UTF8.self), String(decoding: output, as: UTF8.self))
  }

  /// A state folder with keys, and a store in which machines with these names have joined.
  private func state(_ machines: [String]) async throws -> (directory: ServerDirectory, store: any ServerStore) {
    let directory = try ServerDirectory(path: folder.path(), create: true)
    _ = try ServerKeys(state: directory, now: { Terminal.now })
    let store = try directory.openStore(create: true)
    try await store.write { records in
      let code = try records.joinCodes.add(
        "code", group: "lab", machines: 9, by: "test", now: Terminal.now, expiresAt: Terminal.now + 900)
      for (index, name) in machines.enumerated() {
        let machine = JoinedMachine(
          codeNumber: code, id: "d\(index)", name: name, model: nil, system: nil, group: "lab", joinedAt: Terminal.now)
        try records.joinedMachines.keep(machine, machineID: Array(repeating: UInt8(index), count: 16))
      }
    }
    return (directory, store)
  }

  private func rows(_ store: any ServerStore) async throws -> [String] {
    try await store.read { try $0.audit.rows(AuditFilter(), limit: 99) }.map(\.event)
      .filter { $0.kind == .keyRotation }.map(\.detail)
  }

  @Test
  func `a rotation is not finished while machines lack the key, which the refusal names, and is once all have it`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (directory, store) = try await state(["desk-1", "desk-2"])
    let nothing = try run(["keys", "finish", "verdict"])
    #expect(nothing.status == ExitStatus.refused.rawValue && nothing.notes.contains("no key waits"), "\(nothing)")
    let rotated = try run(["keys", "rotate", "verdict"])
    #expect(rotated.status == 0 && rotated.notes.contains("2 joined machines lack key"), "\(rotated)")
    let coming = try #require(ServerKeys(state: directory, now: { Terminal.now }).comingVerdictKeys.last)
    try await store.write { try $0.machineTrusts.note(KnownTrust(verdictKeys: [coming.id], authorities: []), of: "d0") }
    let before = try StateFile.read(path: directory.verdictKeyPath, isSecret: true)
    let refused = try run(["keys", "finish", "verdict"])
    #expect(refused.status == ExitStatus.refused.rawValue)
    #expect(
      refused.notes.hasPrefix(
        "uaf-server: 1 joined machine seen in the last 30 days lacks verdict key \(coming.id): desk-2."),
      "\(refused.notes)")
    #expect(refused.notes.contains(Terminal.time(coming.from)))
    #expect(try StateFile.read(path: directory.verdictKeyPath, isSecret: true) == before)
    let status = try run(["keys", "status"])
    #expect(
      status.results.contains("verdict-key\t\(coming.id)\t\(Terminal.time(coming.from))\t1\tdesk-2\n"), "\(status)")
    let list = try run(["machines", "--lacks", coming.id, "--json"])
    #expect(list.results.contains(#""device":"d1""#) && !list.results.contains(#""device":"d0""#), "\(list)")
    try await store.write { try $0.machineTrusts.note(KnownTrust(verdictKeys: [coming.id], authorities: []), of: "d1") }
    let finished = try run(["keys", "finish", "verdict"])
    #expect(finished.status == 0, "\(finished)")
    #expect(try ServerKeys(state: directory, now: { Terminal.now }).verdictKey.id == coming.id)
    let row = try #require(try await rows(store).last)
    #expect(row.contains(#""kind":"verdict""#) && !row.contains("anyway"), "\(row)")
    #expect(try run(["keys", "status"]).results == "kind\tname\tused-from\tlacking\tmachines\n")
  }

  @Test func `a rotation is finished although machines lack the key only with a reason, which the audit keeps`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (directory, store) = try await state(["desk-1"])
    #expect(try run(["keys", "rotate", "verdict"]).status == 0)
    #expect(try run(["keys", "finish", "verdict", "--anyway"]).status == ExitStatus.usage.rawValue)
    let forced = try run(["keys", "finish", "verdict", "--anyway", "--reason", "the old key was stolen"])
    #expect(forced.status == 0, "\(forced)")
    #expect(try ServerKeys(state: directory, now: { Terminal.now }).comingVerdictKeys.isEmpty)
    let row = try #require(try await rows(store).last)
    #expect(
      row.contains(#""anyway":true"#) && row.contains(#""lacking":1"#) && row.contains("the old key was stolen"),
      "\(row)")
  }

  @Test func `a secret is finished without asking machines`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (directory, _) = try await state(["desk-1"])
    #expect(try run(["keys", "rotate", "secret"]).status == 0)
    #expect(try run(["keys", "finish", "secret"]).status == 0)
    #expect(try directory.secrets.ring().entries.allSatisfy { $0.from <= Terminal.now })
  }

  // MARK: Authorities

  private func authority(_ name: String) throws -> (path: String, fingerprint: String) {
    let made = try DevelopmentCertificate.make(
      commonName: name, dnsNames: ["localhost"], ipAddresses: [], notBefore: 1_700_000_000, notAfter: 4_000_000_000)
    let path = folder.appending(path: "\(name).pem").path(percentEncoded: false)
    try Data(made.authorityPEM).write(to: URL(filePath: path))
    return (path, Hexadecimal.text(try SHA256.hash(X509.certificates(pem: made.authorityPEM)[0])))
  }

  @Test func `an authority is announced, not used while machines lack it, and ended when another one is used`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (_, store) = try await state(["desk-1"])
    let (first, second) = (try authority("first"), try authority("second"))
    let announced = try run(["authority", "announce", first.path])
    #expect(announced.status == 0 && announced.results == "\(first.fingerprint)\n", "\(announced)")
    #expect(announced.notes.hasPrefix("uaf-server: 1 joined machine lacks it; machines learn it"), "\(announced)")
    let refused = try run(["authority", "finish", first.fingerprint])
    #expect(
      refused.status == ExitStatus.refused.rawValue
        && refused.notes.contains("lacks authority \(first.fingerprint): desk-1."),
      "\(refused)")
    try await store.write {
      try $0.machineTrusts.note(KnownTrust(verdictKeys: [], authorities: [first.fingerprint]), of: "d0")
    }
    // As openssl prints it.
    let digits = Array(first.fingerprint.uppercased())
    let printed = stride(from: 0, to: digits.count, by: 2).map { String(digits[$0...($0 + 1)]) }.joined(separator: ":")
    #expect(try run(["authority", "finish", printed]).status == 0, "\(printed)")
    let last = try run(["authority", "end", first.fingerprint])
    #expect(last.status == ExitStatus.refused.rawValue && last.notes.contains("used last"), "\(last)")
    #expect(try run(["authority", "announce", second.path, "--in", "0"]).status == 0)
    // Used from the same second on, each may be the one that was used last.
    let uses = try await store.read { try $0.machineTrusts.authorities().map(\.usedFrom).max() ?? 0 }
    try await store.write { records in
      for name in [first.fingerprint, second.fingerprint] { _ = try records.machineTrusts.use(name, from: uses) }
    }
    for name in [first.fingerprint, second.fingerprint] {
      #expect(try run(["authority", "end", name]).status == ExitStatus.refused.rawValue, "\(name)")
    }
    try await store.write { _ = try $0.machineTrusts.use(first.fingerprint, from: uses - 1) }
    // A server of this store still has a certificate of it.
    try await store.write { try ServedAuthorities.note([first.fingerprint], in: $0, now: Terminal.now) }
    let served = try run(["authority", "end", first.fingerprint, "--anyway", "--reason", "stolen"])
    #expect(
      served.status == ExitStatus.refused.rawValue
        && served.notes.contains("has a certificate of \(first.fingerprint)"),
      "\(served)")
    try await store.write { try ServedAuthorities.note([], in: $0, now: Terminal.now + ServedAuthorities.lately) }
    let ended = try run(["authority", "end", first.fingerprint.uppercased()])
    #expect(ended.status == 0 && ended.notes.contains("\(first.fingerprint) has ended"), "\(ended)")
    let list = try run(["authority", "list"])
    let lines = list.results.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    #expect(lines.count == 3 && lines.contains { $0[0] == first.fingerprint && $0[3] != "-" }, "\(list)")
    #expect(lines.contains { $0[0] == second.fingerprint && $0[3] == "-" }, "\(list)")
    #expect(try await rows(store).count == 4)
  }

  @Test func `an authority that has ended is announced again only with --again`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (_, store) = try await state(["desk-1"])
    let (one, other) = (try authority("one"), try authority("other"))
    #expect(try run(["authority", "announce", one.path]).status == 0)
    #expect(try run(["authority", "announce", other.path]).status == 0)
    #expect(try run(["authority", "end", one.fingerprint]).status == 0)
    let refused = try run(["authority", "announce", one.path])
    #expect(refused.status == ExitStatus.refused.rawValue && refused.notes.contains("give --again"), "\(refused)")
    #expect(try await store.read { try $0.machineTrusts.authorities().filter { $0.endedAt == nil }.count } == 1)
    #expect(try run(["authority", "announce", one.path, "--again"]).status == 0)
    #expect(try await store.read { try $0.machineTrusts.authorities().filter { $0.endedAt == nil }.count } == 2)
    #expect(try run(["authority", "announce", other.path]).status == 0)
  }

  @Test
  func `refuses to finish an authority while machines learn none, unless a reason is given, which the audit keeps`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (_, store) = try await state(["desk-1"])
    try await store.write { try $0.machineTrusts.note(KnownTrust(verdictKeys: [], authorities: []), of: "d0") }
    let one = try authority("one")
    let announced = try run(["authority", "announce", one.path])
    #expect(announced.notes.contains("1 joined machine learns no authorities"), "\(announced)")
    let status = try run(["keys", "status"])
    #expect(status.results.contains("\t0\t-\n") && status.notes.contains("learn no authorities: 1"), "\(status)")
    let refused = try run(["authority", "finish", one.fingerprint])
    #expect(refused.status == ExitStatus.refused.rawValue, "\(refused)")
    #expect(refused.notes.contains("1 joined machine learns no authorities") && refused.notes.contains("--anyway"))
    let finished = try run(["authority", "finish", one.fingerprint, "--anyway", "--reason", "looked at desk-1"])
    #expect(finished.status == 0 && finished.notes.contains("1 joined machine learns no authorities"), "\(finished)")
    let row = try #require(try await rows(store).last)
    #expect(row.contains(#""anyway":true,"lacking":0,"learningNone":1,"reason":"looked at desk-1""#), "\(row)")
  }

  @Test func `refuses to announce the server's own certificate, and names the mistake`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (_, store) = try await state([])
    let made = try DevelopmentCertificate.make(
      commonName: "leaf", dnsNames: ["localhost"], ipAddresses: [], notBefore: 1_700_000_000, notAfter: 4_000_000_000)
    let path = folder.appending(path: "leaf.pem").path(percentEncoded: false)
    try Data(made.certificatePEM).write(to: URL(filePath: path))
    let refused = try run(["authority", "announce", path])
    #expect(refused.status == ExitStatus.usage.rawValue && refused.notes.contains("no authority (CA)"), "\(refused)")
    #expect(try await store.read { try $0.machineTrusts.authorities() }.isEmpty)
  }

  @Test func `an instance notes the authority of its certificate, and nothing where none was announced`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (directory, store) = try await state([])
    let keys = try ServerKeys(state: directory, now: { 100 })
    let made = try DevelopmentCertificate.make(
      commonName: "own", dnsNames: ["localhost"], ipAddresses: [], notBefore: 1_700_000_000, notAfter: 4_000_000_000)
    let served = ServedChain()
    let follower = TrustFollower(figures: TrustFigures(), store: store, keys: keys, served: served, now: { 100 })
    served.set(try X509.certificates(pem: made.certificatePEM))
    try await follower.noteServed()
    #expect(try await store.read { try $0.settings.value(of: .servedAuthorities) } == nil)
    let certificate = try X509.certificates(pem: made.authorityPEM)[0]
    try await store.write {
      try $0.machineTrusts.announce(
        AnnouncedAuthority(
          fingerprint: "own", certificate: certificate, announcedBy: "test", announcedAt: 1, usedFrom: 2))
    }
    try await follower.noteServed()
    #expect(try await store.read { try ServedAuthorities(in: $0).fingerprints } == ["own"])
  }

  @Test
  func `refuses to announce what is no single certificate, and to finish or end an authority that was never announced`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (_, store) = try await state([])
    let (one, other) = (try authority("one"), try authority("other"))
    let both = folder.appending(path: "both.pem").path(percentEncoded: false)
    try (Data(contentsOf: URL(filePath: one.path)) + Data(contentsOf: URL(filePath: other.path)))
      .write(to: URL(filePath: both))
    let none = folder.appending(path: "none.pem").path(percentEncoded: false)
    try Data("nothing".utf8).write(to: URL(filePath: none))
    for path in [both, none, "/nonexistent"] {
      #expect(try run(["authority", "announce", path]).status == ExitStatus.usage.rawValue, "\(path)")
    }
    for command in ["finish", "end"] {
      #expect(try run(["authority", command, one.fingerprint]).status == ExitStatus.refused.rawValue, "\(command)")
    }
    for number in 1...4 { #expect(try run(["authority", "announce", authority("a\(number)").path]).status == 0) }
    #expect(try run(["authority", "announce", one.path]).status == ExitStatus.refused.rawValue)
    #expect(try await store.read { try $0.machineTrusts.authorities().count } == 4)
  }
}
