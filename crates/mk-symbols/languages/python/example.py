"""A module's docstring."""
import os

MAX_SIZE = 10
registry: dict[str, int] = {}
first, second = 1, 2

try:
    import fast
except ImportError:
    fast = None

type Pair[T] = tuple[T, T]


class Base:
    """What all have in common.

    More.
    """

    name = "base"
    size: int

    def __init__(self, size=1):
        self.size = size
        local = 2

    @property
    def area(self) -> int:
        r"""The area, squared."""
        return self.size ** 2

    @area.setter
    def area(self, value): ...

    class Meta:
        abstract = True


# Cached, because it is slow.
@functools.lru_cache(
    maxsize=None,
)
async def load(
    path: str,
    *,
    mode: str = "r",
) -> bytes:
    def helper():
        pass

    return helper()


class Pair:
    left, right = 1, 2
