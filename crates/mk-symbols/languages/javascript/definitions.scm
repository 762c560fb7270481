(class_declaration name: (identifier) @name) @class
(variable_declarator name: (identifier) @name value: (class)) @class
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]) @function
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @method
(field_definition property: [(property_identifier) (private_property_identifier)] @name) @field
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
; What is taken out of an object: `export const { a, b: c } = made()`.
(program (lexical_declaration (variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name)) @constant))
(program (lexical_declaration (variable_declarator name: (object_pattern (pair_pattern value: (identifier) @name))) @constant))
(program (export_statement (lexical_declaration (variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name)) @constant)))
(program (export_statement (lexical_declaration (variable_declarator name: (object_pattern (pair_pattern value: (identifier) @name))) @constant)))
(program (expression_statement (assignment_expression
  left: (member_expression object: (_) @scope property: (property_identifier) @name)
  (#match? @scope "^(module[.])?exports$")) @variable))
