import UAFService

/// Why a PostgreSQL database is not used as a store.
///
/// No text repeats the URL.
package enum PostgreSQLRefusal: Error, Equatable {
  case wrongURL
  case passwordInURL
  case settingNotAllowed(String)
  /// What answers is not what was connected to, so settings of the connection may be gone at the next statement.
  case pooler
  case tooOld(version: Int)
  case otherEncoding
  case readOnly
  /// The server does not flush to the disk, or the connection's commits do not wait for it.
  case notDurable(setting: String)
  /// Several hosts, and none of them is a synchronous standby.
  case asynchronous
  /// There is no store in it, and the command makes none.
  case empty
  case otherApplication
  case newer(migration: String)
  case noRights(message: String)
  /// An import into it has not ended.
  case unfinished
}

extension PostgreSQLRefusal: CustomStringConvertible {
  /// What is wrong, and what to do.
  package var description: String {
    switch self {
    case .wrongURL: "the store's URL is none of PostgreSQL: write postgresql://HOST,HOST/DATABASE?SETTING=VALUE"
    case .passwordInURL:
      "the store's URL contains a password, which every process of the machine can see: change it, and name a passfile in the URL"
    case .settingNotAllowed(let name):
      "the store's URL has the setting \(name), which uaf-server does not take: write out what it stands for"
    case .pooler:
      "the store's URL names a pooler, which may give each statement another connection, without the settings that keep a commit "
        + "durable: name PostgreSQL itself"
    case .tooOld(let version): "the store's PostgreSQL is version \(version / 10_000): 13 or newer is needed"
    case .otherEncoding: "the store's database is not in UTF-8: create it with ENCODING 'UTF8'"
    case .readOnly:
      "the store's database is read-only: name the primary in its URL, and check default_transaction_read_only"
    case .notDurable(let setting): "the store would lose logins in a power cut: its \(setting) must be on"
    case .asynchronous:
      "the store has several hosts but no synchronous standby, so a failover can forget logins: set "
        + "synchronous_standby_names, or give --allow-asynchronous"
    case .empty: "there is no store in this database: name the one that 'uaf-server serve' was started with"
    case .otherApplication: "the database belongs to another application: create one for uaf-server alone"
    case .newer(let migration):
      "the store was changed by a newer uaf-server (\(migration)): start that version, or restore the older store from a backup"
    case .noRights(let message): "the store's user lacks a right: \(message)"
    case .unfinished: StoreError.unfinishedText
    }
  }
}
