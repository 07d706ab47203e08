//! Scale subresource of custom resources.

use rhumb_jsonpath::go_text;
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use serde_json::{Map, Value as Json};

/// JSON paths of the scale subresource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScalePaths {
    /// Path of the wanted replicas: `.spec.replicas`.
    pub spec_replicas: String,
    /// Path of the actual replicas: `.status.replicas`.
    pub status_replicas: String,
    /// Path of the label selector as text.
    pub label_selector: Option<String>,
}

/// Values of the scale subresource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScaleValues {
    /// Wanted replicas, if set.
    pub spec_replicas: Option<i64>,
    /// Actual replicas.
    pub status_replicas: i64,
    /// The selector of the replicas; empty if there is none.
    pub label_selector: String,
}

impl ScalePaths {
    /// Reads the `scale` of a definition's `subresources`; none if it has no such paths.
    pub fn of(scale: &Json) -> Option<ScalePaths> {
        let text = |key: &str| scale.get(key).and_then(Json::as_str).map(str::to_owned);
        Some(ScalePaths {
            spec_replicas: text("specReplicasPath")?,
            status_replicas: text("statusReplicasPath")?,
            label_selector: text("labelSelectorPath"),
        })
    }

    /// Reads the values of an object.
    ///
    /// # Errors
    /// In Kubernetes' words, if something else than a number or a text stands at a path.
    pub fn read(&self, object: &Json) -> Result<ScaleValues, String> {
        Ok(ScaleValues {
            spec_replicas: integer(object, &self.spec_replicas)?,
            status_replicas: integer(object, &self.status_replicas)?.unwrap_or_default(),
            label_selector: match &self.label_selector {
                Some(path) => text(object, path)?.unwrap_or_default().to_owned(),
                None => String::new(),
            },
        })
    }

    /// Sets the number that is wanted.
    ///
    /// # Errors
    /// In Kubernetes' words, if something else than an object stands on the way.
    pub fn set_replicas(&self, object: &mut Json, replicas: i32) -> Result<(), String> {
        let steps: Vec<&str> = steps(&self.spec_replicas).collect();
        let Some((last, way)) = steps.split_last() else { return Ok(()) };
        let mut tree = object;
        for (index, step) in way.iter().enumerate() {
            let Json::Object(map) = tree else { return Err(no_map(&steps, index)) };
            tree = map.entry(*step).or_insert_with(|| Json::Object(Map::new()));
        }
        let Json::Object(map) = tree else { return Err(no_map(&steps, way.len())) };
        map.insert((*last).to_owned(), replicas.into());
        Ok(())
    }

    pub(crate) fn check_spec(&self, object: &Json, errors: &mut FieldErrors) {
        check_replicas(object, &self.spec_replicas, errors);
    }

    pub(crate) fn check_status(&self, object: &Json, errors: &mut FieldErrors) {
        check_replicas(object, &self.status_replicas, errors);
        if let Some(path) = &self.label_selector
            && let Err(error) = text(object, path)
        {
            errors.invalid(&FieldPath::new(path), "", &error);
        }
    }
}

fn no_map(steps: &[&str], index: usize) -> String {
    let way = steps.get(..index).unwrap_or_default().join(".");
    format!("value cannot be set because .{way} is not a map[string]interface{{}}")
}

fn check_replicas(object: &Json, path: &str, errors: &mut FieldErrors) {
    let at = FieldPath::new(path);
    match integer(object, path) {
        Err(error) => errors.invalid(&at, &0i64, &error),
        Ok(Some(count)) if count < 0 => errors.invalid(&at, &count, "should be a non-negative integer"),
        Ok(Some(count)) if count > i64::from(i32::MAX) => {
            errors.invalid(&at, &count, &format!("should be less than or equal to {}", i32::MAX));
        }
        Ok(_) => {}
    }
}

fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.strip_prefix('.').unwrap_or(path).split('.')
}

/// Follows the names of a path. A null on the way ends it as if nothing were there.
fn find<'a>(object: &'a Json, path: &str) -> Result<Option<&'a Json>, String> {
    let mut tree = object;
    let mut way = String::new();
    for step in steps(path) {
        match tree {
            Json::Object(map) => match map.get(step) {
                Some(value) => tree = value,
                None => return Ok(None),
            },
            Json::Null => return Ok(None),
            other => return Err(unfit(&format!("{way}.{step}"), other, "map[string]interface{}")),
        }
        way.push('.');
        way.push_str(step);
    }
    Ok(Some(tree))
}

fn unfit(way: &str, value: &Json, wanted: &str) -> String {
    let got = match value {
        Json::Null => "<nil>",
        Json::Bool(_) => "bool",
        Json::Number(number) if number.is_i64() => "int64",
        Json::Number(_) => "float64",
        Json::String(_) => "string",
        Json::Array(_) => "[]interface {}",
        Json::Object(_) => "map[string]interface {}",
    };
    format!("{way} accessor error: {} is of the type {got}, expected {wanted}", go_text::plain(value))
}

fn integer(object: &Json, path: &str) -> Result<Option<i64>, String> {
    match find(object, path)? {
        None => Ok(None),
        Some(value) => {
            let way: String = steps(path).map(|step| format!(".{step}")).collect();
            value.as_i64().map(Some).ok_or_else(|| unfit(&way, value, "int64"))
        }
    }
}

fn text<'a>(object: &'a Json, path: &str) -> Result<Option<&'a str>, String> {
    match find(object, path)? {
        None => Ok(None),
        Some(value) => {
            let way: String = steps(path).map(|step| format!(".{step}")).collect();
            value.as_str().map(Some).ok_or_else(|| unfit(&way, value, "string"))
        }
    }
}
