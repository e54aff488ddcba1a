import AuthenticatorTypes
import SecretMemory
import Testing
import UAFCrypto

@testable import Authenticator

/// The seal of the password of a person's keyring.
@Suite struct KeyringRecordTests {
  private let folder = StateFolder()
  private let identity = AccountIdentity(uid: 4242, name: Array("mina".utf8), serverUserName: "mina")

  private func unlocked(
    _ type: AuthenticatorType = .passcode, of identity: AccountIdentity? = nil, in directory: borrowing StateDirectory
  ) throws -> UnlockedAuthenticator {
    let slot = try #require(try DerivationSlotBox(directory))
    return try AccountFile.enrol(
      Secret(copying: Array("correct".utf8).span), for: type, identity: identity ?? self.identity,
      cost: Scrypt.Parameters(logN: 4, r: 8, p: 1), in: directory, holding: slot.slot)
  }

  private func secret(_ bytes: [UInt8]) throws -> Secret { try Secret(copying: bytes.span) }

  private func bytes(_ secret: borrowing Secret) -> [UInt8] {
    secret.withBytes { span in span.indices.map { span[$0] } }
  }

  private func opened(_ record: KeyringRecord, with unlocked: borrowing UnlockedAuthenticator) throws -> [UInt8]? {
    guard let password = try record.open(with: unlocked) else { return nil }
    return bytes(password)
  }

  private func sealed(
    _ password: [UInt8], with unlocked: borrowing UnlockedAuthenticator
  ) throws -> KeyringRecord {
    guard let record = try KeyringRecord.seal(secret(password), with: unlocked) else { throw StateError.absent }
    return record
  }

  private func refusal(_ body: () throws -> Void) -> StateError? {
    do { try body() } catch { return error as? StateError }
    return nil
  }

  @Test(arguments: [1, 2, 255, 256, 511, 512])
  func `a password of any length opens again, and the record's length does not tell it`(_ count: Int) throws {
    let directory = try folder.initialised()
    let unlocked = try unlocked(in: directory)
    let password = (0..<count).map { UInt8($0 % 255 + 1) }
    let record = try sealed(password, with: unlocked)
    let read = try KeyringRecord(record: record.record)
    #expect(read == record && record.record.count == 1 + 1 + 2 + 12 + 2 + 514 + 16)
    let back = try opened(read, with: unlocked)
    #expect(back == password)
  }

  @Test func `refuses a password that is empty, too long, or has a NUL`() throws {
    let directory = try folder.initialised()
    let unlocked = try unlocked(in: directory)
    for bad in [[], [UInt8](repeating: 1, count: 513), [1, 0, 1]] as [[UInt8]] {
      let record = try KeyringRecord.seal(secret(bad), with: unlocked)
      #expect(record == nil)
    }
  }

  @Test func `two seals of the same password differ`() throws {
    let directory = try folder.initialised()
    let unlocked = try unlocked(in: directory)
    let (one, other) = (try sealed([1, 2], with: unlocked), try sealed([1, 2], with: unlocked))
    #expect(one != other)
  }

  @Test func `refuses the seal of a different key, authenticator type or account`() throws {
    let directory = try folder.initialised()
    let own = try unlocked(in: directory)
    let record = try sealed([1, 2], with: own)
    let again = try unlocked(in: directory)
    let other = try unlocked(.pattern, in: directory)
    let stranger = try unlocked(
      of: AccountIdentity(uid: 4242, name: Array("juno".utf8), serverUserName: "mina"), in: directory)
    #expect(refusal { _ = try opened(record, with: again) } == .damaged)
    #expect(refusal { _ = try opened(record, with: other) } == .damaged)
    #expect(refusal { _ = try opened(record, with: stranger) } == .damaged)
  }

  @Test func `refuses a seal of which any byte was changed`() throws {
    let directory = try folder.initialised()
    let unlocked = try unlocked(in: directory)
    let record = try sealed([1, 2, 3], with: unlocked)
    guard case .sealed(let nonce, let password) = record else { throw StateError.damaged }
    for index in password.indices {
      var changed = password
      changed[index] ^= 0x80
      let other = KeyringRecord.sealed(nonce: nonce, password: changed)
      #expect(refusal { _ = try opened(other, with: unlocked) } == .damaged)
    }
  }

  @Test func `refuses a record of another version, or with anything left over`() throws {
    let directory = try folder.initialised()
    let unlocked = try unlocked(in: directory)
    let record = try sealed([1], with: unlocked).record
    #expect(throws: StateError.damaged) { try KeyringRecord(record: [2] + record.dropFirst()) }
    #expect(throws: StateError.damaged) { try KeyringRecord(record: record + [1]) }
    for count in record.indices {
      #expect(throws: StateError.damaged) { try KeyringRecord(record: Array(record.prefix(count))) }
    }
    #expect(try KeyringRecord(record: KeyringRecord.declined.record) == .declined)
  }

  @Test func `a private key of the authenticator does not open as a password, and the reverse`() throws {
    let directory = try folder.initialised()
    let unlocked = try unlocked(in: directory)
    let key = try unlocked.makeKey(appID: "example.com")
    let other = KeyringRecord.sealed(nonce: key.nonce, password: key.sealedPrivateKey)
    #expect(refusal { _ = try opened(other, with: unlocked) } == .damaged)
  }
}
