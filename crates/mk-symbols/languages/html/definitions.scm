(element (start_tag (attribute (attribute_name) @attribute (quoted_attribute_value (attribute_value) @name)))
  (#eq? @attribute "id")) @field
(element (start_tag (tag_name) @tag) (text) @name (#match? @tag "^[hH][1-6]$")) @heading
