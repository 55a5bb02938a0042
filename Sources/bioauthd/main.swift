import BioauthDaemon
import BioauthSystem
import FingerprintReader
import Glibc

Words.begin(directory: Installation.localeDirectory)
let options = Options.parsedOrExit()
let log = Log(level: options.isDebugging ? .debug : .info)
if !options.isDebugging { silenceDrivers() }
umask(0o077)
raiseOpenFileLimit()
do {
    let settings = try options.settings()
    let daemon = try Daemon(
        settings: settings, configuration: options.configuration, stateDirectory: options.stateDirectory,
        passwordSocket: options.passwordSocket, readers: LibfprintReaders(),
        surroundings: PeerSurroundings(logind: options.asksLogind ? Logind() : nil, log: log), log: log)
    let socket = try options.socket()
    let file = options.ownSocketFile()
    let wasStopped = daemon.run(on: socket, rootUIDs: options.isPrivate ? [0, geteuid()] : [0])
    file?.remove()
    // libfprint's devices can't be freed in the middle of a call: they go with the process.
    withExtendedLifetime(daemon) { exit(wasStopped ? 0 : 1) }
} catch let error as Options.Refusal {
    for message in error.messages { log.write(.error, message) }
    exit(2)
} catch {
    log.write(.error, "\(error)")
    exit(1)
}
