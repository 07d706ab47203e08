//! Cells in columns. A column is as wide as its widest cell and two blanks, over the lines that have it without a gap.

/// The blanks between a column's widest cell and the next column.
const PADDING: usize = 2;

/// Lays out text whose cells end with tabs. The last cell of a line belongs to no column.
pub(crate) fn align(text: &str) -> String {
    let lines: Vec<Vec<&str>> = text.split('\n').map(|line| line.split('\t').collect()).collect();
    let mut layout = Layout { lines: &lines, widths: Vec::new(), out: String::with_capacity(text.len() * 2) };
    let end = lines.len();
    layout.columns(0, end);
    layout.out
}

struct Layout<'a> {
    lines: &'a [Vec<&'a str>],
    /// The widths of the columns to the left.
    widths: Vec<usize>,
    out: String,
}

impl Layout<'_> {
    /// Writes a range of lines, of which all have the columns to the left.
    fn columns(&mut self, start: usize, end: usize) {
        let column = self.widths.len();
        let mut written = start;
        let mut at = start;
        while at < end {
            let Some(width) = self.width(at, column) else {
                at += 1;
                continue;
            };
            self.write(written, at);
            let mut widest = width;
            let mut below = at + 1;
            while below < end
                && let Some(width) = self.width(below, column)
            {
                widest = widest.max(width);
                below += 1;
            }
            self.widths.push(widest + PADDING);
            self.columns(at, below);
            self.widths.pop();
            written = below;
            at = below;
        }
        self.write(written, end);
    }

    /// The width of a line's cell in a column, if it has one.
    fn width(&self, line: usize, column: usize) -> Option<usize> {
        let cells = self.lines.get(line)?;
        let cell = cells.get(column).filter(|_| column + 1 < cells.len())?;
        Some(cell.chars().count())
    }

    fn write(&mut self, start: usize, end: usize) {
        for (index, cells) in self.lines.iter().enumerate().take(end).skip(start) {
            for (column, cell) in cells.iter().enumerate() {
                self.out.push_str(cell);
                if let Some(width) = self.widths.get(column) {
                    let blanks = width.saturating_sub(cell.chars().count());
                    self.out.extend(std::iter::repeat_n(' ', blanks));
                }
            }
            if index + 1 < self.lines.len() {
                self.out.push('\n');
            }
        }
    }
}
