//! What a person can do about a refusal: the words of the command line, which name its commands.

use mk_engine::NextStep;

/// In a person's words.
pub(crate) fn for_person(step: &NextStep) -> String {
    let text = match step {
        NextStep::Text(text) => return text.clone().into_owned(),
        NextStep::FindFile => "check the path",
        NextStep::ListMemories => "list the memories with `modekeeper memories list`",
        NextStep::FindSymbol => "look for it with `modekeeper symbols find`",
        NextStep::OutlineFile => {
            "count lines and columns from 1, or list the file's symbols with `modekeeper symbols outline`"
        }
        NextStep::ListBackups => "list the backups with `modekeeper backups list`",
        NextStep::ActivateProject => {
            "run this in the project's directory, or name the directory with `--project-root`"
        }
        NextStep::ActivateAgain => "check what is there now, then run this again",
        NextStep::ActivateOther => "name an existing directory with `--project-root`",
        NextStep::UseOfferedTool => {
            "use a tool that this client offers; `modekeeper modes show` shows the mode's groups"
        }
        NextStep::CreateTask => "list the open tasks with `modekeeper tasks list`",
        NextStep::EndCommand => "end one of them",
        NextStep::ListCommands => "list the commands with `modekeeper log`",
        NextStep::RunAgain => "run it again",
        NextStep::MoveFile => "move it first",
        NextStep::SetMode => "set one with `modekeeper mode <slug>`",
        NextStep::Approve(id) => {
            return format!("run `modekeeper approve {id}`, then let the agent try again");
        }
        NextStep::ChangeModeOf(root) => {
            return format!("change its mode with `{}`", NextStep::mode_command(root));
        }
        NextStep::ChangeMode => "change the mode with `modekeeper mode <slug>`",
        NextStep::RunDoctor => "run `modekeeper doctor`",
        NextStep::RecoverStore => {
            "run `modekeeper store recover` to save what can be read; nothing was changed"
        }
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use mk_engine::NextStep;
    use mk_types::AbsPath;

    use super::for_person;

    #[track_caller]
    fn check(step: &NextStep, model: &str, person: &str) {
        assert_eq!(step.for_model(), model);
        assert_eq!(for_person(step), person);
    }

    #[test]
    fn a_model_is_sent_to_a_tool_and_a_person_to_a_command() {
        check(
            &NextStep::FindSymbol,
            "look for it with find_symbols",
            "look for it with `modekeeper symbols find`",
        );
        check(
            &NextStep::ListMemories,
            "list the memories with list_memories",
            "list the memories with `modekeeper memories list`",
        );
        check(
            &NextStep::ChangeMode,
            "ask the user to change the mode",
            "change the mode with `modekeeper mode <slug>`",
        );
        let root = AbsPath::new(Path::new("/p/my lib")).unwrap();
        check(
            &NextStep::ChangeModeOf(root),
            "the project /p/my lib inside this one has a mode of its own: ask the user to run \
             `modekeeper --project-root '/p/my lib' mode <slug>`",
            "change its mode with `modekeeper --project-root '/p/my lib' mode <slug>`",
        );
        check(&"try again".into(), "try again", "try again");
    }
}
