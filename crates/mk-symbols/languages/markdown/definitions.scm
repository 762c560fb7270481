(section . (atx_heading heading_content: (inline) @name)) @heading
; The grammar gives these no section of their own.
(setext_heading heading_content: (paragraph (inline) @name)) @heading
