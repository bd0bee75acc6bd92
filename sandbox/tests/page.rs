//! The page at `/`: all that the registry knows, nothing from elsewhere, and no key.
//!
//! What a browser makes of it is tested in one, by `cargo xtask verify page`.

#![allow(clippy::panic, clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod support;

use generated_client::GROUPS;
use generated_client::registry::BodyInfo;
use sandbox::Sandbox;
use support::Server;

#[tokio::test]
async fn it_has_every_endpoint_with_its_params_and_fields() {
    let html = Server::start().await.at_root("/").await.text;
    let articles = html.split("<article ").skip(1).map(|rest| rest.split("</article>").next().unwrap());
    let articles = articles.collect::<Vec<_>>();
    let endpoints = GROUPS.iter().flat_map(|group| group.endpoints).collect::<Vec<_>>();
    assert_eq!(articles.len(), endpoints.len());
    for (article, endpoint) in articles.into_iter().zip(endpoints) {
        assert!(article.starts_with(&format!("id=\"{endpoint}\"")), "{endpoint}: {}", &article[..80]);
        assert_eq!(article.contains("<form "), endpoint.path.is_some(), "{endpoint}");
        assert_eq!(article.contains("Known by name only"), endpoint.path.is_none(), "{endpoint}");
        for param in endpoint.params.unwrap_or_default() {
            assert!(article.contains(&format!(" name=\"{}\"", param.wire_name)), "{endpoint}: {}", param.wire_name);
        }
        if let BodyInfo::Series { record: Some(record), .. } = endpoint.body {
            for field in record.fields {
                let name = format!("<code>{}</code>", field.wire_name);
                assert!(article.contains(&name), "{endpoint}: {}", field.wire_name);
            }
        }
    }
}

#[tokio::test]
async fn it_is_served_whole_from_here_without_a_key() {
    let server = Server::with(Sandbox::builder().api_key("canary-key").client_credentials("id", "canary-secret")).await;
    let page = server.at_root("/").await;
    assert_eq!((page.status, page.headers["content-type"].as_str()), (200, "text/html; charset=utf-8"));
    assert!(!page.text.contains("canary"));
    let loaded = page.text.split(['"', '\'']).filter(|text| text.starts_with("/page/")).collect::<Vec<_>>();
    assert!(loaded.len() >= 3, "{loaded:?}");
    for path in loaded {
        let file = server.at_root(path).await;
        assert_eq!(file.status, 200, "{path}");
        assert!(!file.text.contains("https:") && !file.text.contains("canary"), "{path}");
        assert!(file.headers["content-security-policy"].starts_with("default-src 'none'; script-src 'self'"), "{path}");
    }
    assert_eq!(server.at_root("/page/other.js").await.status, 403);
}
