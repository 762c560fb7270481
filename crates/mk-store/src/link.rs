//! One statement, two databases: values go in as `?1`, rows come out column by column.
//!
//! Statements are written in what both understand. It knows neither tables nor transactions.

use std::sync::Arc;

use rusqlite::types::{FromSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, params_from_iter};
use tokio_postgres::types::{IsNull, Type, private::BytesMut};

use crate::error::Failure;
use crate::postgres::{KnownAnswers, PgClient, PostgresTrouble};

/// The values of a statement, in the order of their numbers.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        &[$($crate::link::SqlValue::from(&$value)),*]
    };
}
pub(crate) use params;

/// The database that a query or a job works with.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Link<'a> {
    Sqlite(&'a Connection),
    Postgres {
        client: &'a PgClient,
        /// Where answers are kept for the time when there is no connection.
        known: Option<&'a KnownAnswers>,
    },
    /// What PostgreSQL has answered before.
    Known(&'a KnownAnswers),
}

/// A value of a statement. What is absent has a type, too: PostgreSQL wants to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SqlValue<'a> {
    Text(Option<&'a str>),
    Number(Option<i64>),
}

/// A row of an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
}

/// A column as it is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cell<'a> {
    Null,
    Number(i64),
    Text(&'a [u8]),
}

/// What a column can be read as.
pub(crate) trait Column: FromSql + Sized {
    fn of(row: &tokio_postgres::Row, index: usize) -> Result<Self, Failure>;
}

macro_rules! columns {
    ($($type:ty as $stored:ty;)+) => {
        $(impl Column for $type {
            fn of(row: &tokio_postgres::Row, index: usize) -> Result<Self, Failure> {
                let stored: $stored = row.try_get(index).map_err(PostgresTrouble::from)?;
                stored.try_into().map_err(|_| wrong_type(index))
            }
        }

        impl Column for Option<$type> {
            fn of(row: &tokio_postgres::Row, index: usize) -> Result<Self, Failure> {
                let stored: Option<$stored> = row.try_get(index).map_err(PostgresTrouble::from)?;
                stored.map(TryInto::try_into).transpose().map_err(|_| wrong_type(index))
            }
        })+
    };
}

columns! {
    i64 as i64;
    i32 as i64;
    u32 as i64;
    bool as bool;
    String as String;
}

