(class_declaration declaration_kind: "extension" name: (_) @name) @impl
(class_declaration declaration_kind: "struct" name: (_) @name) @struct
(class_declaration declaration_kind: "enum" name: (_) @name) @enum
(class_declaration name: (_) @name) @class
(protocol_declaration name: (_) @name) @interface
(enum_entry name: (simple_identifier) @name) @variant
(typealias_declaration name: (type_identifier) @name) @type
(associatedtype_declaration name: (type_identifier) @name) @type
(function_declaration name: (simple_identifier) @name) @function
(protocol_function_declaration name: (simple_identifier) @name) @function
(init_declaration name: "init" @name) @constructor
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @property
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @property
(function_declaration "func" . name: _ @name) @function
(protocol_function_declaration "func" . name: _ @name) @function
(subscript_declaration "subscript" @name) @method
(deinit_declaration "deinit" @name) @method
