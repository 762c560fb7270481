//! The page: static files, embedded, nothing from elsewhere. What it shows comes from the routes below `/api`.

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};

/// Every file of the page: name, type, content.
const FILES: &[(&str, &str, &str)] = &[
    ("app.js", JAVASCRIPT, include_str!("../page/app.js")),
    ("dom.js", JAVASCRIPT, include_str!("../page/dom.js")),
    ("api.js", JAVASCRIPT, include_str!("../page/api.js")),
    ("events.js", JAVASCRIPT, include_str!("../page/events.js")),
    ("chart.js", JAVASCRIPT, include_str!("../page/chart.js")),
    ("waiting.js", JAVASCRIPT, include_str!("../page/waiting.js")),
    ("now.js", JAVASCRIPT, include_str!("../page/now.js")),
    ("stream.js", JAVASCRIPT, include_str!("../page/stream.js")),
    ("task.js", JAVASCRIPT, include_str!("../page/task.js")),
    ("modes.js", JAVASCRIPT, include_str!("../page/modes.js")),
    ("editor.js", JAVASCRIPT, include_str!("../page/editor.js")),
    (
        "enforcement.js",
        JAVASCRIPT,
        include_str!("../page/enforcement.js"),
    ),
    ("project.js", JAVASCRIPT, include_str!("../page/project.js")),
    ("usage.js", JAVASCRIPT, include_str!("../page/usage.js")),
    (
        "style.css",
        "text/css; charset=utf-8",
        include_str!("../page/style.css"),
    ),
    (
        "icon.svg",
        "image/svg+xml",
        include_str!("../page/icon.svg"),
    ),
];
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const INDEX: &str = include_str!("../page/index.html");

pub(crate) async fn index() -> Response {
    serve("text/html; charset=utf-8", INDEX)
}

pub(crate) async fn file(Path(name): Path<String>) -> Response {
    match FILES.iter().find(|(file, ..)| *file == name) {
        Some((_, kind, text)) => serve(kind, text),
        None => (StatusCode::NOT_FOUND, "there is no such file\n").into_response(),
    }
}

fn serve(kind: &'static str, text: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, text).into_response()
}

#[cfg(test)]
pub(crate) fn texts() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(_, _, text)| *text).chain([INDEX])
}

#[cfg(test)]
pub(crate) fn size() -> usize {
    texts().map(str::len).sum()
}
