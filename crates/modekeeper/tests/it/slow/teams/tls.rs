//! Encrypted connections to PostgreSQL: what each `sslmode` accepts, and that a team works over them.

use crate::slow::authority::Authority;
use crate::support::sandbox::{Ran, Sandbox};

use super::database::{Database, EncryptedDatabase};
use super::{allows, check_switches, create, serve, switch};

/// Whether a command reaches the state at this URL.
fn list(url: &str, known: Option<&Authority>) -> Ran {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["tasks", "list"]);
    if let Some(authority) = known {
        // What the system trusts.
        command.env("SSL_CERT_FILE", authority.certificate());
    }
    sandbox.run_command(command.env("MODEKEEPER_STORE", url))
}

#[test]
fn each_sslmode_checks_what_libpq_checks() {
    let database = EncryptedDatabase::start();
    let ours = database.authority.certificate();
    let other = Authority::new(database.directory(), "other");
    let (ours, other) = (ours.display(), other.certificate());
    let other = other.display();
    let server = database.certificate.display();
    let rows = format!(
        "localhost no sslmode=disable
localhost yes
localhost yes sslmode=prefer
localhost yes sslmode=require
localhost yes sslmode=require&sslrootcert={ours}
localhost no sslmode=require&sslrootcert={other}
localhost yes sslmode=verify-full&sslrootcert={ours}
localhost no sslmode=verify-full&sslrootcert={other}
localhost yes sslmode=verify-full&sslrootcert={server}
127.0.0.1 no sslmode=verify-full&sslrootcert={ours}
127.0.0.1 no sslmode=verify-full&sslrootcert={server}
127.0.0.1 yes sslmode=verify-ca&sslrootcert={ours}
127.0.0.1 no sslmode=verify-ca&sslrootcert={other}
localhost no sslmode=verify-ca
localhost no sslmode=verify-full
localhost no sslmode=verify-full&sslrootcert=/nothing"
    );
    for row in rows.lines() {
        let mut columns = row.split(' ');
        let (host, expected) = (columns.next().unwrap(), columns.next().unwrap());
        let parameters = columns.next().unwrap_or_default();
        let listed = list(&database.url(host, parameters), None);
        let admitted = listed.status.success();
        assert_eq!(admitted, expected == "yes", "{row}: {listed:?}");
    }
    let system = database.url("localhost", "sslmode=verify-full");
    let listed = list(&system, Some(&database.authority));
    assert!(listed.status.success(), "{listed:?}");
}

#[test]
fn a_database_without_tls_is_refused_where_it_is_required() {
    let database = Database::start_on_a_port();
    let listed = list(&database.host_url("localhost", "sslmode=require"), None);
    assert!(!listed.status.success(), "{listed:?}");
    assert!(listed.stderr.contains("does not support TLS"), "{listed:?}");
    let listed = list(&database.host_url("localhost", "sslmode=prefer"), None);
    assert!(listed.status.success(), "{listed:?}");
}

#[test]
fn a_team_works_over_encrypted_connections() {
    let database = EncryptedDatabase::start();
    let ours = database.authority.certificate();
    let parameters = format!("sslmode=verify-full&sslrootcert={}", ours.display());
    let url = database.url("localhost", &parameters);
    check_switches(&url, 20);
    let sandbox = Sandbox::new();
    let server = serve(&sandbox, &url);
    let session = create(server.address).unwrap();
    assert!(switch(server.address, &session, "architect", "tls"));
    assert_eq!(
        allows(server.address, &session, "write_to_file"),
        Some(false)
    );
    let plain = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
                 WHERE application_name = 'modekeeper' AND NOT ssl";
    assert_eq!(database.rows(plain), ["0"]);
    let encrypted = "SELECT count(*) > 0 FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
                     WHERE application_name = 'modekeeper' AND ssl";
    assert_eq!(database.rows(encrypted), ["t"]);
}
