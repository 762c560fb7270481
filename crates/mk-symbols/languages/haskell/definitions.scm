(header module: (module (module_id) @name .)) @module
(data_type name: (_) @name) @type
(newtype name: (_) @name) @type
(type_synonym name: (_) @name) @type
(type_synonym (infix operator: (_) @name)) @type
(type_family name: (_) @name) @type
(data_family name: (_) @name) @type
(class name: (_) @name) @trait
(instance name: (_) @implemented patterns: (_) @name) @impl
(data_constructor constructor: (_ name: (_) @name)) @variant
(data_constructor constructor: (infix operator: (_) @name)) @variant
(newtype_constructor name: (_) @name) @variant
(gadt_constructor name: (_) @name) @variant
(gadt_constructor names: (binding_list name: (_) @name)) @variant
(field name: (field_name (variable) @name)) @field
(foreign_import signature: (signature name: (_) @name)) @function
(pattern_synonym (signature synonym: (_) @name)) @function
(pattern_synonym (equation synonym: (apply function: (constructor) @name))) @function
(pattern_synonym (equation synonym: (constructor) @name)) @function
(declarations [
  (signature name: (_) @name)
  (signature names: (binding_list name: (_) @name))
  (function name: (_) @name)
  (function (infix operator: (operator) @name))
  (function (infix operator: (infix_id (variable) @name)))
  (bind name: (_) @name)
] @function)
(class_declarations [
  (signature name: (_) @name)
  (signature names: (binding_list name: (_) @name))
  (function name: (_) @name)
  (function (infix operator: (operator) @name))
  (function (infix operator: (infix_id (variable) @name)))
  (bind name: (_) @name)
] @function)
(instance_declarations [
  (function name: (_) @name)
  (function (infix operator: (operator) @name))
  (function (infix operator: (infix_id (variable) @name)))
  (bind name: (_) @name)
] @function)
