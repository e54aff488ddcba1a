import AuthenticatorTypes
import Foundation
import SecretMemory
import Testing
import UAFCrypto

@testable import Authenticator

/// The stand-in for an account that does not exist.
@Suite struct StandInTests {
  private let folder = StateFolder()
  private let cost = Scrypt.Parameters(logN: 4, r: 8, p: 1)

  private func isWrong(_ text: String, in directory: borrowing StateDirectory) throws -> Bool {
    let slot = try #require(try DerivationSlotBox(directory))
    let outcome = try AccountFile.standIn(.passcode, cost: cost, in: directory).verify(
      Secret(copying: Array(text.utf8).span), for: .passcode, from: .remote,
      at: BootTime(bootID: [1], nanoseconds: 0, wallSeconds: 0), policy: .localDefault, in: directory,
      holding: slot.slot)
    guard case .wrong = outcome else { return false }
    return true
  }

  @Test func `a stand-in for an unknown account accepts no secret`() throws {
    let directory = try folder.initialised()
    for value in ["", "correct", "00000000", String(repeating: "x", count: 1024)] {
      #expect(try isWrong(value, in: directory))
    }
  }

  @Test func `a stand-in for an unknown account exists only in memory, and is different each time`() throws {
    let directory = try folder.initialised()
    let first = try #require(try AccountFile.standIn(.passcode, cost: cost, in: directory).authenticator(.passcode))
    let second = try #require(try AccountFile.standIn(.passcode, cost: cost, in: directory).authenticator(.passcode))
    #expect(first.salt != second.salt && first.sealedKey != second.sealedKey)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.state + "/accounts").isEmpty)
  }

  @Test func `a stand-in for an unknown account costs the same derivation as a real one, and is as long`() throws {
    let directory = try folder.initialised()
    let slot = try #require(try DerivationSlotBox(directory))
    let real = try AccountFile.enrol(
      Secret(copying: [1].span), for: .passcode,
      identity: AccountIdentity(uid: 1, name: [], serverUserName: ""), cost: cost, in: directory, holding: slot.slot
    ).enrolled
    let standIn = try #require(try AccountFile.standIn(.passcode, cost: cost, in: directory).authenticator(.passcode))
    #expect(standIn.cost == cost && standIn.sealedKey.count == real.sealedKey.count)
    #expect(standIn.salt.count == real.salt.count && standIn.nonce.count == real.nonce.count)
  }
}
