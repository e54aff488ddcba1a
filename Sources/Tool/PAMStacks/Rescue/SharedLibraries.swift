import Glibc
import HostSystem

/// The shared libraries that ld.so(8) loads for a program.
///
/// Without one of them the program does not start. Only programs of this machine's C library are examined: another loader has
/// other folders.
package enum SharedLibraries {
  // A program has some dozens of libraries, with those that they need.
  private static let most = 400
  /// The folders that ld.so searches last.
  ///
  /// The folders of both architectures are tried: a file for the other one does not count.
  private static let usual = [
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
    "/lib64", "/usr/lib64", "/lib", "/usr/lib",
  ]
  private static let cachePath = "/etc/ld.so.cache"
  // Real caches have some hundred kilobytes.
  private static let largestCache = 1 << 24

  /// The name of the first library that a program needs, directly or not, and that ld.so does not find or cannot read; nil if
  /// there is none, or if the program is not examined.
  ///
  /// - Parameter isOpen: whether the person who starts the program may read a file and map it as code.
  static func missing(for program: String, isOpen: (String) -> Bool) -> String? {
    guard let start = ELFFile(program), let loader = start.interpreter,
      loader.split(separator: "/").last?.hasPrefix("ld-linux") ?? false
    else { return nil }
    return missing(for: start, at: program, isOpen: isOpen)
  }

  /// Whether a program of root's, which uses this machine's C library, can load a file as a library and finds these names in it.
  package static func isLoadable(_ path: String, with names: [String]) -> Bool {
    func isOpen(_ path: String) -> Bool { MountOptions(of: path).map { !$0.contains(.noExecution) } ?? false }
    guard let file = ELFFile(path), file.isOfThisMachine, isOpen(path), names.allSatisfy(file.isNamed) else {
      return false
    }
    return missing(for: file, at: path, isOpen: isOpen) == nil
  }

  private static func missing(for start: ELFFile, at path: String, isOpen: (String) -> Bool) -> String? {
    var seen: Set<String> = []
    var waiting = [(file: start, path: path, inherited: [String]())]
    while let next = waiting.popLast(), seen.count < most {
      let folder = next.path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
      func expanded(_ paths: [String]) -> [String] {
        paths.map { $0.replacing("${ORIGIN}", with: folder).replacing("$ORIGIN", with: folder) }
      }
      // The folders of DT_RPATH count for the libraries of a library as well; DT_RUNPATH replaces them.
      let inherited = next.file.runPath.isEmpty ? expanded(next.file.path) + next.inherited : []
      let own = inherited + expanded(next.file.runPath)
      for name in next.file.needed where seen.insert(name).inserted && !name.hasPrefix("ld-linux") {
        let places = name.contains("/") ? [name] : (own + usual).map { $0 + "/" + name } + (cache[name] ?? [])
        guard let found = library(at: places, for: start, isOpen: isOpen) else { return name }
        waiting.append((found.file, found.path, inherited))
      }
    }
    return nil
  }

  /// The first of these files that is a library for the same machine; nil if there is none, or if it cannot be read.
  private static func library(
    at places: [String], for program: ELFFile, isOpen: (String) -> Bool
  ) -> (file: ELFFile, path: String)? {
    for place in places {
      guard let path = ResolvedPath.of(place) else { continue }
      guard isOpen(path), let file = ELFFile(path) else { return nil }
      if file.machine == program.machine { return (file, path) }
    }
    return nil
  }

  /// The paths that ldconfig(8) has found, by the names of the files; read once, because it has thousands.
  private static let cache = readCache()

  private static func readCache() -> [String: [String]] {
    // SAFETY: the path lives for the call.
    let descriptor = unsafe open(cachePath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [:] }
    defer { close(descriptor) }
    let bytes =
      DescriptorReader.read(descriptor, atMost: min(largestCache, FileState.following(cachePath)?.size ?? 0)) ?? []
    var found: [String: [String]] = [:]
    // Its table is followed by the names and the paths, each with a NUL.
    for word in bytes.split(separator: 0) where word.first == UInt8(ascii: "/") {
      let path = String(decoding: word, as: UTF8.self)
      guard let name = path.split(separator: "/").last else { continue }
      found[String(name), default: []].append(path)
    }
    return found
  }
}

/// What a program or a library says about the other files that it needs (elf(5)).
///
/// It is a 64-bit little-endian file, the kind of Debian's amd64 and arm64.
struct ELFFile {
  /// The number of its processor architecture.
  let machine: Int
  /// The program that loads it; nil if it needs none.
  private(set) var interpreter: String?
  /// The names of its libraries.
  private(set) var needed: [String] = []
  /// The folders of DT_RPATH.
  private(set) var path: [String] = []
  /// The folders of DT_RUNPATH.
  private(set) var runPath: [String] = []
  /// The table of the names that it has or needs.
  private var names: [UInt8] = []

  #if arch(arm64)
    private static let ownMachine = 183
  #else
    private static let ownMachine = 62
  #endif

