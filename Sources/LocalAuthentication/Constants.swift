// The numbers as C knows them: programs compare them with what `NSError.code` gives.

public let kLAErrorDomain = LAErrorDomain

public let kLAErrorAuthenticationFailed = Int32(LAError.Code.authenticationFailed.rawValue)
public let kLAErrorUserCancel = Int32(LAError.Code.userCancel.rawValue)
public let kLAErrorUserFallback = Int32(LAError.Code.userFallback.rawValue)
public let kLAErrorSystemCancel = Int32(LAError.Code.systemCancel.rawValue)
public let kLAErrorPasscodeNotSet = Int32(LAError.Code.passcodeNotSet.rawValue)
public let kLAErrorTouchIDNotAvailable = Int32(LAError.Code.touchIDNotAvailable.rawValue)
public let kLAErrorTouchIDNotEnrolled = Int32(LAError.Code.touchIDNotEnrolled.rawValue)
public let kLAErrorTouchIDLockout = Int32(LAError.Code.touchIDLockout.rawValue)
public let kLAErrorBiometryNotAvailable = Int32(LAError.Code.biometryNotAvailable.rawValue)
public let kLAErrorBiometryNotEnrolled = Int32(LAError.Code.biometryNotEnrolled.rawValue)
public let kLAErrorBiometryLockout = Int32(LAError.Code.biometryLockout.rawValue)
public let kLAErrorAppCancel = Int32(LAError.Code.appCancel.rawValue)
public let kLAErrorInvalidContext = Int32(LAError.Code.invalidContext.rawValue)
public let kLAErrorWatchNotAvailable = Int32(LAError.Code.watchNotAvailable.rawValue)
public let kLAErrorCompanionNotAvailable = Int32(LAError.Code.companionNotAvailable.rawValue)
public let kLAErrorBiometryNotPaired = Int32(LAError.Code.biometryNotPaired.rawValue)
public let kLAErrorBiometryDisconnected = Int32(LAError.Code.biometryDisconnected.rawValue)
public let kLAErrorInvalidDimensions = Int32(LAError.Code.invalidDimensions.rawValue)
public let kLAErrorNotInteractive = Int32(LAError.Code.notInteractive.rawValue)

public let kLAPolicyDeviceOwnerAuthenticationWithBiometrics = Int32(
    LAPolicy.deviceOwnerAuthenticationWithBiometrics.rawValue)
public let kLAPolicyDeviceOwnerAuthentication = Int32(LAPolicy.deviceOwnerAuthentication.rawValue)
