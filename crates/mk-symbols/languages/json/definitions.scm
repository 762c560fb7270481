; Keys at the top and one level below: what is deeper is data.
(document (object (pair key: (string (string_content) @name)) @property))
(document (object (pair value: (object (pair key: (string (string_content) @name)) @property))))
