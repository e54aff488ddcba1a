/// Why a store was not moved, and in which state that leaves the two stores.
struct MoveFailure: Equatable, CustomStringConvertible {
  /// The state of the two stores.
  enum Standing: Equatable {
    case untouched
    /// The copy is not whole.
    case copying
    /// The old store is closed, or the disk failed while that was written.
    case closed
  }

  let reason: String
  let standing: Standing

  var description: String {
    switch standing {
    case .untouched: "\(reason): server.db and the database are as they were"
    case .copying:
      "\(reason): server.db is as it was and is used on; the database may have a part of the copy, and no server uses it: "
        + "run the command again"
    case .closed:
      "\(reason): server.db may be closed, and the database is not open yet: run the command again, or take server.db back "
        + "with --abandon"
    }
  }
}
