// Stands behind the programs of a batch: asks each all questions of one file, and writes the answers into another.
// An answer is the fault (its site and 1), a bit that says whether there is a message, and the message.
int main(int, char** files) {
    FILE* questions = fopen(files[1], "rb");
    FILE* answers = fopen(files[2], "wb");
    std::vector<Number> inputs;
    for (Number number; fread(&number, sizeof(number), 1, questions) == 1;) inputs.push_back(number);
    for (Ask ask : asks) {
        for (size_t at = 0; at + 3 <= inputs.size(); at += 3) {
            wp::Context cx{0};
            const wp::Option<Number> message = ask(&inputs[at], cx);
            const Number answer[2] = {(Number)cx.fault * 2 + message.some, message.some ? message.value : 0};
            fwrite(answer, sizeof(answer), 1, answers);
        }
    }
    return fclose(answers);
}
