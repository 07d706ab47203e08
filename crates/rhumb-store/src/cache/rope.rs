//! A sequence that many can hold while one changes it: cloning is a step, and a change copies only the way to it.
//!
//! It is a B-tree addressed by place: every branch knows how many items lie below each of its children. So the number
//! of items between two keys is a subtraction, which a list needs for the count of what remains, and a reader keeps
//! a place instead of a stack. The order of the items is up to the caller, who asks for the first place at which
//! a condition ceases to hold. Items are pointers; their keys are not copied into the tree.

use std::sync::{Arc, OnceLock};

use crate::cache::forms::Forms;

/// How many items a leaf and how many children a branch has at most. Every change copies one node per level.
const WIDTH: usize = 32;

/// A sequence that many can hold while one changes it: cloning it is a step, and a change copies only the way to it.
#[derive(Debug)]
pub struct Rope<E> {
    root: Arc<Node<E>>,
    len: usize,
}

#[derive(Clone, Debug)]
enum Node<E> {
    Leaf(Leaf<E>),
    Branch(Vec<Child<E>>),
}

/// Items that stand beside each other, and the encoded forms of all of them together.
#[derive(Debug)]
pub(super) struct Leaf<E> {
    items: Vec<E>,
    /// What was made of exactly these items. Who changes them, changes a copy without, or takes it away.
    forms: OnceLock<Forms>,
}

impl<E> Leaf<E> {
    fn new(items: Vec<E>) -> Self {
        Leaf { items, forms: OnceLock::new() }
    }

    /// The items, to be changed.
    fn change(&mut self) -> &mut Vec<E> {
        self.forms.take();
        &mut self.items
    }

    /// The forms of all items together.
    pub(super) fn forms(&self) -> &OnceLock<Forms> {
        &self.forms
    }
}

impl<E: Clone> Clone for Leaf<E> {
    fn clone(&self) -> Self {
        Leaf::new(self.items.clone())
    }
}

/// A part of a branch, with what one needs to know to pass it by.
#[derive(Clone, Debug)]
struct Child<E> {
    first: E,
    len: usize,
    node: Arc<Node<E>>,
}

/// Where an item stands as seen from a branch.
struct Turn {
    child: usize,
    place: usize,
}

impl<E> Clone for Rope<E> {
    fn clone(&self) -> Self {
        Rope { root: Arc::clone(&self.root), len: self.len }
    }
}

impl<E> Default for Rope<E> {
    fn default() -> Self {
        Rope { root: Arc::new(Node::Leaf(Leaf::new(Vec::new()))), len: 0 }
    }
}

impl<E: Clone> Node<E> {
    fn first(&self) -> Option<&E> {
        match self {
            Node::Leaf(leaf) => leaf.items.first(),
            Node::Branch(children) => children.first().map(|child| &child.first),
        }
    }

    fn len(&self) -> usize {
        match self {
            Node::Leaf(leaf) => leaf.items.len(),
            Node::Branch(children) => children.iter().map(|child| child.len).sum(),
        }
    }

    fn width(&self) -> usize {
        match self {
            Node::Leaf(leaf) => leaf.items.len(),
            Node::Branch(children) => children.len(),
        }
    }

    /// As a child; `None` if there is nothing in it.
    fn into_child(self: Arc<Self>) -> Option<Child<E>> {
        Some(Child { first: self.first()?.clone(), len: self.len(), node: self })
    }
}

impl<E: Clone> Rope<E> {
    /// How many items there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The item at a place.
    pub fn get(&self, place: usize) -> Option<&E> {
        let (leaf, place) = self.leaf(place)?;
        match leaf.as_ref() {
            Node::Leaf(leaf) => leaf.items.get(place),
            Node::Branch(_) => None,
        }
    }

    /// The first place whose item is not before; the length if all are. The items before must come first.
    pub fn place(&self, before: impl Fn(&E) -> bool) -> usize {
        let mut node = &self.root;
        let mut passed = 0;
        loop {
            match node.as_ref() {
                Node::Leaf(leaf) => return passed + leaf.items.partition_point(&before),
                Node::Branch(children) => {
                    let after = children.partition_point(|child| before(&child.first));
                    let Some((child, left)) = children.get(..after).and_then(<[_]>::split_last) else {
                        return passed;
                    };
                    passed += left.iter().map(|child| child.len).sum::<usize>();
                    node = &child.node;
                }
            }
        }
    }

