//! Documents that custom resources have a part of: put together from pieces that are compressed already.

use std::collections::BTreeSet;
use std::sync::Arc;

use rhumb_meta::GroupVersion;
use rhumb_openapi::{Form, Section, entries};

use crate::compress::{Block, Member};
use crate::custom::Published;
use crate::custom::openapi::{Document, Piece, gather};
use crate::data::Data;
use crate::resource::Resources;

impl Resources {
    /// The definitions that discovery tells of.
    fn told(&self) -> impl Iterator<Item = &Arc<Published>> {
        self.definitions.iter().filter(|published| published.definition.established)
    }

    /// The groups and versions that only custom resources are in.
    pub(crate) fn custom_places(&self) -> Vec<GroupVersion> {
        let mut places = BTreeSet::new();
        for published in self.told() {
            let definition = &published.definition;
            places.extend(definition.served_versions().map(|version| (definition.group.as_str(), version)));
        }
        let places = places
            .into_iter()
            .map(|(group, version)| GroupVersion::new(group.to_owned(), version.to_owned()));
        places.filter(|place| !self.is_built_in_place(place)).collect()
    }

    /// What changes when the document of the custom resources in a version does; none if there are none, or others
    /// beside them.
    pub(super) fn custom_hash(&self, place: &GroupVersion) -> Option<String> {
        let marks: Vec<&str> = self.definitions.in_place(place).map(|published| published.mark()).collect();
        (!marks.is_empty() && !self.is_built_in_place(place))
            .then(|| rhumb_openapi::hash(marks.join("\n").as_bytes()))
    }

    /// What changes when the document of OpenAPI 2 does.
    pub(super) fn v2_hash(&self, form: Form) -> String {
        let mut text = format!("{form:?} {}", self.own_v2_hash());
        for published in self.told() {
            text.push('\n');
            text.push_str(published.mark());
        }
        rhumb_openapi::hash(text.as_bytes())
    }

    /// The document of OpenAPI 2, compressed.
    pub(super) fn v2(&self, form: Form) -> std::io::Result<Data> {
        let own = self.own_v2(form).ok_or(std::io::ErrorKind::Other)?;
        let told: Vec<&Arc<Published>> = self.told().collect();
        let pieces = gather(&told, Document::V2(form), |name| own.outline.names.contains(name));
        let mut member = Member::new();
        member.add_text(&own.outline.head)?;
        section(&mut member, own, Section::Paths, &own.paths, &pieces, |piece| &piece.paths)?;
        section(&mut member, own, Section::Definitions, &own.definitions, &pieces, |piece| &piece.models)?;
        member.add(own.tail.clone())?;
        member.end()
    }

    /// The document of OpenAPI 3 of a version that only custom resources are in, compressed.
    pub(super) fn custom_v3(&self, place: &GroupVersion) -> std::io::Result<Data> {
        let told: Vec<&Arc<Published>> = self.definitions.in_place(place).collect();
        let pieces = gather(&told, Document::V3(&place.version), |_| false);
        let mut member = Member::new();
        let info = rhumb_structural::openapi::info();
        member.add_text(format!(r#"{{"openapi":"3.0.0","info":{info},"paths":{{"#).as_bytes())?;
        all(&mut member, pieces.iter().map(|piece| &piece.paths))?;
        member.add_text(br#"},"components":{"schemas":{"#)?;
        all(&mut member, pieces.iter().map(|piece| &piece.models))?;
        let wanted = pieces.iter().flat_map(|piece| piece.references.iter().cloned()).collect();
        let names: BTreeSet<&str> = pieces.iter().flat_map(|piece| piece.names()).collect();
        let own = self.own_models(wanted).filter(|(name, _)| !names.contains(name.as_str()));
        let own = entries(Form::Json, Section::Definitions, own);
        if !own.is_empty() {
            member.add_text(b",")?;
            member.add_text(&own)?;
        }
        member.add_text(b"}}}")?;
        member.end()
    }
}

/// Adds a section of the document of OpenAPI 2.
fn section(
    member: &mut Member,
    own: &super::own::Own,
    section: Section,
    entries: &Block,
    pieces: &[Arc<Piece>],
    of: impl Fn(&Piece) -> &Block,
) -> std::io::Result<()> {
    let between = own.outline.between();
    let more = pieces.iter().map(|piece| of(piece).plain_len()).filter(|length| *length > 0);
    let length = more.fold(entries.plain_len(), |sum, length| sum + between.len() + length);
    member.add_text(&own.outline.open(section, length))?;
    member.add(entries.clone())?;
    for block in pieces.iter().map(|piece| of(piece)).filter(|block| block.plain_len() > 0) {
        member.add_text(between)?;
        member.add(block.clone())?;
    }
    member.add_text(own.outline.close())
}

/// Adds entries of JSON text, with commas in between.
fn all<'a>(member: &mut Member, blocks: impl Iterator<Item = &'a Block>) -> std::io::Result<()> {
    for (place, block) in blocks.filter(|block| block.plain_len() > 0).enumerate() {
        if place > 0 {
            member.add_text(b",")?;
        }
        member.add(block.clone())?;
    }
    Ok(())
}
