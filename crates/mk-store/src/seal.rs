//! The chain over decisions: each batch is sealed, in its own transaction, with a hash of its rows and of the seal
//! before it, so that a row that was changed, added or taken out afterwards shows.
//!
//! It proves nothing against someone who can write the database and makes the whole chain again; keep the last hash
//! elsewhere for that.

use mk_types::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::Store;
use crate::error::{Error, Failure};
use crate::link::{Cell, Link, Row, params};
use crate::row::{all, first, run};

/// What a look at the chain has shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainCheck {
    /// Decisions whose seals are right.
    pub sealed: u64,
    /// Decisions of before the first seal; nothing vouches for them.
    pub unsealed: u64,
    /// The last seal; empty before there is one.
    pub head: String,
    /// What is wrong, and where.
    pub broken: Option<String>,
}

struct Seal {
    last: i64,
    count: i64,
    hash: String,
}

impl Store {
    /// Makes every seal again and compares.
    pub fn check_chain(&self) -> Result<ChainCheck, Error> {
        self.flush();
        let shared = &self.inner.shared;
        shared.read_at_once(check)
    }
}

/// Seals the decisions that no seal covers yet.
pub(crate) fn seal(connection: Link<'_>, now: Timestamp) -> Result<(), Failure> {
    let query = "SELECT last, count, hash FROM seal ORDER BY key DESC LIMIT 1";
    let before = first(connection, query, params![], read)?.unwrap_or(Seal {
        last: 0,
        count: 0,
        hash: String::new(),
    });
    let made = make(connection, &before, i64::MAX)?;
    if made.count > 0 {
        run(
            connection,
            "INSERT INTO seal (last, count, hash, at) VALUES (?1, ?2, ?3, ?4)",
            params![made.last, made.count, made.hash, now.as_millis()],
        )?;
    }
    Ok(())
}

/// Removes some of the decisions of before `limit`: whole batches, so that the chain goes on from the last of them,
/// whose seal stays as the first row.
pub(crate) fn prune(connection: Link<'_>, limit: Timestamp, most: u16) -> Result<usize, Failure> {
    let query = "SELECT key FROM seal WHERE at < ?1 ORDER BY key DESC LIMIT 1";
    let checkpoint: Option<i64> = first(connection, query, params![limit.as_millis()], |row| {
        row.get(0)
    })?;
    if let Some(checkpoint) = checkpoint {
        // At once: what is below the first seal is no part of the chain, however slowly it goes.
        run(
            connection,
            "DELETE FROM seal WHERE key < ?1",
            params![checkpoint],
        )?;
    }
    run(
        connection,
        "DELETE FROM decision WHERE key IN (
             SELECT key FROM decision
             WHERE at < ?1 AND key <= (SELECT last FROM seal ORDER BY key LIMIT 1)
             ORDER BY key LIMIT ?2)",
        params![limit.as_millis(), most],
    )
}

fn check(connection: Link<'_>) -> Result<ChainCheck, Failure> {
    let query = "SELECT last, count, hash FROM seal ORDER BY key";
    let mut seals = all(connection, query, params![], read)?.into_iter();
    let Some(mut before) = seals.next() else {
        return Ok(ChainCheck {
            sealed: 0,
            unsealed: 0,
            head: String::new(),
            broken: Some("the first seal is missing".to_owned()),
        });
    };
    let count = "SELECT count(*) FROM decision WHERE key <= ?1";
    let unsealed: i64 =
        first(connection, count, params![before.last], |row| row.get(0))?.unwrap_or(0);
    let mut chain = ChainCheck {
        sealed: 0,
        unsealed: unsealed.cast_unsigned(),
        head: before.hash.clone(),
        broken: None,
    };
    for seal in seals {
        let made = make(connection, &before, seal.last)?;
        if made.hash != seal.hash || made.count != seal.count {
            chain.broken = Some(format!(
                "decisions {} to {} are not as they were recorded",
                before.last + 1,
                seal.last
            ));
            return Ok(chain);
        }
        chain.sealed += made.count.cast_unsigned();
        chain.head.clone_from(&seal.hash);
        before = seal;
    }
    let after = "SELECT count(*) FROM decision WHERE key > ?1";
    let after: i64 = first(connection, after, params![before.last], |row| row.get(0))?.unwrap_or(0);
    if after > 0 {
        chain.broken = Some(format!("{after} decisions after the last seal"));
    }
    Ok(chain)
}

/// The seal over the decisions after `before`, up to `last`.
fn make(connection: Link<'_>, before: &Seal, last: i64) -> Result<Seal, Failure> {
    let query =
        "SELECT key, id, at, conversation, client, project, mode, tool, target, verdict, rule,
                reason, hint, policy_hash, input, input_length, tool_use
         FROM decision WHERE key > ?1 AND key <= ?2 ORDER BY key";
    let mut hash = Sha256::new();
    hash.update(before.hash.as_bytes());
    let mut made = Seal {
        last: before.last,
        count: 0,
        hash: String::new(),
    };
    connection.each(query, params![before.last, last], |row| {
        made.last = row.get(0)?;
        made.count += 1;
        for index in 0..17 {
            update(&mut hash, row.cell(index)?);
        }
        Ok(())
    })?;
    made.hash = hex(&hash.finalize());
    Ok(made)
}

/// With kind and length, so that no two rows read the same.
fn update(hash: &mut Sha256, cell: Cell<'_>) {
    match cell {
        Cell::Null => hash.update(b"n"),
        Cell::Number(number) => {
            hash.update(b"i");
            hash.update(number.to_le_bytes());
        }
        Cell::Text(bytes) => {
            hash.update(b"t");
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
    }
}

fn read(row: &Row<'_>) -> Result<Seal, Failure> {
    Ok(Seal {
        last: row.get(0)?,
        count: row.get(1)?,
        hash: row.get(2)?,
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
