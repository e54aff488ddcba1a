extension MemberReader {
  /// The base URL of a server in visible ASCII: https, or http to this machine.
  func serverAddress(_ member: String) throws(MessageError) -> String {
    let address = try string(member, characters: 1...2048)
    let isPlain = HTTPSAddress(address, orPlainHere: true) != nil && address.utf8.starts(with: "http://".utf8)
    guard isPlain || address.utf8.starts(with: "https://".utf8), address.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .outOfRange(name(member)) }
    return address
  }
}
