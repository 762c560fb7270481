//! Prompts, with arguments, embedded content, and one that asks the client first.

use rmcp::{
    ErrorData,
    model::{GetPromptRequestParams, GetPromptResponse, GetPromptResult},
};
use serde_json::{Value, json};

use crate::{
    dialogue::{self, Answers, Dialogue, Step},
    fixture::{Arguments, Context, Shared, decode},
    tool::PNG,
};

struct Prompt {
    name: &'static str,
    description: &'static str,
    arguments: &'static [&'static str],
    dialogue: Option<Dialogue>,
    /// The content of each message; all are from the user.
    messages: fn(&Arguments, &Answers) -> Vec<Value>,
}

const PROMPTS: [Prompt; 5] = [
    Prompt {
        name: "test_simple_prompt",
        description: "A prompt without arguments",
        arguments: &[],
        dialogue: None,
        messages: |_, _| vec![text("This is a simple prompt for testing.")],
    },
    Prompt {
        name: "test_prompt_with_arguments",
        description: "Repeats its two arguments",
        arguments: &["arg1", "arg2"],
        dialogue: None,
        messages: |args, _| {
            let (first, second) = (argument(args, "arg1"), argument(args, "arg2"));
            vec![text(&format!(
                "Prompt with arguments: arg1='{first}', arg2='{second}'"
            ))]
        },
    },
    Prompt {
        name: "test_prompt_with_embedded_resource",
        description: "Embeds the resource with the given URI",
        arguments: &["resourceUri"],
        dialogue: None,
        messages: |args, _| {
            let resource = json!({
                "uri": argument(args, "resourceUri"),
                "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            });
            vec![
                json!({ "type": "resource", "resource": resource }),
                text("Please process the embedded resource above."),
            ]
        },
    },
    Prompt {
        name: "test_prompt_with_image",
        description: "Embeds an image",
        arguments: &[],
        dialogue: None,
        messages: |_, _| {
            vec![
                json!({ "type": "image", "data": PNG, "mimeType": "image/png" }),
                text("Please analyze the image above."),
            ]
        },
    },
    Prompt {
        name: "test_input_required_result_prompt",
        description: "Asks the client for the context of the prompt",
        arguments: &[],
        dialogue: Some(Dialogue::Once(&["user_context"])),
        messages: |_, answers| {
            vec![text(&format!(
                "Use this context: {}",
                dialogue::field(answers, "user_context", "context")
            ))]
        },
    },
];

pub(crate) fn list() -> Value {
    let argument = |name: &&str| json!({ "name": name, "description": format!("Fixture `{name}`"), "required": true });
    let show = |it: &Prompt| {
        let arguments: Vec<Value> = it.arguments.iter().map(argument).collect();
        json!({ "name": it.name, "description": it.description, "arguments": arguments })
    };
    PROMPTS.iter().map(show).collect()
}

pub(crate) async fn get(
    shared: &Shared,
    request: GetPromptRequestParams,
    ctx: Context,
) -> Result<GetPromptResponse, ErrorData> {
    let GetPromptRequestParams {
        name,
        arguments,
        input_responses,
        request_state,
        ..
    } = request;
    let arguments = arguments.unwrap_or_default();
    let unknown = || ErrorData::invalid_params(format!("unknown prompt `{name}`"), None);
    let prompt = PROMPTS
        .iter()
        .find(|it| it.name == name)
        .ok_or_else(unknown)?;
    if let Some(missing) = prompt
        .arguments
        .iter()
        .find(|name| !arguments.contains_key(**name))
    {
        return Err(ErrorData::invalid_params(
            format!("argument `{missing}` is missing"),
            None,
        ));
    }
    let mut answers = Answers::new();
    if let Some(dialogue) = prompt.dialogue {
        let reply = dialogue::Reply {
            subject: &name,
            arguments: &arguments,
            input_responses,
            request_state,
        };
        match dialogue.step(shared, &ctx, reply).await? {
            Step::Ask(questions) => return Ok(questions.into()),
            Step::Done(all) => answers = all,
        }
    }
    let message = |content: Value| json!({ "role": "user", "content": content });
    let messages = (prompt.messages)(&arguments, &answers)
        .into_iter()
        .map(message)
        .collect();
    Ok(GetPromptResult::new(decode(messages)?).into())
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn argument<'a>(arguments: &'a Arguments, name: &str) -> &'a str {
    arguments
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}
