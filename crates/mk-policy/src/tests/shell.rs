//! Shell lines taken apart, with the programs that ship.

use proptest::prelude::*;

use mk_shell::{ANYTHING, CommandLine, Doubt, Form, SOME_NAME, UseOfFile};

use crate::shipped::PROGRAMS;

/// `[command] >written <read`, then `?files` or `?` for a line in doubt. `*:` is a pattern, `?:` could be anything.
fn render(line: &CommandLine) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(line.commands.iter().map(|it| format!("[{}]", it.text)));
    for (access, mark) in [(UseOfFile::Write, '>'), (UseOfFile::Read, '<')] {
        for file in line.files.iter().filter(|file| file.access == access) {
            let form = match file.form {
                Form::Exact => "",
                Form::Pattern => "*:",
                Form::Unknown => "?:",
            };
            let path = file.path.replace(ANYTHING, "…").replace(SOME_NAME, "·");
            parts.push(format!("{mark}{form}{path}"));
        }
    }
    match line.doubt {
        Some(Doubt::Files(_)) => parts.push("?files".to_owned()),
        Some(Doubt::Commands(_)) => parts.push("?".to_owned()),
        None => {}
    }
    parts.join(" ")
}

fn analyse(line: &str) -> CommandLine {
    mk_shell::analyse(PROGRAMS, line, "")
}

#[track_caller]
fn check(line: &str, expected: &str) {
    let found = analyse(line);
    assert_eq!(render(&found), expected, "{line:?}: {:?}", found.doubt);
}

/// What the line runs cannot be told, whatever else is found.
#[track_caller]
fn check_opaque(line: &str) {
    let found = analyse(line);
    let is_opaque = found.doubt_about_commands().is_some();
    assert!(is_opaque, "{line:?}: {}", render(&found));
}

#[test]
fn lists_and_pipelines() {
    check("", "");
    check("   ", "");
    check("ls", "[ls]");
    check("git   status  -s", "[git status -s]");
    check("a; b", "[a] [b] ?files");
    check("a;b;", "[a] [b] ?files");
    check("a && b || c", "[a] [b] [c] ?files");
    check("a | b |& c", "[a] [b] [c] ?files");
    check("a & b &", "[a] [b] ?files");
    check("a\nb\n\nc", "[a] [b] [c] ?files");
    check("a &&\n b", "[a] [b] ?files");
    check("a \\\n  b", "[a b] ?files");
    check("ls # rm -rf x", "[ls]");
    check("ls#x", "[ls#x] ?files");
    check("# only a comment", "");
    check("# one\nls", "[ls]");
    check("! grep -q x", "[grep -q x]");
    check("A=1 B=2 make", "[make]");
    check("A=1", "");
    check("A=$(rm x)", "[rm x] >x");
    check("echo a=b", "[echo a=b]");
}

#[test]
fn git_goes_through_all_that_it_knows_unless_paths_are_named() {
    check("git grep x", "[git grep x] <.");
    check("git grep x v1.0", "[git grep x v1.0] <. <v1.0");
    check("git grep x -- src", "[git grep x -- src] <src");
    check("git archive HEAD", "[git archive HEAD] <.");
    check("git stash list", "[git stash list]");
    check("git stash", "[git stash] ?files");
    check("git worktree list", "[git worktree list]");
}

#[test]
fn what_a_substitution_prints_is_known_of_few_programs() {
    check(
        "wc -l $(git ls-files '*.rs')",
        "[git ls-files '*.rs'] [wc -l $(git ls-files '*.rs')] <*:··/·.rs",
    );
    check(
        "diff <(sort a) <(sort b)",
        "[sort a] [sort b] [diff <(sort a) <(sort b)] <a <b",
    );
    check("gh pr view 12 --comments", "[gh pr view 12 --comments]");
    check("gh pr checkout 12", "[gh pr checkout 12] ?files");
}

