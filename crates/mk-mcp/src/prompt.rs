//! What a person picks from a menu: a mode to work in, an agent to become.

mod activate_agent;
mod mode;

use mk_tools::Toolset;
use rmcp::ErrorData;
use rmcp::model::{GetPromptRequestParams, GetPromptResult, Prompt};

use crate::connection::Connection;
use crate::era::Era;

pub(crate) fn list(connection: &Connection, era: Era) -> Vec<Prompt> {
    let mut prompts = mode::list(connection, era);
    if connection.server().offers(Toolset::Rules) {
        prompts.push(activate_agent::describe());
    }
    prompts
}

pub(crate) async fn get(
    connection: &Connection,
    params: &GetPromptRequestParams,
    era: Era,
) -> Result<GetPromptResult, ErrorData> {
    if params.name == activate_agent::NAME && connection.server().offers(Toolset::Rules) {
        return activate_agent::get(connection, params, era).await;
    }
    mode::get(connection, params, era)
}
