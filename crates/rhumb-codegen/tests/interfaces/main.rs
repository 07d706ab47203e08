//! Copies behind traits: what `+k8s:deepcopy-gen:interfaces=` writes is compiled and used.
//!
//! To bring the file up to date after a change of the generator, run from the directory of this crate
//! `rhumb gen deepcopy tests/interfaces/shapes.rs`

mod shapes;

use std::path::Path;

use rhumb_codegen::file_type::FileTypes;
use rhumb_codegen::generator::Options;
use rhumb_codegen::source::{Request, load};
use rhumb_codegen::{generators, run, write};

use shapes::{Circle, Named, Shape, Sides};

#[test]
fn a_copy_behind_a_trait_is_a_copy_of_its_own() {
    let circle = Circle { radius: 2 };
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(circle.clone()), Box::new(Sides::Some(vec![3, 4]))];
    let copies: Vec<Box<dyn Shape>> = shapes.iter().map(|shape| shape.clone_shape()).collect();
    drop(shapes);
    assert_eq!(copies.iter().map(|shape| shape.size()).collect::<Vec<_>>(), [2, 7]);
    let named: Box<dyn Named + Send> = Circle { radius: 5 }.copy_named();
    assert_eq!(named.name(), "thing");
}

#[test]
fn the_file_is_up_to_date() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interfaces/shapes.rs");
    let request = Request { paths: vec![here.display().to_string()], ..Request::default() };
    let universe = load(&request).expect("the source can be read");
    let tools = generators::named(&["deepcopy"]).expect("there is such a generator");
    let made = run::run(&universe, &tools, &Options::default(), &FileTypes::default());
    let made = made.expect("nothing is wrong");
    assert_eq!(made.files.len(), 1);
    assert_eq!(
        write::verify(&made.files).as_deref(),
        Ok(""),
        "run the command that stands at the top of this file"
    );
}
