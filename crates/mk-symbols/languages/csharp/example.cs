using System;

namespace Shop.Core
{
    /// <summary>A cart.</summary>
    [Serializable]
    public class Cart<T> : Base, IStore where T : class
    {
        private const int Limit = 5;
        private readonly List<T> items = new();

        public Cart(int size) { }

        public int Count { get; private set; }
        public event EventHandler Changed;

        /// <summary>
        /// Adds one.
        /// </summary>
        public async Task AddAsync(T item)
        {
            int Local() => 1;
        }

        public int Twice(int x) => x * 2;
    }

    public interface IStore { void Save(); }
    public record Point(int X, int Y);
    public struct Size { public int Width; }
    public enum Color { Red, Green }
    public delegate void Handler(object sender);
}
