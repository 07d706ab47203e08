//! Options, boxes, lists and maps as values.

use std::collections::BTreeMap;

use crate::shape::{Omit, Shape};
use crate::stream::{ELEMENT, Received, Slot, Source};
use crate::text::JsonWriter;
use crate::value::{Described, List, Map, Value, View, ViewMut};
use crate::wire::{BackWriter, Reader, Tag};

impl<T: Described> Value for Option<T> {
    fn view(&self) -> View<'_> {
        self.as_ref().map_or(View::Null, Value::view)
    }
    fn view_mut(&mut self) -> ViewMut<'_> {
        self.get_or_insert_with(T::default).view_mut()
    }
    fn reset(&mut self) {
        *self = None;
    }
    #[inline]
    fn send(&self, slot: Slot, sink: &mut JsonWriter) {
        match self {
            Some(value) => value.send(slot, sink),
            None if slot.omit == Omit::Absent => {}
            None => sink.null(slot),
        }
    }
    #[inline]
    fn receive(&mut self, source: &mut dyn Source) -> Received {
        self.get_or_insert_with(T::default).receive(source)
    }
    #[inline]
    fn write_wire(&self, slot: Slot, out: &mut BackWriter) {
        if let Some(value) = self {
            value.write_wire(slot, out);
        }
    }
    // A function of its own: in place of the call, each field would begin with writing down what is empty.
    #[inline(never)]
    fn read_wire(&mut self, slot: Slot, tag: Tag, reader: &mut Reader<'_>) -> Received {
        self.get_or_insert_with(T::default).read_wire(slot, tag, reader)
    }
}

impl<T: Described> Described for Option<T> {
    const SHAPE: Shape = Shape::Option(&T::SHAPE);
}

impl<T: Described> Value for Box<T> {
    fn view(&self) -> View<'_> {
        (**self).view()
    }
    fn view_mut(&mut self) -> ViewMut<'_> {
        (**self).view_mut()
    }
    fn reset(&mut self) {
        (**self).reset();
    }
    #[inline]
    fn send(&self, slot: Slot, sink: &mut JsonWriter) {
        (**self).send(slot, sink);
    }
    #[inline]
    fn receive(&mut self, source: &mut dyn Source) -> Received {
        (**self).receive(source)
    }
    #[inline]
    fn write_wire(&self, slot: Slot, out: &mut BackWriter) {
        (**self).write_wire(slot, out);
    }
    #[inline]
    fn read_wire(&mut self, slot: Slot, tag: Tag, reader: &mut Reader<'_>) -> Received {
        (**self).read_wire(slot, tag, reader)
    }
}

impl<T: Described> Described for Box<T> {
    const SHAPE: Shape = T::SHAPE;
}

impl<T: Described> Value for Vec<T> {
    fn view(&self) -> View<'_> {
        View::List(self)
    }
    fn view_mut(&mut self) -> ViewMut<'_> {
        ViewMut::List(self)
    }
    fn reset(&mut self) {
        self.clear();
    }
    #[inline]
    fn send(&self, slot: Slot, sink: &mut JsonWriter) {
        // Every format leaves these out, and most lists are empty: the compiler knows the slot and asks for nothing
        // else.
        if !self.is_empty() || slot.omit != Omit::Empty {
            sink.list(slot, self.is_empty(), |sink| {
                self.iter().for_each(|element| element.send(&ELEMENT, sink))
            });
        }
    }
    #[inline]
    fn receive(&mut self, source: &mut dyn Source) -> Received {
        source.list(self)
    }
    fn write_wire(&self, slot: Slot, out: &mut BackWriter) {
        self.iter().rev().for_each(|element| element.write_wire(slot, out));
    }
    fn read_wire(&mut self, slot: Slot, tag: Tag, reader: &mut Reader<'_>) -> Received {
        if tag.is_packed(&T::SHAPE) {
            return reader.packed(slot, tag, &mut |reader, tag| self.read_wire(slot, tag, reader));
        }
        reader.charge(size_of::<T>())?;
        make_room(self);
        self.push_mut(T::default()).read_wire(slot, tag, reader)
    }
}

