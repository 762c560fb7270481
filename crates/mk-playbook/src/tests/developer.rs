//! Prompts as developers type them: short, lower case, with typos, slang and no full stops. None of these is in the
//! training data, and each set was written before the phrases of its time were looked at.

use mk_prompt::Confidence;

use super::shipped;

/// What failed at first (15 of 97) was looked at, and the phrases of `content/utterances/daily` were written after it.
#[test]
fn the_first_prompts_of_developers_are_understood() {
    understands(include_str!("developer/first.txt"));
}

/// What failed at first (18 of 132) was looked at, and more phrases were written after it.
#[test]
fn the_second_prompts_of_developers_are_understood() {
    understands(include_str!("developer/second.txt"));
}

/// 55 of 66 at first; then looked at like the second.
#[test]
fn the_third_prompts_of_developers_are_understood() {
    understands(include_str!("developer/third.txt"));
}

/// 50 of 66 at first, which led to `content/utterances/patterns`.
#[test]
fn the_fourth_prompts_of_developers_are_understood() {
    understands(include_str!("developer/fourth.txt"));
}

/// 47 of 62 at first, 52 once a prompt without a skill counted no more than others; then looked at.
#[test]
fn the_fifth_prompts_of_developers_are_understood() {
    understands(include_str!("developer/fifth.txt"));
}

/// Written before the phrases of its time, and run once, at the end.
#[test]
fn the_sixth_prompts_of_developers_are_understood() {
    understands(include_str!("developer/sixth.txt"));
}

/// 125 of 158 at first, 29 of 30 silent, none high and wrong: 30 of the 33 were Italian, Turkish, Polish or Vietnamese,
/// of which nothing was known then. That led to their files in `content/utterances`.
#[test]
fn the_seventh_prompts_of_developers_are_understood() {
    understands(include_str!("developer/seventh.txt"));
}

/// More than half of them in those four languages; written after their phrases, by the same hand, and run once.
#[test]
fn the_eighth_prompts_of_developers_are_understood() {
    understands(include_str!("developer/eighth.txt"));
}

/// Lines of a prompt and the skills that a colleague would send it to; `-` for none. `\n` and `\t` stand for what they
/// are in a prompt of several lines.
#[track_caller]
fn understands(prompts: &str) {
    let playbook = shipped();
    let (mut first, mut of, mut silent, mut off_topic) = (0, 0, 0, 0);
    let (mut sure, mut surely_wrong) = (0, 0);
    let mut wrong = Vec::new();
    for line in prompts.lines() {
        let (prompt, wanted) = line.rsplit_once(" → ").expect("prompt → skill");
        let prompt = prompt.replace("\\n", "\n").replace("\\t", "\t");
        let found = playbook.recommend(&prompt);
        let name = found.first().map_or("-", |it| it.skill.as_str());
        let is_right = wanted.split(" | ").any(|wanted| wanted == name);
        if wanted == "-" {
            off_topic += 1;
            silent += u32::from(is_right);
        } else {
            of += 1;
            first += u32::from(is_right);
        }
        let is_sure = found
            .first()
            .is_some_and(|it| it.confidence == Confidence::High);
        sure += u32::from(is_sure);
        surely_wrong += u32::from(is_sure && !is_right);
        if !is_right {
            let score = found.first().map_or(0.0, |it| it.score);
            wrong.push(format!("{prompt}: {name} {score:.2}, not {wanted}"));
        }
    }
    let wrong = wrong.join("\n");
    assert!(first * 100 >= of * 85, "{first} of {of} first:\n{wrong}");
    assert!(
        silent * 100 >= off_topic * 95,
        "{silent} of {off_topic} silent:\n{wrong}"
    );
    assert!(
        surely_wrong * 50 <= sure,
        "{surely_wrong} of {sure} high and wrong:\n{wrong}"
    );
}
