//! Loops.

use super::attribute::go_type;
use super::error::Error;
use super::program::{Condition, Fold, NodeId};
use super::run::{Local, Run, broken};
use crate::value::{List, Map, Value};

/// Whether a loop goes on.
enum Next {
    More,
    Enough,
}

impl<'a> Run<'a, '_> {
    /// Computes a loop.
    pub(super) fn fold(&mut self, id: NodeId, fold: u32) -> Result<Value<'a>, Error> {
        let Some(fold) = self.program.folds.get(fold as usize) else { return Err(broken()) };
        let range = self.eval(fold.range)?;
        self.set(fold.accumulator, Local::Lazy(fold.init));
        match (&range, fold.second) {
            (Value::List(list), _) => self.fold_list(fold, list)?,
            (Value::Map(map), _) => self.fold_map(fold, map)?,
            (_, Some(_)) => {
                let error = format!("unsupported comprehension range type: {}", go_type(&range));
                return Err(self.at(id, Error::new(error)));
            }
            _ => return Err(Error::new(format!("got '{}', expected iterable type", go_type(&range)))),
        }
        let result = self.eval(fold.result);
        self.set(fold.accumulator, Local::Unset);
        result
    }

    fn fold_list(&mut self, fold: &Fold, list: &List<'a>) -> Result<(), Error> {
        for index in 0..list.len() {
            let Some(element) = list.get(index) else { break };
            match fold.second {
                None => self.set(fold.first, Local::Set(Ok(element))),
                Some(second) => {
                    self.set(fold.first, Local::Set(Ok(Value::Int(index as i64))));
                    self.set(second, Local::Set(Ok(element)));
                }
            }
            if let Next::Enough = self.round(fold)? {
                break;
            }
        }
        Ok(())
    }

    fn fold_map(&mut self, fold: &Fold, map: &Map<'a>) -> Result<(), Error> {
        for (key, value) in map.iter() {
            self.set(fold.first, Local::Set(Ok(key)));
            if let Some(second) = fold.second {
                self.set(second, Local::Set(Ok(value)));
            }
            if let Next::Enough = self.round(fold)? {
                break;
            }
        }
        Ok(())
    }

    /// Computes what is gathered after one element. An error is gathered like a value; only false ends the loop.
    fn round(&mut self, fold: &Fold) -> Result<Next, Error> {
        match fold.condition {
            Condition::Always => {}
            Condition::Node(condition) => {
                if let Ok(Value::Bool(false)) = self.operand(condition)? {
                    return Ok(Next::Enough);
                }
            }
            Condition::Until(decides, cost) => {
                if let Some(Local::Lazy(init)) = self.locals.get(fold.accumulator as usize) {
                    let init = *init;
                    let begun = self.operand(init)?;
                    self.set(fold.accumulator, Local::Set(begun));
                }
                // One after the other, so that a limit is passed by one at most.
                (0..cost).try_for_each(|_| self.context.charge(1))?;
                if let Some(Local::Set(Ok(Value::Bool(gathered)))) =
                    self.locals.get(fold.accumulator as usize)
                    && *gathered == decides
                {
                    return Ok(Next::Enough);
                }
            }
        }
        let gathered = self.operand(fold.step)?;
        self.set(fold.accumulator, Local::Set(gathered));
        self.context.work(1)?;
        Ok(Next::More)
    }

    fn set(&mut self, local: u32, value: Local<'a>) {
        if let Some(local) = self.locals.get_mut(local as usize) {
            *local = value;
        }
    }
}
