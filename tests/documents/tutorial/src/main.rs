//! Says whether the shop is open.

fn main() {
    println!("open");
}
