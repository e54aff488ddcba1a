import Glibc
import HostSystem
import PAMStacks

/// The sources of sshd's settings.
struct SSHConfiguration {
  /// The program.
  let program: String
  /// Its configuration.
  let file: String
  /// What a program prints; nil if it prints nothing.
  let output: (String, [String]) -> String?

  /// The settings; nil where there is no sshd.
  ///
  /// Root asks sshd itself (`sshd -T`). For others the files are read, as far as the caller may.
  func settings(isRoot: Bool) -> SSHSettings? {
    guard (try? FileState.of(program).get()) != nil else { return nil }
    if isRoot, let text = output(program, ["-T", "-f", file]) { return SSHSettings(text) }
    guard let text = read(file) else { return nil }
    return SSHSettings(text) { included($0) }
  }

  /// The texts of the files that match a name with one star in its last part, in order.
  private func included(_ pattern: String) -> [String] {
    let path = pattern.hasPrefix("/") ? pattern : folder(of: file) + "/" + pattern
    guard let star = path.firstIndex(of: "*") else { return [path].compactMap(read) }
    let (before, after) = (String(path[..<star]), String(path[path.index(after: star)...]))
    let place = folder(of: before)
    guard !after.contains("*"), !after.contains("/"), let names = PAMDirectory(path: place).names() else {
      return []
    }
    // A star does not match a leading dot.
    let paths = names.filter { !$0.hasPrefix(".") }.map { place + "/" + $0 }
    return paths.filter { $0.hasPrefix(before) && $0.hasSuffix(after) }.compactMap(read)
  }

  private func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }

  private func read(_ path: String) -> String? {
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    return PAMDirectory(path: folder(of: path)).bytes(of: name).map { String(decoding: $0, as: UTF8.self) }
  }
}
