//! The Scheme as its users see it, over a small group of toys with an internal version and three others.

mod conversion;
mod defaults;
mod derived;
mod names;
mod nested;
mod registration;
mod resource;
mod roles;
mod toys;
mod unstructured;
mod validation;
mod versioner;
