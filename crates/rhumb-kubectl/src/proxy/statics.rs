//! Static files, as Go's file server serves them.

use std::path::{Component, Path, PathBuf};

use bytes::Bytes;
use http::header::{CONTENT_TYPE, LOCATION};
use http::{HeaderValue, Response, StatusCode};
use rhumb_meta::url::unescape;

use super::relay::{Answer, plain, whole};
use super::route::escaped;

/// Returns a file, with the `index.html` of a directory, or with what is in it.
pub(super) fn answer(directory: &Path, whole_path: &str, rest: &str) -> Answer {
    let Some(path) = resolve(directory, rest) else { return not_found() };
    let Ok(data) = std::fs::metadata(&path) else { return not_found() };
    if rest.ends_with("/index.html") || rest == "index.html" {
        return redirect("./");
    }
    match (data.is_dir(), whole_path.ends_with('/')) {
        (true, false) => {
            let name = whole_path.rsplit('/').next().unwrap_or_default();
            redirect(&format!("{name}/"))
        }
        (true, true) => {
            let index = path.join("index.html");
            if index.is_file() { file(&index) } else { listing(&path) }
        }
        (false, _) => file(&path),
    }
}

/// Returns a path below the directory. One that leads out of it is none.
fn resolve(directory: &Path, rest: &str) -> Option<PathBuf> {
    let mut path = directory.to_owned();
    for component in Path::new(std::str::from_utf8(&unescape(rest).ok()?).ok()?).components() {
        match component {
            Component::Normal(name) => path.push(name),
            Component::CurDir | Component::RootDir => {}
            Component::ParentDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

fn not_found() -> Answer {
    plain(StatusCode::NOT_FOUND, "404 page not found\n")
}

fn redirect(to: &str) -> Answer {
    let mut response = Response::new(whole(Bytes::new()));
    *response.status_mut() = StatusCode::MOVED_PERMANENTLY;
    if let Ok(to) = HeaderValue::from_str(to) {
        response.headers_mut().insert(LOCATION, to);
    }
    response
}

fn file(path: &Path) -> Answer {
    match std::fs::read(path) {
        Ok(content) => typed(content_type(path, &content), content),
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            plain(StatusCode::FORBIDDEN, "403 Forbidden\n")
        }
        Err(_) => not_found(),
    }
}

fn typed(content_type: &'static str, content: Vec<u8>) -> Answer {
    let mut response = Response::new(whole(content.into()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

fn listing(path: &Path) -> Answer {
    let Ok(entries) = std::fs::read_dir(path) else { return not_found() };
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .map(|entry| {
            let slash = if entry.path().is_dir() { "/" } else { "" };
            format!("{}{slash}", entry.file_name().to_string_lossy())
        })
        .collect();
    names.sort();
    let mut out =
        String::from("<!doctype html>\n<meta name=\"viewport\" content=\"width=device-width\">\n<pre>\n");
    for name in names {
        let shown = escaped(&name);
        let link = name.replace('%', "%25").replace(' ', "%20").replace('?', "%3F").replace('#', "%23");
        let link = link.replace('"', "%22").replace('<', "%3C").replace('>', "%3E");
        out.push_str(&format!("<a href=\"{link}\">{shown}</a>\n"));
    }
    out.push_str("</pre>\n");
    typed("text/html; charset=utf-8", out.into_bytes())
}

/// Returns the content type by file name, or else by whether the content is text.
fn content_type(path: &Path, content: &[u8]) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" | "htm" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "pdf" => "application/pdf",
        "wasm" => "application/wasm",
        "xml" => "text/xml; charset=utf-8",
        _ if std::str::from_utf8(content).is_ok_and(|text| !text.contains('\0')) => {
            "text/plain; charset=utf-8"
        }
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out_of_the_directory() {
        let dir = Path::new("/srv/www");
        assert_eq!(resolve(dir, "a/b.html"), Some(PathBuf::from("/srv/www/a/b.html")));
        assert_eq!(resolve(dir, "/a%20b"), Some(PathBuf::from("/srv/www/a b")));
        assert_eq!(resolve(dir, "../secret"), None);
        assert_eq!(resolve(dir, "a/%2e%2e/%2e%2e/secret"), None);
        assert_eq!(resolve(dir, "%zz"), None);
    }
}
