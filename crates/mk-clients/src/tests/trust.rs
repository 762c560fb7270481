//! Which directories a product trusts, as its files say.

use std::path::{Path, PathBuf};

use crate::{ClientId, InstallScope, Setup, TrustPlace, TrustQuestion};

fn setup() -> Setup {
    Setup {
        home: PathBuf::from("/home/ada"),
        config_home: PathBuf::from("/home/ada/.config"),
        project: PathBuf::from("/home/ada/work/app"),
        scope: InstallScope::Project,
        program: PathBuf::from("/opt/modekeeper"),
        shell: None,
        floor: None,
        moved: Vec::new(),
        own_variables: Vec::new(),
        agents: Vec::new(),
    }
}

#[track_caller]
fn check(client: ClientId, files: &[(&str, &str)], is_trusted: bool) {
    check_with(client, files, &[], is_trusted);
}

#[track_caller]
fn check_with(
    client: ClientId,
    files: &[(&str, &str)],
    variables: &[(&'static str, String)],
    is_trusted: bool,
) {
    let setup = setup();
    let trust = client.atlas().project_trust.unwrap();
    let place = TrustPlace {
        setup: &setup,
        variables,
    };
    let text = |file: &PathBuf| {
        let mut files = files.iter();
        let found = files.find(|(name, _)| Path::new("/home/ada").join(name) == *file);
        found.map_or(String::new(), |(_, text)| (*text).to_owned())
    };
    let texts: Vec<String> = trust.files(&place).iter().map(text).collect();
    let question = TrustQuestion {
        place,
        texts: &texts,
        // The project is also known by a link.
        resolve: |path| match path.strip_prefix("/link") {
            Ok(rest) => Path::new("/home/ada/work").join(rest),
            Err(_) => path.to_owned(),
        },
    };
    assert_eq!(trust.is_trusted(&question), is_trusted, "{files:?}");
}

#[test]
fn gemini_trusts_what_the_longest_rule_trusts() {
    let rules = |text| [(".gemini/trustedFolders.json", text)];
    let gemini = ClientId::Gemini;
    check(gemini, &[], false);
    check(
        gemini,
        &rules("{ \"/home/ada/work/app\": \"TRUST_FOLDER\" }"),
        true,
    );
    check(
        gemini,
        &rules("{ // mine\n\"/home/ada\": \"TRUST_FOLDER\" }"),
        true,
    );
    check(gemini, &rules("{ \"/link/app\": \"TRUST_FOLDER\" }"), true);
    check(
        gemini,
        &rules("{ \"/home/ada/work/other\": \"TRUST_FOLDER\" }"),
        false,
    );
    check(
        gemini,
        &rules("{ \"/home/ada/work/other\": \"TRUST_PARENT\" }"),
        true,
    );
    check(
        gemini,
        &rules("{ \"/home/ada/work/ap\": \"TRUST_FOLDER\" }"),
        false,
    );
    let both = "{ \"/home/ada\": \"TRUST_FOLDER\", \"/home/ada/work\": \"DO_NOT_TRUST\" }";
    check(gemini, &rules(both), false);
    check(gemini, &rules("{ broken"), false);
}

#[test]
fn gemini_trusts_everything_where_it_does_not_ask() {
    let gemini = ClientId::Gemini;
    let settings = |text| [(".gemini/settings.json", text)];
    let off = "{ \"security\": { \"folderTrust\": { \"enabled\": false } } }";
    check(gemini, &settings(off), true);
    let on = off.replace("false", "true");
    check(gemini, &settings(&on), false);
    // Nothing that an agent may write in the project counts.
    check(gemini, &[("work/app/.gemini/settings.json", off)], false);
    let variable = |value: &str| [("GEMINI_CLI_TRUST_WORKSPACE", value.to_owned())];
    check_with(gemini, &[], &variable("true"), true);
    check_with(gemini, &settings(off), &variable("false"), false);
    let moved = [(
        "GEMINI_CLI_TRUSTED_FOLDERS_PATH",
        "/home/ada/t.json".to_owned(),
    )];
    let rules = [("t.json", "{ \"/home/ada\": \"TRUST_FOLDER\" }")];
    check_with(gemini, &rules, &moved, true);
}

#[test]
fn qwen_asks_only_if_it_is_told_to_and_copilot_keeps_a_list() {
    let on = "{ \"security\": { \"folderTrust\": { \"enabled\": true } } }";
    check(ClientId::Qwen, &[], true);
    check(ClientId::Qwen, &[(".qwen/settings.json", on)], false);
    let rules = "{ \"/home/ada/work\": \"TRUST_FOLDER\" }";
    let files = [
        (".qwen/settings.json", on),
        (".qwen/trustedFolders.json", rules),
    ];
    check(ClientId::Qwen, &files, true);
    check(ClientId::Copilot, &[], false);
    let list = "{ \"trustedFolders\": [\"/home/ada/work\"] }";
    check(ClientId::Copilot, &[(".copilot/config.json", list)], true);
    let other = "{ \"trustedFolders\": [\"/home/ada/other\"] }";
    check(ClientId::Copilot, &[(".copilot/config.json", other)], false);
}
