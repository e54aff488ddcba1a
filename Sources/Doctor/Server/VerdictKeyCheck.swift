import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFWire

/// The keys of signed verdicts: they must be usable, and the server's among them.
struct VerdictKeyCheck {
  let server: ServerSettings
  let owner: UInt32
  let isRoot: Bool
  let line: ServerLine

  /// The path of requests at `uaf-server`, and the path of its key.
  private static let (requests, keys) = ("/uaf/get", "/uaf/verdict-key")

  func findings() -> [Finding] {
    guard let path = server.verdictKeyFile else { return [] }
    let bytes: [UInt8]
    do throws(ConfigurationFileProblem) {
      bytes = try ConfigurationFile.read(path: path, requiredOwner: owner)
    } catch {
      if !isRoot, error.isSecrecy { return [.skipped(VerdictKeyText.closed(path: path))] }
      return [.failure(.verdictKey, VerdictKeyText.unreadable(path: path, error))]
    }
    guard let keys = try? P256.publicKeys(pem: bytes) else {
      return [.failure(.verdictKey, VerdictKeyText.noKey(path: path))]
    }
    // The first one is in use, the others will be.
    guard let url, let answer = line.ask(.get(url, accept: "application/x-pem-file")), answer.response.status == 200,
      let theirs = try? P256.publicKeys(pem: answer.body), let current = theirs.first
    else { return [.ok(VerdictKeyText.unknown(path: path))] }
    guard keys.contains(current) else {
      let text = VerdictKeyText.another(path: path, url: url, isRequired: server.requiresSignedVerdict)
      return [server.requiresSignedVerdict ? .failure(.verdictKey, text) : .warning(.verdictKey, text)]
    }
    guard theirs.allSatisfy(keys.contains) else { return [.warning(.verdictKey, VerdictKeyText.coming(path: path))] }
    return [.ok(VerdictKeyText.same(path: path))]
  }

  /// Nil for a server whose addresses are not like those of `uaf-server`.
  private var url: String? {
    guard let request = (server.authentication.requestURL ?? server.requestURL)?.text,
      request.hasSuffix(Self.requests)
    else { return nil }
    return request.dropLast(Self.requests.count) + Self.keys
  }
}
