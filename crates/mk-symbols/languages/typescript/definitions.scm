(class_declaration name: (type_identifier) @name) @class
(abstract_class_declaration name: (type_identifier) @name) @class
(variable_declarator name: (identifier) @name value: (class)) @class
(interface_declaration name: (type_identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(enum_body name: (property_identifier) @name @variant)
(enum_assignment name: (property_identifier) @name) @variant
(type_alias_declaration name: (type_identifier) @name) @type
(internal_module name: (_) @name) @namespace
(module name: (_) @name) @namespace
(function_declaration name: (identifier) @name) @function
(function_signature name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]) @function
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @method
(method_signature name: (property_identifier) @name) @method
(abstract_method_signature name: (property_identifier) @name) @method
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @field
(interface_body (property_signature name: (property_identifier) @name) @field)
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @function
(assignment_expression
  left: (member_expression object: (_) @scope property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)]) @function
(assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @scope property: (property_identifier) @prototype)
    property: (property_identifier) @name)
  (#eq? @prototype "prototype")) @method
(program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @constant))
(program (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(program (export_statement (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @constant)))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @variable)))
(program (export_statement (variable_declaration (variable_declarator name: (identifier) @name) @variable)))
(program (ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @variable)))
(program (ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @variable)))
(program (export_statement (ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @variable))))
(program (export_statement (ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @variable))))
; What is taken out of an object: `export const { a, b: c } = made()`.
(program (lexical_declaration (variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name)) @constant))
(program (lexical_declaration (variable_declarator name: (object_pattern (pair_pattern value: (identifier) @name))) @constant))
(program (export_statement (lexical_declaration (variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name)) @constant)))
(program (export_statement (lexical_declaration (variable_declarator name: (object_pattern (pair_pattern value: (identifier) @name))) @constant)))
(internal_module body: (statement_block (lexical_declaration (variable_declarator name: (identifier) @name) @constant)))
(internal_module body: (statement_block (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @constant))))
; A parameter of a constructor that is a field.
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @field
(optional_parameter (accessibility_modifier) pattern: (identifier) @name) @field
