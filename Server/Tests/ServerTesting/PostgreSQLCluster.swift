import Foundation
import ProgramTesting
import Synchronization
import Testing

@testable import PostgreSQLStore

/// A PostgreSQL cluster that scripts/postgresql.sh runs for the lifetime of this process.
final class PostgreSQLCluster: Sendable {
  /// Why there is no cluster.
  struct Absent: Error, CustomStringConvertible {
    let description: String
  }

  /// One cluster for all tests that need no special settings.
  static func shared() throws -> PostgreSQLCluster { try common.get() }
  private static let common = Result { try PostgreSQLCluster() }

  /// The folder of the cluster's socket.
  let folder: String
  // The script ends when this pipe is closed.
  private let input: FileHandle
  private let databases = Mutex((count: 0, free: [String]()))

  /// Starts a cluster.
  ///
  /// - Parameter settings: lines of postgresql.conf, NAME=VALUE.
  init(_ settings: [String] = []) throws {
    let (input, output) = (Pipe(), Pipe())
    let command = [Checkout.file("scripts/postgresql.sh").path(percentEncoded: false), "run"]
    _ = try StartedProgram(
      command + ["max_connections=400"] + settings, input: .pipe(input), output: .pipe(output))
    self.input = input.fileHandleForWriting
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    folder = line.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !folder.isEmpty else {
      throw Absent(description: "scripts/postgresql.sh runs no PostgreSQL: see above why, and try it by hand")
    }
  }

  /// The address of a database of the cluster, with time-outs for a busy machine.
  func url(_ database: String = "postgres", user: String = "postgres", settings: String = "") -> String {
    "postgresql:///\(database)?host=\(folder)&user=\(user)&connect_timeout=60\(settings)"
  }

  /// A connection as the cluster's administrator.
  func connection(to database: String = "postgres") throws -> Connection {
    let clock = StoppedClock()
    let connection = try Connection(to: PostgreSQLAddress(url(database)), now: { clock.now })
    connection.setDeadline(clock.now + .seconds(60))
    return connection
  }

  /// The name of an empty database, which nobody else uses until it is returned.
  ///
  /// Emptying a database takes a tenth of the time of creating one.
  func takeDatabase() throws -> String {
    let (name, isNew) = databases.withLock { databases in
      if let name = databases.free.popLast() { return (name, false) }
      databases.count += 1
      return ("test\(databases.count)", true)
    }
    if isNew {
      try connection().execute("CREATE DATABASE \(name)")
    } else {
      try connection(to: name).execute("DROP SCHEMA IF EXISTS uaf CASCADE")
    }
    return name
  }

  func handBack(_ database: String) {
    databases.withLock { $0.free.append(database) }
  }
}
