(rule_set (selectors) @name) @class
(keyframes_statement (keyframes_name) @name) @function
(declaration (property_name) @name (#match? @name "^--")) @variable
