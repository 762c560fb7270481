require 'set'

# Where things are kept.
module Storage
  VERSION = '1.0'

  # A shelf.
  class Shelf < Base
    attr_reader :label, :size
    LIMIT = 3

    def initialize(label)
      @label = label
    end

    # Whether it is empty.
    def empty?
      true
    end

    def self.build(*args) = new(*args)

    class << self
      def reset!
      end
    end
  end
end

class Storage::Box
  def [](index)
  end

  def ==(other)
  end
end

def top_level
end

class Storage::Box
  alias at []
  alias :first? :at
  alias_method :same?, :==
end