    /// Puts an item at a place; those from there on move up.
    pub fn insert(&mut self, place: usize, item: E) {
        let right = insert(&mut self.root, place.min(self.len), item, true);
        self.len += 1;
        if let Some(right) = right {
            let children = [Arc::clone(&self.root), right].into_iter().filter_map(Node::into_child).collect();
            self.root = Arc::new(Node::Branch(children));
        }
    }

    /// Puts an item at the end.
    pub fn push(&mut self, item: E) {
        self.insert(self.len, item);
    }

    /// Puts an item in the place of another, which is given back.
    pub fn replace(&mut self, place: usize, item: E) -> Option<E> {
        if place < self.len { replace(&mut self.root, place, item) } else { None }
    }

    /// Takes the item at a place out.
    pub fn remove(&mut self, place: usize) -> Option<E> {
        if place >= self.len {
            return None;
        }
        let removed = remove(&mut self.root, place)?;
        self.len -= 1;
        while let Node::Branch(children) = self.root.as_ref() {
            match children.as_slice() {
                [] => self.root = Arc::new(Node::Leaf(Leaf::new(Vec::new()))),
                [only] => self.root = Arc::clone(&only.node),
                _ => break,
            }
        }
        Some(removed)
    }

    /// The items from one place up to another.
    pub fn walk(&self, from: usize, to: usize) -> Walk<E> {
        Walk { rope: self.clone(), leaf: None, place: from, end: to.min(self.len), approach: |_| () }
    }

    /// The leaf in which a place is, and where in it.
    fn leaf(&self, mut place: usize) -> Option<(&Arc<Node<E>>, usize)> {
        let mut node = &self.root;
        loop {
            match node.as_ref() {
                Node::Leaf(leaf) => return (place < leaf.items.len()).then_some((node, place)),
                Node::Branch(children) => {
                    let turn = turn(children, place)?;
                    place = turn.place;
                    node = &children.get(turn.child)?.node;
                }
            }
        }
    }
}

/// Which child has a place; `None` if it is behind the last.
fn turn<E>(children: &[Child<E>], mut place: usize) -> Option<Turn> {
    for (child, part) in children.iter().enumerate() {
        if place < part.len {
            return Some(Turn { child, place });
        }
        place -= part.len;
    }
    None
}

/// Puts an item into a node, and gives the right half if the node had to be split. At the end of the whole sequence
/// a full node is left as it is, so that what comes in order fills its nodes.
fn insert<E: Clone>(node: &mut Arc<Node<E>>, place: usize, item: E, end: bool) -> Option<Arc<Node<E>>> {
    match Arc::make_mut(node) {
        Node::Leaf(leaf) => {
            let items = leaf.change();
            let place = place.min(items.len());
            if items.len() < WIDTH {
                items.insert(place, item);
                return None;
            }
            let cut = if end && place == items.len() { place } else { items.len() / 2 };
            let mut right = items.split_off(cut);
            if place < cut {
                items.insert(place, item);
            } else {
                right.insert(place - cut, item);
            }
            Some(Arc::new(Node::Leaf(Leaf::new(right))))
        }
        Node::Branch(children) => {
            let last = children.len().checked_sub(1)?;
            let turn = turn(children, place)
                .unwrap_or_else(|| Turn { child: last, place: children.last().map_or(0, |child| child.len) });
            let child = children.get_mut(turn.child)?;
            let right = insert(&mut child.node, turn.place, item, end && turn.child == last);
            refresh(child);
            if let Some(right) = right.and_then(Node::into_child) {
                children.insert(turn.child + 1, right);
            }
            if children.len() <= WIDTH {
                return None;
            }
            let cut = if end && turn.child == last { children.len() - 1 } else { children.len() / 2 };
            Some(Arc::new(Node::Branch(children.split_off(cut))))
        }
    }
}

fn replace<E: Clone>(node: &mut Arc<Node<E>>, place: usize, item: E) -> Option<E> {
    match Arc::make_mut(node) {
        Node::Leaf(leaf) => Some(std::mem::replace(leaf.change().get_mut(place)?, item)),
        Node::Branch(children) => {
            let turn = turn(children, place)?;
            let child = children.get_mut(turn.child)?;
            let replaced = replace(&mut child.node, turn.place, item);
            refresh(child);
            replaced
        }
    }
}

