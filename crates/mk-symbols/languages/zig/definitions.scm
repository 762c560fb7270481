(function_declaration name: (identifier) @name) @function
(variable_declaration . (identifier) @name (struct_declaration)) @struct
(variable_declaration . (identifier) @name (union_declaration)) @struct
(variable_declaration . (identifier) @name (opaque_declaration)) @struct
(variable_declaration . (identifier) @name (enum_declaration)) @enum
(variable_declaration . (identifier) @name (error_set_declaration)) @enum
(variable_declaration "const" . (identifier) @name) @constant
(variable_declaration . (identifier) @name) @variable
(enum_declaration (container_field name: (identifier) @name) @variant)
(error_set_declaration (identifier) @name @variant)
(container_field name: (identifier) @name) @field
(test_declaration (string (string_content) @name)) @function
