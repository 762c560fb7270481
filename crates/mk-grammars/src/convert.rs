//! Takes the parse tables out of a grammar's C source, as tree-sitter generates it. Used by the build script, and by
//! tests.
//!
//! The two tables are arrays of numbers, written with names and designators. Everything else in the source stays as it
//! is: it is code, or small, or refers to other parts of itself. What cannot be read is an error, never a guess.

use std::collections::HashMap;

/// A grammar in two parts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Converted {
    /// C source in which the tables are declared and hold zeros, as `<prefix>_large` and `<prefix>_small`.
    pub(crate) source: String,
    /// A row for each of the states that have many symbols.
    pub(crate) large: Vec<u16>,
    /// The other states, one after the other.
    pub(crate) small: Vec<u16>,
}

const LARGE: &str = "static const uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT] = {\n";
const SMALL: &str = "static const uint16_t ts_small_parse_table[] = {\n";
const SYMBOLS: &str = "enum ts_symbol_identifiers {\n";
const END: &str = "\n};\n";

pub(crate) fn convert(source: &str, prefix: &str) -> Result<Converted, String> {
    let (before, large, rest) = cut(source, LARGE)?;
    let (between, small, after) = cut(rest, SMALL)?;
    let (_, symbols, _) = cut(before, SYMBOLS)?;
    let symbols = SymbolNumbers::read(symbols)?;
    let states = defined(before, "LARGE_STATE_COUNT")?;
    let width = defined(before, "SYMBOL_COUNT")?;
    let large = large_table(large, &symbols, (states, width))?;
    let small = small_table(small, &symbols)?;
    let length = small.len();
    let source = format!(
        "{before}uint16_t {prefix}_large[LARGE_STATE_COUNT][SYMBOL_COUNT];\n\
         #define ts_parse_table {prefix}_large\n\
         {between}uint16_t {prefix}_small[{length}];\n\
         #define ts_small_parse_table {prefix}_small\n\
         {after}"
    );
    Ok(Converted {
        source,
        large,
        small,
    })
}

/// What is before an opening line, what it opens, and what is after that.
fn cut<'a>(text: &'a str, opening: &str) -> Result<(&'a str, &'a str, &'a str), String> {
    let missing = || format!("there is no `{}`", opening.trim());
    let (before, rest) = text.split_once(opening).ok_or_else(missing)?;
    let (body, after) = rest
        .split_once(END)
        .ok_or_else(|| format!("`{}` does not end", opening.trim()))?;
    Ok((before, body, after))
}

fn defined(source: &str, name: &str) -> Result<usize, String> {
    let opening = format!("\n#define {name} ");
    let (_, rest) = source
        .split_once(&opening)
        .ok_or_else(|| format!("`{name}` is not defined"))?;
    let value = rest.lines().next().unwrap_or_default().trim();
    value
        .parse()
        .map_err(|_| format!("`{name}` is `{value}`, which is not a number"))
}

fn large_table(
    body: &str,
    symbols: &SymbolNumbers<'_>,
    (states, width): (usize, usize),
) -> Result<Vec<u16>, String> {
    let mut table = vec![0; states * width];
    let mut reader = TableReader::new(body, symbols);
    while !reader.is_at_end() {
        let state = reader.place()?;
        let row = table
            .get_mut(state * width..(state + 1) * width)
            .ok_or_else(|| format!("there is a state {state} of {states}"))?;
        reader.expect('{')?;
        while !reader.take('}') {
            let symbol = reader.place()?;
            let entry = row
                .get_mut(symbol)
                .ok_or_else(|| format!("there is a symbol {symbol} of {width}"))?;
            *entry = reader.value()?;
            reader.expect(',')?;
        }
        reader.expect(',')?;
    }
    Ok(table)
}

fn small_table(body: &str, symbols: &SymbolNumbers<'_>) -> Result<Vec<u16>, String> {
    let mut table = Vec::new();
    let mut reader = TableReader::new(body, symbols);
    while !reader.is_at_end() {
        if reader.is_at('[') {
            let place = reader.place()?;
            let length = table.len();
            if place != length {
                return Err(format!("entry {place} comes after {length} entries"));
            }
        }
        table.push(reader.value()?);
        reader.expect(',')?;
    }
    Ok(table)
}

/// The numbers of a grammar's symbols.
#[derive(Debug)]
struct SymbolNumbers<'a>(HashMap<&'a str, u16>);

impl<'a> SymbolNumbers<'a> {
    fn read(body: &'a str) -> Result<Self, String> {
        // Declared by tree-sitter's header. The other name there, of errors, is in no table.
        let mut symbols = HashMap::from([("ts_builtin_sym_end", 0)]);
        for line in body.lines() {
            let pair = line.trim().trim_end_matches(',').split_once(" = ");
            let number = pair.and_then(|(name, number)| Some((name, number.parse().ok()?)));
            let (name, number) = number.ok_or_else(|| format!("`{line}` numbers no symbol"))?;
            symbols.insert(name, number);
        }
        Ok(Self(symbols))
    }
}

/// Reads the initialiser of an array, from its first item on.
#[derive(Debug)]
struct TableReader<'a> {
    rest: &'a str,
    symbols: &'a SymbolNumbers<'a>,
}

impl<'a> TableReader<'a> {
    fn new(body: &'a str, symbols: &'a SymbolNumbers<'a>) -> Self {
        Self {
            rest: body.trim_start(),
            symbols,
        }
    }

    fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    fn is_at(&self, sign: char) -> bool {
        self.rest.starts_with(sign)
    }

    fn take(&mut self, sign: char) -> bool {
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.map_or(self.rest, str::trim_start);
        rest.is_some()
    }

    fn expect(&mut self, sign: char) -> Result<(), String> {
        let found = self.take(sign);
        found.then_some(()).ok_or_else(|| {
            let line = self.rest.lines().next().unwrap_or_default();
            format!("expected `{sign}` before `{line}`")
        })
    }

    fn word(&mut self) -> &'a str {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let end = self.rest.bytes().position(|byte| !is_part(byte));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest.trim_start();
        word
    }

    /// `[place] =`
    fn place(&mut self) -> Result<usize, String> {
        self.expect('[')?;
        let place = self.number()?;
        self.expect(']')?;
        self.expect('=')?;
        usize::try_from(place).map_err(|error| error.to_string())
    }

    fn value(&mut self) -> Result<u16, String> {
        let number = self.number()?;
        u16::try_from(number).map_err(|_| format!("`{number}` is too large for an entry"))
    }

    /// A number, a symbol, or a number in either of the two macros that only say what it means.
    fn number(&mut self) -> Result<u32, String> {
        let word = self.word();
        if word.starts_with(|letter: char| letter.is_ascii_digit()) {
            return word.parse().map_err(|_| format!("`{word}` is too large"));
        }
        if word == "ACTIONS" || word == "STATE" {
            self.expect('(')?;
            let number = self.number()?;
            self.expect(')')?;
            return Ok(number);
        }
        let symbol = self.symbols.0.get(word).copied().map(u32::from);
        symbol.ok_or_else(|| format!("`{word}` is not a symbol"))
    }
}
