// The names of SwiftUI that the sample uses, with Apple's declarations shortened, so that its views are
// checked for types where there is no SwiftUI. Nothing of it runs.

@_exported import Foundation  // as SwiftUI does

public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

public protocol Primitive: View where Body == Never {}
extension Primitive {
    public var body: Never { fatalError() }
}

public struct EmptyView: Primitive {}
public struct Pair<First: View, Second: View>: Primitive {}
public struct Either<First: View, Second: View>: Primitive {}

@resultBuilder
public struct ViewBuilder {
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<First: View, Second: View>(
        _ first: First, _ second: Second
    ) -> Pair<First, Second> { Pair() }
    public static func buildBlock<First: View, Second: View, Third: View>(
        _ first: First, _ second: Second, _ third: Third
    ) -> Pair<Pair<First, Second>, Third> { Pair() }
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> Either<First, Second> { Either() }
    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> Either<First, Second> { Either() }
}

@propertyWrapper
public struct State<Value> {
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public var wrappedValue: Value { get { fatalError() } nonmutating set { _ = newValue } }
    public var projectedValue: Binding<Value> { Binding() }
    private let value: Value? = nil
}

public struct Binding<Value> {}

public struct Text: Primitive {
    public init<Content: StringProtocol>(_ content: Content) {}
}

public struct TextField: Primitive {
    public init<Title: StringProtocol>(_ title: Title, text: Binding<String>) {}
}

public struct Button: Primitive {
    public init<Title: StringProtocol>(_ title: Title, action: @escaping () -> Void) {}
}

public struct Form<Content: View>: Primitive {
    public init(@ViewBuilder content: () -> Content) {}
}

public struct VStack<Content: View>: Primitive {
    public init(@ViewBuilder content: () -> Content) {}
}

public struct Section<Content: View>: Primitive {
    public init<Title: StringProtocol>(_ title: Title, @ViewBuilder content: () -> Content) {}
}

extension View {
    public func disabled(_ isDisabled: Bool) -> some View { EmptyView() }
    public func padding() -> some View { EmptyView() }
}

public protocol Scene {}

public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) {}
}

public protocol App {
    associatedtype Body: Scene
    init()
    @MainActor var body: Body { get }
}

extension App {
    public static func main() {}
}
