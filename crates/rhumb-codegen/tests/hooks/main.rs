//! Generators of one's own: every method of the trait is asked, and what they write is compiled and used.

mod fleet;

use std::path::Path;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use rhumb_codegen::file_type::FileTypes;
use rhumb_codegen::generator::{Context, Generator, Options, Output, Target, Tool};
use rhumb_codegen::namer::{NameStrategy, Namers};
use rhumb_codegen::problem::Outcome;
use rhumb_codegen::source::{Request, load};
use rhumb_codegen::universe::{Builtin, Constant, Package, Type, TypeRef, Universe};
use rhumb_codegen::{run, write};

/// Writes a constructor for each type, and counts what they make.
#[derive(Default)]
struct Registry {
    kinds: Vec<String>,
}

impl Registry {
    fn most(context: &Context<'_>) -> i64 {
        match context.package.and_then(|package| package.constant("BERTHS")) {
            Some(Constant::Integer(most)) => *most,
            other => panic!("BERTHS is {other:?}"),
        }
    }
}

impl Generator for Registry {
    fn name(&self) -> &'static str {
        "registry"
    }

    fn namers(&self, _: &Context<'_>) -> Namers {
        let constructor =
            NameStrategy { prefix: "new_".to_owned(), snake_case: true, ..NameStrategy::default() };
        Namers::default().with("constructor", constructor)
    }

    fn init(&mut self, _: &mut Context<'_>, out: &mut Output) -> Outcome<()> {
        out.rust(quote! {
            fn count() {
                MADE.fetch_add(1, Ordering::Relaxed);
            }
        });
        Ok(())
    }

    fn generate_type(&mut self, context: &mut Context<'_>, ty: &Type, out: &mut Output) -> Outcome<()> {
        let named = TypeRef::Named(ty.name.clone());
        let constructor = context.namers.name("constructor", &named).expect("it was added");
        let constructor = format_ident!("{constructor}");
        let name = format_ident!("{}", context.imports.name(&format!("super::{}", ty.name.name)));
        self.kinds.push(ty.name.name.clone());
        out.rust(quote! {
            /// A new one.
            pub(crate) fn #constructor() -> #name {
                count();
                #name::default()
            }
        });
        Ok(())
    }

    fn finalize(&mut self, _: &mut Context<'_>, out: &mut Output) -> Outcome<()> {
        out.rust(quote! {
            /// How many were made, and how many there may be.
            pub(crate) fn made() -> (usize, i64) {
                (MADE.load(Ordering::Relaxed), MOST)
            }
        });
        out.rust(quote! {
            /// The kinds with their places.
            pub(crate) fn by_name() -> BTreeMap<&'static str, usize> {
                KINDS.iter().enumerate().map(|(place, kind)| (*kind, place)).collect()
            }
        });
        Ok(())
    }

    fn vars(&self, _: &Context<'_>) -> Vec<TokenStream> {
        let (kinds, count) = (&self.kinds, self.kinds.len());
        vec![
            quote! {
                /// How many were made.
                static MADE: AtomicUsize = AtomicUsize::new(0);
            },
            quote!(static KINDS: [&str; #count] = [#(#kinds),*];),
        ]
    }

    fn consts(&self, context: &Context<'_>) -> Vec<TokenStream> {
        let most = Registry::most(context);
        vec![quote! {
            /// How many there are at most.
            const MOST: i64 = #most;
        }]
    }

    fn imports(&self, _: &Context<'_>) -> Vec<String> {
        let paths = ["collections::BTreeMap", "sync::atomic::AtomicUsize", "sync::atomic::Ordering"];
        paths.map(|path| format!("use std::{path};")).to_vec()
    }

    fn header(&self, context: &Context<'_>) -> Vec<String> {
        vec![String::new(), format!("What there is room for: {}.", Registry::most(context))]
    }
}

/// Adds to the same file.
struct Greeter;

impl Generator for Greeter {
    fn name(&self) -> &'static str {
        "greeter"
    }

    fn filter(&self, _: &Context<'_>, _: &Type) -> bool {
        false
    }

    fn finalize(&mut self, _: &mut Context<'_>, out: &mut Output) -> Outcome<()> {
        out.rust(quote! {
            /// Greets.
            pub(crate) fn greet() -> &'static str {
                FIRST
            }
        });
        Ok(())
    }

    fn consts(&self, context: &Context<'_>) -> Vec<TokenStream> {
        let greetings = context.package.and_then(|package| package.statics.get("GREETINGS"));
        let Some(Constant::Texts(greetings)) = greetings.and_then(|found| found.value.clone()) else {
            panic!("the texts are known")
        };
        let first = greetings.first();
        vec![quote!(const FIRST: &str = #first;)]
    }

    fn header(&self, _: &Context<'_>) -> Vec<String> {
        vec!["Written by greeter as well.".to_owned()]
    }

    fn file_name(&self, context: &Context<'_>) -> String {
        context.options.file_of("registry")
    }
}

const TOOL: Tool = Tool {
    name: "registry",
    about: "constructors that are counted",
    targets: |universe, _| {
        let targets = universe.requested().map(|package| {
            let mut target = Target::of(package, Registry::default());
            target.generators.push(Box::new(Greeter));
            target
        });
        Ok(targets.collect())
    },
};

fn universe() -> Universe {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hooks/fleet.rs");
    let request = Request { paths: vec![here.display().to_string()], ..Request::default() };
    load(&request).expect("the source can be read")
}

#[test]
fn header_imports_constants_statics_and_the_rest_stand_in_this_order() {
    let options = Options { command: "rhumb gen registry".to_owned(), ..Options::default() };
    let made = run::run(&universe(), &[TOOL], &options, &FileTypes::default()).expect("nothing is wrong");
    assert_eq!(made.files.len(), 1);
    assert_eq!(write::verify(&made.files).as_deref(), Ok(""));
}

#[test]
fn what_was_written_can_be_used() {
    assert_eq!(fleet::made(), (0, fleet::BERTHS));
    assert_eq!(fleet::new_ship(), fleet::Ship::default());
    assert_eq!(fleet::new_whaling_boat(), fleet::WhalingBoat::default());
    assert_eq!(fleet::made().0, 2);
    assert_eq!(fleet::by_name().get("WhalingBoat"), Some(&1));
    assert_eq!(Some(&fleet::greet()), fleet::GREETINGS.first());
}

#[test]
fn the_universe_has_constants_and_statics_with_types_values_and_tags() {
    let universe = universe();
    let package: &Package = universe.requested().next().expect("the package was read");
    let berths = package.constants.get("BERTHS").expect("it is declared");
    assert_eq!((&berths.ty, berths.private), (&TypeRef::Builtin(Builtin::Int64), false));
    assert_eq!(berths.value, Some(Constant::Integer(12)));
    assert_eq!(berths.comments, ["How many ships there is room for."]);
    assert_eq!((berths.tags.value("berths"), berths.place.line), (Some("true"), 10));
    let last = package.constants.get("LAST").expect("it is declared");
    assert_eq!((last.private, &last.value), (true, &Some(Constant::Text("farewell".to_owned()))));
    let greetings = package.statics.get("GREETINGS").expect("it is declared");
    let texts = ["ahoy", "farewell"].map(str::to_owned).to_vec();
    assert_eq!((&greetings.value, greetings.mutable), (&Some(Constant::Texts(texts)), false));
    assert_eq!(greetings.module, package.path);
    assert!(!package.statics.contains_key("MADE"), "what was generated is not read");
}

#[test]
fn naming_systems_put_packages_prefixes_and_suffixes_around_names() {
    let universe = universe();
    let ty = universe.types().find(|ty| ty.name.name == "WhalingBoat").expect("it was read");
    let boats = TypeRef::Slice(Box::new(TypeRef::Named(ty.name.clone())));
    let strategy = NameStrategy {
        prefix: "List".to_owned(),
        suffix: "Of".to_owned(),
        packages: 2,
        ignored: vec!["hooks".to_owned()],
        snake_case: false,
    };
    let namers = Namers::default().with("list", strategy.clone());
    assert_eq!(namers.name("list", &boats).as_deref(), Some("ListFleetWhalingBoatSliceOf"));
    assert_eq!(namers.name("public", &boats).as_deref(), Some("WhalingBoatSlice"));
    assert_eq!(namers.name("private", &boats).as_deref(), Some("whaling_boat_slice"));
    assert_eq!(namers.name("raw", &boats).as_deref(), Some("Vec<hooks::fleet::WhalingBoat>"));
    assert_eq!(namers.name("nothing", &boats), None);
    let replaced = Namers::default().with("public", strategy);
    assert_eq!(replaced.name("public", &boats).as_deref(), Some("ListFleetWhalingBoatSliceOf"));
}
