import Glibc

/// A folder of PAM service files.
struct PAMDirectory {
  let path: String

  // Includes inside includes, and bytes of a file: far above what any stack has.
  private static let deepest = 8
  private static let largest = 65_536

  /// The names of the services, in order; nil if the folder cannot be read.
  func services() -> [String]? {
    // SAFETY: the stream is read and closed here alone, and d_name is NUL-terminated within an entry.
    guard let folder = unsafe opendir(path) else { return nil }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      // What PAM would never be asked for: hidden files and what editors and dpkg leave behind.
      if !name.hasPrefix("."), !name.hasSuffix("~"), !name.contains(".dpkg-") { names.append(name) }
    }
    return names.sorted()
  }

  /// The lines of a service itself, without what it includes.
  func ownLines(of service: String) -> [PAMLine] { lines(of: service) }

  /// What a service includes at first hand.
  func inclusions(of service: String) -> [String] {
    lines(of: service).filter(\.isInclusion).map(\.module)
  }

  /// The `auth` lines of a service, with what it includes in their places.
  func authentication(of service: String) -> [PAMLine] { expand(service, only: "auth", depth: 0) }

  /// All lines of a service, with what it includes in their places.
  func wholeStack(of service: String) -> [PAMLine] { expand(service, only: nil, depth: 0) }

  private func expand(_ service: String, only group: String?, depth: Int) -> [PAMLine] {
    guard depth < Self.deepest else { return [] }
    return lines(of: service).flatMap { line -> [PAMLine] in
      guard line.isInclusion else { return group == nil || line.group == group ? [line] : [] }
      if line.group == "@include" { return expand(line.module, only: group, depth: depth + 1) }
      guard group == nil || line.group == group else { return [] }
      return expand(line.module, only: line.group, depth: depth + 1)
    }
  }

  private func lines(of service: String) -> [PAMLine] {
    let file = service.hasPrefix("/") ? service : path + "/" + service
    let text = String(decoding: bytes(file) ?? [], as: UTF8.self).replacing("\\\n", with: " ")
    return text.split(separator: "\n").compactMap(PAMLine.init)
  }

  /// What a service's file holds, links followed; nil if it cannot be read.
  func bytes(of service: String) -> [UInt8]? { bytes(path + "/" + service) }

  private func bytes(_ path: String) -> [UInt8]? {
    // SAFETY: the path lives for the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return DescriptorReader.read(descriptor, atMost: Self.largest)
  }
}
