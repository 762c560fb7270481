//! Reading names as languages write them: wrapped in declarators, qualified, with generics.

use tree_sitter::Node;

/// Finds the name in pointers, arrays, references and parameters, and whether it is a function's.
pub(super) fn unwrap_declarator(declarator: Node<'_>) -> Option<(Node<'_>, bool)> {
    let mut node = declarator;
    let mut is_function = false;
    for _ in 0..20 {
        let inner = node.child_by_field_name("declarator").or_else(|| {
            let wraps = matches!(
                node.kind(),
                "reference_declarator" | "parenthesized_declarator" | "attributed_declarator"
            );
            wraps.then(|| node.named_child(0)).flatten()
        });
        let Some(inner) = inner else { break };
        is_function = node.kind() == "function_declarator";
        node = inner;
    }
    // `int (f)(void)` and structured bindings have no name here.
    let named = !matches!(node.kind(), "structured_binding_declarator" | "ERROR");
    named.then_some((node, is_function))
}

/// `*Server`, `&mut Foo<T>`, `a::b::Foo` → the type's own name.
pub(super) fn base_name(text: &str) -> &str {
    let text = text.trim_start_matches(['*', '&', '(', ' ', '[', ']']);
    let text = text.strip_prefix("mut ").unwrap_or(text);
    let text = text.strip_prefix("dyn ").unwrap_or(text);
    let text = text
        .split(['<', '[', '(', '{', '\n'])
        .next()
        .unwrap_or(text);
    let text = text.trim_end_matches([')', ' ', ':']);
    text.rsplit([':', '.', ' ', '*'])
        .find(|part| !part.is_empty())
        .unwrap_or(text)
}

/// `(Map k v)`, `s (StateT s m)` → the type that an instance of Haskell is for, or all of it if that has no name.
pub(super) fn instance_subject(patterns: &str) -> &str {
    let mut depth = 0_usize;
    let mut last = 0;
    for (position, letter) in patterns.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            letter if depth == 0 && letter.is_whitespace() => last = position,
            _ => {}
        }
    }
    let pattern = patterns.get(last..).unwrap_or(patterns);
    let mut words =
        pattern.split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '\''));
    words
        .find(|word| word.starts_with(char::is_uppercase))
        .unwrap_or_else(|| pattern.trim())
}

/// `(+)` → `+`: an operator of Haskell is defined in parentheses and used without them.
pub(super) fn operator_name(name: &str) -> &str {
    let inner = name
        .strip_prefix('(')
        .and_then(|name| name.strip_suffix(')'));
    inner.map_or(name, str::trim)
}

/// What a definition says of its own container: `(s *Server)`, `Foo.prototype`, `module.exports`.
pub(super) fn scope_parts(text: &str) -> Vec<&str> {
    let text = text.trim_start_matches(['*', '&', '(', ' ']);
    let text = text.split(['<', '[', '(']).next().unwrap_or(text);
    text.split(['.', ':'])
        .map(str::trim)
        .filter(|part| {
            !matches!(
                *part,
                "" | "exports" | "module" | "prototype" | "this" | "window"
            )
        })
        .collect()
}

pub(super) fn split_outside_generics<'a>(name: &'a str, separator: &str) -> Vec<&'a str> {
    // `operator<` and `vector<a::b>::push` keep what is in their angle brackets.
    if name.contains('<') && !name.contains(">::") {
        return vec![name];
    }
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    let mut position = 0;
    while let Some(rest) = name.get(position..) {
        let Some(letter) = rest.chars().next() else {
            break;
        };
        match letter {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 && rest.starts_with(separator) => {
                parts.push(name.get(start..position).unwrap_or_default());
                position += separator.len();
                start = position;
                continue;
            }
            _ => {}
        }
        position += letter.len_utf8();
    }
    parts.push(name.get(start..).unwrap_or_default());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Brings text onto one line of at most `most` bytes.
pub(super) fn one_line(text: &str, most: usize) -> String {
    let mut line = String::with_capacity(text.len().min(most + 4));
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > most {
            line.truncate(line.floor_char_boundary(most));
            line.push('…');
            break;
        }
    }
    line
}
