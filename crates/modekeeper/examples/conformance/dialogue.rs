//! Questions to the client, in both eras.
//!
//! Up to 2025-11-25 the server sends a request and waits for the answer. From 2026-07-28 on it
//! returns the questions, and the client repeats its request with the answers. A dialogue only
//! names its questions; [`Dialogue::step`] chooses the way.

use std::{collections::BTreeMap, time::Duration};

use rmcp::{
    ErrorData,
    model::{InputRequests, InputRequiredResult, InputResponses, SealOptions},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    fixture::{Arguments, Context, Shared, decode, internal, is_modern},
    question,
};

const STATE_TTL: Duration = Duration::from_secs(300);

/// The client's results, by the key of the question.
pub(crate) type Answers = BTreeMap<String, Value>;

/// Questions, by key. A round is answered as a whole or asked again.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Dialogue {
    /// One round, and nothing to remember.
    Once(&'static [&'static str]),
    /// Rounds whose earlier answers travel in the sealed `requestState`. Answers that come
    /// without it are not believed.
    Sealed(&'static [&'static [&'static str]]),
}

pub(crate) enum Step {
    Ask(InputRequiredResult),
    Done(Answers),
}

/// What the client sent, and in which request.
pub(crate) struct Reply<'a> {
    pub(crate) subject: &'a str,
    pub(crate) arguments: &'a Arguments,
    pub(crate) input_responses: Option<InputResponses>,
    pub(crate) request_state: Option<String>,
}

#[derive(Default, Serialize, Deserialize)]
struct State {
    round: usize,
    answers: Answers,
}

impl Dialogue {
    pub(crate) async fn step(
        self,
        shared: &Shared,
        ctx: &Context,
        reply: Reply<'_>,
    ) -> Result<Step, ErrorData> {
        if !is_modern(ctx) {
            return self.ask_now(ctx, reply.arguments).await.map(Step::Done);
        }
        let subject = reply.subject.as_bytes();
        let mut responses = reply.input_responses.unwrap_or_default();
        let mut state = State::default();
        match (self, reply.request_state) {
            (Self::Once(_), _) => {}
            (Self::Sealed(_), None) => responses.clear(),
            (Self::Sealed(_), Some(sealed)) => {
                let opened = shared.codec.open_json_with(&sealed, subject);
                state = opened
                    .map_err(|_| ErrorData::invalid_params("requestState is not valid", None))?;
            }
        }

        if let Some(keys) = self.rounds().get(state.round) {
            let questions = questions(keys, ctx, reply.arguments)?;
            responses.retain(|key, answer| {
                questions
                    .get(key)
                    .is_some_and(|it| question::is_answered_by(it, answer))
            });
            if responses.len() == questions.len() {
                state.answers.append(&mut responses);
                state.round += 1;
            }
        }
        let Some(keys) = self.rounds().get(state.round) else {
            return Ok(Step::Done(state.answers));
        };
        let requests: InputRequests = decode(json!(questions(keys, ctx, reply.arguments)?))?;
        let sealed = match self {
            Self::Once(_) => None,
            Self::Sealed(_) => {
                let options = SealOptions::new().associated_data(subject).ttl(STATE_TTL);
                Some(
                    shared
                        .codec
                        .seal_json_with(&state, &options)
                        .map_err(internal)?,
                )
            }
        };
        Ok(Step::Ask(InputRequiredResult::new(Some(requests), sealed)))
    }

    fn rounds(&self) -> &[&'static [&'static str]] {
        match self {
            Self::Once(round) => std::slice::from_ref(round),
            Self::Sealed(rounds) => rounds,
        }
    }

    /// Sends every question as a request of its own.
    async fn ask_now(self, ctx: &Context, arguments: &Arguments) -> Result<Answers, ErrorData> {
        let mut answers = Answers::new();
        for (key, question) in questions(&self.rounds().concat(), ctx, arguments)? {
            let answer = ctx.peer.send_request(decode(question)?).await;
            answers.insert(key, json!(answer.map_err(internal)?));
        }
        Ok(answers)
    }
}

/// One field of an accepted form, as text.
pub(crate) fn field(answers: &Answers, key: &str, field: &str) -> String {
    let value = answers.get(key).map(|it| &it["content"][field]);
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The questions among `keys` that the client is able to answer. No such question is an error
/// that names what the client would need.
fn questions(
    keys: &[&str],
    ctx: &Context,
    arguments: &Arguments,
) -> Result<BTreeMap<String, Value>, ErrorData> {
    let declared = json!(ctx.client_capabilities());
    let mut questions = BTreeMap::new();
    let mut missing = json!({});
    for key in keys {
        let question = question::find(key, arguments);
        let capability = question::capability(&question);
        if declared.get(capability).is_some() {
            questions.insert((*key).to_owned(), question);
        } else {
            missing[capability] = json!({});
        }
    }
    if questions.is_empty() {
        return Err(ErrorData::missing_required_client_capability(decode(
            missing,
        )?));
    }
    Ok(questions)
}
