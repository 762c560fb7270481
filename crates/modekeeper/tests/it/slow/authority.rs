//! A certificate authority of a test's own, made with `openssl`, and what it signs.

use std::path::{Path, PathBuf};

use crate::support::sandbox::{bare_command, overwrite, run};

/// Its files are in one directory: `NAME.pem` is a certificate, `NAME.key` its key.
#[derive(Debug)]
pub(super) struct Authority {
    directory: PathBuf,
    name: &'static str,
}

impl Authority {
    pub(super) fn new(directory: &Path, name: &'static str) -> Self {
        let authority = Self {
            directory: directory.to_owned(),
            name,
        };
        let subject = format!("/CN={name}");
        authority.openssl(&["req", "-x509", "-subj", &subject, "-days", "2"], name);
        authority
    }

    /// Its own certificate, which those who trust it know.
    pub(super) fn certificate(&self) -> PathBuf {
        self.directory.join(format!("{}.pem", self.name))
    }

    /// Signs a new certificate for a host; gives its certificate and its key.
    pub(super) fn sign(&self, host: &str) -> (PathBuf, PathBuf) {
        let (ours, key) = (self.certificate(), self.directory.join(self.name));
        let key = key.with_extension("key");
        let extensions = self.directory.join("extensions");
        overwrite(&extensions, format!("subjectAltName=DNS:{host}").as_bytes());
        let request = self.directory.join(host).with_extension("csr");
        let request = request.to_str().unwrap();
        let subject = format!("/CN={host}");
        self.openssl(&["req", "-new", "-subj", &subject], host);
        let signed = self.directory.join(host).with_extension("pem");
        std::fs::rename(&signed, request).unwrap();
        let mut command = bare_command("openssl", &self.directory);
        command.args(["x509", "-req", "-days", "2", "-in", request]);
        command.arg("-CA").arg(ours).arg("-CAkey").arg(key);
        command.arg("-extfile").arg(extensions);
        let ran = run(command.arg("-out").arg(&signed));
        assert!(ran.status.success(), "{ran:?}");
        (signed, self.directory.join(host).with_extension("key"))
    }

    #[track_caller]
    fn openssl(&self, arguments: &[&str], name: &str) {
        let mut command = bare_command("openssl", &self.directory);
        command.args(arguments);
        command.args(["-newkey", "rsa:2048", "-nodes", "-keyout"]);
        command.arg(format!("{name}.key"));
        let ran = run(command.args(["-out", &format!("{name}.pem")]));
        assert!(ran.status.success(), "{ran:?}");
    }
}
