//! Each server killed, hung and flooded in turn, while that of another language keeps answering.

use std::task::Poll;
use std::time::{Duration, Instant};

use mk_lsp::{Limits, ServerError, ServerStatus, Servers};
use rustix::process::Signal;

use super::example::{CLANGD, Example, GOPLS, PYRIGHT, RUST_ANALYZER, TY, TYPESCRIPT};
use super::world::{PATIENT, World, block_on};
use crate::slow::process::{check_gone, group, members, signal, stop_members};
use crate::slow::together::together;

/// As short as it can be, because a server that hangs is waited for.
const LIMITS: Limits = Limits {
    request: Duration::from_secs(25),
    hang: Duration::from_secs(2),
    ..PATIENT
};
/// rust-analyzer's first answer has taken more than 5 s on a machine that did nothing else, and 50 s on a busy one.
const SLOW: Limits = Limits {
    request: Duration::from_secs(90),
    ..LIMITS
};
/// A server that has nothing to do with the trouble answers before the one in trouble is given up.
const UNDISTURBED: Duration = Duration::from_secs(20);
/// How much later than its limit something may happen on a machine that does other things too.
const MARGIN: Duration = Duration::from_secs(30);
const FLOOD: usize = 500;

/// Each in trouble beside one that has none, all at once: what takes long is to wait until one that hangs is given up.
#[test]
fn a_server_in_trouble_is_replaced_and_disturbs_no_other() {
    let pairs = [
        (LIMITS, &TY, &TYPESCRIPT),
        (LIMITS, &PYRIGHT, &TYPESCRIPT),
        (LIMITS, &TYPESCRIPT, &TY),
        (SLOW, &RUST_ANALYZER, &TY),
        (LIMITS, &CLANGD, &TY),
        (LIMITS, &GOPLS, &TY),
    ];
    together(
        &pairs,
        |(_, troubled, _)| troubled.server,
        |(limits, troubled, calm)| block_on(check(*limits, troubled, calm)),
    );
}

async fn check(limits: Limits, troubled: &Example, calm: &Example) {
    let world = World::new(&[troubled, calm]);
    let pair = Pair {
        servers: world.servers(limits),
        limits,
        world,
        troubled,
        calm,
    };
    pair.answers(calm).await.unwrap();
    pair.answers(troubled).await.unwrap();
    pair.flood().await;
    pair.kill().await;
    pair.hang().await;
    let calm = pair.status(calm);
    assert_eq!(calm.n_starts, 1, "{calm:?}");
}

/// A server in trouble and one that has none.
struct Pair<'a> {
    world: World,
    limits: Limits,
    servers: Servers,
    troubled: &'a Example,
    calm: &'a Example,
}

impl Pair<'_> {
    async fn answers(&self, example: &Example) -> Result<(), ServerError> {
        let found = self.world.definition(&self.servers, example).await?;
        let (file, line) = example.definition;
        assert_eq!(found, [(file.to_owned(), line)]);
        Ok(())
    }

    async fn calm_answers(&self) {
        let begun = Instant::now();
        self.answers(self.calm).await.unwrap();
        let took = begun.elapsed();
        assert!(took < UNDISTURBED, "{took:?}");
    }

    fn status(&self, example: &Example) -> ServerStatus {
        let status = self.servers.status();
        let mut status = status.into_iter();
        status.find(|it| it.language == example.language).unwrap()
    }

    fn group(&self) -> u32 {
        group(self.status(self.troubled).pid.unwrap())
    }

    /// Many questions at once, most of which no one waits for.
    async fn flood(&self) {
        let before = self.status(self.troubled);
        let question = || self.world.references(&self.servers, self.troubled);
        let mut dropped: Vec<_> = (0..FLOOD).map(|_| Box::pin(question())).collect();
        let mut kept: Vec<_> = (0..FLOOD / 10).map(|_| Box::pin(question())).collect();
        let mut found = Vec::new();
        std::future::poll_fn(|context| {
            for question in &mut dropped {
                // On a busy machine the answer may be there already.
                drop(question.as_mut().poll(context));
            }
            kept.retain_mut(|question| match question.as_mut().poll(context) {
                Poll::Ready(answer) => {
                    found.push(answer);
                    false
                }
                Poll::Pending => true,
            });
            Poll::Ready(())
        })
        .await;
        self.calm_answers().await;
        drop(dropped);
        for question in kept {
            found.push(question.await);
        }
        assert_eq!(found.len(), FLOOD / 10);
        for answer in found {
            assert_eq!(answer.unwrap().len(), self.troubled.references.len());
        }
        self.answers(self.troubled).await.unwrap();
        let after = self.status(self.troubled);
        assert_eq!((after.pid, after.n_starts), (before.pid, before.n_starts));
    }

    async fn kill(&self) {
        let (killed, left) = (self.status(self.troubled).pid.unwrap(), self.group());
        signal(killed, Signal::KILL);
        let (first, ()) = tokio::join!(self.answers(self.troubled), self.calm_answers());
        let mut answer = first;
        // Asked before its end was noticed, it has crashed; or what it had started answers in its place.
        while answer.is_err() || self.status(self.troubled).pid == Some(killed) {
            if let Err(error) = answer {
                assert!(matches!(error, ServerError::Crashed { .. }), "{error}");
            }
            answer = self.answers(self.troubled).await;
        }
        check_gone(|| members(left));
    }

    async fn hang(&self) {
        let before = self.group();
        // All but the guard, which leads the group: some servers are only started by the program that is called so.
        stop_members(before);
        let begun = Instant::now();
        let (first, ()) = tokio::join!(self.answers(self.troubled), self.calm_answers());
        let took = begun.elapsed();
        assert!(
            matches!(first, Err(ServerError::Timeout { .. })),
            "{first:?}"
        );
        assert!(took < self.limits.request + MARGIN, "{took:?}");
        // Whether it is only slow is not known yet; who asks meanwhile does not wait.
        let again = self.answers(self.troubled).await;
        assert!(
            matches!(again, Err(ServerError::Suspect { .. })),
            "{again:?}"
        );
        check_gone(|| members(before));
        assert!(begun.elapsed() < self.limits.request + self.limits.hang + MARGIN);
        self.calm_answers().await;
        while let Err(error) = self.answers(self.troubled).await {
            // Its second failure in a short time: it is not started again at once.
            let expected = matches!(
                error,
                ServerError::Crashed { .. } | ServerError::Suspect { .. }
            );
            assert!(expected, "{error}");
            assert!(begun.elapsed() < self.limits.request + self.limits.hang + 2 * MARGIN);
            tokio::task::yield_now().await;
        }
    }
}
