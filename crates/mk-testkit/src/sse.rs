//! A client of the older HTTP+SSE transport.

use std::net::SocketAddr;

use serde_json::{Value, json};

use crate::http::{Request, Response};

#[derive(Debug)]
pub struct SseClient {
    address: SocketAddr,
    stream: Response,
    endpoint: String,
    token: Option<String>,
    next_id: u64,
}

impl SseClient {
    pub fn open(address: SocketAddr) -> Self {
        Self::open_with(address, None)
    }

    /// The same with a token.
    pub fn open_with(address: SocketAddr, token: Option<&str>) -> Self {
        let mut headers = vec![("Accept", "text/event-stream".to_owned())];
        headers.extend(token.map(|it| ("Authorization", format!("Bearer {it}"))));
        let request = Request {
            method: "GET",
            path: "/sse",
            headers,
            ..Request::default()
        };
        let mut stream = request.send(address);
        assert_eq!(stream.status, 200);
        let (name, endpoint) = stream.event().unwrap();
        assert_eq!(name, "endpoint");
        Self {
            address,
            stream,
            endpoint,
            token: token.map(str::to_owned),
            next_id: 0,
        }
    }

    pub fn post(&self, body: &str) -> Response {
        let mut headers = vec![("Content-Type", "application/json".to_owned())];
        let token = self.token.as_ref();
        headers.extend(token.map(|it| ("Authorization", format!("Bearer {it}"))));
        let request = Request {
            method: "POST",
            path: &self.endpoint,
            headers,
            body: body.to_owned(),
        };
        request.send(self.address)
    }

    pub fn notify(&self, method: &str) {
        let message = json!({ "jsonrpc": "2.0", "method": method });
        assert_eq!(self.post(&message.to_string()).status, 202);
    }

    pub fn message(&mut self) -> Value {
        let (name, data) = self.stream.event().unwrap();
        assert_eq!(name, "message");
        serde_json::from_str(&data).unwrap()
    }

    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        assert_eq!(self.post(&message.to_string()).status, 202);
        loop {
            let answer = self.message();
            if answer["id"] == id {
                return answer;
            }
        }
    }
}
