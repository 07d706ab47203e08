//! Measurement of Kubernetes' Go code in the same run.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

/// Nanoseconds by the name of the measurement; empty, with a word on why, where there is no Go or no module proxy.
pub(crate) fn measure(golden: &Path) -> HashMap<String, f64> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("go");
    eprintln!("measuring Kubernetes' Go code (go run, the first time also builds it)…");
    // The checksums stand in go.sum, so no checksum database is asked.
    let output = Command::new("go")
        .args(["run", "."])
        .arg(golden)
        .current_dir(program)
        .env("GOFLAGS", "-mod=readonly")
        .output();
    match output {
        Ok(output) if output.status.success() => parse(&String::from_utf8_lossy(&output.stdout)),
        Ok(output) => {
            eprintln!(
                "go run failed, so earlier figures stand in:\n{}",
                String::from_utf8_lossy(&output.stderr)
            );
            HashMap::new()
        }
        Err(error) => {
            eprintln!("go can't be started ({error}), so earlier figures stand in");
            HashMap::new()
        }
    }
}

fn parse(text: &str) -> HashMap<String, f64> {
    let figure = |line: &str| {
        let (name, nanoseconds) = line.split_once('\t')?;
        Some((name.to_owned(), nanoseconds.trim().parse().ok()?))
    };
    text.lines().filter_map(figure).collect()
}
