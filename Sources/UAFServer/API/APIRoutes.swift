/// The table of the API's routes, from which requests are answered and the description is made.
enum APIRoutes {
  static let all =
    AccountRoutes.all + AccountBlockRoutes.all + MachineRoutes.all + JoinCodeRoutes.all + EnrolmentRoutes.all
    + UnlockRoutes.all + MachinePolicyRoutes.all
    + ApprovalRoutes.all
    + AuditRoutes.all + ModelRoutes.all
    + PolicyRoutes.all + AccessRoutes.all
}
