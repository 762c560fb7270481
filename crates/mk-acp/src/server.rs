//! Our own MCP server in every session: there the model finds `exit_plan` and the other tools, under the session's mode.
//!
//! An agent starts the server before it tells the session's id, so the server gets a name of ours, which is then known as
//! a part of that session.

use mk_engine::{AgentSession, Seat};
use serde_json::{Value, json};

use crate::message::RawObject;
use crate::proxy::{Core, OwnServer, nonce};

const NAME: &str = mk_clients::SERVER;

impl Core {
    /// Adds our server to a request for a session, unless one of that name is there, and gives the server's name.
    pub(crate) fn offer_server(&self, params: &mut RawObject) -> Option<String> {
        let server = self.options.server.as_ref()?;
        if !mk_clients::acp_takes_servers(self.lock().client) {
            return None;
        }
        let mut servers = match params.value("mcpServers") {
            Some(Value::Array(servers)) => servers,
            Some(_) => return None,
            None => Vec::new(),
        };
        if servers.iter().any(|server| server["name"] == NAME) {
            return None;
        }
        let name = format!("server-{}", nonce());
        servers.push(entry(server, self.client_name(), &name));
        params.set("mcpServers", &servers);
        Some(name)
    }

    /// What our server of a session does belongs to that session from now on.
    pub(crate) async fn seat_server(
        &self,
        seat: &Seat,
        name: &str,
    ) -> Result<(), mk_engine::Error> {
        let part = Seat {
            client: AgentSession {
                name: seat.client.name.clone(),
                session: name.to_owned(),
            },
            parent: Some(seat.client.session.clone()),
            ..seat.clone()
        };
        self.engine.conversations().open(&part).await.map(drop)
    }
}

fn entry(server: &OwnServer, client: &str, name: &str) -> Value {
    let whose = (server.variable.clone(), format!("{client}:{name}"));
    let variables = server.environment.iter().chain([&whose]);
    let variables = variables.map(|(name, value)| json!({ "name": name, "value": value }));
    json!({
        "name": NAME, "command": server.command, "args": server.arguments,
        "env": variables.collect::<Value>(),
    })
}
