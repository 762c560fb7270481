//! `replace_in_files`: the same replacement in many files, after a dry run that shows it.

use mk_engine::Outcome;
use mk_policy::Group;
use mk_project::{
    Edit, Occurrences, PatternKind, Planned, ReplaceQuery, Replacement, plan_replacements,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Answer, Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};
use crate::written;

pub(crate) static TOOL: Tool = Tool {
    name: "replace_in_files",
    title: "Replace text in many files",
    description: "Replace literal text (or a regex) in all files that match; dry_run shows what would change",
    group: Some(Group::Edit),
    family: Family::Files,
    hints: Hints::Changes,
    // The files are found by searching; each is checked before it is changed.
    paths: &[],
    input: Schema::of::<ReplaceInFilesArgs>(),
    output: None,
    run: Run::Free(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ReplaceInFilesArgs {
    /// Text to find
    find: String,
    /// New text; `$1` is a group of the regex
    replace: String,
    /// `find` is a regex
    regex: Option<bool>,
    /// Folder (default: the project)
    path: Option<String>,
    /// Only files matching these globs
    include: Option<Vec<String>>,
    /// No files matching these globs
    exclude: Option<Vec<String>>,
    /// Only show what would change
    dry_run: Option<bool>,
    /// Refuse unless exactly so many places match
    expected_count: Option<u32>,
    session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let given = arguments.clone();
        let args: ReplaceInFilesArgs = parse(arguments)?;
        let session = context.session_or_none(args.session_id.as_deref())?;
        let project = context.engine.project(context.caller).on(session.clone());
        let in_force = project.in_force()?;
        if !context.engine.could_allow(&in_force, TOOL.name) {
            // Before anything is searched: where nothing matches there would be nothing to refuse.
            let call = (TOOL.name, &given);
            context
                .engine
                .authorize_paths(context.caller, session.as_ref(), Vec::new(), call)
                .await?;
        }
        let replacement = Replacement {
            find: args.find,
            replace: args.replace,
            kind: if args.regex == Some(true) {
                PatternKind::Regex
            } else {
                PatternKind::Literal
            },
            occurrences: Occurrences::All,
        };
        let query = ReplaceQuery {
            replacement: replacement.clone(),
            folder: context.engine.folder(&in_force, args.path.as_deref())?,
            include: args.include.unwrap_or_default(),
            exclude: args.exclude.unwrap_or_default(),
            expected_count: args.expected_count.map(|count| count as usize),
        };
        let plan = context
            .engine
            .on_disk(&in_force, move |workspace| {
                let readable = |path: &_| workspace.readable(path);
                Ok(plan_replacements(
                    &workspace.root,
                    &query,
                    &readable,
                    workspace.cancel(),
                )?)
            })
            .await?;
        let total: usize = plan.iter().map(|planned| planned.count).sum();
        let paths: Vec<String> = plan
            .iter()
            .map(|planned| planned.path.as_str().to_owned())
            .collect();
        if plan.is_empty() {
            return Ok(code_reply(
                "Nothing matches".to_owned(),
                json!({ "total_matches": 0, "files": [] }),
            ));
        }
        // The mode decides about every file, also for the dry run: it should not promise what would be refused.
        let granted = match context
            .engine
            .authorize_paths(context.caller, session.as_ref(), paths, (TOOL.name, &given))
            .await?
        {
            Outcome::Done(granted) => granted,
            Outcome::NeedsApproval(question) => return Ok(Answer::NeedsApproval(question)),
        };
        if args.dry_run == Some(true) {
            return Ok(dry_run(&plan, total));
        }
        let edit = |planned: Planned| {
            let (path, replacement) = (planned.path, replacement.clone());
            let file = path.clone();
            Edit::replace(path, move |text| {
                replacement.apply(&file, text).map(|(text, _)| text)
            })
        };
        written::apply(context, granted, plan.into_iter().map(edit).collect()).await
    })
}

fn dry_run(plan: &[Planned], total: usize) -> Answer {
    let mut text = format!("Would change {total} places in {} files\n", plan.len());
    for planned in plan {
        text.push_str(&format!(
            "{} ({})\n{}\n",
            planned.path,
            planned.count,
            planned.diff.trim_end()
        ));
    }
    let files: Vec<Value> = plan
        .iter()
        .map(|planned| json!({ "file_path": planned.path.as_str(), "count": planned.count }))
        .collect();
    code_reply(
        text,
        json!({ "dry_run": true, "total_matches": total, "files": files }),
    )
}
