(namespace_definition name: (namespace_name) @name body: (_)) @namespace
(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(trait_declaration name: (name) @name) @trait
(enum_declaration name: (name) @name) @enum
(enum_case name: (name) @name) @variant
(function_definition name: (name) @name) @function
(method_declaration name: (name) @name) @method
(property_declaration (property_element name: (variable_name) @name)) @field
(property_promotion_parameter name: (variable_name) @name) @field
(const_declaration (const_element . (name) @name)) @constant