fn remove<E: Clone>(node: &mut Arc<Node<E>>, place: usize) -> Option<E> {
    match Arc::make_mut(node) {
        Node::Leaf(leaf) => (place < leaf.items.len()).then(|| leaf.change().remove(place)),
        Node::Branch(children) => {
            let turn = turn(children, place)?;
            let child = children.get_mut(turn.child)?;
            let removed = remove(&mut child.node, turn.place);
            refresh(child);
            if child.len == 0 {
                children.remove(turn.child);
            } else {
                merge(children, turn.child);
            }
            removed
        }
    }
}

/// Says anew what is in a child.
fn refresh<E: Clone>(child: &mut Child<E>) {
    child.len = child.node.len();
    if let Some(first) = child.node.first() {
        child.first = first.clone();
    }
}

/// Makes one of two neighbours if both are small. Only half of a node is filled that way, lest the next item split it.
fn merge<E: Clone>(children: &mut Vec<Child<E>>, at: usize) {
    for left in [at.saturating_sub(1), at] {
        let Some([one, other]) = children.get(left..left + 2) else { continue };
        if one.node.width() + other.node.width() > WIDTH / 2 {
            continue;
        }
        let other = children.remove(left + 1);
        if let Some(one) = children.get_mut(left) {
            match (Arc::make_mut(&mut one.node), other.node.as_ref()) {
                (Node::Leaf(leaf), Node::Leaf(more)) => leaf.change().extend_from_slice(&more.items),
                (Node::Branch(parts), Node::Branch(more)) => parts.extend_from_slice(more),
                // All leaves are equally deep, so neighbours are alike.
                _ => {}
            }
            refresh(one);
        }
        return;
    }
}

/// Goes through a part of a sequence. It holds the sequence as it was.
#[derive(Debug)]
pub struct Walk<E> {
    rope: Rope<E>,
    leaf: Option<(Arc<Node<E>>, usize)>,
    place: usize,
    end: usize,
    approach: fn(&E),
}

impl<E: Clone> Walk<E> {
    /// Has a function look at all items of a leaf before the first of them is given.
    pub(super) fn approaching(self, approach: fn(&E)) -> Self {
        Walk { approach, ..self }
    }

    /// The place of the next item.
    pub(super) fn position(&self) -> usize {
        self.place
    }

    /// The items that come next, if they are all that a leaf has and as many as are wanted together at least. `None`
    /// if the next one is in the midst of a leaf, too.
    pub(super) fn run(&mut self, least: usize) -> Option<Run<E>> {
        if self.leaf.as_ref().is_some_and(|(leaf, at)| *at < leaf.width()) {
            return None;
        }
        let (node, at) = self.rope.leaf(self.place)?;
        let length = node.width();
        if at != 0 || length < least || self.place + length > self.end {
            return None;
        }
        let run = Run(Arc::clone(node));
        self.place += length;
        self.leaf = None;
        Some(run)
    }
}

/// All items of a leaf.
#[derive(Debug)]
pub(super) struct Run<E>(Arc<Node<E>>);

impl<E> Run<E> {
    /// The items.
    pub(super) fn items(&self) -> &[E] {
        self.leaf().map_or(&[], |leaf| &leaf.items)
    }

    /// Where they stand.
    pub(super) fn leaf(&self) -> Option<&Leaf<E>> {
        match self.0.as_ref() {
            Node::Leaf(leaf) => Some(leaf),
            Node::Branch(_) => None,
        }
    }
}

impl<E: Clone> Iterator for Walk<E> {
    type Item = E;

    fn next(&mut self) -> Option<E> {
        if self.place >= self.end {
            return None;
        }
        loop {
            if let Some((leaf, at)) = &mut self.leaf
                && let Node::Leaf(leaf) = leaf.as_ref()
                && let Some(item) = leaf.items.get(*at)
            {
                *at += 1;
                self.place += 1;
                return Some(item.clone());
            }
            let (leaf, at) = self.rope.leaf(self.place)?;
            if let Node::Leaf(leaf) = leaf.as_ref() {
                leaf.items.iter().skip(at).take(self.end - self.place).for_each(self.approach);
            }
            self.leaf = Some((Arc::clone(leaf), at));
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end.saturating_sub(self.place);
        (left, Some(left))
    }
}

impl<E: Clone> ExactSizeIterator for Walk<E> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::forms::Budget;

