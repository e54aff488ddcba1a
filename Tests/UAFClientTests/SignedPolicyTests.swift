import Testing
import UAFCrypto
import UAFMessages

@testable import UAFClient

/// Which workstation policies a machine accepts as signed by the server for this machine.
@Suite final class SignedPolicyTests {
  private static let now: Int64 = 1_800_000_000

  /// The contents and signature of a token, which tests change one by one.
  struct Making {
    var header = #"{"alg":"ES256","typ":"workstation-policy+jwt"}"#
    var deviceID = "d-1"
    var group = MachineGroup.standard
    var version: Int64 = 7
    var text = "[passcode]\nmin_length = 12\n"
    var issuedAt = SignedPolicyTests.now
    var notBefore = SignedPolicyTests.now
    var expiresAt = SignedPolicyTests.now + WorkstationPolicy.standardLifetime
  }

  private let keyPair: P256.KeyPair

  init() throws { keyPair = try P256.generate() }

  private func token(_ making: Making = Making()) throws -> [UInt8] {
    let policy = WorkstationPolicy(
      deviceID: making.deviceID, group: making.group, version: making.version, text: making.text,
      issuedAt: making.issuedAt, notBefore: making.notBefore, expiresAt: making.expiresAt)
    return try token(making.header, policy.json.bytes)
  }

  private func token(_ header: String, _ claims: [UInt8]) throws -> [UInt8] {
    let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(claims)
    let signature = try P256.sign(Array(signed.utf8), privateKey: keyPair.privateKey)
    return Array((signed + "." + Base64URL.encode(signature)).utf8)
  }

  private static let expected = SignedPolicy.Expectation(
    deviceID: "d-1", group: "default", lowestVersion: 7, joinedAt: now - 10)

  /// Why a policy is refused; nil if it is accepted.
  private func fault(_ token: [UInt8], keys: [[UInt8]]? = nil, now: Int64 = now) -> SignedPolicy.Fault? {
    do throws(SignedPolicy.Fault) {
      _ = try SignedPolicy.receive(token, for: Self.expected, publicKeys: keys ?? [keyPair.publicKey], now: now)
      return nil
    } catch { return error }
  }

  @Test func `accepts a policy for this machine, group and time, and the same policy a second time`() throws {
    let token = try token()
    #expect(fault(token) == nil)
    #expect(fault(token) == nil, "the same version is no older one")
    #expect(try fault(self.token(Making(version: 8))) == nil)
    let policy = try SignedPolicy.read(token, for: Self.expected, publicKeys: [keyPair.publicKey])
    #expect(policy.version == 7 && policy.text.contains("min_length"))
  }

  @Test func `a policy needs the signature of one of the configured keys, and any other key's is refused`() throws {
    let other = try P256.generate().publicKey
    #expect(try fault(token(), keys: [other, keyPair.publicKey]) == nil)
    #expect(try fault(token(), keys: [other]) == .unsigned)
    #expect(try fault(token(), keys: []) == .unsigned)
  }

  @Test(arguments: [
    #"{"alg":"none","typ":"workstation-policy+jwt"}"#, #"{"alg":"HS256","typ":"workstation-policy+jwt"}"#,
    #"{"alg":"ES256"}"#, #"{"alg":"ES256","typ":"JWT"}"#, #"{"alg":"ES256","typ":"machine-join+jwt"}"#,
    #"{"alg":"ES256","typ":"Workstation-Policy+JWT"}"#, #"{"alg":"ES256","crit":[],"typ":"workstation-policy+jwt"}"#,
  ]) func `refuses a signed token of another type as a policy`(_ header: String) throws {
    #expect(try fault(token(Making(header: header))) == .unsigned)
  }

  @Test func `refuses a policy without a signature`() throws {
    let parts = try token().split(separator: UInt8(ascii: "."))
    #expect(fault(Array(parts[0] + [0x2e] + parts[1] + [0x2e])) == .unsigned)
    #expect(fault(Array(parts[0] + [0x2e] + parts[1])) == .unsigned)
    #expect(fault([]) == .unsigned)
  }

  @Test func `refuses a policy for another machine or group, or one that is older than the stored one`() throws {
    #expect(try fault(token(Making(deviceID: "d-2"))) == .otherMachine)
    #expect(try fault(token(Making(deviceID: "D-1"))) == .otherMachine)
    let lab = try #require(MachineGroup("lab"))
    #expect(try fault(token(Making(group: lab))) == .otherGroup)
    #expect(try fault(token(Making(version: 6))) == .older)
  }

  @Test func `refuses a policy that was signed before the machine joined`() throws {
    #expect(try fault(token(Making(issuedAt: Self.now - 10))) == nil)
    #expect(try fault(token(Making(issuedAt: Self.now - 11))) == .beforeJoin)
  }

  @Test func `refuses a policy that has expired or is not valid yet, with a minute's tolerance between clocks`() throws
  {
    let token = try token(Making(expiresAt: Self.now + 100))
    #expect(fault(token, now: Self.now + 160) == nil)
    #expect(fault(token, now: Self.now + 161) == .expired)
    #expect(fault(token, now: Self.now - 60) == nil)
    #expect(fault(token, now: Self.now - 61) == .notYetValid)
  }

  @Test func `a stored policy expires one minute after its end`() throws {
    let policy = try SignedPolicy.read(
      token(Making(expiresAt: Self.now + 100)), for: Self.expected, publicKeys: [keyPair.publicKey])
    #expect(!SignedPolicy.hasExpired(policy, now: Self.now + 160))
    #expect(SignedPolicy.hasExpired(policy, now: Self.now + 161))
  }

  @Test func `refuses a policy text of 17 KiB, one that is not UTF-8, and a token of more than 24 KiB`() throws {
    #expect(try fault(token(Making(text: String(repeating: "#", count: 16_384)))) == nil)
    #expect(try fault(token(Making(text: String(repeating: "#", count: 17_408)))) == .malformed)
    #expect(try fault(token(Making(text: String(repeating: "#", count: 19_000)))) == .tooLong)
    var claims = WorkstationPolicy(
      deviceID: "d-1", group: .standard, version: 7, text: "#x", issuedAt: Self.now, notBefore: Self.now,
      expiresAt: Self.now + 86_400
    ).json.bytes
    let place = try #require(claims.firstIndex(of: UInt8(ascii: "#")))
    claims[place] = 0xFF
    #expect(try fault(token(Making().header, claims)) == .unsigned)
  }

  @Test func `refuses a signed policy that was cut anywhere or has any bit flipped`() throws {
    let whole = try token()
    for count in 0..<whole.count { #expect(fault(Array(whole.prefix(count))) != nil, "\(count) bytes") }
    #expect(fault(whole + [0x41]) != nil)
    for bit in 0..<(whole.count * 8) {
      var changed = whole
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(fault(changed) == .unsigned, "bit \(bit)")
    }
  }
}
