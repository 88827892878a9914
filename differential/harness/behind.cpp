// Follows the programs of a batch. Reads all inputs from one file, asks every question about each of them, and writes
// the answers into another file.
int main(int, char** files) {
    FILE* questions = fopen(files[1], "rb");
    FILE* answers = fopen(files[2], "wb");
    std::vector<Number> inputs;
    for (Number number; fread(&number, sizeof(number), 1, questions) == 1;) inputs.push_back(number);
    for (Ask ask : asks) {
        for (size_t at = 0; at + 3 <= inputs.size(); at += 3) ask(&inputs[at], answers);
    }
    return fclose(answers);
}
