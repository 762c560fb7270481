class Cart:
    """What a customer is about to buy."""

    def add(self, item: str) -> None:
        """Puts an item into the cart."""
        self.items.append(item)
