package shop;

import java.util.List;

/**
 * A cart.
 */
@Deprecated
public class Cart<T> extends Base implements Store {
    private static final int LIMIT = 5;
    private List<T> items, others;

    /** An empty one. */
    public Cart() {
        int local = 1;
    }

    @Override
    public void add(T item) throws Exception {
        Runnable helper = () -> {};
    }

    public void add(T item, int count) {}

    interface Listener {
        int PRIORITY = 1;
        void changed();
    }

    enum State { OPEN, CLOSED }
}

record Point(int x, int y) {
    Point {
        assert x > 0;
    }
}

@interface Marker {
    String value() default "";
}