    /// A small generator: the same numbers in every run.
    fn random(state: &mut u64) -> usize {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(*state >> 33).unwrap()
    }

    #[test]
    fn behaves_like_a_vector_and_leaves_clones_alone() {
        let mut state = 7;
        let mut rope = Rope::default();
        let mut model: Vec<usize> = Vec::new();
        let mut kept: Vec<(Rope<usize>, Vec<usize>)> = Vec::new();
        for step in 0..30_000 {
            // Grows at first, shrinks to nothing later.
            let grow = random(&mut state) % 100 < if step < 12_000 { 70 } else { 30 };
            let place = random(&mut state) % (model.len() + 1);
            if grow {
                rope.insert(place, step);
                model.insert(place, step);
            } else if place < model.len() && step % 3 == 0 {
                assert_eq!(rope.replace(place, step), Some(std::mem::replace(&mut model[place], step)));
            } else if place < model.len() {
                assert_eq!(rope.remove(place), Some(model.remove(place)));
            }
            assert_eq!(rope.len(), model.len());
            assert_eq!(rope.get(place), model.get(place));
            if step % 1_000 == 0 {
                kept.push((rope.clone(), model.clone()));
            }
        }
        for (rope, model) in kept {
            assert_eq!(rope.walk(0, rope.len()).collect::<Vec<_>>(), model);
            let (from, to) = (model.len() / 3, model.len() / 2);
            assert_eq!(rope.walk(from, to).collect::<Vec<_>>(), model[from..to]);
        }
    }

    #[test]
    fn runs_are_whole_leaves_and_forget_their_forms_when_they_change() {
        let mut rope = Rope::default();
        (0..1_000).for_each(|number| rope.push(number));
        let has_forms = |run: &Run<i32>| run.leaf().is_some_and(|leaf| leaf.forms().get().is_some());
        let give_forms = |run: &Run<i32>| {
            run.leaf().unwrap().forms().get_or_init(|| Forms::new(&Arc::new(Budget::new(0))));
        };
        for (from, to) in [(0, 1_000), (1, 999), (WIDTH, 2 * WIDTH), (5, 6), (7, 7)] {
            let (mut walk, mut seen) = (rope.walk(from, to), Vec::new());
            loop {
                match walk.run(WIDTH / 2) {
                    Some(run) => {
                        give_forms(&run);
                        seen.extend_from_slice(run.items());
                    }
                    None => match walk.next() {
                        Some(item) => seen.push(item),
                        None => break,
                    },
                }
            }
            let expected: Vec<i32> = (from as i32..to as i32).collect();
            assert_eq!(seen, expected, "{from}..{to}");
        }
        assert!(rope.walk(0, 1_000).run(WIDTH + 1).is_none());
        let before = rope.clone();
        type Change = fn(&mut Rope<i32>);
        let changes: [Change; 3] = [
            |rope| assert!(rope.replace(3, 0).is_some()),
            |rope| assert!(rope.remove(3).is_some()),
            |rope| rope.insert(3, 0),
        ];
        for change in changes {
            let (mut shared, mut alone) = (before.clone(), Rope::default());
            (0..20).for_each(|number| alone.push(number));
            give_forms(&alone.walk(0, 20).run(1).unwrap());
            change(&mut shared);
            change(&mut alone);
            for rope in [shared, alone] {
                assert!(!has_forms(&rope.walk(0, rope.len()).run(1).unwrap()));
            }
            assert!(has_forms(&before.walk(0, before.len()).run(1).unwrap()));
        }
    }

    #[test]
    fn finds_places_by_order() {
        let mut rope = Rope::default();
        for number in 0..5_000 {
            rope.push(number * 2);
        }
        for number in 0..10_002 {
            assert_eq!(
                rope.place(|item| *item < number),
                usize::try_from((number + 1) / 2).unwrap().min(5_000)
            );
        }
        for number in 0..5_000 {
            assert_eq!(rope.remove(0), Some(number * 2));
        }
        assert_eq!((rope.len(), rope.get(0), rope.place(|_| true)), (0, None, 0));
    }
}
