import PostgreSQLStore
import UAFService

/// The URL of a database that is the store, and where its password comes from.
struct DatabaseURL {
  /// The name of the password's file among the credentials that systemd gives to the service.
  static let credential = "store.password"

  private let address: PostgreSQLAddress

  /// Hosts and database, for people.
  var place: String { address.place }

  /// Reads a URL.
  ///
  /// The password is in the passfile that the URL or PGPASSFILE names, or in the file `store.password` of the folder that
  /// CREDENTIALS_DIRECTORY names.
  ///
  /// - Throws: ``ServerError/unusableStore(_:)``, which does not repeat the URL.
  init(_ url: String, environment: [String: String]) throws(ServerError) {
    guard environment["PGPASSWORD"] == nil else {
      throw .unusableStore("PGPASSWORD is set: change that password, and name a passfile in the URL of --store")
    }
    // Its file could say anything, a password included.
    guard environment["PGSERVICE"] == nil else {
      throw .unusableStore("PGSERVICE is set: unset it, and write out what it stands for in the URL of --store")
    }
    let file = environment["CREDENTIALS_DIRECTORY"].map { "\($0)/\(Self.credential)" }
    do throws(PostgreSQLRefusal) {
      address = try PostgreSQLAddress(url) {
        guard let file else { return nil }
        return try StateFile.readPassword(path: file)
      }
    } catch {
      throw .unusableStore(error.description)
    }
  }

  /// Connects, and brings the store to its current form.
  ///
  /// - Parameters:
  ///   - allowsUnfinished: uses a store also if an import into it has not ended.
  ///   - deadline: how long one transaction may take.
  /// - Throws: ``ServerError``.
  func openStore(
    create: Bool, allowsAsynchronous: Bool, allowsUnfinished: Bool = false, deadline: Duration = .seconds(10)
  ) throws -> PostgreSQLStore {
    do {
      return try PostgreSQLStore(
        address, create: create, allowsUnfinished: allowsUnfinished, allowsAsynchronous: allowsAsynchronous,
        deadline: deadline, now: { ContinuousClock.now })
    } catch let refusal as PostgreSQLRefusal {
      throw ServerError.unusableStore(refusal.description)
    } catch let failure as PostgreSQLError {
      throw ServerError.unusableStore(failure.text)
    }
  }
}
