import Foundation
import TestSupport

// Plays USB to other processes: `umockdev-wrapper bioauth-usb RECORDING PLACE...`, on a terminal. Says where its files
// are, then does as the lines of its input say, and answers each: `plug PLACE` with where the sensor stands in sysfs,
// `unplug` with that, or `vanish`, of which udev tells nobody; `release` with that and the place.
do {
    let places = CommandLine.arguments.dropFirst(2).compactMap(USBTestbed.Place.init)
    let testbed = try USBTestbed(CommandLine.arguments[1], places: places)
    print("root \(try testbed.root).")
    while let line = readLine() {
        let words = line.split(separator: " ").map(String.init)
        switch words.first {
        case "plug":
            guard let place = USBTestbed.Place(words[1]) else { throw USBTestbed.Failed(what: line) }
            print("plugged \(try testbed.plug(place)).")
        case "unplug", "vanish":
            try testbed.unplug(words[1], telling: words[0] == "unplug")
            print("gone \(words[1]).")
        case "release":
            guard let place = USBTestbed.Place(words[2]) else { throw USBTestbed.Failed(what: line) }
            try testbed.release(words[1], at: place)
            print("released \(words[1]).")
        default:
            throw USBTestbed.Failed(what: line)
        }
    }
} catch {
    print("failed: \(error)")
    exit(1)
}
