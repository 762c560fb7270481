//! Files that programs use without naming them: credentials, settings of the user, hooks of a repository.

use crate::analysis::LineAnalysis;
use crate::word::ShellWord;

/// Programs that put themselves into the repository's hooks.
const HOOK_MANAGERS: &[&str] = &["husky", "lefthook", "pre-commit"];

impl LineAnalysis {
    pub(crate) fn note_unnamed(&mut self, name: &str, words: &[ShellWord]) {
        let named = |wanted: &[&str]| {
            words
                .iter()
                .any(|word| wanted.contains(&word.value.as_str()))
        };
        if let Some(file) = credentials(name, named) {
            self.read_file(&ShellWord::literal(file));
        }
        if named(&["config"])
            && named(&["set", "delete", "unset", "edit"])
            && let Some(file) = user_settings(name)
        {
            self.write_file(&ShellWord::literal(file));
        }
        let installs = ["install", "uninstall", "init", "add"];
        if HOOK_MANAGERS.contains(&name) && named(&installs) {
            self.write_file(&ShellWord::literal(".git/hooks/pre-commit"));
        }
    }
}

/// Where the passwords and tokens are that a program prints.
fn credentials(name: &str, named: impl Fn(&[&str]) -> bool) -> Option<&'static str> {
    let prints = match name {
        "gpg" | "gpg2" => named(&["--export-secret-keys", "--export-secret-subkeys"]),
        "gh" | "glab" => named(&["auth"]) && named(&["token", "--show-token", "-t"]),
        "git" => named(&["credential"]) && named(&["fill"]),
        "gcloud" => named(&["print-access-token", "print-identity-token"]),
        "aws" => named(&[
            "export-credentials",
            "get-session-token",
            "get-login-password",
        ]),
        "security" => named(&[
            "find-generic-password",
            "find-internet-password",
            "dump-keychain",
            "export",
        ]),
        "secret-tool" => named(&["lookup", "search"]),
        "pass" => named(&["show"]),
        _ => false,
    };
    let file = match name {
        "gpg" | "gpg2" => "~/.gnupg/private-keys-v1.d",
        "gh" | "glab" => "~/.config/gh/hosts.yml",
        "gcloud" => "~/.config/gcloud/credentials.db",
        "aws" => "~/.aws/credentials",
        "pass" => "~/.password-store/store",
        "git" => "~/.git-credentials",
        _ => "~/.local/share/keyrings/login.keyring",
    };
    prints.then_some(file)
}

/// The file of the user that `config set` of a program changes.
fn user_settings(name: &str) -> Option<&'static str> {
    match name {
        "npm" | "pnpm" | "yarn" => Some("~/.npmrc"),
        "pip" | "pip3" => Some("~/.config/pip/pip.conf"),
        _ => None,
    }
}
