//! Documents that custom resources have a part of: put together from pieces that are compressed already, and from what
//! is kept of groups of which no definition has changed.

use super::Sources;
use std::collections::HashSet;
use std::sync::Arc;

use rhumb_meta::GroupVersion;
use rhumb_openapi::{Form, Section, entries};

use crate::base::compress::{Block, Blocks, Member};
use crate::base::data::Data;
use crate::endpoints::openapi::built_in::Own;
use crate::registry::custom::openapi::{gather, make_all};
use crate::registry::custom::pieces::{Document, NameHash, Piece};
use crate::registry::custom::{Merged, Published};

impl Sources {
    /// The same, as the keys of their documents with what changes when those do.
    pub(super) fn custom_keys(&self) -> impl Iterator<Item = (String, String)> {
        self.resources.custom_versions().map(|(place, hash)| (super::key_of(&place), hash.to_owned()))
    }

    /// What changes when the document of the custom resources in a version does; none if there are none, or others
    /// beside them.
    pub(super) fn custom_hash(&self, place: &GroupVersion) -> Option<String> {
        let versions = self.resources.definitions.versions_of(&place.group);
        let version = versions.iter().find(|version| *version.name == *place.version)?;
        (!self.resources.is_built_in_place(place)).then(|| version.hash.clone())
    }

    /// What changes when the document of OpenAPI 2 does.
    pub(super) fn v2_hash(&self, form: Form) -> String {
        let text = format!("{form:?} {} {}", self.own_v2_hash(), self.resources.definitions.hash());
        rhumb_openapi::hash(text.as_bytes())
    }

    /// The document of OpenAPI 2, compressed.
    pub(super) fn v2(&self, form: Form) -> std::io::Result<Data> {
        let own = self.own_v2(form).ok_or(std::io::ErrorKind::Other)?;
        let groups = || self.resources.definitions.groups().map(|(group, _)| group);
        let changed = groups().filter(|group| group.merged(form).get().is_none());
        let told: Vec<_> = changed.flat_map(|group| self.resources.definitions.told(group.name())).collect();
        self.resources.definitions.made.add_pieces(make_all(&told, Document::V2(form)));
        let merged: Vec<&Merged> = groups()
            .map(|group| group.merged(form).get_or_init(|| self.merge(own, form, group.name())))
            .collect();
        let mut member = Member::new();
        member.add_text(&own.outline.head)?;
        section(&mut member, own, Section::Paths, &own.paths, merged.iter().map(|merged| &merged.paths))?;
        let models = merged.iter().map(|merged| &merged.models);
        section(&mut member, own, Section::Definitions, &own.definitions, models)?;
        member.add(own.tail.clone())?;
        member.end()
    }

    /// What the document of OpenAPI 2 has of the definitions of a group. They share no names with those of others.
    fn merge(&self, own: &Own, form: Form, group: &str) -> Merged {
        self.resources.definitions.made.add_group();
        let told: Vec<&Arc<Published>> = self.resources.definitions.told(group).collect();
        let pieces = gather(&told, Document::V2(form), |name| own.names.contains(&name));
        let between = own.outline.between();
        let joined = |of: fn(&Piece) -> &Block| {
            let mut joined = Blocks::default();
            for block in pieces.iter().map(|piece| of(piece)).filter(|block| block.plain_len() > 0) {
                if joined.plain_len() > 0 {
                    joined.add_short(between);
                }
                joined.add(block);
            }
            joined
        };
        Merged { paths: joined(|piece| &piece.paths), models: joined(|piece| &piece.models) }
    }

    /// The document of OpenAPI 3 of a version that only custom resources are in, compressed.
    pub(super) fn custom_v3(&self, place: &GroupVersion) -> std::io::Result<Data> {
        let told: Vec<&Arc<Published>> = self.resources.definitions.in_place(place).collect();
        self.resources.definitions.made.add_pieces(make_all(&told, Document::V3(&place.version)));
        let pieces = gather(&told, Document::V3(&place.version), |_| false);
        let mut member = Member::new();
        let info = rhumb_structural::openapi::info();
        member.add_text(format!(r#"{{"openapi":"3.0.0","info":{info},"paths":{{"#).as_bytes())?;
        all(&mut member, pieces.iter().map(|piece| &piece.paths))?;
        member.add_text(br#"},"components":{"schemas":{"#)?;
        all(&mut member, pieces.iter().map(|piece| &piece.models))?;
        let wanted = pieces.iter().flat_map(|piece| piece.references.iter().cloned()).collect();
        let names: HashSet<NameHash> = pieces.iter().flat_map(|piece| piece.names()).collect();
        let own = self.own_models(wanted).filter(|(name, _)| !names.contains(&NameHash::of(name)));
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
fn section<'a>(
    member: &mut Member,
    own: &Own,
    section: Section,
    entries: &Block,
    groups: impl Iterator<Item = &'a Blocks> + Clone,
) -> std::io::Result<()> {
    let between = own.outline.between();
    let groups = groups.filter(|blocks| blocks.plain_len() > 0);
    let more = groups.clone().map(Blocks::plain_len);
    let length = more.fold(entries.plain_len(), |sum, length| sum + between.len() + length);
    member.add_text(&own.outline.open(section, length))?;
    member.add(entries.clone())?;
    for blocks in groups {
        member.add_text(between)?;
        member.add_all(blocks)?;
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
