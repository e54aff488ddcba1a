import AuthenticatorTypes
import SecretMemory
import Testing
import UAFCrypto

@testable import Authenticator

/// UAF keys and WebAuthn keys of one authenticator, side by side.
@Suite struct KeyProtocolTests {
  private let folder = StateFolder()
  private let identity = AccountIdentity(uid: 4242, name: Array("mina".utf8), serverUserName: "mina")
  private let message: [UInt8] = [1, 2, 3]

  private func unlocked(in directory: borrowing StateDirectory) throws -> UnlockedAuthenticator {
    let slot = try #require(try DerivationSlotBox(directory))
    return try AccountFile.enrol(
      Secret(copying: Array("correct".utf8).span), for: .passcode, identity: identity,
      cost: Scrypt.Parameters(logN: 4, r: 8, p: 1), in: directory, holding: slot.slot)
  }

  private func refusal(_ body: () throws -> Void) -> StateError? {
    do { try body() } catch { return error as? StateError }
    return nil
  }

  /// A copy of the record with a different protocol, user handle or algorithm.
  private func changed(
    _ key: RegisteredKey, _ keyProtocol: KeyProtocol, _ algorithm: KeyAlgorithm? = nil, userHandle: [UInt8]
  ) -> RegisteredKey {
    RegisteredKey(
      type: key.type, keyProtocol: keyProtocol, algorithm: algorithm ?? key.algorithm, appID: key.appID,
      userHandle: userHandle, keyID: key.keyID,
      publicKey: key.publicKey, nonce: key.nonce, sealedPrivateKey: key.sealedPrivateKey)
  }

  @Test func `a UAF key signs for UAF, and a WebAuthn key for WebAuthn`() throws {
    let directory = try folder.initialised()
    let unlocked = try unlocked(in: directory)
    for keyProtocol in [KeyProtocol.uaf, .webAuthn] {
      let key = try unlocked.makeKey(keyProtocol, appID: "example.com", userHandle: [7])
      let signature = try unlocked.sign(message, with: key, as: keyProtocol)
      #expect(P256.isValidSignature(signature, of: message, publicKey: key.publicKey))
    }
  }

  @Test func `a UAF key never signs for WebAuthn, and a WebAuthn key never for UAF`() throws {
    let directory = try folder.initialised()
    let unlocked = try unlocked(in: directory)
    let (uaf, webAuthn) = (
      try unlocked.makeKey(appID: "example.com"), try unlocked.makeKey(.webAuthn, appID: "example.com")
    )
    #expect(refusal { _ = try unlocked.sign(message, with: uaf, as: .webAuthn) } == .damaged)
    #expect(refusal { _ = try unlocked.sign(message, with: webAuthn, as: .uaf) } == .damaged)
  }

  @Test func `a key does not open if its record was changed to name the other protocol`() throws {
    let directory = try folder.initialised()
    let unlocked = try unlocked(in: directory)
    let relabelled = changed(try unlocked.makeKey(appID: "example.com"), .webAuthn, userHandle: [])
    #expect(refusal { _ = try unlocked.sign(message, with: relabelled, as: .webAuthn) } == .damaged)
    let back = changed(try unlocked.makeKey(.webAuthn, appID: "example.com"), .uaf, userHandle: [])
    #expect(refusal { _ = try unlocked.sign(message, with: back, as: .uaf) } == .damaged)
  }

  @Test func `a WebAuthn key of Ed25519 signs by that algorithm`() throws {
    let directory = try folder.initialised()
    let unlocked = try unlocked(in: directory)
    let key = try unlocked.makeKey(.webAuthn, .ed25519, appID: "example.com", userHandle: [7])
    let signature = try unlocked.sign(message, with: key, as: .webAuthn)
    #expect(Ed25519.isValidSignature(signature, of: message, publicKey: key.publicKey))
    #expect(refusal { _ = try unlocked.sign(message, with: key, as: .uaf) } == .damaged)
    let other = try unlocked.makeKey(.webAuthn, .ed25519, appID: "example.com", userHandle: [7])
    #expect(other.publicKey != key.publicKey && key.publicKey.count == 32)
  }

