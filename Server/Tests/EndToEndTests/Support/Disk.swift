/// A disk for a ``Scene``'s state folder, in a mount namespace that ends with this object.
final class Disk {
  private let holder: Command
  /// The command that runs a program in the namespace where the disk is mounted.
  let prefix: [String]

  /// Mounts a disk with `script`, in which `$1` is the state folder.
  init(_ scene: Scene, _ script: String) throws {
    let text = "set -e; mount --make-rprivate /; \(script)\necho mounted; exec cat"
    holder = try Command(["unshare", "--mount", "/bin/sh", "-c", text, "sh", scene.settings.stateDirectory])
    try holder.wait(for: "mounted")
    prefix = ["nsenter", "--mount", "--target", "\(holder.identifier)"]
  }

  /// Mounts a read-only disk with the files of the state folder.
  static func readOnly(_ scene: Scene) throws -> Disk {
    try Disk(scene, #"mount --bind "$1" "$1"; mount -o remount,bind,ro "$1""#)
  }

  /// Mounts a disk with the files of the state folder, except those that match `files`, and only this many KiB left.
  static func full(_ scene: Scene, dropping files: String = "", but kibibytes: Int = 0) throws -> Disk {
    try Disk(
      scene,
      #"""
      mkdir "$1.full"
      mount -t tmpfs -o size=1m,mode=700 disk "$1.full"
      cp -a --sparse=never "$1/." "$1.full"
      cd "$1.full"; rm -f -- \#(files); cd /
      ! dd if=/dev/zero of="$1.full/filler" bs=4k 2>/dev/null
      truncate -s -\#(kibibytes)K "$1.full/filler"
      mount --move "$1.full" "$1"
      """#)
  }

  /// Frees the space of a disk that was full.
  func makeRoom(_ scene: Scene) throws {
    let output = try Command.run(prefix + ["rm", scene.settings.stateDirectory + "/filler"])
    guard output.status == 0 else { throw Failure("rm: \(output.text)") }
  }
}
