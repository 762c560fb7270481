<?php

namespace Shop\Core;

const LIMIT = 5;

/**
 * A cart.
 */
#[Entity]
final class Cart extends Base implements Store
{
    use Logs;

    public const MAX = 10;
    private array $items = [];

    public function __construct(private readonly string $owner)
    {
        $local = 1;
    }

    /** Adds one. */
    public function add(Item $item): static
    {
        return $this;
    }

    abstract protected function total(): int;
}

interface Store
{
    public function save(): void;
}

trait Logs
{
    protected function log(string $message): void {}
}

enum Suit: string
{
    case Hearts = 'H';
    case Spades = 'S';
}

// Helps.
function helper(int $x): int
{
    return $x;
}
