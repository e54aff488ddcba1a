import UAFCrypto
import UAFMessages

@testable import UAFService

extension TestServer {
  /// Issues a join code, as `uaf-server join-code create` does.
  @discardableResult func joinCode(_ group: String = "lab", machines: Int = 1, lifetime: Int64 = 900) async throws
    -> String
  {
    let code = Base64URL.encode(try RandomBytes.make(20))
    _ = try await store.write { [now] records in
      try records.joinCodes.add(
        code, group: group, machines: machines, by: "test", now: now, expiresAt: now + lifetime)
    }
    return code
  }
}
