// Precedes the programs of a batch. `WOLFPATH_ASK` defines a function that calls one program with an input. These
// functions have the same signature for all programs.
#include <stdio.h>
#include <string.h>
#include <vector>
typedef wp::u64 Number;
typedef wp::Option<Number> (*Ask)(const Number* input, wp::Context& cx);
#define WOLFPATH_ASK(index)                                                     \
    static wp::Option<Number> ask_##index(const Number* input, wp::Context& cx) { \
        program_##index::Params params{};                                       \
        wp::Edge<Number, Number> edge{};                                        \
        edge.value = input[0];                                                  \
        edge.weight = input[1];                                                 \
        edge.source = input[2];                                                 \
        return program_##index::edge(params, edge, cx);                         \
    }