  @Test func `a key does not open if its record was changed to name the other algorithm`() throws {
    let directory = try folder.initialised()
    let unlocked = try unlocked(in: directory)
    for (algorithm, other) in [(KeyAlgorithm.es256, KeyAlgorithm.ed25519), (.ed25519, .es256)] {
      let key = try unlocked.makeKey(.webAuthn, algorithm, appID: "example.com", userHandle: [7])
      let relabelled = changed(key, .webAuthn, other, userHandle: [7])
      #expect(refusal { _ = try unlocked.sign(message, with: relabelled, as: .webAuthn) } == .damaged)
    }
  }

  @Test func `makes no key of Ed25519 for UAF`() throws {
    let directory = try folder.initialised()
    let unlocked = try unlocked(in: directory)
    #expect(refusal { _ = try unlocked.makeKey(.uaf, .ed25519, appID: "example.com") } == .cryptography)
  }

  @Test func `a WebAuthn credential does not open with the user handle of a different account`() throws {
    let directory = try folder.initialised()
    let unlocked = try unlocked(in: directory)
    let key = try unlocked.makeKey(.webAuthn, appID: "example.com", userHandle: [7])
    let other = changed(key, .webAuthn, userHandle: [8])
    #expect(refusal { _ = try unlocked.sign(message, with: other, as: .webAuthn) } == .damaged)
  }

  @Test func `the record of a UAF key keeps its old format, and that of a WebAuthn credential has its own`() throws {
    let directory = try folder.initialised()
    let unlocked = try unlocked(in: directory)
    let uaf = try unlocked.makeKey(appID: "example.com")
    #expect(uaf.record.first == 1)
    #expect(try RegisteredKey(record: uaf.record) == uaf)
    let credential = try unlocked.makeKey(.webAuthn, appID: "example.com", userHandle: [7, 8])
    #expect(credential.record.first == 2)
    #expect(try RegisteredKey(record: credential.record) == credential)
    let edwards = try unlocked.makeKey(.webAuthn, .ed25519, appID: "example.com", userHandle: [7, 8])
    #expect(edwards.record.first == 3)
    #expect(try RegisteredKey(record: edwards.record) == edwards)
  }

  @Test func `refuses the record of a key of Ed25519 that was cut, or that names another protocol or algorithm`() throws
  {
    let directory = try folder.initialised()
    let key = try unlocked(in: directory).makeKey(.webAuthn, .ed25519, appID: "example.com", userHandle: [7])
    let record = key.record
    for count in 0..<record.count {
      #expect(refusal { _ = try RegisteredKey(record: Array(record[..<count])) } == .damaged)
    }
    // The algorithm's byte is the last one; the protocol's comes before the handle, as below.
    for (offset, others) in [(1, [0, 1, 3, 255] as [UInt8]), (5, [0, 1, 3])] {
      for other in others {
        var changed = record
        changed[record.count - offset] = other
        #expect(refusal { _ = try RegisteredKey(record: changed) } == .damaged)
      }
    }
  }

  @Test func `refuses a key's record that was cut, or that names an unknown protocol`() throws {
    let directory = try folder.initialised()
    let record = try unlocked(in: directory).makeKey(.webAuthn, appID: "example.com", userHandle: [7]).record
    for count in 0..<record.count {
      #expect(refusal { _ = try RegisteredKey(record: Array(record[..<count])) } == .damaged)
    }
    for other: UInt8 in [0, 1, 3] {
      var changed = record
      // The protocol's byte comes before the handle, which has two bytes of length and one byte of content.
      changed[record.count - 4] = other
      #expect(refusal { _ = try RegisteredKey(record: changed) } == .damaged)
    }
  }
}