#[test]
fn groups_and_keywords() {
    check("(a; b)", "[a] [b] ?files");
    check("( (a) )", "[a] ?files");
    check("{ a; b; }", "[a] [b] ?files");
    check("{ a; } > f", "[a] >f ?files");
    check("(a) 2> f", "[a] >f ?files");
    check(
        "if a; then b; elif c; then d; else e; fi",
        "[a] [b] [c] [d] [e] ?files",
    );
    check("while a; do b; done < f", "[a] [b] <f ?files");
    check("until a; do b; done", "[a] [b] ?files");
    check("for x in 1 2; do echo $x; done", "[echo $x]");
    check("for x in $(ls); do echo; done", "[ls] [echo]");
    check("for x\ndo a\ndone", "[a] ?files");
    check(
        "case x in a|b) c;; (d) e ;& *) f; esac",
        "[c] [e] [f] ?files",
    );
    check("[[ -f a && $x < b ]] && c", "[[[ -f a $x b ]]] [c] ?files");
    check("[ -f a ] && c", "[[ -f a ]] [c] ?files");
    check("echo if then", "[echo if then]");
    check("if a; then (b); fi | c", "[a] [b] [c] ?files");
}

#[test]
fn quotes() {
    check("echo 'a; b > c'", "[echo 'a; b > c']");
    check(r#"echo "a; b > c""#, r#"[echo "a; b > c"]"#);
    check(r"echo a\;b", "[echo a\\;b]");
    check(r#"echo "\"; rm x""#, r#"[echo "\"; rm x"]"#);
    check("echo $'a\\'; rm x'", "[echo $'a\\'; rm x']");
    check("echo 'it'\\''s'", "[echo 'it'\\''s']");
    let found = analyse(r#"r""m -r'f' "a b" $'\x61' \c"#);
    assert_eq!(found.commands[0].words, ["rm", "-rf", "a b", "a", "c"]);
    assert_eq!(found.commands[0].unquoted(), "rm -rf a b a c");
    check_opaque("echo 'a");
    check_opaque("echo \"a");
    check_opaque("echo $'a");
    check_opaque("echo a\\");
}

#[test]
fn substitutions_are_commands() {
    check("echo $(a; b)", "[a] [b] [echo $(a; b)] ?files");
    check("echo \"x $(rm f) y\"", "[rm f] [echo \"x $(rm f) y\"] >f");
    check("echo '$(rm f)'", "[echo '$(rm f)']");
    check_opaque("echo \\$(rm f)");
    check("echo `rm f`", "[rm f] [echo `rm f`] >f");
    check(
        "echo `echo \\`rm f\\``",
        "[rm f] [echo `rm f`] [echo `echo \\`rm f\\``] >f",
    );
    check("diff <(a) <(b)", "[a] [b] [diff <(a) <(b)] ?files");
    check("a | tee >(b) f", "[a] [b] [tee >(b) f] >f ?files");
    check("echo ${x:-$(rm f)}", "[rm f] [echo ${x:-$(rm f)}] >f");
    check("echo \"${x:-`rm f`}\"", "[rm f] [echo \"${x:-`rm f`}\"] >f");
    check("echo $((1 + 2))", "[echo $((1 + 2))]");
    check(
        "git commit -m \"$(cat <<'EOF'\nfix: > it\nEOF\n)\"",
        "[cat] [git commit -m \"$(cat <<'EOF'\nfix: > it\nEOF\n)\"]",
    );
    check(
        "echo $(echo $(echo $(rm f)))",
        "[rm f] [echo $(rm f)] [echo $(echo $(rm f))] [echo $(echo $(echo $(rm f)))] >f",
    );
    check_opaque("echo $((x))");
    check_opaque("echo ${x[$(rm f)]}");
    check_opaque("echo ${x@P}");
    check_opaque("echo ${!x}");
    check_opaque("echo ${ rm f; }");
    check_opaque("echo $(a");
    check_opaque("echo `a");
    check_opaque("echo ${a");
    check_opaque("((x))");
}

#[test]
fn redirections() {
    check("a > f", "[a] >f ?files");
    check("a>f", "[a] >f ?files");
    check("> f", ">f");
    check("a >> f", "[a] >f ?files");
    check("a >| f", "[a] >f ?files");
    check("a &> f", "[a] >f ?files");
    check("a &>> f", "[a] >f ?files");
    check("a >& f", "[a] >f ?files");
    check("a 2> f", "[a] >f ?files");
    check("a 2>&1", "[a] ?files");
    check("a 2>&1 >f", "[a] >f ?files");
    check("a >&2 2>&-", "[a] ?files");
    check("a <> f", "[a] >f <f ?files");
    check("a < f", "[a] <f ?files");
    check("a <<< \"$x\"", "[a] ?files");
    check("a > /dev/null 2>/dev/stderr", "[a] ?files");
    check("> f a b", "[a b] >f ?files");
    check("a > 'b c'", "[a] >b c ?files");
    check("a2>f", "[a2] >f ?files");
    check("a \\2>f", "[a \\2] >f ?files");
    check("a > $x", "[a] >?:… ?files");
    check("a > $(b)", "[b] [a] >?:… ?files");
    check("a > *.md", "[a] >*:*.md ?files");
    check("a > {b,c}.md", "[a] >b.md >c.md ?files");
    check("a > ~/f", "[a] >~/f ?files");
    check("a > '~/f'", "[a] >~/f ?files");
    check("a > src\\main.rs", "[a] >srcmain.rs ?files");
    check("a < $x", "[a] <?:… ?files");
    check_opaque("a >");
    check_opaque("a > ; b");
    check_opaque("a >! f");
    check_opaque("a {fd}> f");
}

#[test]
fn here_documents() {
    check("cat <<EOF\nrm x > y\nEOF", "[cat]");
    check("cat <<EOF > f\ntext\nEOF\nls", "[cat] [ls] >f");
    check("cat <<EOF\n$(rm x)\nEOF", "[cat] [rm x] >x");
    check("cat <<'EOF'\n$(rm x)\nEOF", "[cat]");
    check("cat <<-EOF\n\ttext\n\tEOF\nls", "[cat] [ls]");
    check("cat <<A <<B\n1\nA\n2\nB\nls", "[cat] [ls]");
    check("cat <<EOF | rm x\ntext\nEOF", "[cat] [rm x] >x");
    check_opaque("cat <<EOF\ntext");
    check_opaque("cat <<EOF");
    check_opaque("cat <<EOF\ntext\\\nEOF\nrm x\nEOF");
    check_opaque("bash <<EOF\nrm x\nEOF");
}

#[test]
fn writers() {
    check("a | tee -a f g", "[a] [tee -a f g] >f >g ?files");
    check("dd if=a of=b bs=1", "[dd if=a of=b bs=1] >b <a");
    check("cp a b", "[cp a b] >b <a");
    check("cp -r a b c/", "[cp -r a b c/] >c/a >c/b <a <b");
    check("cp -t d a", "[cp -t d a] >d/a <a");
    check("cp --target-d d a", "[cp --target-d d a] >d/a <a");
    check("gzip -k a.md", "[gzip -k a.md] >a.md >a.md.gz");
    check("gzip -d a.gz", "[gzip -d a.gz] >a.gz");
    check("cp x/a.rs .", "[cp x/a.rs .] >./a.rs <x/a.rs");
    check("mv a b", "[mv a b] >a >b");
    check("ln -s a b", "[ln -s a b] >b ?files");
    check("ln -s x/y", "[ln -s x/y] >./y ?files");
    check("install -m 755 a b", "[install -m 755 a b] >b <a");
    check("rm -rf a b", "[rm -rf a b] >a >b");
    check("rm -- -f", "[rm -- -f] >-f");
    check("/bin/rm a", "[/bin/rm a] >a");
    check("\\rm a", "[\\rm a] >a");
    check(
        "rmdir a; touch -d now b; mkdir -p c",
        "[rmdir a] [touch -d now b] [mkdir -p c] >a >b >c",
    );
    check("truncate -s 0 f", "[truncate -s 0 f] >f");
    check("chmod +x f", "[chmod +x f] >f");
    check("chmod -x f", "[chmod -x f] >f");
    check("chmod -R 755 f", "[chmod -R 755 f] >f");
    check("chown me:us f g", "[chown me:us f g] >f >g");
    check("sed -i 's/a/b/' f g", "[sed -i 's/a/b/' f g] >f >g <f <g");
    check("sed -i '' 's/a/b/' f", "[sed -i '' 's/a/b/' f] >f <f");
    check(
        "sed -i.bak -e 's/a/b/' f",
        "[sed -i.bak -e 's/a/b/' f] >f >f.bak <f",
    );
    check("sed -ni '1,3p' f", "[sed -ni '1,3p' f] >f <f");
    check("curl -sSLo f https://x/y", "[curl -sSLo f https://x/y] >f");
    check(
        "curl -O https://x/y.tgz?z",
        "[curl -O https://x/y.tgz?z] >y.tgz",
    );
    check(
        "curl -O 'https://x/y.tgz?z'",
        "[curl -O 'https://x/y.tgz?z'] >y.tgz",
    );
    check("curl --output=f x", "[curl --output=f x] >f");
    check("curl -o /dev/null x", "[curl -o /dev/null x]");
    check("curl https://x", "[curl https://x]");
    check("wget -O f https://x/y", "[wget -O f https://x/y] >f");
    check("wget -qO- https://x/y", "[wget -qO- https://x/y]");
    check("wget https://x/y", "[wget https://x/y] >y");
    check("sort -o f g", "[sort -o f g] >f <g");
    check("rm $x", "[rm $x] >?:…");
    check("rm *.log", "[rm *.log] >*:*.log");
}

#[test]
fn readers() {
    check("cat a b", "[cat a b] <a <b");
    check("cat -n -- -a -", "[cat -n -- -a -] <-a");
    check("head -n 5 a", "[head -n 5 a] <a");
    check("tail -5 a", "[tail -5 a] <a");
    check("grep -rn x src", "[grep -rn x src] <src");
    check("grep -e x -A 3 f", "[grep -e x -A 3 f] <f");
    check("grep -f p f", "[grep -f p f] <p <f");
    check("grep \"$x\" f", "[grep \"$x\" f] <f");
    check("grep $x f", "[grep $x f] <?:… <f");
    check("rg -t rust x src", "[rg -t rust x src] <src");
    check("sed -n '1,5p' f", "[sed -n '1,5p' f] <f");
    check(
        "sed -e 's/a/b/g;s|c|d|' f",
        "[sed -e 's/a/b/g;s|c|d|' f] <f",
    );
    check("awk -F: '{print $1}' f", "[awk -F: '{print $1}' f] <f");
    check(
        "awk '$3 > 10 || $2 {print $1}' f x=1",
        "[awk '$3 > 10 || $2 {print $1}' f x=1] <f",
    );
    check("wc -l < f", "[wc -l] <f");
    check("diff a b", "[diff a b] <a <b");
    check("base64 -w 0 a", "[base64 -w 0 a] <a");
    check("cat *.md", "[cat *.md] <*:*.md");
    check("ls *.md", "[ls *.md]");
    check("xxd -r a b", "[xxd -r a b] >b <a ?files");
    check_opaque("sed 's/a/b/w f' g");
    check_opaque("sed '1e rm x' g");
    check_opaque("sed 's/a/rm x/e' g");
    check_opaque("sed 's/[/]/w f/' g");
    check_opaque("sed -f s g");
    check_opaque("awk '{print > \"f\"}' g");
    check_opaque("awk 'BEGIN{system(\"rm x\")}'");
    check_opaque("awk '{print | \"sh\"}' g");
    check_opaque("rg --pre cat x");
}

#[test]
fn wrappers_are_looked_through() {
    check("sudo rm f", "[sudo rm f] [rm f] >f");
    check("sudo -u me A=1 rm f", "[sudo -u me A=1 rm f] [rm f] >f");
    check("env A=1 -- rm f", "[env A=1 -- rm f] [-- rm f] ?files");
    check("env -u A B=1 rm f", "[env -u A B=1 rm f] [rm f] >f");
    check("env", "[env]");
    check("nohup rm f &", "[nohup rm f] [rm f] >f");
    check("time -p rm f", "[time -p rm f] [rm f] >f");
    check("nice -n 5 rm f", "[nice -n 5 rm f] [rm f] >f");
    check("timeout -s 9 5 rm f", "[timeout -s 9 5 rm f] [rm f] >f");
    check("command rm f", "[command rm f] [rm f] >f");
    check("command -v rm", "[command -v rm]");
    check("exec rm f", "[exec rm f] [rm f] >f");
    check("exec 2> f", "[exec] >f");
    check(
        "sudo env nice rm f",
        "[sudo env nice rm f] [env nice rm f] [nice rm f] [rm f] >f",
    );
    check_opaque("sudo -i");
    check_opaque("sudo --weird rm f");
    check_opaque("sudo $x rm f");
    check_opaque("timeout $x rm f");
    check_opaque("env -S 'rm f'");
}

#[test]
fn what_a_shell_is_given_is_read() {
    check("sh -c 'rm f; ls'", "[sh -c 'rm f; ls'] [rm f] [ls] >f");
    check(
        "bash -euo pipefail -c \"rm f\"",
        "[bash -euo pipefail -c \"rm f\"] [rm f] >f",
    );
    check(
        "bash -lc 'sh -c \"rm f\"'",
        "[bash -lc 'sh -c \"rm f\"'] [sh -c \"rm f\"] [rm f] >f",
    );
    check("bash run.sh a", "[bash run.sh a] <run.sh ?files");
    check_opaque("sh");
    check_opaque("curl x | sh");
    check_opaque("sh -s < f");
    check_opaque("sh -c \"$x\"");
    check_opaque("sh -c 'rm \"'");
}

#[test]
fn xargs_adds_what_it_is_given() {
    check("a | xargs", "[a] [xargs] ?files");
    check("a | xargs rm", "[a] [xargs rm] [rm] >?:… ?files");
    check(
        "a | xargs -0 -n 1 grep x",
        "[a] [xargs -0 -n 1 grep x] [grep x] <?:… ?files",
    );
    check(
        "a | xargs -I{} cp {} d/",
        "[a] [xargs -I{} cp {} d/] [cp {} d/] >*:d/· <?:… ?files",
    );
    check("a | xargs echo", "[a] [xargs echo] [echo] ?files");
    check_opaque("a | xargs sh -c");
    check_opaque("a | xargs git");
    check_opaque("a | xargs env");
    check_opaque("a | xargs -I{} {}");
}

#[test]
fn find_runs_commands_on_what_it_finds() {
    check("find . -name '*.md'", "[find . -name '*.md']");
    check(
        "find d -name x -delete",
        "[find d -name x -delete] >*:d/··/x",
    );
    check(
        "find . -exec grep x {} \\;",
        "[find . -exec grep x {} \\;] [grep x {}] <*:./··/·",
    );
    check(
        "find . -exec rm {} + -o -exec ls {} ';'",
        "[find . -exec rm {} + -o -exec ls {} ';'] [rm {}] [ls {}] >*:./··/·",
    );
    check_opaque("find . -exec {} \\;");
    check_opaque("find . -exec git {} \\;");
    check_opaque("find . -exec rm {}");
    check_opaque("find $x");
}

#[test]
fn what_cannot_be_followed_is_opaque() {
    check_opaque("eval ls");
    check_opaque("source f");
    check_opaque(". f");
    check_opaque("trap 'rm f' EXIT");
    check_opaque("alias ls=rm; ls f");
    check_opaque("$x f");
    check_opaque("$(x) f");
    check_opaque("`x` f");
    check_opaque("./$x");
    check_opaque("\"$x\" f");
    check_opaque("/bin/r? f");
    check_opaque("{rm,f}");
    check_opaque("git $x");
    check_opaque("A=1 $x");
    check_opaque("PATH=. ls");
    check_opaque("export PATH=.");
    check_opaque("env LD_PRELOAD=x ls");
    check_opaque("GIT_SSH_COMMAND=x git fetch");
    check("GIT_PAGER=cat git log", "[git log]");
    check(
        "while IFS= read -r x; do echo $x; done",
        "[read -r x] [echo $x]",
    );
    check_opaque("f() { rm x; }; f");
    check_opaque("function f { rm x; }");
    check_opaque("a=(1 2)");
    check_opaque("a[0]=1");
    check_opaque("(a");
    check_opaque("a)");
    check_opaque("{ a");
    check_opaque("a; }");
    check_opaque("if a; then b");
    check_opaque("fi");
    check_opaque("a &&");
    check_opaque("&& a");
    check_opaque("a ;; b");
    check_opaque("(a) b");
    check_opaque("a \0 b");
    check_opaque("a \r\n b");
    check_opaque("a \u{1b}[2K b");
    check_opaque(&"(".repeat(40));
    check_opaque(&format!("{}a{}", "(".repeat(40), ")".repeat(40)));
    check_opaque(&"sudo ".repeat(1000));
    check_opaque(&"a ".repeat(40_000));
    check_opaque("[[ $x -eq 1 ]]");
    check_opaque("time { rm x; }");
}

/// Found by running generated lines in bash 5.
#[test]
fn bash_reads_these_in_its_own_way() {
    check("a\\\n b", "[a\\\n b] ?files");
    check_opaque("$\\\nx f");
    check_opaque("echo $(\\\n(x))");
    check_opaque("i\\\nf a; then b; fi");
    check_opaque("1\\\n>& f a");
    check_opaque(">&-a");
    check_opaque("a >&'f'");
    check_opaque("a >&\\$x");
    check_opaque("a[ b\n; c ]");
    check_opaque("a['x'] b");
}

#[test]
fn a_change_of_directory_moves_names() {
    check("cd d && rm f", "[cd d] [rm f] >d/f");
    check("cd d && rm /f", "[cd d] [rm /f] >/f");
    check(
        "cd d && cd e && cat f > g",
        "[cd d] [cd e] [cat f] >d/e/g <d/e/f",
    );
    check("(cd d && rm f) && rm g", "[cd d] [rm f] [rm g] >d/f >g");
    check("cd d", "[cd d]");
    check("cd d && make", "[cd d] [make]");
    check("cd d; make", "[cd d] [make]");
    check("cd d; rm f", "[cd d] [rm f] >f >d/f");
    check("cd d || rm f", "[cd d] [rm f] >f >d/f");
    check("cd d && a; rm f", "[cd d] [a] [rm f] >d/f >f ?files");
    check("a || cd d && rm f", "[a] [cd d] [rm f] >f >d/f ?files");
    check("! cd d && rm f", "[cd d] [rm f] >f >d/f");
    check("cd d | a && rm f", "[cd d] [a] [rm f] >f >d/f ?files");
    check("env cd d && rm f", "[env cd d] [cd d] [rm f] >f");
    check("cd $x && rm f", "[cd $x] [rm f] >?:…/f");
    check("cd && rm f", "[cd] [rm f] >~/f");
    check("cd d && rm 'C:\\f'", "[cd d] [rm 'C:\\f'] >d/C:\\f ?files");
    check(
        "while a; do rm f; cd d; done",
        "[a] [rm f] [cd d] >f ?files",
    );
    check("pushd d && rm f", "[pushd d] [rm f] >d/f");
    check("pushd +1 && rm f", "[pushd +1] [rm f] >?:…/f");
}

#[test]
fn the_cost_is_linear() {
    let worst = [
        "=".repeat(60_000),
        "a=".repeat(30_000),
        "\"$(".repeat(20_000),
        "`".repeat(60_001),
        "\\`".repeat(30_000),
        "a;".repeat(30_000),
        "a|".repeat(30_000),
        format!("cd {} && cat {}", "d".repeat(30_000), "f ".repeat(15_000)),
        format!("cd {} && cat {}", "d".repeat(500), "f ".repeat(30_000)),
        format!("cp {} {}", "f ".repeat(15_000), "d".repeat(30_000)),
        format!("find {} {}", "f ".repeat(15_000), "-delete ".repeat(4_000)),
        format!("{}ls", "sudo ".repeat(31)) + &" x".repeat(30_000),
        "<<a ".repeat(15_000),
        format!(
            "sed -i.{} 's/a/b/' {}",
            "x".repeat(30_000),
            "f ".repeat(15_000)
        ),
        "{a,".repeat(20_000),
        "${".repeat(30_000),
        "$((".repeat(20_000),
    ];
    for line in &worst {
        let found = analyse(line);
        let total: usize = found.files.iter().map(|file| file.path.len()).sum();
        assert!(total < 32 << 20, "{total} bytes of names");
    }
}

/// A simple command without surprises.
fn plain_command() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,4}( [a-z0-9./-]{1,6}){0,3}",
        Just("cat 'a b' \"c\"".to_owned()),
        Just("A=1 make -j4".to_owned()),
        Just("(echo x)".to_owned()),
        Just("echo $(git status)".to_owned()),
        Just("if true; then echo a; fi".to_owned()),
        Just("sudo -n ls".to_owned()),
        Just("cat < in 2>&1".to_owned()),
    ]
}

