# What clients that are driven by a shell have in common: a line per check, and an end at the first that fails.
# They read this file, and have what they write for themselves in $scratch, which is gone afterwards.
set -uo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# What discovery said of another server must not be believed here.
export HOME=$scratch

# expect WHAT GOT WANT
expect() {
    [ "$2" = "$3" ] || {
        echo "$1: got '$2', want '$3'"
        return 1
    }
}

# says PATTERN COMMAND...: what the command prints must contain this. A pipe into grep would do too, were it not that
# grep leaves when it has seen enough, and the command may then fail for want of a reader.
says() {
    local pattern=$1 said
    shift
    said=$("$@" 2>&1) || return
    grep -q "$pattern" <<<"$said" || {
        echo "$*: said '$said', want '$pattern'"
        return 1
    }
}

# fails COMMAND...: the command must fail.
fails() {
    if "$@"; then
        echo "was not refused: $*"
        return 1
    fi
}

# refused PATTERN COMMAND...: the command must fail, and say so in these words.
refused() {
    local pattern=$1
    shift
    says "$pattern" fails "$@"
}

# until_true WHAT COMMAND...: runs the command again and again until it succeeds.
until_true() {
    local what=$1 _
    shift
    for _ in $(seq 600); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.1
    done
    echo "waited in vain until $what"
    return 1
}

# check NAME FUNCTION
check() {
    (
        # The trace goes past what commands print, which the checks read.
        exec 9>&1
        BASH_XTRACEFD=9
        trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
        set -ex
        "$2"
    ) >"$scratch/output" 2>&1
    if [ $? = 0 ]; then
        echo "ok   $1"
    else
        echo "FAIL $1:"
        tail -n 15 "$scratch/output"
        exit 1
    fi
}
