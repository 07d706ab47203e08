//! Column alignment by tabs.
//!
//! The rules are those of Go's `text/tabwriter`. A cell is what a tab ends; what follows the last tab of a
//! line belongs to no column. Cells of lines that follow each other make a column, which is as wide as its
//! widest cell; a line that doesn't reach a column ends it, and what comes behind may be of another width. A
//! character is one wide, whatever it looks like. A form feed ends a line and all columns.
//!
//! Go's escaping with the byte 0xff and its treatment of HTML are left out, because nothing asks for them.

use std::io::{self, Write};

/// Layout of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TabLayout {
    /// Minimum column width including padding.
    pub min_width: usize,
    /// Width of a tab character.
    pub tab_width: usize,
    /// Padding between cells.
    pub padding: usize,
    /// Padding character. With tabs, cells are left-aligned.
    pub pad: char,
    /// At which side of its column a cell stands.
    pub align: Align,
    /// Handling of empty columns whose cells all end with vertical tabs.
    pub empty_columns: EmptyColumns,
    /// Indentation of leading empty cells.
    pub indent: Indent,
    /// Whether the widths of columns outlive [`TabWriter::flush`].
    pub widths: Widths,
}

/// Alignment of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Cells begin where their column begins.
    Left,
    /// Cells end where their column ends.
    Right,
}

/// Handling of empty columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyColumns {
    /// They are as wide as others.
    Keep,
    /// They vanish.
    Discard,
}

/// Indentation of leading empty cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indent {
    /// The padding character.
    Padding,
    /// Tabs.
    Tabs,
}

/// How long column widths are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Widths {
    /// Until the text is flushed.
    Forget,
    /// Columns never become narrower than before.
    Remember,
}

impl TabLayout {
    /// Layout of tables.
    pub const TABLE: TabLayout = TabLayout {
        min_width: 6,
        tab_width: 4,
        padding: 3,
        pad: ' ',
        align: Align::Left,
        empty_columns: EmptyColumns::Keep,
        indent: Indent::Padding,
        widths: Widths::Remember,
    };

    /// Layout of `describe`.
    pub const DESCRIPTION: TabLayout = TabLayout {
        min_width: 0,
        tab_width: 8,
        padding: 2,
        pad: ' ',
        align: Align::Left,
        empty_columns: EmptyColumns::Keep,
        indent: Indent::Padding,
        widths: Widths::Forget,
    };
}

/// Text up to a tab or the end of a line.
#[derive(Debug)]
struct Cell {
    text: Vec<u8>,
    /// The number of characters.
    width: usize,
    /// Whether an ordinary tab ended it.
    hard: bool,
    /// The width of the column, once it is known; none for the last cell of a line.
    column: Option<usize>,
}

/// Aligns the text written to it in columns.
///
/// Text stays inside until [`flush`](TabWriter::flush), which must be called at the end, unless nothing that
/// follows can change how it is laid out.
#[derive(Debug)]
pub struct TabWriter<W: Write> {
    out: W,
    layout: TabLayout,
    /// Lines that have ended.
    lines: Vec<Vec<Cell>>,
    /// The cells of the line that has not.
    line: Vec<Cell>,
    /// Text after the last tab.
    text: Vec<u8>,
    /// The largest widths that were seen, column by column.
    remembered: Vec<usize>,
}

impl<W: Write> TabWriter<W> {
    /// Creates a writer that sends what it lays out to another one.
    pub fn new(out: W, layout: TabLayout) -> TabWriter<W> {
        TabWriter {
            out,
            layout,
            lines: Vec::new(),
            line: Vec::new(),
            text: Vec::new(),
            remembered: Vec::new(),
        }
    }

    /// Returns a writer with the layout of tables for people.
    pub fn table(out: W) -> TabWriter<W> {
        TabWriter::new(out, TabLayout::TABLE)
    }

    /// Forgets the widths that columns had.
    pub fn forget_widths(&mut self) {
        self.remembered.clear();
    }

    /// Returns the underlying writer.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Flushes and gives the writer behind this one back.
    ///
    /// # Errors
    /// If that can't be written to.
    pub fn into_inner(mut self) -> io::Result<W> {
        self.flush()?;
        Ok(self.out)
    }

    fn end_cell(&mut self, hard: bool) {
        let text = std::mem::take(&mut self.text);
        let width =
            text.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum();
        self.line.push(Cell { text, width, hard, column: None });
    }