fn plain_line() -> impl Strategy<Value = String> {
    let operator = prop_oneof![
        Just("; "),
        Just(" && "),
        Just(" | "),
        Just(" || "),
        Just("\n")
    ];
    (
        plain_command(),
        prop::collection::vec((operator, plain_command()), 0..4),
    )
        .prop_map(|(first, rest)| {
            rest.into_iter().fold(first, |line, (operator, command)| {
                line + operator + &command
            })
        })
}

/// Text full of what matters to a shell.
fn hostile_line() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "a",
        " ",
        ";",
        "&",
        "|",
        "(",
        ")",
        "{",
        "}",
        "<",
        ">",
        "\"",
        "'",
        "`",
        "$",
        "\\",
        "\n",
        "#",
        "if ",
        "then ",
        "fi",
        "do ",
        "done",
        "case ",
        "esac",
        "in ",
        "$(",
        "${",
        "$((",
        "<<E",
        "\nE\n",
        "[[",
        "]]",
        "!",
        "*",
        "~",
        "=",
        "sudo ",
        "sh -c ",
        "xargs ",
        "find . -exec ",
        "cd d",
        "sed -i ",
        "é",
        "1",
        ">&",
        "<(",
        ";;",
        "$'",
        "cp ",
        "--",
        "-",
    ]);
    prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat())
}

