//! One statement, two databases: values go in as `?1`, rows come out column by column.
//!
//! Statements are written in what both understand. It knows neither tables nor transactions.

use rusqlite::types::{FromSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, params_from_iter};

use crate::error::Failure;

/// The database that a query or a job works with.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Link<'a> {
    Sqlite(&'a Connection),
}

/// A value of a statement. What is absent has a type, too: PostgreSQL wants to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Value<'a> {
    Text(Option<&'a str>),
    Number(Option<i64>),
}

/// A row of an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
}

/// A column as it is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cell<'a> {
    Null,
    Number(i64),
    Text(&'a [u8]),
}

/// What a column can be read as.
pub(crate) trait Column: FromSql {}

impl Column for i64 {}
impl Column for String {}
impl Column for bool {}
impl Column for i32 {}
impl Column for u32 {}
impl<T: Column> Column for Option<T> {}

impl Link<'_> {
    /// Hands every row of a query to `read`.
    pub(crate) fn each(
        self,
        query: &str,
        values: &[Value<'_>],
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
        }
    }

    /// The first row of a query, if there is one.
    pub(crate) fn first<T>(
        self,
        query: &str,
        values: &[Value<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        match self {
            Self::Sqlite(connection) => {
                let mut statement = connection.prepare_cached(query)?;
                let mut rows = statement.query(params_from_iter(values))?;
                let row = rows.next()?;
                row.map(|row| read(&Row::Sqlite(row))).transpose()
            }
        }
    }

    /// Runs a statement and tells how many rows it changed.
    pub(crate) fn run(self, statement: &str, values: &[Value<'_>]) -> Result<usize, Failure> {
        match self {
            Self::Sqlite(connection) => {
                let mut statement = connection.prepare_cached(statement)?;
                Ok(statement.execute(params_from_iter(values))?)
            }
        }
    }

    /// Whether a failure has ended the transaction as a whole.
    pub(crate) fn is_out_of_transaction(self) -> bool {
        match self {
            Self::Sqlite(connection) => connection.is_autocommit(),
        }
    }
}

impl Row<'_> {
    pub(crate) fn get<T: Column>(&self, index: usize) -> Result<T, Failure> {
        match self {
            Self::Sqlite(row) => Ok(row.get(index)?),
        }
    }

    /// A text without a copy of it.
    pub(crate) fn text(&self, index: usize) -> Result<Option<&str>, Failure> {
        match self {
            Self::Sqlite(row) => {
                let value = row.get_ref(index)?;
                Ok(value.as_str_or_null().map_err(rusqlite::Error::from)?)
            }
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
        }
    }
}

fn wrong_type(index: usize) -> Failure {
    let kind = rusqlite::types::Type::Real;
    rusqlite::Error::InvalidColumnType(index, String::new(), kind).into()
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Text(Some(text)) => ValueRef::Text(text.as_bytes()),
            Self::Number(Some(number)) => ValueRef::Integer(*number),
            Self::Text(None) | Self::Number(None) => ValueRef::Null,
        }))
    }
}

macro_rules! values_from {
    ($($type:ty, $given:ident => $value:expr;)+) => {
        $(impl<'a> From<&'a $type> for Value<'a> {
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

/// The values of a statement, in the order of their numbers.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        &[$($crate::link::Value::from(&$value)),*]
    };
}
pub(crate) use params;
