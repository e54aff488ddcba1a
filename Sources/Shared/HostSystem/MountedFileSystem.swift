import Glibc

/// A file system that is mounted in this process's namespace (proc_pid_mountinfo(5)).
package struct MountedFileSystem: Equatable {
  /// Where it is mounted.
  package let place: String
  /// Its type, such as `ext4`.
  package let type: String

  // Far more than any machine has. Mounts beyond this are not seen.
  private static let largest = 1 << 22

  /// The file system that a path is on, links followed; nil if nothing has that path, or the kernel does not say.
  package static func holding(_ path: String) -> MountedFileSystem? {
    guard let name = ResolvedPath.of(path) else { return nil }
    // Of several that are mounted at one path, the last one is visible.
    return all().filter { $0.place == "/" || name == $0.place || name.hasPrefix($0.place + "/") }
      .reduce(nil) { found, next in next.place.utf8.count >= found?.place.utf8.count ?? 0 ? next : found }
  }

  /// Whether a path, links followed, is itself a mount point.
  package static func isMounted(at path: String) -> Bool {
    ResolvedPath.of(path).map { name in all().contains { $0.place == name } } ?? false
  }

  /// Whether this process sees the same mounts as the machine's first process (mount_namespaces(7)).
  ///
  /// - Returns: false if that cannot be determined, as for a caller without root.
  package static func areThoseOfFirstProcess() -> Bool {
    var (own, first) = (stat(), stat())
    // SAFETY: both are stats; the paths are literals.
    guard unsafe stat("/proc/self/ns/mnt", &own) == 0, unsafe stat("/proc/1/ns/mnt", &first) == 0 else { return false }
    return own.st_dev == first.st_dev && own.st_ino == first.st_ino
  }

  private static func all() -> [MountedFileSystem] {
    // SAFETY: the path lives for the call.
    let descriptor = unsafe open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    let bytes = DescriptorReader.read(descriptor, atMost: largest) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      // The type follows a dash, with optional words before it. The kernel writes a space as \040.
      guard words.count > 4, let dash = words[4...].firstIndex(of: "-"), dash + 1 < words.count else { return nil }
      return MountedFileSystem(place: String(words[4]).replacing("\\040", with: " "), type: String(words[dash + 1]))
    }
  }
}

/// The options of the mount that a path is on (statvfs(3)), as far as a check needs them.
package struct MountOptions: OptionSet, Sendable {
  package let rawValue: UInt

  package init(rawValue: UInt) { self.rawValue = rawValue }

  /// nil if nothing has that path.
  package init?(of path: String) {
    var system = statvfs()
    // SAFETY: the path lives for the call, which fills exactly one statvfs.
    guard unsafe statvfs(path, &system) == 0 else { return nil }
    rawValue = system.f_flag
  }

  package static let readOnly = MountOptions(rawValue: UInt(ST_RDONLY))
  package static let noSetUserID = MountOptions(rawValue: UInt(ST_NOSUID))
  /// ST_NOEXEC of Linux, which Glibc's module does not contain.
  package static let noExecution = MountOptions(rawValue: 8)
}
