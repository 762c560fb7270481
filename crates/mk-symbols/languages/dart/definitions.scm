(class_declaration name: (identifier) @name) @class
(class_declaration (mixin_application_class . (identifier) @name)) @class
(mixin_declaration name: (identifier) @name) @trait
(extension_declaration name: (identifier) @name) @class
(extension_declaration !name class: (type) @name) @impl
(extension_type_declaration name: (extension_type_name . (identifier) @name)) @class
(extension_type_representation name: (identifier) @name) @field
(enum_declaration name: (identifier) @name) @enum
(enum_entry name: (identifier) @name) @variant
(type_alias (type_identifier) @name) @type
(function_declaration signature: (function_signature name: (identifier) @name)) @function
(external_function_declaration signature: (function_signature name: (identifier) @name)) @function
(local_function_declaration (function_signature name: (identifier) @name)) @function
(getter_declaration signature: (getter_signature name: (identifier) @name)) @property
(setter_declaration signature: (setter_signature name: (identifier) @name)) @property
(external_getter_declaration signature: (getter_signature name: (identifier) @name)) @property
(external_setter_declaration signature: (setter_signature name: (identifier) @name)) @property
(top_level_variable_declaration "const"
  (static_final_declaration_list (static_final_declaration name: (identifier) @name))) @constant
(top_level_variable_declaration
  (static_final_declaration_list (static_final_declaration name: (identifier) @name))) @variable
(top_level_variable_declaration
  (initialized_identifier_list (initialized_identifier name: (identifier) @name))) @variable
(method_declaration signature: (method_signature (function_signature name: (identifier) @name))) @method
(method_declaration signature: (method_signature (getter_signature name: (identifier) @name))) @property
(method_declaration signature: (method_signature (setter_signature name: (identifier) @name))) @property
(method_declaration signature: (method_signature (operator_signature operator: _ @name))) @method
(method_declaration signature: (method_signature
  [(constructor_signature (identifier) @name . (formal_parameter_list))
   (constant_constructor_signature (identifier) @name . (formal_parameter_list))
   (factory_constructor_signature (identifier) @name . (formal_parameter_list))])) @constructor
(member_declaration (declaration
  [(constructor_signature (identifier) @name . (formal_parameter_list))
   (constant_constructor_signature (identifier) @name . (formal_parameter_list))
   (factory_constructor_signature (identifier) @name . (formal_parameter_list))
   (redirecting_factory_constructor_signature (identifier) @name . (formal_parameter_list))])) @constructor
(member_declaration (declaration (function_signature name: (identifier) @name))) @method
(member_declaration (declaration (getter_signature name: (identifier) @name))) @property
(member_declaration (declaration (setter_signature name: (identifier) @name))) @property
(member_declaration (declaration (operator_signature operator: _ @name))) @method
(member_declaration (declaration "const"
  (static_final_declaration_list (static_final_declaration name: (identifier) @name)))) @constant
(member_declaration (declaration
  (static_final_declaration_list (static_final_declaration name: (identifier) @name)))) @field
(member_declaration (declaration
  (initialized_identifier_list (initialized_identifier name: (identifier) @name)))) @field
