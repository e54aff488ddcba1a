import UAFWire

/// What the core can have the fingerprint service do: look for a sensor, claim it, compare a finger, and release the sensor.
@safe final class FingerprintClient {
  private let bus: SystemBus
  /// The sensor that is claimed for an account; nil if none is.
  private var claimed: (claim: SensorClaim, account: String)?
  private var isComparing = false

  /// - Throws: ``BusError`` if there is no system bus.
  init() throws(BusError) { bus = try SystemBus() }

  /// The descriptor to poll for signals of the bus, and the events to poll for.
  var waiting: (descriptor: CInt, events: Int16) { (bus.descriptor, bus.events) }

  /// Reports whether there is a sensor, and which fingers the account has enrolled.
  func look(for account: String) -> FingerSensor {
    do throws(SensorTrouble) { return FingerSensor(.ready, fingers: try find(account).fingers) } catch {
      return error.report
    }
  }

  /// Begins a comparison, after claiming the sensor if it is not yet claimed.
  ///
  /// - Returns: nil for a further comparison with a sensor that is already claimed.
  /// - Throws: ``FingerEnd/Cause`` if a further comparison could not begin.
  func compare(for account: String) throws(SensorTrouble) -> FingerSensor? {
    if let claimed, claimed.account == account {
      try begin(with: claimed.claim)
      return nil
    }
    stop()
    let (claim, fingers) = try find(account)
    for match in claim.matches { _ = try ask(.ofBus("AddMatch", match)) }
    _ = try ask(claim.call("Claim", account))
    claimed = (claim, account)
    do throws(SensorTrouble) { try begin(with: claim) } catch {
      stop()
      throw error
    }
    return FingerSensor(.ready, fingers: fingers)
  }

  /// Ends a comparison that is under way, and releases the sensor.
  ///
  /// - Returns: whether a sensor was claimed.
  @discardableResult
  func stop() -> Bool {
    guard let (claim, _) = claimed.take() else { return false }
    // The service may be gone, and the call then fails; the sensor is released with it.
    if isComparing { _ = try? bus.call(claim.call("VerifyStop")) }
    isComparing = false
    _ = try? bus.call(claim.call("Release"))
    for match in claim.matches { _ = try? bus.call(.ofBus("RemoveMatch", match)) }
    return true
  }

  /// The meaning of the next signal that means something here; nil if no more signals have arrived.
  ///
  /// - Throws: ``BusError`` if the connection to the bus is lost.
  func nextMeaning() throws(BusError) -> SensorClaim.Meaning? {
    while let signal = try bus.nextSignal() {
      guard let claim = claimed?.claim, let meaning = claim.meaning(of: signal) else { continue }
      switch meaning {
      case .touch(let touch) where touch.isCompared:
        // A second result of the same comparison is ignored.
        guard isComparing else { continue }
        isComparing = false
        _ = try? bus.call(claim.call("VerifyStop"))
      case .touch: guard isComparing else { continue }
      case .end: stop()
      }
      return meaning
    }
    return nil
  }

  private func begin(with claim: SensorClaim) throws(SensorTrouble) {
    guard !isComparing else { return }
    _ = try ask(claim.call("VerifyStart", "any"))
    isComparing = true
  }

  /// The default sensor, the connection of the service that owns it, and the account's enrolled fingers.
  private func find(_ account: String) throws(SensorTrouble) -> (claim: SensorClaim, fingers: [String]) {
    let manager = BusCall(
      destination: SensorClaim.service, path: "/net/reactivated/Fprint/Manager",
      interface: "net.reactivated.Fprint.Manager", member: "GetDefaultDevice", arguments: [])
    let device = try ask(manager, expecting: .objectPath)
    let owner = try ask(.ofBus("GetNameOwner", SensorClaim.service), expecting: .text)
    guard let path = device.text, owner.text == device.sender else {
      throw SensorTrouble(.untrusted, detail: "the service's name changed its owner")
    }
    let user = try ask(.ofBus("GetConnectionUnixUser", device.sender), expecting: .number)
    guard user.text == "0" else {
      throw SensorTrouble(.untrusted, detail: "\(SensorClaim.service) belongs to user \(user.text ?? "?"), not to root")
    }
    let claim = SensorClaim(owner: device.sender, path: path)
    let fingers = try ask(claim.call("ListEnrolledFingers", account), expecting: .texts).texts
    guard !fingers.isEmpty else { throw SensorTrouble(.notEnrolled) }
    return (claim, fingers.prefix(WireLimit.fingers).map { LogText.cleaned($0.utf8, limit: 64) })
  }

