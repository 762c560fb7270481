(class name: (_) @name) @class
(module name: (_) @name) @module
(method name: (_) @name) @function
(singleton_method name: (_) @name) @function
(alias name: [(identifier) (constant) (setter) (operator) (simple_symbol)] @name) @function
(call
  method: (identifier) @_method
  arguments: (argument_list . (simple_symbol) @name)
  (#eq? @_method "alias_method")) @function
(assignment left: (constant) @name) @constant
(call
  method: (identifier) @_method
  arguments: (argument_list (simple_symbol) @name @property)
  (#any-of? @_method "attr_reader" "attr_writer" "attr_accessor"))
