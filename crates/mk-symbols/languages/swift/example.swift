import Foundation

let limit = 5
typealias Handler = (String) -> Void

/// A cart.
@objc
public final class Cart: Base, Store {
    private var items: [String] = []
    static let shared = Cart()

    init(size: Int) {
        let local = 1
    }

    /// Adds one.
    @discardableResult
    func add(_ item: String) throws -> Bool {
        return true
    }

    var count: Int {
        return items.count
    }
}

struct Point {
    let x: Int
}

enum Color: String {
    case red
    case green = "g"
    func mix() -> Color { self }
}

protocol Store {
    associatedtype Item
    var count: Int { get }
    func save()
}

extension Cart {
    func clear() {}
}

actor Counter {
    func bump() {}
}

func topLevel<T>(_ value: T) -> T { value }
