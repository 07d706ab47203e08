//! Proxies: of HTTP, with a tunnel or without, and of SOCKS.

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use super::client_with;
use super::server::{Server, Step, head, json, read_request};
use crate::config::{Environment, ProxyUrl};

#[tokio::test]
async fn a_plain_server_is_named_to_the_proxy_in_each_request() {
    let proxy = Server::start(|_, _| json(200, "{}")).await;
    let server = Server::start(|_, _| Vec::new()).await;
    let address = proxy.uri().replace("http://", "http://me:p%20w@");
    let client = client_with(&server, |config| config.proxy = Some(ProxyUrl::parse(&address).unwrap()));
    client.get().absolute("/x").send().await.unwrap();
    let seen = &proxy.seen()[0];
    assert_eq!(seen.line(), format!("GET {}/x", server.uri()));
    assert_eq!(seen.header("proxy-authorization"), Some("Basic bWU6cCB3"));
    assert!(server.seen().is_empty());
}

/// A proxy that makes tunnels, and tells where to.
async fn tunnels(target: std::net::SocketAddr) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, told) = mpsc::channel(8);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let tell = tell.clone();
            tokio::spawn(async move {
                let Some(seen) = read_request(&mut stream).await else { return };
                let authorization = seen.header("proxy-authorization").unwrap_or("-").to_owned();
                tell.send(format!("{} {authorization}", seen.line())).await.unwrap();
                if authorization == "-" {
                    let _ = stream.write_all(&head(407, &[])).await;
                    return;
                }
                stream.write_all(&head(200, &[])).await.unwrap();
                let mut server = TcpStream::connect(target).await.unwrap();
                let _ = copy_bidirectional(&mut stream, &mut server).await;
            });
        }
    });
    (address.to_string(), told)
}

#[tokio::test]
async fn a_server_with_tls_is_reached_through_a_tunnel() {
    // The server speaks no TLS: that the handshake arrives there is all that matters.
    let server = Server::start(|_, _| vec![Step::Close]).await;
    let (proxy, mut told) = tunnels(server.address()).await;
    let client = client_with(&server, |config| {
        config.server = "https://api.example:6443".parse().unwrap();
        config.tls.insecure = true;
        config.environment =
            Environment::empty().with_variable("HTTPS_PROXY", format!("http://me:pw@{proxy}"));
    });
    let sending =
        tokio::spawn(client.post().absolute("/x").timeout(std::time::Duration::from_secs(5)).send());
    assert_eq!(told.recv().await.unwrap(), "CONNECT api.example:6443 Basic bWU6cHc=");
    assert!(sending.await.unwrap().is_err());
    let client = client_with(&server, |config| {
        config.server = "https://api.example".parse().unwrap();
        config.tls.insecure = true;
        config.proxy = Some(ProxyUrl::parse(&format!("http://{proxy}")).unwrap());
    });
    let error = client.get().absolute("/x").send().await.unwrap_err();
    assert!(error.chain().contains("proxy authorization required"), "{}", error.chain());
    assert_eq!(told.recv().await.unwrap(), "CONNECT api.example:443 -");
}

#[tokio::test]
async fn a_socks_proxy_is_told_the_name() {
    let server = Server::start(|_, _| json(200, "{}")).await;
    let target = server.address();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = listener.local_addr().unwrap();
    let (tell, mut told) = mpsc::channel(8);
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        // Version, and the ways to log in; none is needed.
        let mut greeting = [0; 2];
        stream.read_exact(&mut greeting).await.unwrap();
        let mut ways = vec![0; usize::from(greeting[1])];
        stream.read_exact(&mut ways).await.unwrap();
        stream.write_all(&[5, 0]).await.unwrap();
        let mut request = [0; 5];
        stream.read_exact(&mut request).await.unwrap();
        assert_eq!(request[..4], [5, 1, 0, 3], "connect to a name");
        let mut name = vec![0; usize::from(request[4])];
        stream.read_exact(&mut name).await.unwrap();
        let port = stream.read_u16().await.unwrap();
        tell.send(format!("{}:{port}", String::from_utf8(name).unwrap())).await.unwrap();
        stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.unwrap();
        let mut server = TcpStream::connect(target).await.unwrap();
        let _ = copy_bidirectional(&mut stream, &mut server).await;
    });
    let client = client_with(&server, |config| {
        config.server = "http://api.example:8080/prefix".parse().unwrap();
        config.proxy = Some(ProxyUrl::parse(&format!("socks5://{proxy}")).unwrap());
    });
    client.get().absolute("/x").send().await.unwrap();
    assert_eq!(told.recv().await.unwrap(), "api.example:8080");
    assert_eq!(server.seen()[0].line(), "GET /prefix/x");
    assert_eq!(server.seen()[0].header("host"), Some("api.example:8080"));
}
