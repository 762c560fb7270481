// Package shop sells.
package shop

import "fmt"

const Limit = 10

const (
	// Small is small.
	Small = iota
	Large
)

var (
	counter int
	names   = []string{"a"}
)

// Cart holds what somebody wants.
type Cart struct {
	Items []string
	owner *User
}

type (
	User struct{ Name string }
	ID   = string
)

// Store keeps carts.
type Store interface {
	Save(c *Cart) error
}

type Handler func(c *Cart)

// Add puts an item into the cart.
func (c *Cart) Add(item string) error {
	local := 1
	return nil
}

func (s List[T]) Len() int { return 0 }

func New() *Cart {
	return &Cart{}
}
