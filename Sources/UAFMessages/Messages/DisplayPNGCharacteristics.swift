/// How an authenticator displays transaction images (PNG header values, metadata statement 1.1).
public struct DisplayPNGCharacteristics: JSONRepresentable, Equatable, Sendable {
  /// One palette colour.
  public struct Color: JSONRepresentable, Equatable, Sendable {
    /// Red, green and blue, 16 bits each.
    public let red, green, blue: UInt16

    /// Reads `{"r", "g", "b"}`.
    public init(json: JSONValue, path: String) throws(MessageError) {
      let reader = try MemberReader(json, path: path)
      red = try reader.integer("r", as: UInt16.self)
      green = try reader.integer("g", as: UInt16.self)
      blue = try reader.integer("b", as: UInt16.self)
    }

    /// The colour as JSON.
    public var json: JSONValue {
      .object(["r": .integer(Int64(red)), "g": .integer(Int64(green)), "b": .integer(Int64(blue))])
    }
  }

  /// Image size in pixels.
  public let width, height: UInt32

  /// The PNG header's bytes.
  public let bitDepth, colorType, compression, filter, interlace: UInt8

  /// The palette.
  public let plte: [Color]

  /// Reads the header values.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path, nullIsAbsent: true)
    width = try reader.integer("width", as: UInt32.self)
    height = try reader.integer("height", as: UInt32.self)
    bitDepth = try reader.integer("bitDepth", as: UInt8.self)
    colorType = try reader.integer("colorType", as: UInt8.self)
    compression = try reader.integer("compression", as: UInt8.self)
    filter = try reader.integer("filter", as: UInt8.self)
    interlace = try reader.integer("interlace", as: UInt8.self)
    plte = try reader.optionalList("plte", mayBeEmpty: true, of: Color.self) ?? []
  }

  /// The header values as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["width": .integer(Int64(width)), "height": .integer(Int64(height))]
    let header = [
      ("bitDepth", bitDepth), ("colorType", colorType), ("compression", compression), ("filter", filter),
      ("interlace", interlace),
    ]
    for (name, value) in header { object.set(name, .integer(Int64(value))) }
    object.set("plte", JSONValue.list(plte))
    return .object(object)
  }
}
