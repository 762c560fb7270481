; Keys at the top and one level below: what is deeper is data.
(document (block_node (block_mapping (block_mapping_pair key: (flow_node) @name) @property)))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair key: (flow_node) @name) @property))))))