  private func ask(_ call: BusCall, expecting form: BusReply.Form = .nothing) throws(SensorTrouble) -> BusReply {
    do throws(BusError) { return try bus.call(call, expecting: form) } catch { throw SensorTrouble(error) }
  }
}

/// A sensor of the service, and the connection whose signals about it are accepted.
///
/// This type does no input or output: the meaning of a signal depends only on its members.
struct SensorClaim: Equatable {
  /// The name of the fingerprint service on the bus.
  static let service = "net.reactivated.Fprint"
  /// The interface of a sensor.
  static let interface = "net.reactivated.Fprint.Device"

  /// The unique name of the bus connection that owned the service's name when the sensor was found.
  let owner: String
  /// The object path of the sensor.
  let path: String

  /// The meaning of a signal.
  enum Meaning: Equatable {
    /// A touch. After a touch that was compared, the service must be told to end the comparison.
    case touch(FingerTouch)
    /// The sensor no longer waits for a finger.
    case end(FingerEnd.Cause)
  }

  /// What a signal means; nil if it has no meaning here, or does not come from the service.
  func meaning(of signal: BusSignal) -> Meaning? {
    if signal.interface == "org.freedesktop.DBus", signal.member == "NameOwnerChanged" {
      guard signal.sender == "org.freedesktop.DBus", signal.texts.first == Self.service else { return nil }
      return signal.texts.last == owner ? nil : .end(.serviceGone)
    }
    guard signal.sender == owner, signal.path == path, signal.interface == Self.interface,
      signal.member == "VerifyStatus", signal.texts.count == 1, let isDone = signal.flag
    else { return nil }
    return meaning(of: signal.texts[0], isDone: isDone)
  }

  private func meaning(of status: String, isDone: Bool) -> Meaning? {
    switch status {
    case "verify-match": isDone ? .touch(.matched) : nil
    case "verify-no-match": isDone ? .touch(.notMatched) : nil
    case "verify-retry-scan": .touch(.scanAgain)
    case "verify-swipe-too-short": .touch(.tooShort)
    case "verify-finger-not-centered": .touch(.notCentred)
    case "verify-remove-and-retry": .touch(.liftFirst)
    case "verify-too-fast": .touch(.tooFast)
    case "verify-disconnected": .end(.sensorGone)
    default: isDone ? .end(.failed) : nil
    }
  }

  /// A call to the sensor.
  ///
  /// It is addressed to the connection, not to the service's name, so a later owner of that name never receives it.
  func call(_ member: String, _ arguments: String...) -> BusCall {
    BusCall(destination: owner, path: path, interface: Self.interface, member: member, arguments: arguments)
  }

  /// Match rules for the signals that the bus should send to this program.
  var matches: [String] {
    [
      "type='signal',sender='\(owner)',path='\(path)',interface='\(Self.interface)'",
      "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
        + "arg0='\(Self.service)'",
    ]
  }
}

/// Why the sensor cannot be used.
struct SensorTrouble: Error, Equatable {
  let state: FingerSensor.State
  let detail: String?

  init(_ state: FingerSensor.State, detail: String? = nil) {
    self.state = state
    self.detail = detail
  }

  /// The trouble that an error of the bus or of the service stands for.
  init(_ error: BusError) {
    self.init(Self.state(of: error), detail: "\(error)")
  }

  private static func state(of error: BusError) -> FingerSensor.State {
    guard case .answered(let name, _) = error else { return .failed }
    if name.hasPrefix("org.freedesktop.DBus.Error.Spawn.") { return .noService }
    switch name {
    case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
      "org.freedesktop.systemd1.NoSuchUnit", "org.freedesktop.systemd1.UnitMasked":
      return .noService
    case "net.reactivated.Fprint.Error.NoSuchDevice": return .noSensor
    case "net.reactivated.Fprint.Error.NoEnrolledPrints": return .notEnrolled
    case "net.reactivated.Fprint.Error.AlreadyInUse": return .busy
    case "net.reactivated.Fprint.Error.PermissionDenied", "org.freedesktop.DBus.Error.AccessDenied": return .denied
    default: return .failed
    }
  }

  /// The trouble, as a report to the core.
  var report: FingerSensor { FingerSensor(state, detail: detail) }
}
