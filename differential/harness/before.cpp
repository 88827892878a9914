// Precedes the programs of a batch: what the questions to all programs have in common.
#include <stdio.h>
#include <string.h>
#include <vector>

typedef wp::u64 Number;

/// Calls a function of a program with an input, and writes the answer.
typedef void (*Ask)(const Number* input, FILE* answers);

/// Values of vertices before a step. `main.rs` has the same.
static const Number VALUES[] = {3, 0, 0xffffffffffffffff, 7, 1, 0x80000000, 64, 5};
static const wp::Option<Number> OPTIONS[] = {wp::Some<Number>(3), wp::None<Number>(), wp::Some<Number>(7),
                                             wp::None<Number>(), wp::Some<Number>(0), wp::Some<Number>(64),
                                             wp::None<Number>(), wp::Some<Number>(1)};

/// A value that a vertex may not have.
static wp::Option<Number> optional(Number number) {
    return number % 4 == 0 ? wp::None<Number>() : wp::Some<Number>(number);
}

static void hold(Number number, Number& held) { held = number; }
static void hold(Number number, wp::Option<Number>& held) { held = optional(number); }

/// The second input of a question about two vertices or two edges: the numbers of the first one in another order.
struct Turned {
    Number numbers[3];
    explicit Turned(const Number* input) : numbers{input[1], input[2], input[0]} {}
};

/// Sets all fields of a vertex except for its values.
template <typename View, typename Aggregate>
static void look(View& v, const Number* input, const Aggregate& fold) {
    v.id = input[2];
    v.index = (wp::u32)(input[2] % 9);
    v.out_degree = input[1];
    v.in_degree = input[2];
    v.vertices = input[0];
    v.edges = input[1];
    v.step = input[2];
    v.level = input[1];
    v.aggregate = fold;
}

/// Writes an answer: one word, which is twice the fault (its site + 1, or 0 for no fault), plus 1 if there is a result,
/// and then the bytes of the result, filled up to words of 8 bytes.
template <auto FUNCTION>
static void ask(const Number* input, FILE* answers) {
    wp::Context cx{0};
    const auto found = FUNCTION(input, cx);
    Number answer[1 + (sizeof(found.value) + 7) / 8] = {};
    answer[0] = (Number)cx.fault * 2 + (found.some && !cx.fault);
    if (answer[0] == 1) memcpy(&answer[1], &found.value, sizeof(found.value));
    fwrite(answer, sizeof(answer), 1, answers);
}
