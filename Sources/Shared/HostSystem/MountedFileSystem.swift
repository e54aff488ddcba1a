import Glibc

/// A file system that is mounted in this process's namespace (proc_pid_mountinfo(5)).
package struct MountedFileSystem: Equatable {
  /// Where it is mounted.
  package let place: String
  /// Its type, such as `ext4`.
  package let type: String

  // Far more than any machine has; what lies behind is not known.
  private static let largest = 1 << 22

  /// The one that a name lies on, links followed; nil where there is nothing of that name, or the kernel does not say.
  package static func holding(_ path: String) -> MountedFileSystem? {
    guard let name = resolved(path) else { return nil }
    // Of several at one place the last is seen.
    return all().filter { $0.place == "/" || name == $0.place || name.hasPrefix($0.place + "/") }
      .reduce(nil) { found, next in next.place.utf8.count >= found?.place.utf8.count ?? 0 ? next : found }
  }

  /// Whether something is mounted at a name itself, links followed.
  package static func isMounted(at path: String) -> Bool {
    resolved(path).map { name in all().contains { $0.place == name } } ?? false
  }

  private static func resolved(_ path: String) -> String? {
    // SAFETY: with NULL realpath allocates a NUL-terminated text that is ours to free.
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  private static func all() -> [MountedFileSystem] {
    // SAFETY: the path lives for the call.
    let descriptor = unsafe open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    let bytes = DescriptorReader.read(descriptor, atMost: largest) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      // The type stands behind a dash, and some words may stand before it. The kernel writes a space as \040.
      guard words.count > 4, let dash = words[4...].firstIndex(of: "-"), dash + 1 < words.count else { return nil }
      return MountedFileSystem(place: String(words[4]).replacing("\\040", with: " "), type: String(words[dash + 1]))
    }
  }
}
