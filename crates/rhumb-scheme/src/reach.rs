//! Containment of structs: paths to all structs of interest, computed once by freeze.

use foldhash::HashMap;
use rhumb_schema::StructDesc;

/// Returns the identity of a struct: the address of its description, of which there is one each.
pub(crate) fn address(desc: &'static StructDesc) -> usize {
    std::ptr::from_ref(desc) as usize
}

/// All structs that some roots contain, and the fields that contain them.
pub(crate) struct Reach {
    all: Vec<&'static StructDesc>,
    places: HashMap<usize, usize>,
    /// By struct: its fields that contain structs, and the indexes of those.
    inside: Vec<Vec<(usize, usize)>>,
}

impl Reach {
    /// Computes the structs that the roots contain.
    pub(crate) fn below(roots: impl Iterator<Item = &'static StructDesc>) -> Self {
        let mut reach = Reach { all: Vec::new(), places: HashMap::default(), inside: Vec::new() };
        for root in roots {
            reach.place(root);
        }
        // The list grows while it is walked, until everything in it was looked into.
        let mut at = 0;
        while let Some(desc) = reach.all.get(at).copied() {
            at += 1;
            let fields = desc.fields.iter().enumerate();
            let structs = fields
                .filter_map(|(position, field)| Some((position, reach.place(field.shape.element_struct()?))))
                .collect();
            reach.inside.push(structs);
        }
        reach
    }

    fn place(&mut self, desc: &'static StructDesc) -> usize {
        let next = self.all.len();
        let place = *self.places.entry(address(desc)).or_insert(next);
        if place == next {
            self.all.push(desc);
        }
        place
    }

    /// Returns the structs.
    pub(crate) fn structs(&self) -> impl Iterator<Item = &'static StructDesc> {
        self.all.iter().copied()
    }

    /// Returns by struct the fields to descend into in order to reach all targets.
    pub(crate) fn ways_to(&self, targets: impl Iterator<Item = usize>) -> Vec<(usize, Vec<usize>)> {
        let mut holders = vec![Vec::new(); self.all.len()];
        for (holder, fields) in self.inside.iter().enumerate() {
            for (_, held) in fields {
                if let Some(holders) = holders.get_mut(*held) {
                    holders.push(holder);
                }
            }
        }
        // From the targets upwards: what holds something that must be entered must be entered itself.
        let mut entered = vec![false; self.all.len()];
        let mut queue: Vec<usize> = targets.filter_map(|target| self.places.get(&target).copied()).collect();
        while let Some(place) = queue.pop() {
            if let Some(seen) = entered.get_mut(place)
                && !std::mem::replace(seen, true)
            {
                queue.extend(holders.get(place).into_iter().flatten());
            }
        }
        let is_entered = |(position, held): &(usize, usize)| {
            entered.get(*held).is_some_and(|entered| *entered).then_some(*position)
        };
        let ways = self.all.iter().zip(&self.inside).map(|(desc, fields)| {
            (address(desc), fields.iter().filter_map(is_entered).collect::<Vec<usize>>())
        });
        ways.filter(|(_, descend)| !descend.is_empty()).collect()
    }
}
