import Logging
import UAFAdministration
import UAFCrypto
import UAFService

/// The API of this process, for somebody who can read and write the server's folder: an administrator, whoever they are.
struct LocalLink: AdministrationLink {
  let environment: AdministrationEnvironment
  private let api: APIResponder
  let caller = Caller(actor: ServerEvents.caller, role: .administrator, address: "")

  init(_ environment: AdministrationEnvironment) {
    self.environment = environment
    api = APIResponder(environment, logger: Logger(label: "uaf-server") { _ in SwiftLogNoOpLogHandler() })
  }

  /// Administers with the store of a folder.
  ///
  /// - Parameters:
  ///   - server: the base URL for payloads; nil for the one that `serve` was last started with.
  ///   - models: the authenticators that policies can name; nil for this project's own.
  /// - Throws: ``ServerError``; ``StoreFailure``.
  init(_ directory: ServerDirectory, store: any ServerStore, server: PublicURL?, models: AuthenticatorModels?) throws {
    self.init(
      AdministrationEnvironment(
        store: store, group: { _ in nil }, now: { Terminal.now }, random: { try RandomBytes.make($0) },
        publicURL: server?.text, host: ServerEvents.host,
        authority: { try CertificateFiles.authority(of: directory, for: $0) },
        verdictKeys: { String(decoding: try Self.keys(of: directory).announcedPEM, as: UTF8.self) },
        unlocks: { UnlockGrants(keys: try Self.keys(of: directory)) },
        enrolments: { EnrolmentSeal(keys: try Self.keys(of: directory)) }, models: try models ?? .projectOwn()))
  }

  /// The keys of the folder, as a server of it has them.
  ///
  /// - Throws: ``ServerError``.
  private static func keys(of directory: ServerDirectory) throws -> ServerKeys {
    try StateLock.wait(for: directory) { try ServerKeys(state: directory, now: { Terminal.now }) }
  }

  func answer(to request: APIRequest) async throws -> [UInt8] {
    do {
      return try await api.routed(request.asked, of: caller).body
    } catch let refusal as AdministrationRefusal {
      throw Problem(refusal)
    }
  }

  func close() async {}

  /// Removes an administrator, also the last one.
  ///
  /// - Throws: ``Problem``; ``StoreFailure``.
  func removeAdministrator(_ name: String) async throws {
    do {
      try await AccessAdministration(environment).removeAdministrator(name, force: true, by: caller)
    } catch let refusal as AdministrationRefusal {
      throw Problem(refusal)
    }
  }
}
