(class_declaration "interface" name: (identifier) @name) @interface
(class_declaration name: (identifier) @name (enum_class_body)) @enum
(class_declaration name: (identifier) @name) @class
(object_declaration name: (identifier) @name) @class
(companion_object name: (identifier) @name) @class
(enum_entry (identifier) @name) @variant
(type_alias type: (identifier) @name) @type
(function_declaration name: (identifier) @name) @function
(secondary_constructor "constructor" @name) @constructor
(property_declaration (modifiers (property_modifier "const")) (variable_declaration (identifier) @name)) @constant
(property_declaration (variable_declaration (identifier) @name)) @property
(class_parameter ["val" "var"] (identifier) @name) @property
