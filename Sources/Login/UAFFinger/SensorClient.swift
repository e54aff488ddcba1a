import UAFWire

/// What the core can have a service of sensors do: look for a sensor, claim it, compare a person, and release the sensor.
@safe final class SensorClient {
  private let bus: SystemBus
  /// The sensor that is claimed for an account; nil if none is.
  private var claimed: (claim: SensorClaim, account: String)?
  private var isComparing = false

  /// - Throws: ``BusError`` if there is no system bus.
  init() throws(BusError) { bus = try SystemBus() }

  /// The descriptor to poll for signals of the bus, and the events to poll for.
  var waiting: (descriptor: CInt, events: Int16) { (bus.descriptor, bus.events) }

  /// Reports whether the service has a sensor, and what the account has enrolled.
  func look(for account: String, at service: SensorService) -> FingerSensor {
    do throws(SensorTrouble) { return FingerSensor(.ready, fingers: try find(account, at: service).fingers) } catch {
      return error.report
    }
  }

  /// Begins a comparison, after claiming the sensor if it is not yet claimed.
  ///
  /// - Returns: nil for a further comparison with a sensor that is already claimed.
  /// - Throws: ``FingerEnd/Cause`` if a further comparison could not begin.
  func compare(for account: String, at service: SensorService) throws(SensorTrouble) -> FingerSensor? {
    if let claimed, claimed.account == account, claimed.claim.service == service {
      try begin(with: claimed.claim)
      return nil
    }
    stop()
    let (claim, fingers) = try find(account, at: service)
    for match in claim.matches { _ = try ask(.ofBus("AddMatch", match), of: service) }
    _ = try ask(claim.call("Claim", account), of: service)
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
    try passOver(before: claim)
    _ = try ask(claim.call("VerifyStart", "any"), of: claim.service)
    isComparing = true
  }

  /// Passes over the signals that have arrived before a comparison begins: a match among them is a match of nobody.
  private func passOver(before claim: SensorClaim) throws(SensorTrouble) {
    while let signal = try nextSignal(of: claim.service) {
      if case .end? = claim.meaning(of: signal) { throw SensorTrouble(.noService, detail: "the service has ended") }
    }
  }

  private func nextSignal(of service: SensorService) throws(SensorTrouble) -> BusSignal? {
    do throws(BusError) { return try bus.nextSignal() } catch { throw SensorTrouble(error, of: service) }
  }

  /// The default sensor, the connection of the service that owns it, and what the account has enrolled.
  private func find(
    _ account: String, at service: SensorService
  ) throws(SensorTrouble) -> (claim: SensorClaim, fingers: [String]) {
    let device = try ask(service.defaultDevice, of: service, expecting: .objectPath)
    let owner = try ask(.ofBus("GetNameOwner", service.name), of: service, expecting: .text)
    guard let path = device.text, owner.text == device.sender else {
      throw SensorTrouble(.untrusted, detail: "the service's name changed its owner")
    }
    let user = try ask(.ofBus("GetConnectionUnixUser", device.sender), of: service, expecting: .number)
    guard user.text == "0" else {
      throw SensorTrouble(.untrusted, detail: "\(service.name) belongs to user \(user.text ?? "?"), not to root")
    }
    let claim = SensorClaim(service: service, owner: device.sender, path: path)
    guard let listing = service.listing else { return (claim, []) }
    let fingers = try ask(claim.call(listing, account), of: service, expecting: .texts).texts
    guard !fingers.isEmpty else { throw SensorTrouble(.notEnrolled) }
    return (claim, fingers.prefix(WireLimit.fingers).map { LogText.cleaned($0.utf8, limit: 64) })
  }

  private func ask(
    _ call: BusCall, of service: SensorService, expecting form: BusReply.Form = .nothing
  ) throws(SensorTrouble) -> BusReply {
    do throws(BusError) { return try bus.call(call, expecting: form) } catch { throw SensorTrouble(error, of: service) }
  }
}
