//! A prompt with something pasted behind or before it is still the same prompt: 40 prompts, twelve kinds of paste, four
//! lengths.

use mk_prompt::Confidence;

use super::shipped;

/// Prompts and the skills that are right for them.
const PROMPTS: [(&str, &str); 40] = [
    ("there is a bug in the login form", "systematic-debugging"),
    ("why does this crash on startup", "systematic-debugging"),
    ("the export button does nothing", "systematic-debugging"),
    (
        "fix this please, it stopped working yesterday",
        "systematic-debugging",
    ),
    ("the app freezes when I click save", "systematic-debugging"),
    ("what does this error message mean", "error-analysis"),
    ("explain this stack trace to me", "error-analysis"),
    ("review this pull request", "pr-review"),
    ("can you review my code", "pr-review"),
    ("refactor this function", "refactoring"),
    (
        "clean up this class and remove the duplication",
        "refactoring",
    ),
    ("split this huge file", "refactoring"),
    ("explain what this code does", "code-explanation"),
    ("walk me through this module", "code-explanation"),
    (
        "write unit tests for this, test first",
        "test-driven-development",
    ),
    ("write a failing test first", "test-driven-development"),
    (
        "write a README for this project",
        "documentation-generation",
    ),
    ("document the API", "documentation-generation"),
    (
        "this query is too slow, make it faster",
        "performance-optimization",
    ),
    (
        "optimize the loading time of the page",
        "performance-optimization",
    ),
    ("look for security vulnerabilities", "security-audit"),
    ("check this for SQL injection", "security-audit"),
    ("design the REST endpoints for orders", "api-design"),
    ("build a dashboard component", "frontend-design"),
    ("create a login page", "frontend-design"),
    ("make the header responsive", "frontend-design"),
    (
        "write an implementation plan for this feature",
        "writing-plans",
    ),
    ("continue with the next step of the plan", "executing-plans"),
    (
        "migrate this app from AngularJS to React",
        "legacy-modernization",
    ),
    ("how much technical debt do we have here", "tech-debt"),
    (
        "deploy this to production tonight, what do we have to check",
        "deployment-checklist",
    ),
    ("resolve the merge conflicts", "merge-conflicts"),
    ("CI is red on my branch", "ci-failures"),
    ("update our dependencies", "dependency-upgrades"),
    ("production is down", "incident-response"),
    ("address the review comments", "answering-reviews"),
    ("improve this prompt", "prompt-engineering"),
    ("로그인에 버그가 있어", "systematic-debugging"),
    ("このコードをリファクタリングして", "refactoring"),
    ("revisa este pull request", "pr-review"),
];

const CODE: &str = "\
import { useState, useEffect } from 'react';
import { api } from '../lib/api';

export function OrderList({ customerId }: Props) {
  const [orders, setOrders] = useState<Order[]>([]);
  useEffect(() => {
    api.get(`/customers/${customerId}/orders`).then((res) => setOrders(res.data));
  }, [customerId]);
  if (orders.length === 0) {
    return <p>No orders yet</p>;
  }
  return (
    <table className=\"orders\">
      {orders.map((order) => (
        <tr key={order.id}>
          <td>{order.total}</td>
          <td><button onClick={() => remove(order.id)}>Delete</button></td>
        </tr>
      ))}
    </table>
  );
}

