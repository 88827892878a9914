// Follows the programs of a batch. Reads all questions from one file, calls each program with them, and writes the
// answers into another file. An answer consists of two words. The first is twice the fault (its site + 1, or 0 for no
// fault), plus 1 if there is a message. The second is the message, or 0.
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
