(block (identifier) . (string_lit (template_literal) @scope) . (string_lit (template_literal) @name)) @class
(block (identifier) . (string_lit (template_literal) @name) . (block_start)) @variable
(block (identifier) @locals (body (attribute (identifier) @name) @variable) (#eq? @locals "locals"))
