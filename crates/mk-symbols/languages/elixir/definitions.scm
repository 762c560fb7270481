(call
  target: (identifier) @_keyword
  (arguments . (alias) @name)
  (do_block)
  (#any-of? @_keyword "defmodule" "defimpl")) @module
(call
  target: (identifier) @_keyword
  (arguments . (alias) @name)
  (do_block)
  (#eq? @_keyword "defprotocol")) @interface
(call
  target: (identifier) @_keyword
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (identifier) @name operator: "when")
    (binary_operator left: (call target: (identifier) @name) operator: "when")
  ])
  (#any-of? @_keyword "def" "defp" "defdelegate" "defguard" "defguardp")) @function
(call
  target: (identifier) @_keyword
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name) operator: "when")
  ])
  (#any-of? @_keyword "defmacro" "defmacrop")) @macro
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_keyword
    (arguments (binary_operator left: [(identifier) @name (call target: (identifier) @name)])))
  (#any-of? @_keyword "type" "typep" "opaque")) @type
