const std = @import("std");

/// The most.
pub const limit: usize = 5;
var counter: u32 = 0;

/// A cart.
pub const Cart = struct {
    items: []const u8,
    size: usize = 0,

    const Self = @This();

    /// Adds one.
    pub fn add(self: *Self, item: u8) !void {
        const local = item;
        _ = local;
    }
};

pub const Color = enum { red, green };
const Failure = error{ Full, Closed };
pub const Value = union(enum) { int: i64, none };

fn helper(comptime T: type) type {
    return struct {
        value: T,
    };
}

test "adds an item" {
    try std.testing.expect(true);
}
