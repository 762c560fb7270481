//! What a symbol is, in words that fit every language.

use serde::{Deserialize, Serialize};

/// The kind of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SymbolKind {
    Class,
    Struct,
    Enum,
    Interface,
    Trait,
    Type,
    Module,
    Namespace,
    Function,
    Method,
    Constructor,
    Macro,
    Constant,
    Variable,
    Property,
    Field,
    Variant,
    /// A block that adds to a type: Rust's `impl`, Swift's `extension`.
    Impl,
    Heading,
}

impl SymbolKind {
    pub const ALL: [Self; 19] = [
        Self::Class,
        Self::Struct,
        Self::Enum,
        Self::Interface,
        Self::Trait,
        Self::Type,
        Self::Module,
        Self::Namespace,
        Self::Function,
        Self::Method,
        Self::Constructor,
        Self::Macro,
        Self::Constant,
        Self::Variable,
        Self::Property,
        Self::Field,
        Self::Variant,
        Self::Impl,
        Self::Heading,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Interface => "interface",
            Self::Trait => "trait",
            Self::Type => "type",
            Self::Module => "module",
            Self::Namespace => "namespace",
            Self::Function => "function",
            Self::Method => "method",
            Self::Constructor => "constructor",
            Self::Macro => "macro",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Property => "property",
            Self::Field => "field",
            Self::Variant => "variant",
            Self::Impl => "impl",
            Self::Heading => "heading",
        }
    }

    /// Reads a kind as [`Self::as_str`] writes it, in any case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str().eq_ignore_ascii_case(text.trim()))
    }

    /// Whether somebody who asks for `asked` means this one too.
    ///
    /// Languages call one idea by several names, and who asks often does not know the language: a class is a struct
    /// where there are no classes, a method is a function, a trait is an interface.
    pub fn answers(self, asked: Self) -> bool {
        self == asked
            || match asked {
                Self::Class => self == Self::Struct,
                Self::Struct => self == Self::Class,
                Self::Interface => self == Self::Trait,
                Self::Trait => self == Self::Interface,
                Self::Module => self == Self::Namespace,
                Self::Namespace => self == Self::Module,
                Self::Type => self.is_type(),
                Self::Function => matches!(self, Self::Method | Self::Constructor),
                Self::Method => self == Self::Constructor,
                Self::Variable => matches!(self, Self::Constant | Self::Property | Self::Field),
                Self::Property => self == Self::Field,
                Self::Field => self == Self::Property,
                Self::Enum
                | Self::Constructor
                | Self::Macro
                | Self::Constant
                | Self::Variant
                | Self::Impl
                | Self::Heading => false,
            }
    }

    pub(crate) fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Struct | Self::Enum | Self::Interface | Self::Trait | Self::Type
        )
    }

    /// Whether what is inside of it belongs to it and is not only local.
    pub(crate) fn holds_members(self) -> bool {
        self.is_type() || matches!(self, Self::Module | Self::Namespace | Self::Impl)
    }

    pub(crate) fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Constructor)
    }

    /// Whether it is a local one inside of a function, and then nothing to find.
    pub(crate) fn is_value(self) -> bool {
        matches!(self, Self::Variable | Self::Constant | Self::Property)
    }

    /// What people look for comes first: types, then what can be called, then values, then parts.
    pub(crate) fn rank(self) -> u8 {
        match self {
            Self::Class | Self::Struct | Self::Enum | Self::Interface | Self::Trait => 0,
            Self::Type | Self::Module | Self::Namespace => 1,
            Self::Function | Self::Method | Self::Constructor | Self::Macro => 2,
            Self::Constant | Self::Variable => 3,
            Self::Property | Self::Field | Self::Variant | Self::Impl => 4,
            Self::Heading => 5,
        }
    }
}
