package shop

const val LIMIT = 5
val names = listOf("a")
typealias Handler = (String) -> Unit

/** A cart. */
@Serializable
data class Cart(val owner: String, private var size: Int, plain: Int) : Base(), Store {
    private val items = mutableListOf<String>()

    constructor(owner: String) : this(owner, 0, 0)

    /** Adds one. */
    override fun add(item: String): Boolean {
        val local = 1
        return items.add(item)
    }

    val count: Int
        get() = items.size

    companion object {
        fun empty() = Cart("nobody")
    }
}

interface Store {
    fun save()
}

enum class Color(val code: Int) {
    RED(1),
    GREEN(2);

    fun mix() = this
}

object Registry {
    fun find(name: String): Cart? = null
}

sealed interface Result

fun String.shout(): String = uppercase()

suspend fun <T> retry(times: Int, block: () -> T): T = block()
