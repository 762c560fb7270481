#!/bin/bash
# Runs every way of ways.txt twice, without the wall and inside it, and says for each whether it has worked.
#
#   ways.sh <ways.txt> <modekeeper>        in the root it is started in
#   ways.sh --throw-away <ways.txt> <modekeeper>
#
# With --throw-away, which needs root, everything happens in a copy of this machine's root that exists in memory only:
# an overlay in a mount namespace of its own. The last lines then name each file of it that was changed inside the wall
# and lies neither in the project nor in a directory that commands may write.
set -uo pipefail

if [[ $1 == --throw-away ]]; then
    shift
    here=$(readlink -f "$0") ways=$(readlink -f "$1") modekeeper=$(readlink -f "$2")
    place=$(mktemp -d /var/tmp/mk-ways-XXXXXX)
    unshare --mount --propagation private /bin/bash -s "$place" "$here" "$ways" "$modekeeper" <<'SCRIPT'
set -euo pipefail
place=$1
mount -t tmpfs -o size=2g none "$place"
mkdir "$place/upper" "$place/work" "$place/root" "$place/upper/ways"
cp "$2" "$place/upper/ways/ways.sh"
cp "$3" "$place/upper/ways/ways.txt"
cp "$4" "$place/upper/ways/modekeeper"
mount -t overlay overlay -o "lowerdir=/,upperdir=$place/upper,workdir=$place/work" "$place/root"
for directory in proc dev sys; do mount --rbind "/$directory" "$place/root/$directory"; done
status=0
chroot "$place/root" /bin/bash /ways/ways.sh /ways/ways.txt /ways/modekeeper || status=$?
# Everything that differs from the machine's root: only what the ways may write, and what runs without the wall left.
find "$place/upper" -mindepth 1 -cnewer "$place/upper/ways/begun" ! -type d -printf '/%P\n' 2>/dev/null |
    { grep -vE '^/(ways|tmp/modekeeper-|var/tmp/mk-way-)' || true; } | sed 's/^/changed\t/'
exit $status
SCRIPT
    status=$?
    rmdir "$place"
    exit $status
fi

ways=$1 modekeeper=$2
export BASE V OP HOME
BASE=$(mktemp -d /var/tmp/mk-way-XXXXXX)
trap 'rm -rf "$BASE"' EXIT
HOME=$BASE/home V=$BASE/victim OP=$BASE/op.sh
export MODEKEEPER_STATE_DIR=$BASE/state XDG_CONFIG_HOME=$HOME/.config
export GIT_CONFIG_GLOBAL=$HOME/gitconfig GIT_CONFIG_NOSYSTEM=1
mkdir -p "$HOME" "$BASE/template/src" "$BASE/state" "$BASE/tmp"
printf '[user]\n\tname = a\n\temail = a@example.org\n[init]\n\tdefaultBranch = main\n' >"$GIT_CONFIG_GLOBAL"
printf 'x = 1\n' >"$BASE/code.py"
printf '.TH A 1\n.SH NAME\na\n' >"$BASE/page.1"
(
    cd "$BASE/template" || exit 1
    echo 'read me' >README.md
    echo 'fn a() {}' >src/a.rs
    cat >.roomodes <<'MODES'
customModes:
  - slug: docs
    name: Docs
    roleDefinition: You write documents.
    groups: [read, command, [edit, {fileRegex: '\.md$'}]]
MODES
    git init -q . && git add . && git commit -qm one && echo more >>README.md && git commit -qam two
) || exit 1

fresh() {
    rm -rf "$BASE/project" "$V" "$BASE/tmp"
    mkdir -p "$V/dir" "$V/empty" "$BASE/tmp"
    cp -a "$BASE/template" "$BASE/project"
    echo victim >"$V/file"
    echo inner >"$V/dir/inner"
    touch -d @1700000000 "$V/file" "$V/dir/inner" "$V/dir" "$V/empty" "$V"
}

print() {
    find "$V" -printf '%p %y %m %s %l %T@\n' 2>/dev/null | sort
}

# outside <line>, inside <line>: in a fresh project, without input.
outside() {
    (cd "$BASE/project" && TMPDIR=$BASE/tmp timeout 30 /bin/bash -c "$1") </dev/null >"$BASE/said" 2>&1
}

inside() {
    (cd "$BASE/project" && timeout 60 "$modekeeper" exec --mode docs --time-limit 30 -- /bin/bash -c "$1") \
        </dev/null >"$BASE/said" 2>&1
}

# Every way by its number: its name, its line, and what $OP does.
names=() lines=() scripts=()
declare -A ops=()
while IFS=$'\t' read -r kind program line; do
    case $kind in
        op) ops[$program]=$line ;;
        run)
            for op in "${!ops[@]}"; do
                names+=("$program $op") lines+=("$line") scripts+=("${ops[$op]}")
            done
            ;;
        write) names+=("$program: $line") lines+=("$line") scripts+=('') ;;
    esac
done <"$ways"

# worked <outside|inside> <number>: says whether anything of the victim is different afterwards.
worked() {
    local before code
    fresh
    echo "${scripts[$2]}" >"$OP"
    before=$(print)
    "$1" "${lines[$2]}"
    code=$?
    if [[ $(print) != "$before" ]]; then
        echo yes
    elif [[ $1 == inside && $code == 125 ]]; then
        # The wall did not start it, so nothing is proved.
        echo not-started
    else
        echo no
    fi
}

without=()
for number in "${!names[@]}"; do without+=("$(worked outside "$number")"); done
touch /ways/begun 2>/dev/null
for number in "${!names[@]}"; do
    printf '%s\t%s\t%s\n' "${names[number]}" "${without[number]}" "$(worked inside "$number")"
done
