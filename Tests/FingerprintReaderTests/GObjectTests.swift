import CGLib
import XCTest

@testable import FingerprintReader

/// What is taken of GLib is given back, once and in time.
final class GObjectTests: XCTestCase {
    func testAReferenceIsCountedAndGivenBack() throws {
        onMainActor {
            let object = g_cancellable_new()!
            do {
                let reference = GObjectReference(sharing: object)
                XCTAssertEqual(references(to: reference.pointer), 2)
            }
            XCTAssertEqual(references(to: object), 1)
            g_object_ref(object)
            do {
                let reference: GObjectReference? = GObjectReference(owning: object)
                XCTAssert(reference != nil)
                XCTAssertEqual(references(to: object), 2)
            }
            XCTAssertEqual(references(to: object), 1)
            g_object_unref(object)
        }
    }

    func testAFloatingReferenceIsTakenOver() throws {
        onMainActor {
            let object = UnsafeMutablePointer<GObject>(
                object: g_object_new_with_properties(
                    g_initially_unowned_get_type(), 0, nil, nil))
            let reference = GObjectReference(sharing: object)
            XCTAssertEqual(references(to: reference.pointer), 1)
        }
    }

    func testAHandlerIsCalledUntilItsConnectionEnds() throws {
        onMainActor {
            final class Heard {
                var count = 0
            }
            let action = g_simple_action_new("any", nil)!
            let object = UnsafeMutablePointer<GObject>(object: action.object)
            weak var left: Heard?
            do {
                let heard = Heard()
                left = heard
                let connection = SignalConnection(to: "notify::enabled", of: action) { _ in heard.count += 1 }
                XCTAssertEqual(references(to: object), 2)
                g_simple_action_set_enabled(action, 0)
                g_simple_action_set_enabled(action, 1)
                XCTAssertEqual(heard.count, 2)
                _ = consume connection
                g_simple_action_set_enabled(action, 0)
                XCTAssertEqual(heard.count, 2)
            }
            XCTAssertNil(left)
            XCTAssertEqual(references(to: object), 1)
            g_object_unref(action.object)
        }
    }

    func testWhatIsPutOffComesOnceAndLater() throws {
        onMainActor {
            let told = Told<Int>()
            later {
                told.append(1)
                later { told.append(2) }
            }
            XCTAssertEqual(told.values, [])
            settle()
            XCTAssertEqual(told.values, [1, 2])
        }
    }
}

private func references(to object: UnsafeMutablePointer<some Any>) -> Int {
    Int(object.object.assumingMemoryBound(to: GObject.self).pointee.ref_count)
}
