import SecretMemory
import UAFCrypto

@testable import Authenticator

/// Keeps shares with the secrets that open them, and records each request.
final class RecordedKeeper: ShareKeeper {
  var cost: Scrypt.Parameters? = Scrypt.Parameters(logN: 4, r: 8, p: 1)
  var (hasRoom, isAway, isExhausted, demandsShare) = (true, false, false, false)
  var events: [String] = []
  var lost: Set<UInt8> = []
  var whileMaking: (() throws -> Void)?
  private var values: [[UInt8]] = []

  private static func bytes(_ secret: borrowing Secret) -> [UInt8] {
    secret.withBytes { span in span.indices.map { span[$0] } }
  }

  private static func share(_ number: UInt8) throws(StateError) -> Secret {
    guard let share = try? Secret(copying: [UInt8](repeating: number, count: 32).span) else { throw .cryptography }
    return share
  }

  func allowNone() throws(StateError) {
    guard !demandsShare else { throw .share }
  }

  func make(
    _ values: borrowing Secret, for type: String, of uid: UInt32, mark: [UInt8]
  ) throws(StateError) -> NewShare? {
    guard !isAway else { throw .share }
    guard hasRoom else { return nil }
    self.values.append(Self.bytes(values))
    let number = UInt8(self.values.count)
    events.append("make \(number)")
    do { try whileMaking?() } catch { throw .damaged }
    return NewShare(try Self.share(number), kept: [number])
  }

  func open(_ kept: [UInt8], with values: borrowing Secret) throws(StateError) -> OpenedShare {
    guard !isAway else { throw .share }
    guard !isExhausted else { return .exhausted }
    guard self.values[Int(kept[0]) - 1] == Self.bytes(values) else { return .wrong }
    return .opened(try Self.share(kept[0]))
  }

  func openInVain(_ values: borrowing Secret) { events.append("in vain") }
  func tellNoCopy(for type: String) { events.append("no copy") }
  func holds(_ kept: [UInt8]) throws(StateError) -> Bool {
    guard !isAway else { throw .share }
    return !lost.contains(kept[0])
  }
  func clear(_ kept: [UInt8], for type: String, of uid: UInt32) { events.append("clear \(kept[0])") }
  func remove(_ kept: [UInt8]) { events.append("remove \(kept[0])") }
  func remove(marked mark: [UInt8], but kept: [UInt8]?) { events.append("remove all but \(kept?.first ?? 0)") }
}
