//! What an address leads to: the text of a rule, an agent, a skill or a checklist, or any file that a skill brings.

/// Something that has an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    pub mime_type: &'static str,
    /// The whole file, head included.
    pub body: ResourceBody,
}

/// What a file holds: a skill may bring images and archives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceBody {
    Text(String),
    Bytes(Vec<u8>),
}

impl Resource {
    /// The text; `None` where it is none.
    pub fn text(&self) -> Option<&str> {
        match &self.body {
            ResourceBody::Text(text) => Some(text),
            ResourceBody::Bytes(_) => None,
        }
    }
}

impl ResourceBody {
    /// By the end of the file's name.
    pub(crate) fn mime_type(&self, file: &str) -> &'static str {
        let ending = file.rsplit_once('.').map(|(_, ending)| ending);
        match (self, ending) {
            (Self::Text(_), Some("md")) => "text/markdown",
            (Self::Text(_), Some("json")) => "application/json",
            (Self::Text(_), _) => "text/plain",
            (Self::Bytes(_), Some("png")) => "image/png",
            (Self::Bytes(_), Some("jpg" | "jpeg")) => "image/jpeg",
            (Self::Bytes(_), Some("pdf")) => "application/pdf",
            (Self::Bytes(_), _) => "application/octet-stream",
        }
    }
}
