defmodule Shop.Cart do
  @moduledoc """
  A cart.
  """

  @limit 5
  @type t :: %__MODULE__{items: list()}

  defstruct items: []

  @doc """
  Adds an item.
  """
  @spec add(t, term) :: t
  def add(cart, item) do
    %{cart | items: [item | cart.items]}
  end

  @doc false
  def total(%{items: []}), do: 0
  def total(cart) when is_map(cart), do: length(cart.items)

  defp helper, do: :ok

  defmacro traced(expr) do
    expr
  end
end

defprotocol Shop.Priced do
  def price(item)
end
