package shop

import scala.util.Try

/** A cart. */
@deprecated
case class Cart(owner: String, size: Int) extends Base with Store {
  private val items = List.empty[String]
  var total: Int = 0

  /** Adds one. */
  def add(item: String): Cart = {
    val local = 1
    copy(size = size + 1)
  }

  def save(): Unit = ()
}

object Cart {
  val Limit = 5
  def empty: Cart = Cart("nobody", 0)
}

trait Store {
  type Item
  def save(): Unit
}

enum Color {
  case Red
  case Custom(code: Int)
}

type Handler = String => Unit

given ordering: Ordering[Cart] = Ordering.by(_.size)
