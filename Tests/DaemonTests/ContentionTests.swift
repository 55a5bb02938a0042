import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

/// One reader and many who want it, through the real module in real hosts.
@Suite(
    "Contention",
    .enabled(if: isRoot && PAMHost.isBuilt, "takes root, to show hosts other accounts, and the module: make module"))
struct ContentionTests {
    @Test("A lock puts a sudo aside, which is asked for afresh when it has ended, with the time it had left")
    func preempted() throws {
        let household = try Household(of: 3)
        let (me, somebody, bystander) = (household.people[0], household.people[1], household.people[2])
        let sudo = try household.prompted(me, "sudo", "timeout=3")
        let login = try household.prompted(somebody, "login")
        #expect(eventually { sudo.shown.contains { $0.hasPrefix("login") } })
        #expect(sudo.shown.last?.hasSuffix("has the fingerprint reader. Wait until it has ended.") == true)
        #expect(sudo.prompts == 1)
        // Who never was asked has no more than that time: when it is over, the sudo's would be, too.
        let third = try household.host(bystander, "sudo", "timeout=3")
        #expect(try third.result() == "PAM_AUTHINFO_UNAVAIL")
        #expect(third.prompts == 0)

        try household.daemon.waitFor(.prompted) {
            try household.touch(somebody)
            #expect(try login.result() == "PAM_SUCCESS")
        }
        try household.touch(me)
        #expect(try sudo.result() == "PAM_SUCCESS")
        #expect(sudo.prompts == 2)
    }

    @Test("A touch for the lock is nothing to the sudo behind it, whosever it is")
    func notHarvested() throws {
        let household = try Household(of: 2)
        let (me, somebody) = (household.people[0], household.people[1])
        let sudo = try household.prompted(me)
        let login = try household.prompted(somebody, "login")
        // The sudo's own person, at the wrong moment.
        try household.touch(me)
        #expect(try login.result() == "PAM_MAXTRIES")
        #expect(try household.mismatches(of: somebody) == 1)
        #expect(try household.mismatches(of: me) == 0)
        #expect(eventually { sudo.prompts == 2 })
        try household.touch(me)
        #expect(try sudo.result() == "PAM_SUCCESS")
    }

    @Test("Twenty people at once: each is told its place, and each is served once, in the order they came")
    func twenty() throws {
        let household = try Household(of: 20)
        let daemon = household.daemon
        var hosts = [try household.prompted(household.people[0], "sudo", "timeout=300")]
        for (place, person) in household.people.enumerated().dropFirst() {
            let host = try household.host(person, "sudo", "timeout=300")
            #expect(eventually { host.shown.count == 1 })
            let requests = place == 1 ? "1 request goes" : "\(place) requests go"
            #expect(
                host.shown == ["The fingerprint reader is in use, and \(requests) first. Please wait."])
            hosts.append(host)
        }
        #expect(try daemon.status().waiting == 20)
        for (turn, person) in household.people.enumerated() {
            let host = hosts[turn]
            #expect(eventually { host.prompts == 1 })
            #expect(hosts.dropFirst(turn + 1).allSatisfy { $0.prompts == 0 })
            try household.touch(person)
            #expect(try host.result() == "PAM_SUCCESS")
            // All places before the turn, one after the other, and the turn.
            #expect(host.shown.count == turn + 1)
            #expect(try daemon.status().waiting == 19 - turn)
        }
        for person in household.people { #expect(try household.mismatches(of: person) == 0) }
    }
}
