from shop.cart import Cart


def main() -> None:
    cart = Cart()
    cart.add("x")