fn writes(line: &CommandLine, path: &str) -> bool {
    let mut written = line
        .files
        .iter()
        .filter(|file| file.access == UseOfFile::Write);
    written.any(|file| file.path == path)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_taken(line in any::<String>()) {
        analyse(&line);
    }

    #[test]
    fn any_shell_text_is_taken(line in hostile_line()) {
        analyse(&line);
    }

    #[test]
    fn a_redirection_is_a_write(line in plain_line()) {
        let before = analyse(&line);
        let after = analyse(&format!("{line} > /tmp/target"));
        if before.doubt_about_commands().is_none() {
            prop_assert!(writes(&after, "/tmp/target"), "{:?}", after);
            prop_assert_eq!(after.commands, before.commands);
        }
    }

    #[test]
    fn a_redirection_is_a_write_in_any_shell_text(line in hostile_line()) {
        let before = analyse(&line);
        let after = analyse(&format!("{line}\n> /tmp/target"));
        if before.doubt_about_commands().is_none() {
            prop_assert!(writes(&after, "/tmp/target"), "{:?}", after);
        }
    }

    #[test]
    fn two_lines_run_what_each_runs(first in plain_line(), second in plain_line()) {
        let (one, two) = (analyse(&first), analyse(&second));
        let both = analyse(&format!("{first} ; {second}"));
        if one.doubt_about_commands().is_none() && two.doubt_about_commands().is_none() {
            prop_assert_eq!(both.commands, [one.commands, two.commands].concat());
        }
    }

    #[test]
    fn two_lines_of_any_shell_text_run_what_each_runs(
        first in hostile_line(),
        second in hostile_line(),
    ) {
        let (one, two) = (analyse(&first), analyse(&second));
        let both = analyse(&format!("{first}\n{second}"));
        if one.doubt_about_commands().is_none() && two.doubt_about_commands().is_none() {
            prop_assert_eq!(both.commands, [one.commands, two.commands].concat());
        }
    }
}

