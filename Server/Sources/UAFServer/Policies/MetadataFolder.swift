import AuthenticatorTypes
import Foundation
import Glibc
import UAFMessages
import UAFService

/// A folder with metadata statements: each file whose name ends with `.json` contains one.
struct MetadataFolder {
  let path: String

  /// The most bytes of a statement, which may contain images.
  private static let maximumBytes = 1_048_576
  /// The most statements of one folder.
  private static let maximumCount = 1024

  /// This project's own models, followed by those of the folder's statements in the order of the file names.
  ///
  /// A statement about one of the project's own models replaces the built-in one.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)`` or ``ServerError/unusableDirectory(path:reason:)``, which name the
  ///   faulty file. Faulty statements are not skipped: the server would then refuse people for a reason that nobody sees.
  func models() throws -> AuthenticatorModels {
    var statements: [MetadataStatement] = []
    var passkeys = PasskeyModels()
    for file in try files() {
      let statement = try statement(in: file)
      do throws(MetadataError) {
        switch statement {
        case .uaf(let statement):
          guard !statements.contains(where: { $0.aaid == statement.aaid }) else { throw .repeatedModel }
          _ = try AuthenticatorModel(statement)
          statements.append(statement)
        case .fido2(let statement): try passkeys.add(statement)
        }
      } catch { throw ServerError.unusableFile(path: file, reason: error.description) }
    }
    let compiledIn = try AuthenticatorType.allCases.map { try MetadataStatement.projectOwn($0) }.filter { own in
      !statements.contains { $0.aaid == own.aaid }
    }
    return try AuthenticatorModels(compiledIn + statements, passkeys: passkeys)
  }

  /// A statement, by the protocol of its model.
  private enum Statement {
    case uaf(MetadataStatement)
    case fido2(FIDO2Statement)
  }

  private func files() throws -> [String] {
    guard let folder = try TrustedPath.open(path, followsLinks: true), folder.status.st_mode & S_IFMT == S_IFDIR else {
      throw ServerError.unusableDirectory(
        path: path,
        reason: "is not a folder: give --metadata a folder with statements")
    }
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".json") }.sorted()
    } catch {
      throw ServerError.unusableDirectory(
        path: path,
        reason: "cannot be read: give --metadata a folder with statements")
    }
    guard names.count <= Self.maximumCount else {
      throw ServerError.unusableDirectory(path: path, reason: "more than \(Self.maximumCount) statements")
    }
    return names.map { "\(path)/\($0)" }
  }

  /// What is wrong with a file in a different format of FIDO's Metadata Service (MDS); nil for any other file.
  private static func other(_ contents: [UInt8]) -> String? {
    if let json = try? JSONValue(parsing: contents, limits: JSONLimits(maximumBytes: maximumBytes)) {
      guard case .object(let object) = json else { return nil }
      if object["metadataStatement"] != nil {
        return "is an entry of the FIDO MDS, not a statement: make a file from the value of its metadataStatement"
      }
      if object["entries"] != nil {
        return "is the list of the FIDO MDS, not a statement: make a file from the metadataStatement of each model"
      }
      return nil
    }
    // The MDS publishes its list as a JSON web token: three parts in base64url, separated by full stops.
    let parts = contents.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, contents.starts(with: Array("eyJ".utf8)) else { return nil }
    return "is the signed list of the FIDO MDS, not a statement: make a file from the metadataStatement of each model"
  }

  private func statement(in file: String) throws -> Statement {
    let contents = try StateFile.read(path: file, isSecret: false, maximumLength: Self.maximumBytes)
    guard let contents else { throw ServerError.unusableFile(path: file, reason: "cannot be read") }
    let limits = JSONLimits(maximumBytes: Self.maximumBytes)
    do {
      if case .object(let object)? = try? JSONValue(parsing: contents, limits: limits),
        object.text("protocolFamily") == FIDO2Statement.family
      {
        return .fido2(try FIDO2Statement(parsing: contents, limits: limits))
      }
      return .uaf(try MetadataStatement(parsing: contents, limits: limits))
    } catch {
      if let reason = Self.other(contents) { throw ServerError.unusableFile(path: file, reason: reason) }
      throw ServerError.unusableFile(
        path: file, reason: "is not a metadata statement of UAF 1.1 or MDS 3: \(error.description)")
    }
  }
}
