import Foundation

/// What /proc says about other processes.
enum ProcessTable {
  /// The descendants of a process that have this name (15 characters at most).
  static func descendants(of ancestor: pid_t, named name: String) -> [pid_t] {
    var found: [pid_t] = []
    var parents: Set<pid_t> = [ancestor]
    var rest = all()
    while true {
      let children = rest.filter { parents.contains($0.parent) }
      if children.isEmpty { return found }
      found += children.filter { $0.name == name }.map(\.identifier)
      parents = Set(children.map(\.identifier))
      rest.removeAll { parents.contains($0.identifier) }
    }
  }

  private static func all() -> [(identifier: pid_t, name: String, parent: pid_t)] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return entries.compactMap { entry in
      guard let identifier = pid_t(entry), let name = status(identifier, "Name"),
        let parent = status(identifier, "PPid").flatMap({ pid_t($0) })
      else { return nil }
      return (identifier, name, parent)
    }
  }

  /// The content of a line of /proc/PID/status, without the line's name.
  static func status(_ identifier: pid_t, _ name: String) -> String? {
    read(identifier, "status").split(separator: "\n").first { $0.hasPrefix(name + ":") }.map {
      $0.dropFirst(name.count + 1).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }

  /// The variables in a process's environment.
  static func environment(_ identifier: pid_t) -> [String] {
    read(identifier, "environ").split(separator: "\0").map(String.init)
  }

  /// The arguments of a process, its name included.
  static func arguments(_ identifier: pid_t) -> [String] {
    read(identifier, "cmdline").split(separator: "\0").map(String.init)
  }

  /// How many threads a process has.
  static func threadCount(_ identifier: pid_t) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/task").count) ?? 0
  }

  private static func read(_ identifier: pid_t, _ file: String) -> String {
    // Data(contentsOf:) would read nothing, because these files state their size as 0.
    guard let handle = FileHandle(forReadingAtPath: "/proc/\(identifier)/\(file)") else { return "" }
    defer { try? handle.close() }
    return String(decoding: (try? handle.readToEnd()) ?? Data(), as: UTF8.self)
  }
}