impl<T: Described> Described for Vec<T> {
    const SHAPE: Shape = Shape::List(&T::SHAPE);
}

impl<T: Described> List for Vec<T> {
    fn len(&self) -> usize {
        self.len()
    }
    fn is_empty(&self) -> bool {
        self.is_empty()
    }
    fn get(&self, index: usize) -> Option<&dyn Value> {
        <[T]>::get(self, index).map(|value| value as &dyn Value)
    }
    fn get_mut(&mut self, index: usize) -> Option<&mut dyn Value> {
        <[T]>::get_mut(self, index).map(|value| value as &mut dyn Value)
    }
    fn clear(&mut self) {
        self.clear();
    }
    fn push(&mut self) -> &mut dyn Value {
        make_room(self);
        self.push_mut(T::default())
    }
    fn receive_element(&mut self, source: &mut dyn Source) -> Received {
        make_room(self);
        self.push_mut(T::default()).receive(source)
    }
    fn element_size(&self) -> usize {
        size_of::<T>()
    }
    fn element_shape(&self) -> Shape {
        T::SHAPE
    }
}

/// Most lists in API objects have one to three elements, and informers keep many objects: room for four, which
/// is what `Vec` takes for a second one, is too much.
#[inline]
fn make_room<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() {
        list.reserve_exact(if list.len() < 4 { 1 } else { list.len() });
    }
}

impl<T: Described> Value for BTreeMap<String, T> {
    fn view(&self) -> View<'_> {
        View::Map(self)
    }
    fn view_mut(&mut self) -> ViewMut<'_> {
        ViewMut::Map(self)
    }
    fn reset(&mut self) {
        self.clear();
    }
    #[inline]
    fn send(&self, slot: Slot, sink: &mut JsonWriter) {
        if !self.is_empty() || slot.omit != Omit::Empty {
            sink.map(slot, self.is_empty(), |sink| {
                for (key, value) in self {
                    sink.entry(key);
                    value.send(&ELEMENT, sink);
                }
            });
        }
    }
    #[inline]
    fn receive(&mut self, source: &mut dyn Source) -> Received {
        source.map(self)
    }
    fn write_wire(&self, slot: Slot, out: &mut BackWriter) {
        for (key, value) in self.iter().rev() {
            // An entry is a message of a key, 1, and a value, 2, which is the number that `ELEMENT` has.
            let before = out.len();
            value.write_wire(&ELEMENT, out);
            out.bytes_field(1, key.as_bytes());
            out.delimit(slot.number, before);
        }
    }
    fn read_wire(&mut self, slot: Slot, tag: Tag, reader: &mut Reader<'_>) -> Received {
        reader.charge(size_of::<T>() + size_of::<String>())?;
        let mut value = T::default();
        let key = reader.entry(slot, tag, &mut |reader, tag| value.read_wire(slot, tag, reader))?;
        BTreeMap::insert(self, key, value);
        Ok(())
    }
}

impl<T: Described> Described for BTreeMap<String, T> {
    const SHAPE: Shape = Shape::Map(&T::SHAPE);
}

impl<T: Described> Map for BTreeMap<String, T> {
    fn len(&self) -> usize {
        self.len()
    }
    fn is_empty(&self) -> bool {
        self.is_empty()
    }
    fn entries(&self) -> Box<dyn DoubleEndedIterator<Item = (&str, &dyn Value)> + '_> {
        Box::new(self.iter().map(|(key, value)| (key.as_str(), value as &dyn Value)))
    }
    fn values_mut(&mut self) -> Box<dyn Iterator<Item = &mut dyn Value> + '_> {
        Box::new(BTreeMap::values_mut(self).map(|value| value as &mut dyn Value))
    }
    fn insert(&mut self, key: String) -> &mut dyn Value {
        let value = self.entry(key).or_default();
        *value = T::default();
        value
    }
    fn receive_entry(&mut self, key: String, source: &mut dyn Source) -> Received {
        let mut value = T::default();
        value.receive(source)?;
        BTreeMap::insert(self, key, value);
        Ok(())
    }
    fn entry_size(&self) -> usize {
        size_of::<T>() + size_of::<String>()
    }
    fn value_shape(&self) -> Shape {
        T::SHAPE
    }
}
