// The verbs: each reads its arguments (without the program's name and its own), does its work and prints its
// report.
#pragma once

#include <string>
#include <vector>

namespace tokmill::tools {

using Arguments = std::vector<std::string>;

void train_verb(const Arguments& arguments);
void encode_verb(const Arguments& arguments);
void decode_verb(const Arguments& arguments);
void count_verb(const Arguments& arguments);
void merge_verb(const Arguments& arguments);
void verify_verb(const Arguments& arguments);
void inspect_verb(const Arguments& arguments);

}  // namespace tokmill::tools
