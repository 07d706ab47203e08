//! Between `v1`, where every version says everything itself, and the hub, where what they share stands at the top.

use rhumb_scheme::{Convert, ConvertError, Scope};

use super::{v1, v1beta1};

impl Convert<v1beta1::CustomResourceDefinitionSpec> for v1::CustomResourceDefinitionSpec {
    fn convert(self, scope: &Scope) -> Result<v1beta1::CustomResourceDefinitionSpec, ConvertError> {
        let v1::CustomResourceDefinitionSpec {
            group,
            names,
            scope: reach,
            versions,
            conversion,
            preserve_unknown_fields,
        } = self;
        let versions = versions.into_iter().map(|version| version.convert(scope));
        let mut spec = v1beta1::CustomResourceDefinitionSpec {
            group,
            names,
            scope: reach,
            versions: versions.collect::<Result<_, _>>()?,
            conversion: conversion.map(|conversion| (*conversion).convert(scope)).transpose()?.map(Box::new),
            preserve_unknown_fields: Some(preserve_unknown_fields),
            ..Default::default()
        };
        lift(&mut spec);
        Ok(spec)
    }
}

/// What is handed on to one of several: a copy, or for the last of them the thing itself.
fn handed_on<T: Clone + Default>(value: &mut T, is_last: bool) -> T {
    if is_last { std::mem::take(value) } else { value.clone() }
}

/// Puts what all versions have in common to the top, and the first version's name too.
fn lift(spec: &mut v1beta1::CustomResourceDefinitionSpec) {
    let versions = &mut spec.versions;
    let Some((first, others)) = versions.split_first() else { return };
    spec.version = first.name.clone();
    let shared = [
        others.iter().all(|version| version.subresources == first.subresources),
        others.iter().all(|version| version.schema == first.schema),
        others.iter().all(|version| version.additional_printer_columns == first.additional_printer_columns),
        others.iter().all(|version| version.selectable_fields == first.selectable_fields),
    ];
    // All are equal where something is shared, so which of them ends at the top makes no difference.
    for version in versions {
        if shared[0] {
            spec.subresources = version.subresources.take();
        }
        if shared[1] {
            spec.validation = version.schema.take();
        }
        if shared[2] {
            spec.additional_printer_columns = std::mem::take(&mut version.additional_printer_columns);
        }
        if shared[3] {
            spec.selectable_fields = std::mem::take(&mut version.selectable_fields);
        }
    }
}

impl Convert<v1::CustomResourceDefinitionSpec> for v1beta1::CustomResourceDefinitionSpec {
    fn convert(mut self, scope: &Scope) -> Result<v1::CustomResourceDefinitionSpec, ConvertError> {
        if self.versions.is_empty() && !self.version.is_empty() {
            self.versions.push(v1beta1::CustomResourceDefinitionVersion {
                name: std::mem::take(&mut self.version),
                served: true,
                storage: true,
                ..Default::default()
            });
        }
        // Schemas are large, so the last version takes what the others get a copy of.
        let last = self.versions.len().saturating_sub(1);
        for (index, version) in self.versions.iter_mut().enumerate() {
            let is_last = index == last;
            if self.subresources.is_some() {
                version.subresources = handed_on(&mut self.subresources, is_last);
            }
            if self.validation.is_some() {
                version.schema = handed_on(&mut self.validation, is_last);
            }
            if !self.additional_printer_columns.is_empty() {
                version.additional_printer_columns = handed_on(&mut self.additional_printer_columns, is_last);
            }
            if !self.selectable_fields.is_empty() {
                version.selectable_fields = handed_on(&mut self.selectable_fields, is_last);
            }
        }
        let versions = self.versions.into_iter().map(|version| version.convert(scope));
        let conversion = self.conversion.map(|conversion| (*conversion).convert(scope)).transpose()?;
        Ok(v1::CustomResourceDefinitionSpec {
            group: self.group,
            names: self.names,
            scope: self.scope,
            versions: versions.collect::<Result<_, _>>()?,
            conversion: conversion.map(Box::new),
            preserve_unknown_fields: self.preserve_unknown_fields.unwrap_or_default(),
        })
    }
}

impl Convert<v1beta1::CustomResourceConversion> for v1::CustomResourceConversion {
    fn convert(self, _scope: &Scope) -> Result<v1beta1::CustomResourceConversion, ConvertError> {
        let webhook = self.webhook.map(|webhook| *webhook).unwrap_or_default();
        Ok(v1beta1::CustomResourceConversion {
            strategy: self.strategy,
            webhook_client_config: webhook.client_config,
            conversion_review_versions: webhook.conversion_review_versions,
        })
    }
}

impl Convert<v1::CustomResourceConversion> for v1beta1::CustomResourceConversion {
    fn convert(self, _scope: &Scope) -> Result<v1::CustomResourceConversion, ConvertError> {
        let said = self.webhook_client_config.is_some() || !self.conversion_review_versions.is_empty();
        let webhook = v1::WebhookConversion {
            client_config: self.webhook_client_config,
            conversion_review_versions: self.conversion_review_versions,
        };
        Ok(v1::CustomResourceConversion { strategy: self.strategy, webhook: said.then(|| Box::new(webhook)) })
    }
}
