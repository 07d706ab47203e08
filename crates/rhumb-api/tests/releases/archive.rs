//! The golden objects of `data/golden/objects.gz`, as `tools/record-golden.py` writes them.

use std::io::Read;

/// An object in three formats.
pub(crate) struct Formats<'a> {
    pub(crate) json: Vec<u8>,
    pub(crate) yaml: Vec<u8>,
    pub(crate) protobuf: &'a [u8],
}

/// An object that some release of `k8s.io/api` published, and what is written when it is read.
pub(crate) struct Golden<'a> {
    /// `apps.v1.Deployment`.
    pub(crate) stem: &'a str,
    /// The first release that has just this object.
    pub(crate) release: &'a str,
    pub(crate) given: Formats<'a>,
    /// Absent if it is what was given.
    pub(crate) written: Option<Formats<'a>>,
}

/// The unpacked archive.
pub(crate) struct Archive(Vec<u8>);

impl Archive {
    pub(crate) fn open() -> Self {
        let packed = include_bytes!("../data/golden/objects.gz");
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("gzip");
        Archive(bytes)
    }

    pub(crate) fn objects(&self) -> Vec<Golden<'_>> {
        let mut input = Input(&self.0);
        let lines = input.list(Input::bytes);
        let messages = input.list(Input::bytes);
        let objects = input.list(|input| {
            let name = std::str::from_utf8(input.bytes()).expect("a name is text");
            let (stem, release) = name.split_once(' ').expect("a stem and a release");
            let given = input.formats(&lines, &messages);
            let written = (input.number() == 1).then(|| input.formats(&lines, &messages));
            Golden { stem, release, given, written }
        });
        assert!(input.0.is_empty(), "something follows the objects");
        objects
    }
}

/// What is left to be read.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn number(&mut self) -> usize {
        let mut number = 0;
        for shift in (0..).step_by(7) {
            let (first, rest) = self.0.split_first().expect("the archive is whole");
            self.0 = rest;
            number |= usize::from(first & 0x7f) << shift;
            if first & 0x80 == 0 {
                break;
            }
        }
        number
    }

    fn bytes(&mut self) -> &'a [u8] {
        let length = self.number();
        let (bytes, rest) = self.0.split_at(length);
        self.0 = rest;
        bytes
    }

    fn list<T>(&mut self, mut element: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.number()).map(|_| element(self)).collect()
    }

    fn text(&mut self, lines: &[&[u8]]) -> Vec<u8> {
        let mut next = 0;
        let parts = self.list(|input| {
            let distance = input.number();
            let number = if distance % 2 == 0 { next + distance / 2 } else { next - distance.div_ceil(2) };
            next = number + 1;
            lines[number]
        });
        parts.join(&b'\n')
    }

    fn formats(&mut self, lines: &[&[u8]], messages: &[&'a [u8]]) -> Formats<'a> {
        Formats { json: self.text(lines), yaml: self.text(lines), protobuf: messages[self.number()] }
    }
}
