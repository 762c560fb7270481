//! Following a change of a text: what stands outside of it is taken over, and only the rest of the tree is looked into.

use tree_sitter::{InputEdit, Node, Tree};

use super::{Extraction, MOST_SYMBOLS, RawDefinition};
use crate::language::{Capture, Role};

/// What was found in a text, before it was arranged.
#[derive(Debug, Clone, Default)]
pub(crate) struct FoundDefinitions(pub(super) Vec<RawDefinition>);

/// What a text was, and what has become of it.
#[derive(Debug)]
pub(crate) struct TextChange {
    /// The tree of the old text, told about the edit.
    pub(crate) tree: Tree,
    pub(crate) found: FoundDefinitions,
    pub(crate) edit: InputEdit,
}

/// The top of a tree where it is not as it was.
pub(super) struct ChangedTop<'tree> {
    pub(super) nodes: Vec<Node<'tree>>,
    /// Where it begins, in both texts.
    start: usize,
    /// Where it ended in the old text.
    old_end: usize,
}

impl Extraction<'_> {
    /// What has to be looked into after a change; `None` if that is everything.
    pub(super) fn changed_top<'tree>(
        &self,
        change: &TextChange,
        tree: &'tree Tree,
    ) -> Option<ChangedTop<'tree>> {
        let root = tree.root_node();
        let is_searched = self.compiled.role(root.kind_id()) == Role::Root;
        // The bodies of macros are trees of their own.
        let has_items = self.compiled.captures.contains(&Capture::Items);
        if is_searched || has_items || change.found.0.len() >= MOST_SYMBOLS {
            return None;
        }
        let InputEdit {
            start_byte,
            old_end_byte,
            new_end_byte,
            ..
        } = change.edit;
        let (mut start, mut end) = (start_byte, new_end_byte);
        for range in change.tree.changed_ranges(tree) {
            start = start.min(range.start_byte);
            end = end.max(range.end_byte);
        }
        let mut walk = root.walk();
        walk.goto_first_child_for_byte(start.saturating_sub(1))?;
        let mut nodes = Vec::new();
        loop {
            let node = walk.node();
            nodes.push(node);
            // What follows has comments above it, which may not be what they were.
            let is_leading = self.language.comments.contains(&node.kind())
                || self.language.attributes.contains(&node.kind());
            if node.start_byte() > end && !is_leading || !walk.goto_next_sibling() {
                break;
            }
        }
        let first = nodes.first()?.start_byte();
        // Behind the edit both texts are the same.
        let last = nodes.last()?.end_byte().max(end);
        let top = ChangedTop {
            nodes,
            start: first,
            old_end: (last + old_end_byte).checked_sub(new_end_byte)?,
        };
        let is_apart = |one: &RawDefinition| {
            let (start, end) = (
                one.symbol.comments_start as usize,
                one.symbol.range.end as usize,
            );
            let is_inside = one.symbol.range.start as usize >= top.start && end <= top.old_end;
            end <= top.start || start >= top.old_end || is_inside
        };
        change.found.0.iter().all(is_apart).then_some(top)
    }

    /// Takes over what stands before and behind the changed part.
    pub(super) fn take_over(&mut self, change: TextChange, top: &ChangedTop<'_>) {
        let InputEdit {
            old_end_byte,
            new_end_byte,
            old_end_position,
            new_end_position,
            ..
        } = change.edit;
        let bytes = distance(old_end_byte, new_end_byte);
        let rows = distance(old_end_position.row, new_end_position.row);
        for one in change.found.0 {
            if one.symbol.range.end as usize <= top.start {
                self.found.push(one);
            } else if one.symbol.comments_start as usize >= top.old_end {
                self.found.push(one.moved(bytes, rows));
            }
        }
    }
}

/// Files are smaller than 2 MB, so every distance fits.
fn distance(from: usize, to: usize) -> i32 {
    let signed = |position: usize| i32::try_from(position).unwrap_or(i32::MAX);
    signed(to).saturating_sub(signed(from))
}

impl RawDefinition {
    fn moved(mut self, bytes: i32, rows: i32) -> Self {
        let symbol = &mut self.symbol;
        let offsets = [
            &mut symbol.range.start,
            &mut symbol.range.end,
            &mut symbol.name_range.start,
            &mut symbol.name_range.end,
            &mut symbol.attributes_start,
            &mut symbol.comments_start,
        ];
        for offset in offsets {
            *offset = offset.saturating_add_signed(bytes);
        }
        for line in [&mut symbol.lines.start, &mut symbol.lines.end] {
            *line = line.saturating_add_signed(rows);
        }
        self
    }
}
