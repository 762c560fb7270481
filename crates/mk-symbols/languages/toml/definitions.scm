(table [(bare_key) (dotted_key) (quoted_key)] @name) @namespace
(table_array_element [(bare_key) (dotted_key) (quoted_key)] @name) @namespace
(pair [(bare_key) (dotted_key) (quoted_key)] @name) @property