#[test]
fn programs_that_write_in_less_usual_ways() {
    check("git shortlog --output=x", "[git shortlog --output=x] >x");
    check(
        "tar -g x -cf /dev/null docs",
        "[tar -g x -cf /dev/null docs] >x <docs",
    );
    check("git rm '.room*'", "[git rm '.room*'] >*:.room· >.room*");
    check(
        "git maintenance register",
        "[git maintenance register] >~/.gitconfig",
    );
    check(
        "pre-commit install",
        "[pre-commit install] >.git/hooks/pre-commit ?files",
    );
    check(
        "npm config set a b",
        "[npm config set a b] >~/.npmrc ?files",
    );
    check(
        "rsync -a docs/fake/ .",
        "[rsync -a docs/fake/ .] >. <docs/fake/",
    );
    check(
        "pytest --cov-report=xml:a.xml",
        "[pytest --cov-report=xml:a.xml] >a.xml",
    );
    check("curl -b a.txt http://x", "[curl -b a.txt http://x] <a.txt");
}

#[test]
fn programs_whose_changes_cannot_be_told_are_doubted() {
    for line in [
        "git reflog expire --all",
        "git fsck --lost-found",
        "npm version major",
        "npm audit fix",
        "npm run lint:fix",
        "make fmt",
        "make deploy-latest",
        "npm run update:laundry",
        "make fix-and-checkin",
        "sbt scalafmtAll",
        "ng generate component a",
        "cargo test -- --logfile a",
        "npm test -- -u",
        "terraform fmt -diff",
        "curl -w '%output{a}b' http://x",
        "yq 'load(\"a\")' b",
        "wait -p 'a[$(b)]'",
        "GCONV_PATH=/tmp/x iconv a",
    ] {
        let found = analyse(line);
        assert!(found.doubt.is_some(), "{line:?}: {}", render(&found));
    }
    for line in [
        "make fmt-check",
        "npm run format:check",
        "sbt scalafmtCheckAll",
        "npm audit",
        "cargo test -- --nocapture",
    ] {
        let found = analyse(line);
        assert_eq!(found.doubt, None, "{line:?}");
    }
}
