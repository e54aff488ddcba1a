import Glibc
import Testing

@testable import UAFConfiguration

@Suite struct ConfigurationFileTests {
  private let me = getuid()

  private func problem(_ path: String, owner: UInt32? = nil) -> ConfigurationFileProblem? {
    do throws(ConfigurationFileProblem) {
      _ = try ConfigurationFile.read(path: path, requiredOwner: owner ?? me)
      return nil
    } catch {
      return error
    }
  }

  @Test func `reads a configuration file that the required owner owns`() throws {
    let folder = try Folder()
    let path = try folder.write("f", Array("a = 1\n".utf8), mode: 0o644)
    #expect(try ConfigurationFile.read(path: path, requiredOwner: me) == Array("a = 1\n".utf8))
    #expect(try ConfigurationFile.read(path: folder.write("g", []), requiredOwner: me) == [])
  }

  @Test func `refuses a configuration file with a wrong owner`() throws {
    let folder = try Folder()
    let path = try folder.write("f", [])
    #expect(problem(path, owner: me + 1) == (me == 0 ? .owner(0) : .directoryOwner(folder.path)))
  }

  @Test(arguments: [0o620, 0o602, 0o666, 0o660] as [mode_t])
  func `refuses a configuration file that others can write`(_ mode: mode_t) throws {
    let folder = try Folder()
    #expect(problem(try folder.write("f", [], mode: mode)) == .writable)
  }

  @Test func `refuses a path with a symbolic link, at its end or before`() throws {
    let folder = try Folder()
    let directory = try folder.makeDirectory("d")
    _ = try folder.write("d/f", [])
    try #require(unsafe symlink(directory + "/f", folder.path + "/link") == 0)
    #expect(problem(folder.path + "/link") == .symbolicLink)
    try #require(unsafe remove(folder.path + "/link") == 0 && symlink(directory, folder.path + "/link") == 0)
    #expect(problem(folder.path + "/link/f") == .badDirectory(folder.path + "/link"))
    #expect(problem(directory + "/f") == nil)
  }

  @Test func `refuses a configuration file that has a second hard link`() throws {
    let folder = try Folder()
    let path = try folder.write("f", [])
    try #require(unsafe link(path, folder.path + "/g") == 0)
    #expect(problem(path) == .hardLinks)
  }

  @Test func `refuses a FIFO, and does not wait for its writer`() throws {
    let folder = try Folder()
    try #require(unsafe mkfifo(folder.path + "/fifo", 0o600) == 0)
    #expect(problem(folder.path + "/fifo") == .notRegular)
  }

  @Test func `refuses a directory or a device as configuration file`() throws {
    let folder = try Folder()
    #expect(problem(try folder.makeDirectory("d")) == .notRegular)
    #expect(problem("/dev/null", owner: 0) == .notRegular)
  }

  @Test(arguments: [0o720, 0o702, 0o777] as [mode_t])
  func `refuses a configuration file in a directory that others can write`(_ mode: mode_t) throws {
    let folder = try Folder()
    let directory = try folder.makeDirectory("d", mode: mode)
    let path = try folder.write("d/f", [])
    #expect(problem(path) == .directoryWritable(directory))
  }

  @Test func `accepts a file under a sticky directory that others can write, such as /tmp`() throws {
    let folder = try Folder()
    _ = try folder.makeDirectory("d", mode: 0o1777)
    #expect(problem(try folder.write("d/f", [])) == nil)
  }

  @Test func `refuses a configuration file of more than 64 KiB`() throws {
    let folder = try Folder()
    #expect(problem(try folder.write("f", [UInt8](repeating: 0x23, count: 65_536))) == nil)
    #expect(problem(try folder.write("g", [UInt8](repeating: 0x23, count: 65_537))) == .tooLarge(limit: 65_536))
  }

  @Test(arguments: ["", "a", "./a", "/", "//a", "/a//b", "/a/./b", "/a/../b", "/a/", "/a\0b"])
  func `refuses a path that is not absolute and plain`(_ path: String) {
    #expect(problem(path) == .badPath)
    #expect(problem("/" + String(repeating: "a", count: 5000)) == .badPath)
  }

  @Test func `reports a missing file and a missing directory as different errors`() throws {
    let folder = try Folder()
    #expect(problem(folder.path + "/f") == .missing)
    #expect(problem(folder.path + "/d/f") == .badDirectory(folder.path + "/d"))
    _ = try folder.write("f", [])
    #expect(problem(folder.path + "/f/x") == .badDirectory(folder.path + "/f"))
  }

  @Test func `without the default file the defaults apply, and a missing file of conf= is an error`() throws {
    let folder = try Folder()
    let missing = folder.path + "/f"
    #expect(try Configuration.load(path: nil, defaultPath: missing, requiredOwner: me).server == nil)
    #expect(throws: ConfigurationError.file(path: missing, .missing)) {
      _ = try Configuration.load(path: missing, requiredOwner: me)
    }
  }

  @Test func `if the default file cannot be trusted, that is an error, and the defaults do not apply`() throws {
    let folder = try Folder()
    let path = try folder.write("f", [], mode: 0o666)
    #expect(throws: ConfigurationError.file(path: path, .writable)) {
      _ = try Configuration.load(path: nil, defaultPath: path, requiredOwner: me)
    }
  }

  @Test func `a message about a wrong key names the file that contains it`() throws {
    let folder = try Folder()
    let path = try folder.write("f", Array("\nx = 1".utf8))
    let error = #expect(throws: ConfigurationError.self) { _ = try Configuration.load(path: path, requiredOwner: me) }
    #expect(error?.description.hasPrefix("\(path):2: x: unknown key (allowed: ") == true)
  }
}
