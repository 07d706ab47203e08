//! The registration is what `rhumb gen` makes of the types. The definition in `config/crd` is checked where there is a
//! `rhumb`: in the walk of the README.
//!
//! To write both anew: `rhumb gen register,crd examples/stable.example.com`.

use rhumb_codegen::file_type::FileTypes;
use rhumb_codegen::generator::Options;
use rhumb_codegen::source::{Request, load};
use rhumb_codegen::{generators, run, write};

#[test]
fn generated_files_are_up_to_date() {
    let request = Request { paths: vec![env!("CARGO_MANIFEST_DIR").to_owned()], ..Request::default() };
    let universe = load(&request).unwrap_or_else(|problems| panic!("{problems}"));
    let tools = generators::named(&["register"]).expect("there is such a generator");
    let made = run::run(&universe, &tools, &Options::default(), &FileTypes::default());
    let made = made.unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(made.files.len(), 1, "{:?}", made.files.keys());
    if std::env::var_os("RHUMB_BLESS").is_some() {
        write::write(&made.files).unwrap_or_else(|problems| panic!("{problems}"));
    }
    let difference = write::verify(&made.files).unwrap_or_else(|problems| panic!("{problems}"));
    assert!(difference.is_empty(), "{difference}");
}