impl Link<'_> {
    /// Hands every row of a query to `read`.
    pub(crate) fn each(
        self,
        query: &str,
        values: &[SqlValue<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match self {
            Self::Sqlite(connection) => {
                let mut statement = connection.prepare_cached(query)?;
                let mut rows = statement.query(params_from_iter(values))?;
                while let Some(row) = rows.next()? {
                    read(&Row::Sqlite(row))?;
                }
                Ok(())
            }
            Self::Postgres { .. } | Self::Known(_) => {
                let rows = self.rows(query, values)?;
                rows.iter().try_for_each(|row| read(&Row::Postgres(row)))
            }
        }
    }

    /// All rows that PostgreSQL answers, or has answered.
    fn rows(
        self,
        query: &str,
        values: &[SqlValue<'_>],
    ) -> Result<Arc<Vec<tokio_postgres::Row>>, Failure> {
        match self {
            Self::Postgres { client, known } => {
                let forgotten = known.map(KnownAnswers::forgotten);
                let rows = Arc::new(client.query(query, values)?);
                if let (Some(known), Some(forgotten)) = (known, forgotten) {
                    known.keep(query, values, &rows, forgotten);
                }
                Ok(rows)
            }
            Self::Known(known) => {
                let rows = known.find(query, values);
                Ok(rows.ok_or(PostgresTrouble::Unknown)?)
            }
            Self::Sqlite(_) => Ok(Arc::default()),
        }
    }

    /// The first row of a query, if there is one.
    pub(crate) fn first<T>(
        self,
        query: &str,
        values: &[SqlValue<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        match self {
            Self::Sqlite(connection) => {
                let mut statement = connection.prepare_cached(query)?;
                let mut rows = statement.query(params_from_iter(values))?;
                let row = rows.next()?;
                row.map(|row| read(&Row::Sqlite(row))).transpose()
            }
            Self::Postgres { .. } | Self::Known(_) => {
                let rows = self.rows(query, values)?;
                let row = rows.first();
                row.map(|row| read(&Row::Postgres(row))).transpose()
            }
        }
    }

    /// Runs a statement and tells how many rows it changed.
    pub(crate) fn run(self, statement: &str, values: &[SqlValue<'_>]) -> Result<usize, Failure> {
        match self {
            Self::Sqlite(connection) => {
                let mut statement = connection.prepare_cached(statement)?;
                Ok(statement.execute(params_from_iter(values))?)
            }
            Self::Postgres { client, .. } => Ok(client.run(statement, values)?),
            Self::Known(_) => Err(PostgresTrouble::Unknown.into()),
        }
    }

    /// Begins a transaction and takes the turn of all who write: one that reads first and writes
    /// then would find that others have written meanwhile.
    pub(crate) fn begin(self) -> Result<(), Failure> {
        match self {
            Self::Sqlite(_) => self.run("BEGIN IMMEDIATE", params![]).map(drop),
            Self::Postgres { client, .. } => Ok(client.begin()?),
            Self::Known(_) => Err(PostgresTrouble::Unknown.into()),
        }
    }

    /// Whether a failure has ended the transaction as a whole.
    pub(crate) fn is_out_of_transaction(self) -> bool {
        match self {
            Self::Sqlite(connection) => connection.is_autocommit(),
            Self::Postgres { client, .. } => client.is_out_of_transaction() || client.is_closed(),
            Self::Known(_) => true,
        }
    }
}

impl Row<'_> {
    pub(crate) fn get<T: Column>(&self, index: usize) -> Result<T, Failure> {
        match self {
            Self::Sqlite(row) => Ok(row.get(index)?),
            Self::Postgres(row) => T::of(row, index),
        }
    }

    /// A text without a copy of it.
    pub(crate) fn text(&self, index: usize) -> Result<Option<&str>, Failure> {
        match self {
            Self::Sqlite(row) => {
                let value = row.get_ref(index)?;
                Ok(value.as_str_or_null().map_err(rusqlite::Error::from)?)
            }
            Self::Postgres(row) => Ok(row.try_get(index).map_err(PostgresTrouble::from)?),
        }
    }

    pub(crate) fn cell(&self, index: usize) -> Result<Cell<'_>, Failure> {
        match self {
            Self::Sqlite(row) => Ok(match row.get_ref(index)? {
                ValueRef::Null => Cell::Null,
                ValueRef::Integer(number) => Cell::Number(number),
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Cell::Text(bytes),
                // No column of ours holds one.
                ValueRef::Real(_) => return Err(wrong_type(index)),
            }),
            Self::Postgres(row) => {
                let column = row.columns().get(index);
                let kind = column.map(tokio_postgres::Column::type_);
                Ok(if kind == Some(&Type::INT8) {
                    let number: Option<i64> = row.try_get(index).map_err(PostgresTrouble::from)?;
                    number.map_or(Cell::Null, Cell::Number)
                } else {
                    let text: Option<&str> = row.try_get(index).map_err(PostgresTrouble::from)?;
                    text.map_or(Cell::Null, |text| Cell::Text(text.as_bytes()))
                })
            }
        }
    }
}

fn wrong_type(index: usize) -> Failure {
    let kind = rusqlite::types::Type::Real;
    rusqlite::Error::InvalidColumnType(index, String::new(), kind).into()
}

impl rusqlite::ToSql for SqlValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Text(Some(text)) => ValueRef::Text(text.as_bytes()),
            Self::Number(Some(number)) => ValueRef::Integer(*number),
            Self::Text(None) | Self::Number(None) => ValueRef::Null,
        }))
    }
}

impl tokio_postgres::types::ToSql for SqlValue<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            // The one letter that PostgreSQL cannot keep.
            Self::Text(Some(text)) if text.contains('\0') => {
                text.replace('\0', "\u{fffd}").to_sql(kind, out)
            }
            Self::Text(text) => text.to_sql(kind, out),
            Self::Number(number) => number.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::TEXT || *kind == Type::INT8
    }

    tokio_postgres::types::to_sql_checked!();
}

macro_rules! values_from {
    ($($type:ty, $given:ident => $value:expr;)+) => {
        $(impl<'a> From<&'a $type> for SqlValue<'a> {
            fn from($given: &'a $type) -> Self {
                $value
            }
        })+
    };
}

values_from! {
    &str, text => Self::Text(Some(text));
    str, text => Self::Text(Some(text));
    String, text => Self::Text(Some(text));
    &String, text => Self::Text(Some(text));
    Option<&str>, text => Self::Text(*text);
    Option<String>, text => Self::Text(text.as_deref());
    Option<&String>, text => Self::Text(text.map(String::as_str));
    i64, number => Self::Number(Some(*number));
    u16, number => Self::Number(Some(i64::from(*number)));
    Option<i64>, number => Self::Number(*number);
    Option<i32>, number => Self::Number(number.map(i64::from));
    Option<u32>, number => Self::Number(number.map(i64::from));
}
