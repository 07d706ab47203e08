//! Decoding of lists of any type in one pass.
//!
//! The list types of the built-in groups know their element's type. A client's [`List`](crate::List) does not, and it
//! must be as fast. So this writes down by hand what the derive would write for a list of some `K`: the decoder hands
//! every element straight to the object that it becomes.

use super::response::is_tree;
use super::room::Room;
use rhumb_meta::{ListMeta, Object, TypeMeta};
use rhumb_schema::text::JsonWriter;
use rhumb_schema::wire::{BackWriter, Reader, Tag};
use rhumb_schema::{
    Described, ELEMENT, FieldDesc, JsonForm, JsonKey, List, Omit, Presence, Received, Shape, Slot, Source,
    Struct, StructDesc, Value, View, ViewMut, private,
};

/// A list being decoded.
#[derive(Debug)]
pub(crate) struct ListReader<K> {
    pub(crate) type_meta: TypeMeta,
    pub(crate) metadata: ListMeta,
    pub(crate) items: Items<K>,
}

/// The items of a list. Their shape is computed once, since the decoder needs it for every item.
#[derive(Debug)]
pub(crate) struct Items<K> {
    pub(crate) objects: Vec<K>,
    shape: Shape,
    room: Room,
}

impl<K: Object + Default> ListReader<K> {
    pub(crate) fn new() -> Self {
        ListReader { type_meta: TypeMeta::default(), metadata: ListMeta::default(), items: Items::new() }
    }

    /// Returns the list as it was read.
    pub(crate) fn into_list(mut self) -> crate::List<K> {
        let TypeMeta { api_version, kind } = &self.type_meta;
        let kind = kind.strip_suffix("List").unwrap_or_default();
        for item in self.items.objects.iter_mut().take_while(|item| is_tree(&**item)) {
            // The list says the kind for all objects in it; on its own, each must say it.
            if item.type_meta() == ("", "") && !kind.is_empty() {
                item.set_type_meta(api_version, kind);
            }
        }
        crate::List { metadata: self.metadata, items: self.items.objects }
    }
}

impl<K: Object + Default> Items<K> {
    pub(crate) fn new() -> Self {
        Items { objects: Vec::new(), shape: shape_of::<K>(), room: Room::default() }
    }

    /// Returns an object that is to be filled.
    fn one_more(&mut self) -> &mut K {
        // How long it will turn out to be is not known; what it is made of tells a little.
        self.room.make(2 * size_of::<K>());
        self.objects.push_mut(K::default())
    }
}

/// Returns the shape of a type.
fn shape_of<K: Object + Default>() -> Shape {
    match K::default().view() {
        View::Struct(_) => Shape::Struct(table_of::<K>),
        _ => Shape::Json,
    }
}

fn table_of<K: Object + Default>() -> &'static StructDesc {
    match K::default().view() {
        View::Struct(object) => object.desc(),
        _ => &TABLE,
    }
}

const fn field(name: &'static str, number: u32, shape: Shape, omit: Omit) -> FieldDesc {
    FieldDesc {
        name,
        json: if number == 0 { "" } else { name },
        json_key: JsonKey::new(if number == 0 { "" } else { name }),
        number,
        shape,
        presence: if number == 2 { Presence::Required } else { Presence::Optional },
        omit,
        inline: number == 0,
        ..FieldDesc::PLAIN
    }
}

static FIELDS: [FieldDesc; 3] = [
    field("type_meta", 0, TypeMeta::SHAPE, Omit::Never),
    field("metadata", 1, ListMeta::SHAPE, Omit::Never),
    field("items", 2, Shape::List(&Shape::Json), Omit::NeverNull),
];

static SIGNS: [u32; 3] = private::signs(&FIELDS);

static TABLE: StructDesc = StructDesc {
    name: "List",
    module: "rhumb_client::v1",
    doc: "",
    fields: &FIELDS,
    signs: &SIGNS,
    form: JsonForm::Object,
    atomic: false,
    retired: false,
};

