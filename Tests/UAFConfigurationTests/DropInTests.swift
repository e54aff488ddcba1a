import AuthenticatorTypes
import Glibc
import Testing

@testable import UAFConfiguration

@Suite struct DropInTests {
  private let me = getuid()
  private let folder: Folder
  private let dropIns: String
  private var main: String { folder.path + "/f" }

  init() throws {
    folder = try Folder()
    dropIns = try folder.makeDirectory("f.d", mode: 0o755)
  }

  private func write(_ name: String, _ text: String, mode: mode_t = 0o644) throws {
    _ = try folder.write(name, Array(text.utf8), mode: mode)
  }

  private func load() throws(ConfigurationError) -> Configuration {
    try Configuration.load(path: nil, defaultPath: main, requiredOwner: me)
  }

  private func refusal() -> ConfigurationError? {
    do throws(ConfigurationError) {
      _ = try load()
      return nil
    } catch {
      return error
    }
  }

  private func lockTime(_ configuration: Configuration) -> Duration {
    configuration.lockPolicy(for: AuthenticatorType.passcode, origin: .local).lockTime
  }

  @Test func `a later drop-in file replaces single keys, and keeps the other keys of their table`() throws {
    try write("f", "[lock]\nlock_time = 300\nretry_count_to_lock = 4\n")
    try write("f.d/50-server.conf", "[lock]\nlock_time = 400\n")
    try write("f.d/60-site.conf", "lock.lock_time = 500\n")
    let configuration = try load()
    #expect(lockTime(configuration) == .seconds(500))
    #expect(configuration.lockPolicy(for: AuthenticatorType.passcode, origin: .local).retryCountToLock == 4)
    #expect(configuration.files == [main, dropIns + "/50-server.conf", dropIns + "/60-site.conf"])
  }

  @Test func `drop-in files are read in the byte order of their names, in every locale`() throws {
    for (name, seconds) in [("9.conf", 309), ("10.conf", 310), ("B.conf", 366), ("a.conf", 397), ("\u{e9}.conf", 400)] {
      try write("f.d/" + name, "[lock]\nlock_time = \(seconds)\n")
      #expect(lockTime(try load()) == .seconds(name == "10.conf" ? 309 : seconds))
    }
  }

  @Test func `a drop-in file replaces a list as a whole`() throws {
    try write("f", "authenticators = ['passcode', 'pattern']\n")
    try write("f.d/1.conf", "authenticators = ['pattern']\n")
    #expect(try load().authenticators == [.pattern])
  }

