//! What trackers and mail programs write around a text: fields, headings, addresses, footers.

/// The fields of trackers and mails.
const FIELDS: [&str; 52] = [
    "reporter",
    "reported by",
    "assignee",
    "assigned to",
    "priority",
    "status",
    "label",
    "labels",
    "component",
    "components",
    "sprint",
    "story points",
    "epic",
    "epic link",
    "created",
    "updated",
    "due",
    "due date",
    "environment",
    "env",
    "browser",
    "os",
    "device",
    "platform",
    "version",
    "app version",
    "affects version",
    "affects versions",
    "fix version",
    "fix versions",
    "issue type",
    "severity",
    "from",
    "to",
    "cc",
    "sent",
    "date",
    "ticket",
    "issue",
    "link",
    "links",
    "attachment",
    "attachments",
    "watchers",
    "resolution",
    "estimate",
    "milestone",
    "author",
    "customer",
    "account",
    "region",
    "tags",
];

/// `replicas: 3`, `- name: api`, `spec:`: a name that no one would say, and little behind it.
pub(super) fn is_setting(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches("- ");
    let Some((name, value)) = text.split_once(':') else {
        return false;
    };
    let is_name = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/'))
        && name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_');
    let is_short = value.split_whitespace().count() <= 3;
    is_name && is_short && (value.is_empty() || value.starts_with(' '))
}

/// `Reporter: Ana`, `Priority: P1`: what trackers and mails write around a text.
pub(super) fn is_field(text: &str) -> bool {
    // Ana Ruiz <ana@example.org> wrote:
    if text.ends_with(':') && text.contains('@') {
        return true;
    }
    let bare = text.trim_start_matches(['*', '-', '_', '#', ' ']);
    let Some((name, _)) = bare.split_once(':') else {
        return false;
    };
    let name = name.trim_end_matches(['*', '_', ' ', ')']);
    // Affects Version/s
    let name = name.split(['/', '(']).next().unwrap_or(name).trim();
    name.len() <= 20 && FIELDS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// `## Steps to reproduce`, `Acceptance criteria:`
pub(super) fn is_heading(text: &str) -> bool {
    let n_words = text.split_whitespace().count();
    let is_wiki = ["h1. ", "h2. ", "h3. "]
        .iter()
        .any(|it| text.starts_with(it));
    let is_markdown = (text.starts_with('#') || is_wiki) && n_words <= 8;
    let bold = text.len() > 4 && text.starts_with("**") && text.ends_with("**");
    let labelled = text.trim_end_matches('*').ends_with(':') && n_words <= 4;
    is_markdown || bold && n_words <= 6 || labelled
}

pub(super) fn is_address(text: &str) -> bool {
    let text = text.trim_start_matches(['-', '*', ' ']);
    (text.starts_with("http://") || text.starts_with("https://")) && !text.contains(' ')
}

/// What mail programs and trackers put below a text.
pub(super) fn is_footer(text: &str) -> bool {
    const STARTS: [&str; 14] = [
        "sent from my",
        "sent via",
        "get outlook for",
        "you are receiving this",
        "reply to this email",
        "view it on ",
        "view this issue",
        "this message was sent",
        "this email and any",
        "this e-mail",
        "unsubscribe",
        "confidentiality notice",
        "best regards",
        "kind regards",
    ];
    text == "--"
        || text == "---"
        || STARTS.iter().any(|start| {
            text.get(..start.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(start))
        })
}