async def fetch_rates(session, base):
    url = f\"https://rates.example.org/latest?base={base}\"
    async with session.get(url) as response:
        payload = await response.json()
        return payload[\"rates\"]
";

const LOG: &str = "\
2026-11-17T09:12:01.113Z INFO  http listening port=8080 version=4.2.0
2026-11-17T09:12:04.902Z DEBUG db pool acquired connection id=17 wait=3ms
2026-11-17T09:12:05.001Z WARN  cache miss ratio above threshold ratio=0.71 deploy=blue
2026-11-17T09:12:05.377Z INFO  payment webhook received provider=stripe event=invoice.paid
[09:12:06] GET /api/v1/orders?page=2 200 31ms
[09:12:07] POST /api/v1/login 401 12ms user=anna
Nov 17 09:12:08 web-3 nginx[811]: upstream timed out while reading response header
Nov 17 09:12:09 web-3 systemd[1]: Started Daily cleanup of temporary directories.
127.0.0.1 - - [17/Nov/2026:09:12:10 +0000] \"GET /health HTTP/1.1\" 200 2
ERROR worker 4 failed to migrate document 8812: schema version mismatch
";

const TRACE: &str = "\
Traceback (most recent call last):
  File \"/srv/app/jobs/report.py\", line 88, in run
    rows = build_rows(orders)
  File \"/srv/app/reports/rows.py\", line 31, in build_rows
    return [row.total / row.count for row in orders]
ZeroDivisionError: division by zero

java.lang.IllegalStateException: Refactoring job is not configured
    at com.shop.jobs.JobRunner.start(JobRunner.java:112)
    at com.shop.Main.main(Main.java:21)
Caused by: java.net.ConnectException: Connection refused
    at java.base/sun.nio.ch.Net.connect0(Native Method)
    at java.base/sun.nio.ch.Net.connect(Net.java:579)

thread 'main' panicked at src/plan.rs:44:9:
called `Option::unwrap()` on a `None` value
";

const TICKET: &str = "\
Title: Customers cannot export more than 100 invoices
Reporter: Ana Ruiz
Assignee: Backend team
Priority: P2
Labels: export, invoices, mobile

## Description

As an accountant I want to export all invoices of a year, so that I can hand them to the tax office.
Today the export button stops at 100 rows and nobody tells the user.
The design team has a proposal with a progress bar, and sales has promised it for the next deployment.

## Steps to reproduce

1. Log in as an accountant on iOS or Android.
2. Open the invoices page and choose the whole year.
3. Press export and open the file in a spreadsheet.

## Acceptance criteria

- All rows are in the file, also for 50,000 invoices.
- The API documentation describes the new parameter.
- There are tests for empty and for large results.

Environment: Chrome 141, macOS, app version 7.3 for iPhone
Created: 2026-11-02
Sent from my iPhone
";

fn pasted(kind: &str, length: usize) -> String {
    kind.chars().cycle().take(length).collect()
}

#[test]
fn what_is_pasted_with_a_prompt_does_not_change_what_it_asks_for() {
    keeps(&[
        ("code", CODE),
        ("log", LOG),
        ("trace", TRACE),
        ("ticket", TICKET),
    ]);
}

/// Kinds that were written after the rules for pastes.
#[test]
fn neither_do_other_kinds_of_paste() {
    keeps(&[
        ("Java", include_str!("paste/java.txt")),
        ("Kubernetes", include_str!("paste/kubernetes.txt")),
        ("a diff", include_str!("paste/diff.txt")),
        ("mail", include_str!("paste/mail.txt")),
        ("a CI log", include_str!("paste/ci.txt")),
        ("a dump", include_str!("paste/sql.txt")),
        ("minified code", include_str!("paste/minified.txt")),
        ("Jira", include_str!("paste/jira.txt")),
    ]);
}

/// At least 85 % of what is right alone stays right with a paste, and nothing becomes surely wrong.
#[track_caller]
fn keeps(pastes: &[(&str, &str)]) {
    let playbook = shipped();
    let first = |prompt: &str| {
        let found = playbook.recommend(prompt);
        let first = found.into_iter().next();
        first.map_or((String::from("-"), None), |it| {
            (it.skill, Some(it.confidence))
        })
    };
    let mut wrong_bare = Vec::new();
    let (mut kept, mut of) = (0, 0);
    let mut lost = Vec::new();
    let mut wrong_high = Vec::new();
    for (prompt, right) in PROMPTS {
        let (bare, _) = first(prompt);
        if bare != right {
            wrong_bare.push(format!("{prompt}: {bare}, not {right}"));
            continue;
        }
        for (name, kind) in pastes {
            for length in [500, 1_000, 2_000, 8_000] {
                let pasted = pasted(kind, length);
                for whole in [
                    format!("{prompt}\n\n{pasted}"),
                    format!("{prompt}\n{pasted}"),
                    format!("{pasted}\n\n{prompt}"),
                ] {
                    let (found, confidence) = first(&whole);
                    of += 1;
                    kept += u32::from(found == right);
                    let line = format!("{prompt} + {length} of {name}: {found}, not {right}");
                    if found != right && confidence == Some(Confidence::High) {
                        wrong_high.push(line.clone());
                    }
                    if found != right {
                        lost.push(line);
                    }
                }
            }
        }
    }
    assert!(wrong_bare.len() <= 2, "{}", wrong_bare.join("\n"));
    assert!(
        wrong_high.is_empty(),
        "high and wrong:\n{}",
        wrong_high.join("\n")
    );
    assert!(
        kept * 100 >= of * 85,
        "{kept} of {of}:\n{}",
        lost.join("\n")
    );
}

#[test]
fn a_paste_alone_says_what_kind_of_work_it_is() {
    let playbook = shipped();
    let first = |prompt: &str| {
        let found = playbook.recommend(prompt);
        found
            .first()
            .map_or(String::from("-"), |it| it.skill.clone())
    };
    let diff = "diff --git a/src/cart.rs b/src/cart.rs\n--- a/src/cart.rs\n+++ b/src/cart.rs\n@@ -1,3 +1,3 @@\n fn total() {\n-    0\n+    1\n }\n";
    assert_eq!(
        first(&TRACE.lines().take(6).collect::<Vec<_>>().join("\n")),
        "systematic-debugging"
    );
    assert_eq!(first(diff), "pr-review");
    assert_eq!(first(&format!("thoughts?\n\n{diff}")), "pr-review");
    assert_eq!(
        first(&format!("```\n{TRACE}```\n\nany idea?")),
        "systematic-debugging"
    );
    assert_eq!(first(CODE), "-");
    assert_eq!(
        first(&format!("{CODE}\n\nwhat does this code do?")),
        "code-explanation"
    );
    assert_eq!(
        first(&format!(
            "{TRACE}\n\nwrite a regression test for this first"
        )),
        "test-driven-development"
    );
}

#[test]
fn steps_are_answered_in_their_order() {
    let playbook = shipped();
    let names = |prompt: &str| -> Vec<String> {
        let found = playbook.recommend(prompt);
        found.into_iter().take(2).map(|it| it.skill).collect()
    };
    for (prompt, expected) in [
        (
            "explain this module, then refactor it",
            ["code-explanation", "refactoring"],
        ),
        (
            "review my pull request and then write the README",
            ["pr-review", "documentation-generation"],
        ),
        (
            "erkläre mir diese Klasse, danach refaktoriere sie",
            ["code-explanation", "refactoring"],
        ),
        (
            "先解释这段代码，然后重构它",
            ["code-explanation", "refactoring"],
        ),
    ] {
        assert_eq!(names(prompt), expected, "{prompt}");
    }
}

#[test]
fn languages_that_nothing_was_made_for_are_never_sure() {
    let playbook = shipped();
    for prompt in [
        "il pulsante di esportazione non funziona più",
        "perché questo codice non compila?",
        "scrivi un piano per la nuova funzionalità",
        "giriş yaparken hata alıyorum, neden?",
        "bu fonksiyonu yeniden düzenle lütfen",
        "sayfa çok yavaş yükleniyor",
        "dlaczego ten test nie przechodzi?",
        "napisz dokumentację dla tego modułu",
        "popraw błąd w formularzu logowania",
        "nút đăng nhập không hoạt động",
        "viết tài liệu cho dự án này",
        "tại sao trang web này chậm?",
    ] {
        for found in playbook.recommend(prompt) {
            assert!(found.confidence < Confidence::High, "{prompt}: {found:?}");
        }
    }
}
