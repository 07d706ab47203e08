//! `bench definitions`: many custom resource definitions, with `--against oracle` also on a kube-apiserver.
//!
//! One client makes them one after the other, as `kubectl apply` of a large set does, and then asks for what clients
//! ask for: whether the last one is usable, discovery, and the documents of OpenAPI. It asks as Go's clients do.

mod schema;

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Method;
use schema::Definition;

use crate::server::go_client::{JSON, Waiting};
use crate::server::sides::Side;
use crate::server::{Better, Figure, Outcome, show};

/// Size of a run.
#[derive(Clone, Copy)]
struct Extent {
    definitions: usize,
    /// Idle time before memory is measured at the end.
    rest: Duration,
}

const WHOLE: Extent = Extent { definitions: 500, rest: Duration::from_secs(400) };
const QUICK: Extent = Extent { definitions: 100, rest: Duration::from_secs(10) };
/// Number of groups.
const GROUPS: usize = 20;
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// Idle time before memory is measured.
const SETTLING: Duration = Duration::from_secs(5);
/// Timeout.
const PATIENCE: Duration = Duration::from_secs(300);
/// Polling interval.
const LOOK: Duration = Duration::from_millis(1);
/// `Accept` header of kubectl for OpenAPI v2.
const V2: &str = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// Measures: `--against oracle` the real one too, `--quick` with fewer of them.
pub(crate) fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let mut extent = WHOLE;
    let mut against = false;
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match (word, word == "--against" && words.next() == Some("oracle")) {
            ("--quick", _) => extent = QUICK,
            (_, true) => against = true,
            _ => return Err("usage: cargo xtask bench definitions [--against oracle] [--quick]".into()),
        }
    }
    both(extent, against).map_err(|error| error as Box<dyn Error>)
}

fn both(extent: Extent, against: bool) -> Outcome<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench-definitions");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    eprintln!("rhumb");
    let ours = measure(&Side::rhumb(&Side::binary()?, &folder.join("rhumb"))?.0, extent)?;
    let mut theirs = Vec::new();
    if against {
        eprintln!("kube-apiserver");
        theirs = measure(&Side::oracle(&folder.join("oracle"))?.0, extent)?;
    }
    show(&ours, &theirs, against);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Measures one server.
