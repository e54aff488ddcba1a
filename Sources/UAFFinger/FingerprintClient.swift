import UAFWire

/// What the core may ask of the fingerprint service: look for a sensor, claim it, compare, give it back.
@safe final class FingerprintClient {
  private let bus: SystemBus
  /// The sensor that is claimed for an account; nil if none is.
  private var claimed: (claim: SensorClaim, account: String)?
  private var isComparing = false

  /// - Throws: ``BusError`` where there is no system bus.
  init() throws(BusError) { bus = try SystemBus() }

  /// What can be waited on for a signal, and for which events.
  var waiting: (descriptor: CInt, events: Int16) { (bus.descriptor, bus.events) }

  /// Says whether there is a sensor, and which fingers the account has.
  func look(for account: String) -> FingerSensor {
    do throws(SensorTrouble) { return FingerSensor(.ready, fingers: try find(account).fingers) } catch {
      return error.report
    }
  }

  /// Begins a comparison, and claims the sensor before unless it is claimed.
  ///
  /// - Returns: nil for a further comparison with a sensor that was claimed already.
  /// - Throws: ``FingerEnd/Cause`` where a further comparison could not begin.
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

  /// Ends what is under way, and gives the sensor back.
  ///
  /// - Returns: whether there was anything to give back.
  @discardableResult
  func stop() -> Bool {
    guard let (claim, _) = claimed.take() else { return false }
    // The service may be gone, and says so; it gives the sensor back by itself then.
    if isComparing { _ = try? bus.call(claim.call("VerifyStop")) }
    isComparing = false
    _ = try? bus.call(claim.call("Release"))
    for match in claim.matches { _ = try? bus.call(.ofBus("RemoveMatch", match)) }
    return true
  }

  /// The meaning of the next signal that has one; nil if no signal is left.
  ///
  /// - Throws: ``BusError`` where the bus is lost.
  func nextMeaning() throws(BusError) -> SensorClaim.Meaning? {
    while let signal = try bus.nextSignal() {
      guard let claim = claimed?.claim, let meaning = claim.meaning(of: signal) else { continue }
      switch meaning {
      case .touch(let touch) where touch.isCompared:
        // A second result of one comparison is none.
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

  /// The default sensor, who speaks for it, and the account's fingers.
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
