//! The mode that a person sets for a project: one transaction for the project, its conversations and its tasks. And what
//! an agent's change of mode compares with it, so that a person's act is never overtaken by one that was decided before.

use std::time::Duration;

use mk_types::{AbsPath, ConversationId, ModeSlug, SessionId, Timestamp};

use crate::Store;
use crate::error::{Error, Failure};
use crate::link::{Link, SqlValue, params};
use crate::mark::MarkedAct;
use crate::model::{
    ConversationGrounds, ModeGrounds, ModeReach, NewProjectMode, Project, SetProjectMode,
};
use crate::project::{self, select_project};
use crate::row::{self, all, first, optional, run, session_id};
use crate::writer::Turn;

/// Whether the path `$path` is this project's (`?1`, and `?2` with a separator at its end), or lies below it and no
/// project in between has a mode of its own.
macro_rules! is_held {
    ($path:literal) => {
        concat!(
            "(",
            $path,
            " = ?1 OR substr(",
            $path,
            ", 1, length(?2)) = ?2 AND NOT EXISTS (
                 SELECT 1 FROM project n
                 WHERE n.mode IS NOT NULL AND substr(n.root, 1, length(?2)) = ?2
                     AND (",
            $path,
            " = n.root OR substr(",
            $path,
            ", 1, length(n.root) + 1) = n.root || substr(?2, length(?2)))))"
        )
    };
}

impl Store {
    /// Sets the mode of a project, and of its live conversations and tasks where `new.reach` says so: all or nothing.
    pub async fn set_project_mode(&self, new: NewProjectMode) -> Result<SetProjectMode, Error> {
        self.write(move |turn| set(turn, &new)).await
    }

    /// Takes the mode of a project back, with its `switching` and the modes of the conversations that it holds: all or
    /// nothing. Tasks keep theirs.
    pub async fn unset_project_mode(&self, root: &AbsPath) -> Result<Project, Error> {
        let root = root.clone();
        self.write(move |turn| unset(turn, &root)).await
    }

    /// Of these directories, the longest, that is the nearest, with a mode that a person has set.
    pub fn nearest_set(&self, among: &[AbsPath]) -> Result<Option<Project>, Error> {
        let shared = &self.inner.shared;
        let roots: Vec<&str> = among.iter().map(AbsPath::as_str).collect();
        let question = ("nearest set", roots.join("\n"));
        shared.read_recent(question, |connection| nearest_set(connection, among))
    }

    /// The projects below a directory, itself not counted, with a mode that a person has set.
    pub fn set_below(&self, root: &AbsPath) -> Result<Vec<Project>, Error> {
        let query = select_project!(
            "WHERE mode IS NOT NULL AND substr(root, 1, length(?1)) = ?1 ORDER BY key"
        );
        let below = below(root);
        let question = ("set below", below.clone());
        let shared = &self.inner.shared;
        shared.read_recent(question, |connection| {
            all(connection, query, params![below.as_str()], project::read)
        })
    }

    /// Puts a conversation into a mode if it still has the mode `from`; tells whether it was.
    pub async fn follow_conversation(
        &self,
        id: &ConversationId,
        from: Option<ModeSlug>,
        to: ModeSlug,
    ) -> Result<bool, Error> {
        let grounds = ConversationGrounds {
            id: id.clone(),
            mode: from,
            to: Some(to),
        };
        self.write(move |turn| follow(turn, &grounds)).await
    }
}

/// Refuses a change of mode whose grounds are gone; else takes the conversation along.
pub(crate) fn apply_grounds(turn: &Turn<'_>, grounds: &ModeGrounds) -> Result<(), Failure> {
    if let Some(project) = &grounds.project {
        let now = nearest_set(turn.connection, &project.among)?;
        let set = |it: &Project| (it.id.clone(), it.mode.clone(), it.switching.clone());
        if now.as_ref().map(set) != project.found.as_deref().map(set) {
            return Err(Error::Overtaken.into());
        }
    }
    for (task, mode) in &grounds.tasks {
        let query = "SELECT mode FROM session WHERE id = ?1";
        let now = first(turn.connection, query, params![task.as_str()], |row| {
            row::mode(row, 0)
        })?;
        if now.is_some_and(|now| now != *mode) {
            return Err(Error::Overtaken.into());
        }
    }
    match &grounds.conversation {
        Some(grounds) if !follow(turn, grounds)? => Err(Error::Overtaken.into()),
        _ => Ok(()),
    }
}

/// Whether the conversation still has the mode it had; then it is put into the new one.
fn follow(turn: &Turn<'_>, grounds: &ConversationGrounds) -> Result<bool, Failure> {
    let query = "SELECT mode FROM conversation WHERE id = ?1";
    let id = grounds.id.as_str();
    let mode = first(turn.connection, query, params![id], |row| {
        optional(row, 0, ModeSlug::parse)
    })?;
    if mode.is_some_and(|mode| mode != grounds.mode) {
        return Ok(false);
    }
    if let Some(to) = &grounds.to {
        turn.changed(id);
        let statement = "UPDATE conversation SET mode = ?2 WHERE id = ?1";
        run(turn.connection, statement, params![id, to.as_str()])?;
    }
    Ok(true)
}

fn nearest_set(connection: Link<'_>, among: &[AbsPath]) -> Result<Option<Project>, Failure> {
    if among.is_empty() {
        return Ok(None);
    }
    let places: Vec<String> = (1..=among.len()).map(|it| format!("?{it}")).collect();
    let query = format!(
        concat!(
            select_project!("WHERE mode IS NOT NULL AND root IN "),
            "({})"
        ),
        places.join(", ")
    );
    let roots = among.iter().map(|it| SqlValue::Text(Some(it.as_str())));
    let roots: Vec<SqlValue<'_>> = roots.collect();
    // Ordered here: for an ORDER BY, SQLite sets up a sorter, which costs more than the read.
    let found = all(connection, &query, &roots, project::read)?;
    Ok(found.into_iter().max_by_key(|it| it.root.as_str().len()))
}

pub(crate) fn set(turn: &Turn<'_>, new: &NewProjectMode) -> Result<SetProjectMode, Failure> {
    let connection = turn.connection;
    let project = project::open(turn, &new.root)?;
    let at = next_act(turn, &new.root)?;
    // Answers about its conversations name the project's id, and those about its tasks the root.
    turn.changed(project.id.as_str());
    turn.changed(new.root.as_str());
    let (switched, since) = match new.reach {
        ModeReach::NewConversations => {
            keep_conversations(connection, &project)?;
            (Vec::new(), None)
        }
        ModeReach::AllActiveSince(since) => {
            set_conversations(turn, new, since)?;
            let mut switched = Vec::new();
            for root in new.worktrees.iter().chain([&new.root]) {
                turn.changed(root.as_str());
                switched.extend(switch_tasks(turn, new, root)?);
            }
            (switched, Some(at.as_millis()))
        }
    };
    run(
        connection,
        "UPDATE project SET mode = ?2, switching = coalesce(switching, ?3),
             mode_since = coalesce(?4, mode_since), mode_at = ?5 WHERE id = ?1",
        params![
            project.id.as_str(),
            new.mode.as_str(),
            new.switching,
            since,
            at.as_millis()
        ],
    )?;
    let project = project::existing(connection, &project.id)?;
    turn.mark(MarkedAct {
        root: new.root.clone(),
        worktrees: new.worktrees.clone(),
        mode: project.mode.clone(),
        switching: project.switching.clone(),
        at,
        reach: Some(new.reach),
    });
    Ok(SetProjectMode { project, switched })
}

/// When a person last did something with the mode of the project at `root`, as far as that is known; the outer `None`
/// for a project that is not.
pub(crate) fn act_time_of(
    connection: Link<'_>,
    root: &AbsPath,
) -> Result<Option<Option<Timestamp>>, Failure> {
    let query = "SELECT mode_at, mode_since FROM project WHERE root = ?1";
    first(connection, query, params![root.as_str()], |row| {
        // Programs of older versions leave the first as it was.
        let at = row.get::<Option<i64>>(0)?.max(row.get(1)?);
        Ok(at.map(Timestamp::from_millis))
    })
}

/// When the act of this turn happens: after those before it, whatever the clock says.
fn next_act(turn: &Turn<'_>, root: &AbsPath) -> Result<Timestamp, Failure> {
    let last = act_time_of(turn.connection, root)?.flatten();
    let next = last.map(|it| it.after(Duration::from_millis(1)));
    Ok(next.map_or(turn.now, |next| next.max(turn.now)))
}

pub(crate) fn unset(turn: &Turn<'_>, root: &AbsPath) -> Result<Project, Failure> {
    let connection = turn.connection;
    let project = project::open(turn, root)?;
    let at = next_act(turn, root)?;
    turn.changed(project.id.as_str());
    turn.changed(root.as_str());
    let freed = all(
        connection,
        concat!(
            "UPDATE conversation SET mode = NULL
             WHERE mode IS NOT NULL AND project IN (SELECT j.key FROM project j WHERE ",
            is_held!("j.root"),
            ") RETURNING id"
        ),
        params![root.as_str(), below(root)],
        |row| row.get::<String>(0),
    )?;
    freed.iter().for_each(|id| turn.changed(id));
    run(
        connection,
        "UPDATE project SET mode = NULL, switching = NULL, mode_since = NULL, mode_at = ?2
         WHERE id = ?1",
        params![project.id.as_str(), at.as_millis()],
    )?;
    turn.mark(MarkedAct {
        root: root.clone(),
        worktrees: Vec::new(),
        mode: None,
        switching: None,
        at,
        reach: Some(ModeReach::NewConversations),
    });
    project::existing(connection, &project.id)
}

/// Those that followed the project so far keep the mode they are in.
fn keep_conversations(connection: Link<'_>, project: &Project) -> Result<(), Failure> {
    let key = project::key(connection, &project.id)?;
    run(
        connection,
        "UPDATE conversation SET mode = (SELECT mode FROM project WHERE key = ?1)
         WHERE project = ?1 AND mode IS NULL",
        params![key],
    )?;
    Ok(())
}

/// Those that are live, and those that would come back with a mode of their own: a person's latest act counts. What is
/// neither follows the project.
fn set_conversations(
    turn: &Turn<'_>,
    new: &NewProjectMode,
    since: Timestamp,
) -> Result<(), Failure> {
    let held = all(
        turn.connection,
        concat!(
            "UPDATE conversation SET mode = ?3
             WHERE (mode IS NOT NULL OR (last_active >= ?4 AND ended_at IS NULL))
                 AND project IN (SELECT j.key FROM project j WHERE ",
            is_held!("j.root"),
            ") RETURNING id"
        ),
        params![
            new.root.as_str(),
            below(&new.root),
            new.mode.as_str(),
            since.as_millis()
        ],
        |row| row.get::<String>(0),
    )?;
    held.iter().for_each(|id| turn.changed(id));
    Ok(())
}

/// Puts the tasks of a directory that have not ended into the mode, with those that have expired: they decide all the
/// same. It is no activity of theirs.
fn switch_tasks(
    turn: &Turn<'_>,
    new: &NewProjectMode,
    root: &AbsPath,
) -> Result<Vec<SessionId>, Failure> {
    let connection = turn.connection;
    let query = "SELECT coalesce(max(key), 0) FROM mode_change";
    let last: Option<i64> = first(connection, query, params![], |row| row.get(0))?;
    let changed = run(
        connection,
        concat!(
            "INSERT INTO mode_change (session, from_mode, to_mode, reason, at)
             SELECT s.key, s.mode, ?3, ?4, ?5 FROM session s
             WHERE s.state = 'active' AND s.mode <> ?3 AND ",
            is_held!("s.project")
        ),
        params![
            root.as_str(),
            below(root),
            new.mode.as_str(),
            new.reason,
            turn.now.as_millis()
        ],
    )?;
    if changed == 0 {
        return Ok(Vec::new());
    }
    let switched = all(
        connection,
        "UPDATE session SET mode = ?2
         WHERE key IN (SELECT session FROM mode_change WHERE key > ?1) RETURNING id",
        params![last.unwrap_or_default(), new.mode.as_str()],
        session_id,
    )?;
    switched.iter().for_each(|id| turn.changed(id.as_str()));
    Ok(switched)
}

/// How paths below a directory begin.
fn below(root: &AbsPath) -> String {
    let separator = std::path::MAIN_SEPARATOR;
    let root = root.as_str();
    format!("{}{separator}", root.trim_end_matches(separator))
}