  @Test func `drop-in files apply without a main file, and can then define a server`() throws {
    try write("f.d/1.conf", "[server]\nrequest_url = 'https://a.example/g'\nresponse_url = 'https://a.example/r'\n")
    #expect(try load().server?.isComplete == true)
    #expect(throws: ConfigurationError.file(path: main, .missing)) {
      _ = try Configuration.load(path: main, requiredOwner: me)
    }
  }

  @Test func `a file of conf= has its own folder of drop-in files`() throws {
    try write("g", "")
    try write("f.d/1.conf", "[lock]\nlock_time = 400\n")
    #expect(try Configuration.load(path: folder.path + "/g", requiredOwner: me).files == [folder.path + "/g"])
    #expect(try Configuration.load(onlyFile: folder.path + "/g", requiredOwner: me).files == [folder.path + "/g"])
    try write("f", "")
    #expect(lockTime(try Configuration.load(path: main, requiredOwner: me)) == .seconds(400))
    #expect(try Configuration.load(onlyFile: main, requiredOwner: me).files == [main])
  }

  @Test(arguments: [".conf", ".1.conf", "1.conf~", "1.conf.dpkg-new", "1.conf.bak", "README", "1.CONF", "#1.conf#"])
  func `skips backup copies and files with other names in the folder of drop-in files`(_ name: String) throws {
    try write("f", "")
    try write("f.d/" + name, "no TOML at all", mode: 0o666)
    #expect(try load().files == [main])
  }

  @Test func `a message about a mistake in a drop-in file names that file and line`() throws {
    try write("f", "[lock]\nlock_time = 300\n")
    try write("f.d/1.conf", "\n[lock]\nlock_tim = 400\n")
    #expect(refusal()?.description.hasPrefix("\(dropIns)/1.conf:3: lock.lock_tim: unknown key") == true)
  }

  @Test func `a drop-in file that is not TOML is named with its line`() throws {
    try write("f", "")
    try write("f.d/1.conf", "[lock]\nlock_time: 4\n")
    guard case .syntax(dropIns + "/1.conf", 2, _)? = refusal() else {
      Issue.record("\(String(describing: refusal()))")
      return
    }
  }

  @Test func `if two files contradict each other, the message names the one that was read last`() throws {
    try write("f", "[passcode]\nmin_length = 8\n")
    try write("f.d/1.conf", "[passcode]\nmax_length = 7\n")
    guard case .key(main, 2, "passcode.min_length", _)? = refusal() else {
      Issue.record("\(String(describing: refusal()))")
      return
    }
    try write("f.d/2.conf", "\n\n[passcode]\nmin_length = 9\n")
    guard case .key(dropIns + "/2.conf", 4, "passcode.min_length", _)? = refusal() else {
      Issue.record("\(String(describing: refusal()))")
      return
    }
  }

  @Test func `refuses an unknown table even if a later file corrects its name`() throws {
    try write("f", "[lcok]\nlock_time = 300\n")
    try write("f.d/1.conf", "[lock]\nlock_time = 400\n")
    #expect(refusal()?.description.hasPrefix("\(main):1: lcok: unknown key") == true)
  }

  @Test func `refuses a value instead of a table, and a table instead of a value`() throws {
    try write("f", "[lock]\nlock_time = 300\n")
    try write("f.d/1.conf", "lock = 1\n")
    #expect(refusal()?.description.hasPrefix("\(dropIns)/1.conf:1: lock: must be a table") == true)
    try write("f.d/2.conf", "[lock.lock_time]\na = 1\n")
    #expect(refusal()?.description.hasPrefix("\(dropIns)/2.conf:1: lock.lock_time: must be ") == true)
  }

  @Test(arguments: [0o664, 0o646, 0o666] as [mode_t])
  func `if others can write one drop-in file, the whole configuration is refused`(_ mode: mode_t) throws {
    try write("f", "")
    try write("f.d/1.conf", "", mode: mode)
    #expect(refusal() == .file(path: dropIns + "/1.conf", .writable))
  }

  @Test
  func `refuses a link, a FIFO, a folder and a hard link among the drop-in files, instead of skipping them`() throws {
    try write("f", "")
    try write("g", "")
    let file = dropIns + "/1.conf"
    try #require(unsafe symlink(folder.path + "/g", file) == 0)
    #expect(refusal() == .file(path: file, .symbolicLink))
    try #require(unsafe unlink(file) == 0 && mkfifo(file, 0o600) == 0)
    #expect(refusal() == .file(path: file, .notRegular))
    try #require(unsafe unlink(file) == 0 && mkdir(file, 0o700) == 0)
    #expect(refusal() == .file(path: file, .notRegular))
    try #require(unsafe rmdir(file) == 0 && link(folder.path + "/g", file) == 0)
    #expect(refusal() == .file(path: file, .hardLinks))
  }

  @Test(arguments: [0o775, 0o757, 0o1777] as [mode_t])
  func `refuses the folder of drop-in files if others can add files to it, even if it is sticky`(_ mode: mode_t) throws
  {
    try write("f", "")
    try #require(unsafe chmod(dropIns, mode) == 0)
    #expect(refusal() == .file(path: dropIns, .directoryWritable(dropIns)))
  }

  @Test func `refuses a link or a file in place of the folder of drop-in files`() throws {
    try write("f", "")
    let other = try folder.makeDirectory("other")
    try #require(unsafe rmdir(dropIns) == 0 && symlink(other, dropIns) == 0)
    #expect(refusal() == .file(path: dropIns, .badDirectory(dropIns)))
    try #require(unsafe unlink(dropIns) == 0)
    try write("f.d", "")
    #expect(refusal() == .file(path: dropIns, .badDirectory(dropIns)))
    try #require(unsafe unlink(dropIns) == 0)
    #expect(refusal() == nil)
  }

  @Test func `reads 32 drop-in files, and refuses one more`() throws {
    try write("f", "")
    for number in 10..<42 { try write("f.d/\(number).conf", "") }
    #expect(try load().files.count == 33)
    try write("f.d/42.conf", "")
    #expect(refusal() == .file(path: dropIns, .tooManyFiles))
  }

  @Test func `refuses a drop-in file of more than 64 KiB`() throws {
    try write("f", "")
    try write("f.d/1.conf", String(repeating: "#", count: 65_537))
    #expect(refusal() == .file(path: dropIns + "/1.conf", .tooLarge(limit: 65_536)))
  }
}
