//! Prompts as developers type them: short, lower case, with typos, slang and no full stops. None of these is in the
//! training data. They were written before the phrases of `content/utterances/daily`; what failed then (15 of 97) was
//! looked at once.

use super::shipped;

/// Prompts and the skills that a colleague would send them to; `-` for none.
const PROMPTS: &str = "
    the tests are failing again → systematic-debugging | ci-failures
    why doesnt this compile → systematic-debugging | error-analysis
    production is down → incident-response
    prod is on fire, checkout returns 500 for everyone → incident-response
    users cant log in since the last deploy → systematic-debugging | incident-response
    getting a weird null in getUser, no idea why → systematic-debugging
    app just hangs after the splash screen → systematic-debugging
    works on my machine but not in docker → systematic-debugging
    segfault in the parser when input is empty → systematic-debugging
    this returns NaN sometimes, can u look → systematic-debugging
    the websocket reconnects forever, pls fix → systematic-debugging
    hook doesnt fire on unmount → systematic-debugging
    whats wrong with this regex, it matches everything → systematic-debugging
    cron ran twice last night?? → systematic-debugging
    memory keeps growing until oom kill → performance-optimization | systematic-debugging
    what does ECONNRESET mean here → error-analysis
    can you decode this error for me → error-analysis
    got TS2345 and i dont understand the message → error-analysis
    what is this panic telling me → error-analysis
    ci is red on main, see whats up → ci-failures
    github actions keeps timing out on the lint job → ci-failures
    pipeline fails only on windows runners → ci-failures
    the build job cant find node 22 → ci-failures
    fix the merge conflicts → merge-conflicts
    rebase onto main and sort out the conflicts → merge-conflicts
    got <<<<<<< HEAD all over package-lock after the merge → merge-conflicts
    bump all deps → dependency-upgrades
    upgrade tokio to the latest and fix what breaks → dependency-upgrades
    dependabot opened 14 prs, deal with them → dependency-upgrades
    move us off moment.js to a newer date lib → dependency-upgrades | legacy-modernization
    add a not null column to orders without downtime → data-migrations
    write the migration that splits the name column → data-migrations
    backfill user_id for 40M rows → data-migrations
    cut 2.4.0 → releases
    tag a release and publish it to crates.io → releases | deployment-checklist
    bump the version and update the changelog for the release → releases
    how do i roll this out safely → deployment-checklist
    whats left before we can ship this to prod → deployment-checklist
    deploy checklist for friday → deployment-checklist
    i need a second checkout so i can work on two branches at once → worktrees
    set up a git worktree for the hotfix → worktrees
    reviewer left 12 comments, go through them → answering-reviews
    address the review feedback on my PR → answering-reviews
    he wants me to rename everything, is he right? reply to the review → answering-reviews
    are you sure its done? show me it works → verification
    dont tell me its fixed until you ran it → verification
    prove that the fix actually works before you say done → verification
    can you look over this pr → pr-review
    lgtm or not? → pr-review
    review my diff pls → pr-review
    check my changes before i push → pr-review
    give me brutal feedback on this branch → pr-review
    clean this up → refactoring
    this function is 400 lines, break it apart → refactoring
    dedupe these two services → refactoring
    rename this mess to something sane → refactoring
    get rid of the god object → refactoring
    wtf does this do → code-explanation
    walk me through the auth flow in this repo → code-explanation
    eli5 this macro → code-explanation
    where does the request go after the middleware → code-explanation
    need tests first then the impl → test-driven-development
    red green refactor this → test-driven-development
    write a failing test for issue 88 → test-driven-development
    write a readme → documentation-generation
    add docstrings everywhere → documentation-generation
    document the env vars → documentation-generation
    endpoint takes 8s, make it fast → performance-optimization
    why is this query so slow → performance-optimization
    shave some ms off the cold start → performance-optimization
    n+1 queries on the orders page → performance-optimization
    is this sql injectable → security-audit
    check if we leak tokens anywhere → security-audit
    audit the login for holes → security-audit
    design a rest api for invoices → api-design
    how should i version this endpoint → api-design
    what status code for a duplicate → api-design
    build me a settings page → frontend-design
    make the table look nicer on mobile → frontend-design
    need a modal with a date picker → frontend-design
    dark mode toggle in the header → frontend-design
    plan this out before you touch anything → writing-plans
    break this epic into tasks → writing-plans
    continue with step 3 of the plan → executing-plans
    keep going with the plan → executing-plans
    throw some ideas at me for the onboarding → brainstorming
    what are our options here for caching, just think out loud → brainstorming
    port this from php to go → legacy-modernization
    get this struts app into the present → legacy-modernization
    how bad is our tech debt → tech-debt
    list the todos and hacks we should pay back → tech-debt
    fan this out to a few agents → dispatching-parallel-agents
    one fresh subagent per task please → subagent-driven-development
    tweak the system prompt so it stops rambling → prompt-engineering
    wrap our jira as an mcp server → mcp-builder
    write cursor rules for this repo → rule-authoring
    save where we are so the next session can pick it up → context-management
    thx → -
    k → -
    lol → -
    what time is it in tokyo → -
    good night → -
    whats for lunch → -
    show me the file → -
    git status → -
    cd into src → -
    how old are you → -
    nice → -
    the match was great yesterday → -
    book a table for two → -
    who won the election → -
    open the second tab → -
    print the working directory → -
    my back hurts → -
    translate good morning to french → -
    happy birthday → -
    never mind → -
";

#[test]
fn prompts_of_developers_are_understood() {
    let playbook = shipped();
    let (mut first, mut of, mut silent, mut off_topic) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for line in PROMPTS
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        let (prompt, wanted) = line.rsplit_once(" → ").expect("prompt → skill");
        let found = playbook.recommend(prompt);
        let name = found.first().map_or("-", |it| it.skill.as_str());
        let is_right = wanted.split(" | ").any(|wanted| wanted == name);
        if wanted == "-" {
            off_topic += 1;
            silent += u32::from(is_right);
        } else {
            of += 1;
            first += u32::from(is_right);
        }
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
}
