#!/usr/bin/env bash
# Runs the binaries that `cargo xtask gpu-bundle` put beside this script, on a machine with an NVIDIA driver and NVRTC. It
# needs no Rust, but tar and xz.
#
#     bash run.sh [all | devices | tests | shows | examples | bench | performance | sanitize | soak | several | cpu | paths]...
#
# The output goes to $OUT (default: out/ beside this script). From it, `cargo xtask gpu-record` writes
# docs/gpu-verification.md, and `cargo xtask performance` writes docs/performance.md. `performance` is `bench` plus runs with
# every schedule and without each optimization, so `all` leaves out `bench`. It also leaves out `several`, which needs a
# machine with several devices, `cpu`, which compares the CPU engine with the programs of the GAP Benchmark Suite in $GAP, and
# `paths`, which compares the order of paths with other schedules. If a section fails, the others still run, and the script exits with 1.
#
#   WOLFPATH_NVRTC   NVRTC library to use, instead of searching for one
#   SCRATCH          folder that keeps compiled programs and the R-MAT graph between calls
#   TEST_FILTER      filter of the tests (default: cuda::)   TEST_THREADS     parallel tests (default: 4)
#   TEST_SUITES      which tests (default: plain rows streamed corpus)   TEST_LIMIT   seconds of each (default: 420)
#   TEST_PART        K/N runs the Kth of N parts of the conformance suites, for machines that are at hand for a short time
#   STREAM_THREADS   parallel tests with streamed rows (default: 6)   STREAM_CASES   random cases of each (default: 4)
#   BENCH_ARGS       more options of bin/bench-gpu           SANITIZE_TESTS   tests under compute-sanitizer
#   BENCH_LIMIT      seconds of bench or performance, including graphs and expected answers (default: 300)
#   SOAK_RUNS        random runs with delays (default: 10000)   SOAK_THREADS     threads of soak (default: 8)
#   SOAK_LIMIT       seconds of soak (default: 300)
#   SEVERAL_SCALE    scale of the R-MAT graph of several (default: 26); that of many runs is smaller by 2
#   SEVERAL_PARTS    tests, times, or both (default), so that each can run by itself   SEVERAL_THREADS   parallel tests
#   PATHS_ENGINES    engines of paths (default: cuda cpu), for example cuda:0,1
#   PATHS_GRAPHS     names of the graphs of paths (default: all)   PATHS_PROGRAMS  names of the programs of paths (default: all)
#   PATHS_DATA       folder of the graphs that are not generated
#   PATHS_SCALE      scale of the R-MAT graph of paths (default: 24)
#   SEVERAL_MEMORY   bytes of each device for the run of several that fits on all of them together (default: 6G)
#   GAP              folder with GAP's bfs, sssp, pr_spmv and cc; without it, `cpu` times only wolfpath
#   CPU_ARGS         more options of bin/bench-cpu           CPU_LIMIT        seconds of cpu (default: 540)
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${OUT:-$here/out}
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
[ -z "${GAP:-}" ] || GAP=$(cd "$GAP" && pwd) || exit 1
cd "$here" || exit 1
[ ! -f bin.tar.xz ] || tar -xJf bin.tar.xz || exit 1

scratch=${SCRATCH:-}
if [ -z "$scratch" ]; then
    scratch=$(mktemp -d) || exit 1
    trap 'rm -rf "$scratch"' EXIT
fi
mkdir -p "$scratch/cache" && chmod go-w "$scratch/cache"
export WOLFPATH_CACHE_DIR=$scratch/cache
export WOLFPATH_DATA=$here/data
# With CI set, missing graphs are errors.
export CI=true

# Prints the newest libnvrtc among the usual folders, those of the loader, and Python's wheels.
find_nvrtc() {
    local found
    found=$(usual_nvrtc)
    [ -n "$found" ] || found=$(timeout 30 find / -xdev -name 'libnvrtc.so.1[2-9]' 2>/dev/null | head -n 1)
    echo "$found"
}

