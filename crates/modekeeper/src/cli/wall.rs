//! What `doctor` says about the wall: what holds on this machine, and what that leaves open.

use super::doctor::DoctorFinding;
use crate::config::Config;

/// One line for each part, and one for each directory that is shared with what runs outside.
pub(super) fn findings(config: &Config) -> Vec<DoctorFinding> {
    let mut findings = parts(config);
    for tree in &config.wall_trees.value {
        let mut finding =
            DoctorFinding::good("wall: shared", format!("`{tree}` is shared with outside"));
        finding.note =
            Some("what a command leaves there may run later without the wall".to_owned());
        findings.push(finding);
    }
    findings
}

#[cfg(target_os = "linux")]
fn parts(config: &Config) -> Vec<DoctorFinding> {
    let mut findings = Vec::new();
    for found in mk_wall::probe().findings {
        let subject = format!("wall: {}", found.part);
        let mut finding = if found.holds || !found.is_needed() {
            DoctorFinding::good(&subject, found.text)
        } else {
            DoctorFinding::bad(&subject, found.text)
        };
        finding.note = found.open;
        findings.push(finding);
    }
    let left = mk_wall::sweep(&config.folders().state.join(super::gc::GUESTS));
    if !left.is_empty() {
        let count = left.len();
        let files = if count == 1 { "file" } else { "files" };
        let text = format!("removed {count} {files} that killed commands left");
        findings.push(DoctorFinding::good("wall: guests", text));
    }
    findings
}

#[cfg(not(target_os = "linux"))]
fn parts(_config: &Config) -> Vec<DoctorFinding> {
    let mut finding = DoctorFinding::good("wall", "not walled: this system has no wall");
    finding.note = Some(
        "commands are held by reading their lines only; `modekeeper exec` starts nothing; `modekeeper seatbelt` prints an \
         untested profile for sandbox-exec"
            .to_owned(),
    );
    vec![finding]
}
