//! Figures, budgets, and the table that shows both.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

/// What several rounds gave.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) min: f64,
}

impl Spread {
    pub(crate) fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |index: usize| values.get(index).copied().unwrap_or(f64::NAN);
        Self {
            median: at(values.len() / 2),
            min: at(0),
        }
    }
}

/// How much a figure may be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Budget {
    None,
    AtMost(f64),
    /// So many times what it is compared with.
    Times(f64),
    /// So much more than what it is compared with.
    Above(f64),
}

/// One figure.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) unit: &'static str,
    pub(crate) ours: Spread,
    /// What it is compared with: its name and figure.
    pub(crate) beside: Option<(&'static str, Spread)>,
    pub(crate) budget: Budget,
}

impl Row {
    fn ratio(&self) -> Option<f64> {
        let (_, beside) = self.beside?;
        Some(self.ours.median / beside.median)
    }

    /// Whether the median keeps the budget; `None` where there is none.
    pub(crate) fn within(&self) -> Option<bool> {
        match self.budget {
            Budget::None => None,
            Budget::AtMost(most) => Some(self.ours.median <= most),
            Budget::Times(most) => Some(self.ratio()? <= most),
            Budget::Above(most) => Some(self.ours.median - self.beside?.1.median <= most),
        }
    }

    fn cells(&self) -> [String; 6] {
        let spread = |it: Spread| format!("{:.2} (min {:.2}) {}", it.median, it.min, self.unit);
        let beside = match self.beside {
            Some((name, figure)) => format!("{name} {}", spread(figure)),
            None => String::new(),
        };
        let budget = match self.budget {
            Budget::None => String::new(),
            Budget::AtMost(most) => format!("≤ {most} {}", self.unit),
            Budget::Times(most) => format!("≤ {most} ×"),
            Budget::Above(most) => format!("≤ {most} {} more", self.unit),
        };
        let mark = match self.within() {
            None => "",
            Some(true) => "✓",
            Some(false) => "✗",
        };
        let ratio = self.ratio().map(|ratio| format!("{ratio:.2} ×"));
        [
            self.what.clone(),
            spread(self.ours),
            beside,
            ratio.unwrap_or_default(),
            budget,
            mark.to_owned(),
        ]
    }
}

pub(crate) fn to_table(rows: &[Row]) -> String {
    let header = ["what", "median", "beside", "ratio", "budget", ""].map(str::to_owned);
    let rows: Vec<_> = std::iter::once(header)
        .chain(rows.iter().map(Row::cells))
        .collect();
    let mut widths = [0; 6];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut table = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            // A String takes anything that is written to it.
            let _ = write!(line, "{cell:width$}  ");
        }
        table.push_str(line.trim_end());
        table.push('\n');
    }
    table
}

pub(crate) fn to_json(rows: &[Row]) -> Value {
    let spread = |it: Spread| json!({ "median": it.median, "min": it.min });
    let row = |row: &Row| {
        json!({
            "what": row.what,
            "unit": row.unit,
            "ours": spread(row.ours),
            "beside": row.beside.map(|(name, figure)| json!({ "name": name, "figure": spread(figure) })),
            "ratio": row.ratio(),
            "budget": match row.budget {
                Budget::None => Value::Null,
                Budget::AtMost(most) => json!({ "at_most": most }),
                Budget::Times(most) => json!({ "times": most }),
                Budget::Above(most) => json!({ "above": most }),
            },
            "within": row.within(),
        })
    };
    rows.iter().map(row).collect()
}

pub(crate) fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A count as a figure; none here comes near the 52 bits that fit.
pub(crate) fn float(count: u64) -> f64 {
    count as f64
}