impl<K: Object + Default> Struct for ListReader<K> {
    fn desc(&self) -> &'static StructDesc {
        &TABLE
    }
    fn field(&self, position: usize) -> &dyn Value {
        match position {
            0 => &self.type_meta,
            1 => &self.metadata,
            _ => &self.items,
        }
    }
    fn field_mut(&mut self, position: usize) -> &mut dyn Value {
        match position {
            0 => &mut self.type_meta,
            1 => &mut self.metadata,
            _ => &mut self.items,
        }
    }
    fn send_fields(&self, sink: &mut JsonWriter) {
        self.type_meta.send_fields(sink);
        self.metadata.send(&FIELDS[1], sink);
        self.items.send(&FIELDS[2], sink);
    }
    fn write_numbered(&self, out: &mut BackWriter) {
        self.items.write_wire(&FIELDS[2], out);
        self.metadata.write_wire(&FIELDS[1], out);
    }
    fn read_numbered(&mut self, reader: &mut Reader<'_>) -> Received {
        loop {
            let tag = reader.tag();
            match tag.number() {
                0 => return reader.end(&TABLE),
                1 => self.metadata.read_wire(&FIELDS[1], tag, reader)?,
                2 => self.items.read_wire(&FIELDS[2], tag, reader)?,
                _ => reader.skip(tag)?,
            }
        }
    }
    fn receive_field(&mut self, position: usize, source: &mut dyn Source) -> Received {
        match position {
            0 => self.type_meta.receive(source),
            1 => self.metadata.receive(source),
            2 => self.items.receive(source),
            _ => Ok(()),
        }
    }
}

impl<K: Object + Default> Value for ListReader<K> {
    fn view(&self) -> View<'_> {
        View::Struct(self)
    }
    fn view_mut(&mut self) -> ViewMut<'_> {
        ViewMut::Struct(self)
    }
    fn reset(&mut self) {
        *self = ListReader::new();
    }
    fn send(&self, slot: Slot, sink: &mut JsonWriter) {
        sink.structure(slot, self);
    }
    fn receive(&mut self, source: &mut dyn Source) -> Received {
        source.structure(self)
    }
    fn write_wire(&self, slot: Slot, out: &mut BackWriter) {
        let before = out.len();
        self.write_numbered(out);
        out.delimit(slot.number, before);
    }
    fn read_wire(&mut self, slot: Slot, tag: Tag, reader: &mut Reader<'_>) -> Received {
        let behind = reader.enter(slot, tag)?;
        self.read_numbered(reader)?;
        reader.leave(behind);
        Ok(())
    }
}

impl<K: Object + Default> Value for Items<K> {
    fn view(&self) -> View<'_> {
        View::List(self)
    }
    fn view_mut(&mut self) -> ViewMut<'_> {
        ViewMut::List(self)
    }
    fn reset(&mut self) {
        self.objects.clear();
    }
    fn send(&self, slot: Slot, sink: &mut JsonWriter) {
        sink.list(slot, self.is_empty(), |sink| {
            self.objects.iter().for_each(|object| object.send(&ELEMENT, sink));
        });
    }
    fn receive(&mut self, source: &mut dyn Source) -> Received {
        source.list(self)
    }
    fn write_wire(&self, slot: Slot, out: &mut BackWriter) {
        self.objects.iter().rev().for_each(|object| object.write_wire(slot, out));
    }
    fn read_wire(&mut self, slot: Slot, tag: Tag, reader: &mut Reader<'_>) -> Received {
        reader.charge(size_of::<K>())?;
        self.one_more().read_wire(slot, tag, reader)
    }
}

impl<K: Object + Default> List for Items<K> {
    fn len(&self) -> usize {
        self.objects.len()
    }
    fn get(&self, index: usize) -> Option<&dyn Value> {
        self.objects.get(index).map(|object| object as &dyn Value)
    }
    fn get_mut(&mut self, index: usize) -> Option<&mut dyn Value> {
        self.objects.get_mut(index).map(|object| object as &mut dyn Value)
    }
    fn clear(&mut self) {
        self.objects.clear();
    }
    fn push(&mut self) -> &mut dyn Value {
        self.objects.push_mut(K::default())
    }
    fn receive_element(&mut self, source: &mut dyn Source) -> Received {
        self.one_more().receive(source)
    }
    fn element_size(&self) -> usize {
        size_of::<K>()
    }
    fn element_shape(&self) -> Shape {
        self.shape
    }
}