usual_nvrtc() {
    local python_folder
    python_folder=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' 2>/dev/null || true)
    {
        ls -d /usr/local/cuda*/lib64/libnvrtc.so.1[2-9] \
            /usr/local/cuda*/targets/*-linux/lib/libnvrtc.so.1[2-9] \
            /usr/lib/*-linux-gnu/libnvrtc.so.1[2-9] /usr/lib64/libnvrtc.so.1[2-9] \
            /opt/cuda/lib64/libnvrtc.so.1[2-9] 2>/dev/null
        ldconfig -p 2>/dev/null | sed -n 's/.*=> \(.*libnvrtc\.so\.1[2-9]\)$/\1/p'
        for folder in "$python_folder" /usr/lib/python3/dist-packages /usr/local/lib/python3*/*-packages \
            /opt/*/lib/python3*/site-packages; do
            ls -d "$folder"/nvidia/*/lib/libnvrtc.so.1[2-9] 2>/dev/null
        done
    } | awk -F. '{ print $NF "\t" $0 }' | sort -s -k1,1nr | cut -f2- | head -n 1
}

if [ -z "${WOLFPATH_NVRTC:-}" ]; then
    WOLFPATH_NVRTC=$(find_nvrtc)
    [ -n "$WOLFPATH_NVRTC" ] || echo "run.sh: libnvrtc was not found; install CUDA, or nvidia-cuda-nvrtc with pip" >&2
    export WOLFPATH_NVRTC
fi

# The costs of the devices are measured once and kept. Nothing else may run meanwhile.
timeout --kill-after=10 100 bin/wolfpath devices >/dev/null 2>&1 || true

# Writes the provenance: the bundle's commit and hash, then the machine.
provenance() {
    cat provenance.txt
    echo "date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    echo "device: $(smi name)"
    echo "driver: $(smi driver_version)"
    echo "cuda: $(nvidia-smi 2>/dev/null | sed -n 's/.*CUDA Version: *\([0-9.]*\).*/\1/p' | head -n 1)"
    echo "nvrtc: $(basename "$(readlink -f "${WOLFPATH_NVRTC:-none}" 2>/dev/null || echo none)")"
    echo "cores: $(nproc)"
}

smi() {
    nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1
}

# limited SECONDS FILE COMMAND...: writes both streams to a file, and prints its end.
limited() {
    local seconds=$1 file=$2 code
    shift 2
    timeout --kill-after=10 "$seconds" "$@" >"$file" 2>&1
    code=$?
    [ "$code" -ne 124 ] || echo "stopped after $seconds seconds" >>"$file"
    tail -n 25 "$file"
    return "$code"
}

devices() {
    nvidia-smi --query-gpu=index,name,driver_version,memory.total,compute_cap --format=csv
    limited 60 "$out/devices.txt" bin/wolfpath devices
}

tests() {
    local code=0
    for suite in ${TEST_SUITES:-plain rows streamed corpus}; do
        "suite_$suite" || code=1
    done
    return "$code"
}

# conformance NAME THREADS ROWS [VARIABLE]: runs the conformance suite, or the part TEST_PART of it, into NAME.txt or
# NAME-KofN.txt. ROWS says where the rows of all graphs are.
conformance() {
    local file=$1.txt tests=("${TEST_FILTER:-cuda::}") part
    if [ -n "${TEST_PART:-}" ]; then
        part=${TEST_PART%/*} file=$1-${TEST_PART/\//of}.txt
        # Slow tests have similar names, so a part is every Nth test.
        mapfile -t tests < <(bin/conformance --list --include-ignored "${tests[@]}" | sed -n 's/: test$//p' |
            awk -v part="$part" -v parts="${TEST_PART#*/}" 'NR % parts == part % parts')
        [ ${#tests[@]} -gt 0 ] || { echo "run.sh: no test is in part $TEST_PART" >&2 && return 1; }
        tests+=(--exact)
    fi
    limited "${TEST_LIMIT:-420}" "$out/$file" env WOLFPATH_TEST_ROWS="$3" "${@:4}" \
        bin/conformance --include-ignored "${tests[@]}" --test-threads="$2"
}

suite_plain() { conformance tests "${TEST_THREADS:-4}" ""; }

# Rows are packed, and in host memory, and queues overflow.
suite_rows() { conformance rows "${TEST_THREADS:-4}" packed,host,short; }

# Rows are streamed. Each kernel waits for threads of the host, which must not wait for cores. A step over a small graph
# takes many rounds, so there are fewer random cases: with all of them, two fifths of the tests take six minutes.
suite_streamed() {
    conformance streamed "${STREAM_THREADS:-6}" file,short PROPTEST_CASES="${STREAM_CASES:-4}"
}

# Two hundred random programs, each compared with its checked copy.
suite_corpus() {
    limited "${TEST_LIMIT:-420}" "$out/corpus.txt" bin/corpus --include-ignored cuda:: --test-threads="${TEST_THREADS:-4}"
}

# show NAME ARGUMENTS...: calls the command once, and keeps its JSON under the name.
show() {
    local name=$1 code began
    shift
    began=$(date +%s%N)
    timeout --kill-after=10 100 bin/wolfpath "$@" >"$out/shows/$name.json" 2>"$out/shows/$name.err"
    code=$?
    printf '%s\t%s\t%s\t%s\n' "$name" "$code" "$((($(date +%s%N) - began) / 1000000))" "wolfpath $*" |
        tee -a "$out/shows.tsv"
    [ "$code" -eq 0 ] || { cat "$out/shows/$name.err" && return 1; }
}

shows() {
    local bad=0
    rm -rf "$out/shows" "$out/shows.tsv" && mkdir -p "$out/shows"
    local cuda=(--engine cuda --json)
    show sssp-moscow run sssp data/osm-moscow.wel.zst --undirected --source 1000 --verify "${cuda[@]}" || bad=1
    show bfs-road-ne run bfs data/USA-road-NE.tw.gr.xz --undirected --source 1000 --verify "${cuda[@]}" || bad=1
    show components-cnr run components data/cnr-2000.el.zst --verify "${cuda[@]}" || bad=1
    show pagerank-cnr run pagerank data/cnr-2000.el.zst --verify "${cuda[@]}" || bad=1
    show explain-cnr explain sssp data/cnr-2000.el.zst --source 0 "${cuda[@]}" || bad=1
    show sssp-seen run sssp data/USA-road-NE.tw.gr.xz --undirected --weights random:1:100 --source 1000 "${cuda[@]}" \
        --trace "$out/shows/trace.json" --plot "$out/shows/steps.svg" || bad=1
    return "$bad"
}

examples() {
    local bad=0 code name engine
    rm -rf "$out/examples" "$out/examples.tsv" && mkdir -p "$out/examples"
    for example in bin/example-*; do
        name=${example#bin/example-}
        limited 120 "$out/examples/$name.txt" "$example"
        code=$?
        # An example uses the best available engine. The record names it.
        grep -q 'cuda:[0-9]' "$out/examples/$name.txt" && engine=cuda || engine=cpu
        printf '%s\t%s\t%s\n' "$name" "$code" "$engine" >>"$out/examples.tsv"
        [ "$code" -eq 0 ] || bad=1
    done
    return "$bad"
}

# timed NAME OPTIONS...: runs bin/bench-gpu, and keeps its objects as NAME.jsonl. Shortly before the time limit, it starts
# nothing new, so that it ends by itself.
timed() {
    local name=$1 limit=${BENCH_LIMIT:-300} code
    shift
    # The options must be split into words.
    # shellcheck disable=SC2086
    timeout --kill-after=10 "$limit" bin/bench-gpu --json --scratch "$scratch/bench" --limit $((limit * 9 / 10)) \
        "$@" ${BENCH_ARGS:-} 2>"$out/$name.err" | tee "$out/$name.jsonl"
    code=${PIPESTATUS[0]}
    cat "$out/$name.err"
    return "$code"
}

bench() {
    timed bench --rows
}

performance() {
    local code
    timed performance --schedules --ablations --rows
    code=$?
    timed end-to-end --end-to-end || code=1
    cat "$out/end-to-end.jsonl" >>"$out/performance.jsonl"
    # Generating this graph takes most of the time, and up to 80 GB of memory.
    timed large --end-to-end --rmat-scale 26 --only R-MAT || code=1
    cat "$out/large.jsonl" >>"$out/performance.jsonl"
    return "$code"
}

# Keeps the objects of bin/bench-cpu as cpu.json, or cpu16.json on a machine with sixteen cores or more.
cpu() {
    local limit=${CPU_LIMIT:-540} name=cpu gap=() code
    [ "$(nproc)" -lt 16 ] || name=cpu16
    [ -z "${GAP:-}" ] || gap=(--gap "$GAP")
    # The options must be split into words.
    # shellcheck disable=SC2086
    timeout --kill-after=10 "$limit" bin/bench-cpu --json --scratch "$scratch/bench" --limit $((limit * 9 / 10)) \
        "${gap[@]}" --rmat-scale 22 --scaling ${CPU_ARGS:-} 2>"$out/$name.err" | tee "$out/$name.json"
    code=${PIPESTATUS[0]}
    cat "$out/$name.err"
    return "$code"
}

# Small tests of every schedule (in place, step by step, gathering, in turns, with faults and with aggregates) and of both
# batches.
small_tests="cuda::ties_make_no_cycles cuda::optional_messages cuda::wrapping_sums
    cuda::senders_all_without_identity cuda::messages_made_once cuda::division_by_zero cuda::fault_at_a_vertex
    cuda::fields_are_accumulated cuda::many_runs_that_fail"

find_sanitizer() {
    command -v compute-sanitizer ||
        ls /usr/local/cuda*/bin/compute-sanitizer /opt/cuda/bin/compute-sanitizer 2>/dev/null | head -n 1
}

sanitize() {
    local sanitizer bad=0 code
    sanitizer=$(find_sanitizer)
    rm -f "$out/sanitize.tsv"
    if [ -z "$sanitizer" ]; then
        echo "compute-sanitizer is not on this machine" | tee "$out/sanitize-absent.txt"
        printf 'compute-sanitizer\tabsent\tnot on this machine\n' >"$out/sanitize.tsv"
        return 0
    fi
    for tool in memcheck racecheck; do
        # The names must be split into words.
        # shellcheck disable=SC2086
        limited "${SANITIZE_LIMIT:-120}" "$out/sanitize-$tool.txt" \
            env PROPTEST_CASES=2 "$sanitizer" --tool "$tool" --error-exitcode 9 \
            bin/conformance --include-ignored --exact ${SANITIZE_TESTS:-$small_tests} --test-threads=1
        code=$?
        printf '%s\t%s\t%s\n' "$tool" "$code" \
            "$(sed -n 's/^=* *\(.*SUMMARY: .*\)/\1/p' "$out/sanitize-$tool.txt" | tail -n 1)" >>"$out/sanitize.tsv"
        [ "$code" -eq 0 ] || bad=1
    done
    return "$bad"
}

# Random runs whose threads wait for random times at barriers and atomics.
soak() {
    limited "${SOAK_LIMIT:-300}" "$out/soak.txt" env WOLFPATH_SOAK_RUNS="${SOAK_RUNS:-10000}" \
        WOLFPATH_SOAK_THREADS="${SOAK_THREADS:-8}" \
        bin/conformance --include-ignored --exact cuda::random_runs_with_delays --nocapture
}

several_tests="cuda::devices_agree_bit_for_bit cuda::devices_share_derived_rows cuda::devices_count_common_neighbours
    cuda::devices_take_turns cuda::devices_take_work_from_each_other cuda::threads_lose_nothing
    cuda::ranks_are_within_the_tolerance cuda::fields_are_accumulated
    cuda::accumulating_runs_behave cuda::more_devices_than_vertices
    cuda::many_runs_on_all_devices cuda::rows_that_fit_all_devices_together cuda::auto_opens_devices_if_needed
    cuda::rows_live_anywhere cuda::rows_come_from_the_file cuda::neighbours_pushed_and_gathered cuda::places_agree
    cuda::most_frequent_messages"

# together NAME ARGUMENTS...: calls the command on several devices, and keeps its JSON under the name.
together() {
    local name=$1 code
    shift
    timeout --kill-after=10 100 bin/wolfpath "$@" --json >"$out/several/$name.json" 2>"$out/several/$name.err"
    code=$?
    printf '%s\t%s\t\t%s\n' "$name" "$code" "wolfpath $*" | tee -a "$out/several.tsv"
    [ "$code" -eq 0 ] || { cat "$out/several/$name.err" && return 1; }
}

# on_each NAME ARGUMENTS...: calls the command with one device, two, and all.
on_each() {
    local name=$1 engine bad=0
    shift
    for engine in cuda:0 cuda:0,1 "cuda:$all"; do
        [ "$engine" != "cuda:$all" ] || [ "$count" -gt 2 ] || continue
        together "$name-${engine//[:,]/-}" "$@" --repeat 7 --engine "$engine" || bad=1
    done
    return "$bad"
}

# Devices that share runs: tests on all of them, and programs over graphs on one device, two, and all. One run fits on all
# devices together, but not on one.
several() {
    local bad=0 count all graph=$scratch/several.wolf smaller=$scratch/smaller.wolf parts
    parts=" ${SEVERAL_PARTS:-tests times} "
    count=$(nvidia-smi -L | wc -l)
    [ "$count" -gt 1 ] || { echo "run.sh: several needs more than one device" >&2 && return 1; }
    # An engine takes at most eight.
    [ "$count" -le 8 ] || count=8
    all=$(seq -s, 0 $((count - 1)))
    if [[ $parts == *" tests "* ]]; then
        # The names must be split into words.
        # shellcheck disable=SC2086
        limited "${TEST_LIMIT:-420}" "$out/several.txt" env PROPTEST_CASES=2 WOLFPATH_CUDA_DEVICE="$all" \
            WOLFPATH_TEST_ROWS=units bin/conformance --include-ignored --exact $several_tests \
            --test-threads="${SEVERAL_THREADS:-6}" || bad=1
    fi
    [[ $parts == *" times "* ]] || return "$bad"
    rm -rf "$out/several" "$out/several.tsv" && mkdir -p "$out/several"
    nvidia-smi -L >"$out/several-devices.txt"
    limited 120 "$out/several-found.txt" bin/wolfpath devices || bad=1
    bin/wolfpath generate rmat --scale "${SEVERAL_SCALE:-26}" --max-weight 64 --output "$graph" || return 1
    on_each bfs run bfs "$graph" || bad=1
    on_each sssp run sssp "$graph" || bad=1
    on_each components run components "$graph" || bad=1
    on_each pagerank run pagerank "$graph" --steps 20 || bad=1
    together fits-together run bfs "$graph" --engine "cuda:$all" --device-memory "${SEVERAL_MEMORY:-6G}" --verify || bad=1
    rm -f "$graph"
    bin/wolfpath generate rmat --scale $((${SEVERAL_SCALE:-26} - 2)) --max-weight 64 --output "$smaller" || return 1
    # Sources that reach most vertices: some of those that the root reaches.
    bin/wolfpath run bfs "$smaller" --engine cuda:0 --output "$scratch/reached.txt" >/dev/null || return 1
    awk '$2 != "-" && ++n % 300 == 0 { print $1 }' "$scratch/reached.txt" | head -n 256 >"$scratch/sources.txt"
    head -n 64 "$scratch/sources.txt" >"$scratch/fewer.txt"
    on_each bfs-many run bfs "$smaller" --sources-from "$scratch/sources.txt" --each-source || bad=1
    on_each sssp-many run sssp "$smaller" --sources-from "$scratch/fewer.txt" --each-source || bad=1
    return "$bad"
}

# ordered NAME ARGUMENTS...: calls the command, and adds its JSON to $ordered.
ordered() {
    local name=$1 code answer
    shift
    [[ " ${PATHS_PROGRAMS:-$1} " == *" $1 "* ]] || return 0
    answer=$(timeout --kill-after=10 100 bin/wolfpath run "$@" --json 2>"$out/paths.err")
    code=$?
    [ "$code" -eq 0 ] || { cat "$out/paths.err" && answer=null; }
    printf '{"kind":"run","name":"%s","command":"wolfpath run %s","answer":%s}\n' "$name" "${*//"$scratch/"/}" "${answer//$'\n'/ }" |
        tee -a "$ordered" | head -c 300
    echo
    return "$code"
}

# The graphs of DiGraph's comparison, as far as they are at hand: name, file, further options of the graph and of sssp, and
# number of runs. The R-MAT graph is generated.
paths_graphs="cnr-2000 cnr-2000.el.zst - --source=217849 7
    uk-2007 uk-2007-05@100000.el.zst - --source=0 7
    cit-HepPh cit-HepPh.el.zst - - 7
    soc-Slashdot soc-Slashdot0902.txt.zst - - 7
    dblp-2010 dblp-2010.el.zst --undirected - 7
    R-MAT rmat.wolf - - 3"

# Generates the directed R-MAT graph, with its paths.
paths_rmat() {
    local list=$scratch/rmat.el
    bin/wolfpath generate rmat --scale "${PATHS_SCALE:-24}" --directed --output "$list" &&
        bin/wolfpath build "$list" --paths --output "$scratch/rmat.wolf" && rm -f "$list"
}

# Each program step by step (sssp: by buckets), by frontier in place, along paths in no order, and in the order of paths. The
# median of the runs counts; all but the first find the order at hand.
paths() {
    local bad=0 engine graph file options source runs schedule name ordered
    for engine in ${PATHS_ENGINES:-cuda cpu}; do
        ordered=$out/paths-${engine//[:,]/-}.jsonl
        printf '{"kind":"head","date":"%s","device":"%s","cores":%s,"cpu":"%s"}\n' "$(date -u +%F)" "$(smi name)" "$(nproc)" \
            "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)" >"$ordered"
        while read -r graph file options source runs; do
            [[ " ${PATHS_GRAPHS:-$graph} " == *" $graph "* ]] || continue
            if [ "$graph" = R-MAT ]; then
                file=$scratch/$file
                [ -f "$file" ] || paths_rmat >/dev/null || bad=1
            else
                file=${PATHS_DATA:-data}/$file
            fi
            [ -f "$file" ] || { echo "run.sh: $file is missing" >&2 && bad=1 && continue; }
            [ "$options" != - ] || options=
            [ "$source" != - ] || source=
            for schedule in steps frontier unordered paths; do
                local by=(--schedule "$schedule") some=(--engine "$engine" --repeat "$runs")
                [ "$schedule" != unordered ] || by=(--schedule paths --without path-order)
                # Options must be split into words, if there are any.
                # shellcheck disable=SC2206
                some+=($options)
                local sums=(--accumulate "${by[@]}") least=("${by[@]}")
                [ "$schedule" != steps ] || sums=() least=(--schedule bucket)
                name=$graph.$schedule
                ordered "$name.pagerank" pagerank "$file" "${sums[@]}" "${some[@]}" || bad=1
                ordered "$name.adsorption" adsorption "$file" "${sums[@]}" "${some[@]}" || bad=1
                ordered "$name.sssp" sssp "$file" --weights random:1:100 "${least[@]}" "${some[@]}" $source || bad=1
                [ "$schedule" != steps ] || ordered "$name.kcore" kcore "$file" "${some[@]}" || bad=1
            done
        done <<<"$paths_graphs"
    done
    return "$bad"
}

if [ -n "${TEST_PART:-}" ] && ! { [[ $TEST_PART =~ ^([1-9][0-9]*)/([1-9][0-9]*)$ ]] &&
    [ "${BASH_REMATCH[1]}" -le "${BASH_REMATCH[2]}" ]; }; then
    echo "run.sh: TEST_PART is \"$TEST_PART\", not a part K/N such as 1/3" >&2
    exit 2
fi
[ $# -gt 0 ] || set -- all
[ "$1" != all ] || set -- devices tests shows examples performance sanitize soak
provenance >"$out/provenance.txt"
cat "$out/provenance.txt"
bad=0
for section in "$@"; do
    case $section in
        devices | tests | shows | examples | bench | performance | sanitize | soak | several | cpu | paths) ;;
        *) echo "run.sh: no section \"$section\"" >&2 && exit 2 ;;
    esac
    echo "== $section"
    began=$(date +%s)
    "$section"
    code=$?
    echo "== $section: exit code $code after $(($(date +%s) - began)) s"
    printf '%s\t%s\t%s\n' "$section" "$code" "$(($(date +%s) - began))" >>"$out/sections.tsv"
    [ "$code" -eq 0 ] || bad=1
done
exit "$bad"
