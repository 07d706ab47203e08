//! Tables of custom objects: the name, and the columns that the definition adds.

use rhumb_api::apiextensions::v1beta1::CustomResourceColumnDefinition;
use rhumb_meta::v1::{ObjectMeta, PartialObjectMetadata, Table, TableColumnDefinition, TableRow, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_print::{Headers, IncludeObject, Options};
use rhumb_schema::RawJson;
use rhumb_structural::columns::{Column, ColumnType, default_description};
use serde_json::Value as Json;

/// The columns of a version.
pub(crate) struct Columns {
    headings: Vec<TableColumnDefinition>,
    cells: Vec<Column>,
}

const CREATED: &str = ".metadata.creationTimestamp";

impl Columns {
    /// The columns that a definition asks for, up to the first that can't be; if it asks for none, the age.
    pub(super) fn new(wanted: &[CustomResourceColumnDefinition]) -> Self {
        let name = TableColumnDefinition {
            name: "Name".to_owned(),
            type_: "string".to_owned(),
            format: "name".to_owned(),
            description: "The name of the object.".to_owned(),
            priority: 0,
        };
        let mut columns = Columns { headings: vec![name], cells: Vec::new() };
        if wanted.is_empty() {
            let about = "How long ago the object was created.".to_owned();
            let age = CustomResourceColumnDefinition {
                name: "Age".to_owned(),
                type_: "date".to_owned(),
                description: about,
                json_path: CREATED.to_owned(),
                ..CustomResourceColumnDefinition::default()
            };
            columns.add(&age);
            return columns;
        }
        for column in wanted {
            if !columns.add(column) {
                break;
            }
        }
        columns
    }

    fn add(&mut self, wanted: &CustomResourceColumnDefinition) -> bool {
        let Some(type_) = ColumnType::read(&wanted.type_) else { return false };
        let Ok(column) = Column::new(&wanted.json_path, type_) else { return false };
        let description = match wanted.description.as_str() {
            "" => default_description(&wanted.json_path),
            text => text.to_owned(),
        };
        self.cells.push(column);
        self.headings.push(TableColumnDefinition {
            name: wanted.name.clone(),
            type_: wanted.type_.clone(),
            format: wanted.format.clone(),
            description,
            priority: wanted.priority,
        });
        true
    }

    /// The table of objects.
    pub(super) fn table<'a>(
        &self,
        objects: impl Iterator<Item = (&'a dyn Object, &'a Json)>,
        options: &Options,
        now: Time,
    ) -> Table {
        let age = |time: Option<&Time>| age(now, time);
        let row = |(object, tree): (&dyn Object, &Json)| {
            let name = tree.pointer("/metadata/name").cloned().unwrap_or_else(|| Json::from(""));
            let cells = self.cells.iter().map(|column| column.cell(tree, &age));
            TableRow {
                cells: std::iter::once(name).chain(cells).collect(),
                conditions: Vec::new(),
                object: included(object, options.include_object),
            }
        };
        Table {
            type_meta: TypeMeta { api_version: "meta.k8s.io/v1".to_owned(), kind: "Table".to_owned() },
            column_definitions: match options.headers {
                Headers::Shown => self.headings.clone(),
                Headers::Omitted => Vec::new(),
            },
            rows: objects.map(row).collect(),
            ..Table::default()
        }
    }
}

fn age(now: Time, time: Option<&Time>) -> String {
    let Some(time) = time else { return "<unknown>".to_owned() };
    let nanos = |time: &Time| i128::from(time.unix_seconds()) * 1_000_000_000 + i128::from(time.nanos());
    let past = nanos(&now) - nanos(time);
    let past = i64::try_from(past).unwrap_or(if past < 0 { i64::MIN } else { i64::MAX });
    rhumb_print::human::human_duration(past)
}

/// What a row shows of its object.
fn included(object: &dyn Object, include: IncludeObject) -> RawJson {
    let mut json = Vec::new();
    match include {
        IncludeObject::None => {}
        IncludeObject::Metadata => {
            let metadata: ObjectMeta = object.metadata().map(|meta| meta.into_owned()).unwrap_or_default();
            let type_meta = TypeMeta {
                api_version: "meta.k8s.io/v1".to_owned(),
                kind: "PartialObjectMetadata".to_owned(),
            };
            rhumb_schema::text::encode(&PartialObjectMetadata { type_meta, metadata }, &mut json);
        }
        IncludeObject::Object => rhumb_schema::text::encode(object, &mut json),
    }
    RawJson(json)
}
