// Lines that were meant for the module, but name a file that does not exist.

import PAMStacks

extension PAMCheck {
  /// Lines whose module does not exist and has nearly our module's name.
  func misspelt(_ folder: PAMDirectory, _ services: [String]) -> [Finding] {
    services.flatMap { service -> [Finding] in
      var names: [String] = []
      for line in folder.ownLines(of: service) where !line.isInclusion && !names.contains(line.module) {
        if Self.isNear(line.moduleName), place(of: line.module) == nil { names.append(line.module) }
      }
      return names.map {
        Finding.failure(.pamMisspelt, PAMNameText.misspelt(service: "\(directory)/\(service)", module: $0))
      }
    }
  }

  /// Whether somebody who wrote this may have meant our module.
  static func isNear(_ name: String) -> Bool {
    guard name != PAMLine.ownModule else { return false }
    let words = name.lowercased()
    return words.contains("pam") && words.contains("uaf") || distance(words, PAMLine.ownModule) <= 2
  }

  /// How many letters have to be added, removed or replaced to make one name of the other.
  private static func distance(_ first: String, _ second: String) -> Int {
    let letters = Array(second.utf8)
    var row = Array(0...letters.count)
    for (line, letter) in first.utf8.enumerated() {
      var next = [line + 1]
      for (column, other) in letters.enumerated() {
        next.append(min(row[column] + (letter == other ? 0 : 1), row[column + 1] + 1, next[column] + 1))
      }
      row = next
    }
    return row[letters.count]
  }
}