  /// Whether it is for this machine's processor.
  var isOfThisMachine: Bool { machine == Self.ownMachine }

  /// Whether the kernel can start a file as a program for this machine; true for a file that this process may not read.
  static func isStartable(_ path: String) -> Bool {
    if let file = ELFFile(path) { return file.isOfThisMachine }
    // SAFETY: the path lives for the call.
    return unsafe access(path, R_OK) != 0
  }

  /// Whether it has a function or a variable of that name, or needs one.
  func isNamed(_ name: String) -> Bool { names.firstRange(of: [0] + Array(name.utf8) + [0]) != nil }

  // Real files have far less of each: the reader stops there.
  private static let (mostSegments, largestTable, largestNames) = (64, 1 << 16, 1 << 22)
  private static let headerSize = 64
  private enum Segment { static let (load, dynamic, interpreter) = (1, 2, 3) }
  private enum Tag { static let (needed, names, namesLength, path, runPath) = (1, 5, 10, 15, 29) }
  /// The ELF types of programs at fixed addresses, and of programs and libraries at any address.
  private static let kinds = 2...3

  /// Nil for a file that cannot be read, that is no such file, or that ends before its last part.
  init?(_ path: String) {
    // SAFETY: the path lives for the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let header = Part(of: descriptor, at: 0, count: Self.headerSize)
    guard let header, header.bytes.starts(with: [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F"), 2, 1]),
      let machine = header.number(at: 18, 2), let table = header.number(at: 32, 8), let size = header.number(at: 54, 2),
      let count = header.number(at: 56, 2), size >= 56, Self.kinds.contains(header.number(at: 16, 2) ?? 0)
    else { return nil }
    self.machine = machine
    var status = stat()
    // SAFETY: the call fills exactly one stat.
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    var segments: [(kind: Int, offset: Int, address: Int, length: Int)] = []
    for index in 0..<min(count, Self.mostSegments) {
      guard let part = Part(of: descriptor, at: table + index * size, count: 56), let kind = part.number(at: 0, 4),
        let offset = part.number(at: 8, 8), let address = part.number(at: 16, 8), let length = part.number(at: 32, 8)
      else { return nil }
      guard kind != Segment.load || offset + length <= Int(status.st_size) else { return nil }
      segments.append((kind, offset, address, length))
    }
    guard segments.contains(where: { $0.kind == Segment.load }) else { return nil }
    if let place = segments.first(where: { $0.kind == Segment.interpreter }) {
      interpreter = Part(of: descriptor, at: place.offset, count: min(place.length, Int(PATH_MAX)))?.text(at: 0)
    }
    guard let place = segments.first(where: { $0.kind == Segment.dynamic }),
      let dynamic = Part(of: descriptor, at: place.offset, count: min(place.length, Self.largestTable))
    else { return }
    var entries: [(tag: Int, value: Int)] = []
    for start in stride(from: 0, to: dynamic.bytes.count - 15, by: 16) {
      guard let tag = dynamic.number(at: start, 8), let value = dynamic.number(at: start + 8, 8) else { continue }
      guard tag != 0 else { break }
      entries.append((tag, value))
    }
    guard let address = entries.first(where: { $0.tag == Tag.names })?.value,
      let load = segments.first(where: {
        $0.kind == Segment.load && address >= $0.address && address - $0.address < $0.length
      }),
      let names = Part(
        of: descriptor, at: load.offset + address - load.address,
        count: min(load.length - (address - load.address), Self.largestNames))
    else { return }
    let length = entries.first { $0.tag == Tag.namesLength }?.value ?? names.bytes.count
    self.names = Array(names.bytes.prefix(length))
    for (tag, value) in entries {
      guard let text = names.text(at: value) else { continue }
      switch tag {
      case Tag.needed: needed.append(text)
      case Tag.path: self.path += text.split(separator: ":").map(String.init)
      case Tag.runPath: runPath += text.split(separator: ":").map(String.init)
      default: break
      }
    }
  }

  /// Some bytes of a file.
  private struct Part {
    let bytes: [UInt8]

    /// Nil if the file cannot be read there.
    init?(of descriptor: CInt, at offset: Int, count: Int) {
      guard offset >= 0, count > 0 else { return nil }
      var bytes = [UInt8](repeating: 0, count: count)
      // SAFETY: at most the array is written.
      let length = unsafe bytes.withUnsafeMutableBytes {
        unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
      }
      guard length > 0 else { return nil }
      self.bytes = Array(bytes[..<length])
    }

    /// A number; nil if it is beyond the bytes, or too large for a position in a file.
    func number(at place: Int, _ length: Int) -> Int? {
      guard place >= 0, place <= bytes.count - length else { return nil }
      let value = bytes[place..<place + length].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return value < 1 << 40 ? Int(value) : nil
    }

    /// The text up to a NUL; nil if it begins beyond the bytes.
    func text(at place: Int) -> String? {
      guard bytes.indices.contains(place) else { return nil }
      return String(decoding: bytes[place...].prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