    fn end_line(&mut self, all_columns: bool) -> io::Result<()> {
        self.end_cell(false);
        let line = std::mem::take(&mut self.line);
        // A line without columns has none to its left or right depend on each other.
        let lay_out = all_columns || line.len() == 1;
        self.lines.push(line);
        if lay_out { self.write_lines() } else { Ok(()) }
    }

    /// Finds the widths of all columns. A column can only be where all columns to its left are, so that each
    /// of them is looked for among the lines that have the one before.
    fn measure(&mut self) {
        let mut reaching: Vec<usize> = (0..self.lines.len()).collect();
        for column in 0.. {
            reaching.retain(|at| self.lines.get(*at).is_some_and(|line| line.len() > column + 1));
            if reaching.is_empty() {
                return;
            }
            for block in reaching.chunk_by(|one, next| one + 1 == *next) {
                let cells = block.iter().filter_map(|at| self.lines.get(*at)?.get(column));
                let mut width = self.layout.min_width;
                let mut discard = self.layout.empty_columns == EmptyColumns::Discard;
                for cell in cells {
                    width = width.max(cell.width.saturating_add(self.layout.padding));
                    discard &= cell.width == 0 && !cell.hard;
                }
                if discard {
                    width = 0;
                }
                if self.layout.widths == Widths::Remember {
                    match self.remembered.get_mut(column) {
                        Some(known) => {
                            width = width.max(*known);
                            *known = width;
                        }
                        None => self.remembered.push(width),
                    }
                }
                for at in block {
                    if let Some(cell) = self.lines.get_mut(*at).and_then(|line| line.get_mut(column)) {
                        cell.column = Some(width);
                    }
                }
            }
        }
    }

    fn write_lines(&mut self) -> io::Result<()> {
        self.measure();
        let mut out = Vec::new();
        for line in std::mem::take(&mut self.lines) {
            self.write_line(&line, &mut out);
            out.push(b'\n');
        }
        self.out.write_all(&out)
    }

    fn write_line(&self, line: &[Cell], out: &mut Vec<u8>) {
        let mut leading = true;
        for cell in line {
            leading &= cell.text.is_empty();
            let tabs = self.layout.pad == '\t' || (leading && self.layout.indent == Indent::Tabs);
            let left = tabs || self.layout.align == Align::Left;
            if left {
                out.extend_from_slice(&cell.text);
            }
            if let Some(column) = cell.column {
                self.fill(cell.width, column, tabs, out);
            }
            if !left {
                out.extend_from_slice(&cell.text);
            }
        }
    }

    fn fill(&self, width: usize, column: usize, tabs: bool, out: &mut Vec<u8>) {
        if !tabs {
            let mut pad = [0; 4];
            let pad = self.layout.pad.encode_utf8(&mut pad);
            (width..column).for_each(|_| out.extend_from_slice(pad.as_bytes()));
        } else if self.layout.tab_width > 0 {
            let column = column.next_multiple_of(self.layout.tab_width);
            let count = column.saturating_sub(width).div_ceil(self.layout.tab_width);
            out.resize(out.len() + count, b'\t');
        }
    }
}

impl<W: Write> Write for TabWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| matches!(byte, b'\t' | b'\x0b' | b'\n' | b'\x0c')) {
            let (last, text) = match part.split_last() {
                Some((last @ (b'\t' | b'\x0b' | b'\n' | b'\x0c'), text)) => (Some(*last), text),
                _ => (None, part),
            };
            self.text.extend_from_slice(text);
            match last {
                Some(b'\n') => self.end_line(false)?,
                Some(b'\x0c') => self.end_line(true)?,
                Some(tab) => self.end_cell(tab == b'\t'),
                None => {}
            }
        }
        Ok(bytes.len())
    }

    /// Lays out what was written so far. A line that has not ended is taken as it is.
    fn flush(&mut self) -> io::Result<()> {
        if !self.text.is_empty() {
            self.end_cell(false);
        }
        let open = !self.line.is_empty();
        self.lines.push(std::mem::take(&mut self.line));
        self.measure();
        let mut out = Vec::new();
        let lines = std::mem::take(&mut self.lines);
        for (at, line) in lines.iter().enumerate() {
            if at > 0 {
                out.push(b'\n');
            }
            if at + 1 < lines.len() || open {
                self.write_line(line, &mut out);
            }
        }
        self.out.write_all(&out)?;
        self.out.flush()
    }
}