fn measure(side: &Side, extent: Extent) -> Outcome<Vec<Figure>> {
    let mut figures = Vec::new();
    let mut add = |name: &str, value: f64, better| {
        eprintln!("  {name}: {value:.2}");
        figures.push(Figure { name: name.to_owned(), value, better });
    };
    let mut client = Client(Waiting::connect(&side.target)?);
    let count = extent.definitions as f64;
    // What documents have of the built-in resources doesn't count, nor what is done once for all definitions.
    let first = Definition::new(extent.definitions, GROUPS);
    client.make(&first)?;
    client.until_served(&first)?;
    client.get("/openapi/v2", V2)?;
    client.get(&format!("/openapi/v3/apis/{}/v1", first.group), JSON)?;
    std::thread::sleep(SETTLING);
    let before = side.resident()?;

    let all: Vec<Definition> =
        (0..extent.definitions).map(|number| Definition::new(number, GROUPS)).collect();
    let (mut taken, busy) = (Vec::new(), side.busy()?);
    for definition in &all {
        taken.push(client.make(definition)?);
    }
    let last = all.last().ok_or("no definition")?;
    let usable = client.until_served(last)?;
    let busy = side.busy()?.since(busy);
    let tenth = taken.len().div_ceil(10);
    let mean = |part: &[Duration]| ms(part.iter().sum::<Duration>()) / part.len() as f64;
    add(&format!("ms to create one of {count}"), mean(&taken), Better::Less);
    add("  the first tenth of them", mean(taken.get(..tenth).unwrap_or_default()), Better::Less);
    add("  the last tenth", mean(taken.get(taken.len() - tenth..).unwrap_or_default()), Better::Less);
    add("  ms of the server's time for each", ms(busy) / count, Better::Less);
    add("ms until the last one is usable", ms(usable), Better::Less);
    std::thread::sleep(SETTLING);
    add("KiB of memory for each", (side.resident()? - before) * 1024.0 / count, Better::Less);

    let busy = side.busy()?;
    add("ms for /openapi/v2, the first time", ms(client.get("/openapi/v2", V2)?), Better::Less);
    add("  ms of the server's time", ms(side.busy()?.since(busy)), Better::Less);
    add("  again", ms(client.get("/openapi/v2", V2)?), Better::Less);
    let more = Definition::new(extent.definitions + 1, GROUPS);
    client.make(&more)?;
    client.until_served(&more)?;
    add("  after one more definition", ms(client.get("/openapi/v2", V2)?), Better::Less);
    let v3 = format!("/openapi/v3/apis/{}/v1", last.group);
    add("ms for /openapi/v3 of a group", ms(client.get(&v3, JSON)?), Better::Less);
    add("ms for discovery of all", ms(client.get("/apis", AGGREGATED)?), Better::Less);
    std::thread::sleep(SETTLING);
    add("KiB of memory for each, with documents", (side.resident()? - before) * 1024.0 / count, Better::Less);

    let begun = Instant::now();
    for definition in all.iter().chain([&first, &more]) {
        client.expect(Method::DELETE, &format!("{DEFINITIONS}/{}", definition.name()), "", 200)?;
    }
    client.until_none()?;
    add("ms to delete one and be rid of it", ms(begun.elapsed()) / (count + 2.0), Better::Less);
    std::thread::sleep(SETTLING);
    add("MiB kept after that", side.resident()? - before, Better::Less);
    std::thread::sleep(extent.rest);
    add(&format!("  {} s later", extent.rest.as_secs()), side.resident()? - before, Better::Less);
    Ok(figures)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The client.
struct Client(Waiting);

impl Client {
    /// Asks for something that must be done. Returns how long that took.
    fn expect(
        &mut self,
        method: Method,
        path: &str,
        body: impl Into<Bytes>,
        expected: u16,
    ) -> Outcome<Duration> {
        let begun = Instant::now();
        self.0.expect(method, path, body, expected)?;
        Ok(begun.elapsed())
    }

    /// Creates a definition and returns how long it took.
    fn make(&mut self, definition: &Definition) -> Outcome<Duration> {
        self.expect(Method::POST, DEFINITIONS, definition.body(), 201)
    }

    /// Reads something. Returns how long that took, without unpacking it.
    fn get(&mut self, path: &str, accept: &str) -> Outcome<Duration> {
        Ok(self.0.get(path, accept)?.took)
    }

    /// Waits until a definition is established, its objects can be listed and discovery tells of it. Returns how
    /// long that took.
    fn until_served(&mut self, definition: &Definition) -> Outcome<Duration> {
        let begun = Instant::now();
        let place = format!("/apis/{}/v1", definition.group);
        let told = format!("\"name\":\"{}\"", definition.plural);
        let path = format!("{DEFINITIONS}/{}", definition.name());
        for (path, sign) in [(&path, r#""type":"Established","status":"True""#), (&place, &told)] {
            self.until(begun, path, |status, answer| status == 200 && has(answer, sign))?;
        }
        self.until(begun, &definition.path(), |status, _| status == 200)?;
        Ok(begun.elapsed())
    }

    /// Waits until there are no definitions any more.
    fn until_none(&mut self) -> Outcome<()> {
        self.until(Instant::now(), &format!("{DEFINITIONS}?limit=1"), |status, answer| {
            status == 200 && has(answer, "\"items\":[]")
        })
    }

    fn until(&mut self, begun: Instant, path: &str, is_so: impl Fn(u16, &[u8]) -> bool) -> Outcome<()> {
        loop {
            let (status, answer) = self.0.exchange(Method::GET, path, JSON, "")?;
            if is_so(status, &answer) {
                return Ok(());
            }
            if begun.elapsed() > PATIENCE {
                return Err(format!("{path} is never as wanted, but {status}").into());
            }
            std::thread::sleep(LOOK);
        }
    }
}

/// Reports whether an answer has some text, whatever the order of the members of objects around it.
fn has(answer: &[u8], text: &str) -> bool {
    memchr::memmem::find(answer, text.as_bytes()).is_some()
}
