(namespace_declaration name: (_) @name) @namespace
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @struct
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(enum_member_declaration name: (identifier) @name) @variant
(delegate_declaration name: (identifier) @name) @type
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @constructor
(local_function_statement name: (identifier) @name) @function
(property_declaration name: (identifier) @name) @property
(event_declaration name: (identifier) @name) @property
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @property
(field_declaration (modifier "const") (variable_declaration (variable_declarator name: (identifier) @name))) @constant
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @field
(file_scoped_namespace_declaration name: (_) @name) @namespace
(operator_declaration operator: _ @name) @method
(conversion_operator_declaration type: (_) @name) @method
(indexer_declaration "this" @name) @property
(destructor_declaration name: (identifier) @name) @method
