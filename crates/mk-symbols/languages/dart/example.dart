// A file of Dart.
library shop;

part 'cart.g.dart';

typedef Handler<T> = void Function(T value);
typedef int Compare(int a, int b);

const version = '1.0', build = 3;
final List<int> numbers = [1, 2];
late String name;
int get total => 5;
set total(int v) {}
external int nativeAdd(int a, int b);

/// Adds.
int add(int a, int b) {
  int inner() => 1;
  return a + b + inner();
}

/// A cart.
@immutable
abstract class Cart<T> extends Base with Mixin implements Other {
  static const int max = 3;
  final String name;
  int? _count, other;
  Cart(this.name);
  Cart.named(this.name) : _count = 0;
  factory Cart.from(Map m) => Cart.named('');
  const factory Cart.redirect() = Other;
  int get count => _count ?? 0;
  set count(int value) => _count = value;
  @override
  void add(T item) {
    print('x');
  }
  void abstractOne();
  static Future<void> load() async {}
  Cart operator +(Cart other) => this;
  T operator [](int i) => throw 1;
  external void ext();
}

mixin Mixin on Base {
  void mixed() {}
}
mixin class Both {}
sealed class S {}
extension StringX on String {
  bool get blank => isEmpty;
}
extension on int { void x() {} }
extension type Id(int value) implements int {
  Id.zero() : this(0);
}
enum Color { red, green; void paint() {} const Color(); }
class Alias = Base with Mixin;
void main() {}
