#include <vector>

namespace geo {

/// A shape.
class Shape {
public:
    Shape(int sides);
    virtual ~Shape();
    virtual double area() const = 0;
    int sides() const { return sides_; }
    bool operator==(const Shape& other) const;

private:
    int sides_ = 0;
};

template <typename T>
struct Box : public Shape {
    T value;
    T& get() { return value; }
};

enum class Color : int { Red, Blue };

using Shapes = std::vector<Shape*>;

namespace detail::deep {
void helper();
}

}  // namespace geo

geo::Shape::Shape(int sides) : sides_(sides) {}

double geo::Shape::area() const {
    return 0.0;
}

template <class T>
T largest(T a, T b) {
    return a > b ? a : b;
}

static const int kLimit = 3;
#define CHECK(x) do { } while (0)

extern "C" {
int exported(void) { return 1; }
}
