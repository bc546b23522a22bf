// tokmill: what was typed -> a verb -> an exit code.
#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>
#include <optional>

#include "io/error.h"
#include "pipeline/run_directory.h"
#include "pipeline/worker_pool.h"
#include "text/instruction_set.h"
#include "text/unicode_classes.h"
#include "verbs.h"

namespace {

using namespace tokmill;
using tools::Arguments;

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr int kInterrupted = 75;  // EX_TEMPFAIL: run it again to go on

struct Verb {
  const char* name;
  void (*run)(const Arguments&);
  const char* summary;
  bool goes_on;  // an interrupted run can be given again: exit code 75
};

constexpr Verb kVerbs[] = {
    {"train", tools::train_verb, "learn a tokenizer from a corpus", true},
    {"encode", tools::encode_verb, "turn a corpus into token shards", true},
    {"decode", tools::decode_verb, "turn shards, or a file of ids, back into text", false},
    {"count", tools::count_verb, "count the pretokens of a corpus into a table", true},
    {"merge", tools::merge_verb, "add tables counted apart", true},
    {"verify", tools::verify_verb, "check shards, a tokenizer or a table, bit by bit", true},
    {"inspect", tools::inspect_verb, "say what a table, a tokenizer or a directory of shards holds", false},
};

void print_help() {
  std::cout << "tokmill trains byte-level BPE tokenizers and turns text into verified token shards.\n\n"
               "usage: tokmill VERB [OPTIONS] ...\n\nVerbs:\n";
  for (const Verb& verb : kVerbs) std::printf("  %-8s %s\n", verb.name, verb.summary);
  std::fflush(stdout);
  std::cout << "\n`tokmill VERB --help` tells more of a verb, with an example. The usual way:\n"
               "  tokmill train corpus.txt --vocab-size 32000 --special '<|endoftext|>' -o tokenizer\n"
               "  tokmill encode corpus.txt --tokenizer tokenizer -o shards\n"
               "  tokmill verify shards --against corpus.txt\n\n"
               "Exit codes: 0 done; 1 failed; 2 wrong usage; 75 interrupted, run it again to go on.\n";
}

void run(const Arguments& arguments) {
  const std::string name = arguments.empty() ? "" : arguments.front();
  if (name == "--help" || name == "-h" || name == "help") return print_help();
  if (name == "--version") {
    const std::string instructions = instruction_set();  // may be an error
    std::cout << "tokmill " << version() << ", Unicode " << kUnicodeVersion << ", instructions "
              << instructions << "\n";
    return;
  }
  for (const Verb& verb : kVerbs) {
    if (name != verb.name) continue;
    std::optional<InterruptGuard> guard;  // from the beginning, so that no signal comes too early
    if (verb.goes_on) guard.emplace();
    return verb.run({arguments.begin() + 1, arguments.end()});
  }
  throw UsageError(name.empty() ? "a verb is missing; `tokmill --help` lists them"
                                : "'" + name + "' is no verb; `tokmill --help` lists them");
}

int fail(const char* message, int code) {
  std::fprintf(stderr, "tokmill: %s\n", message);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit is an error that can be told, as a full disk is
  try {
    run({argv + 1, argv + argc});
    std::cout.flush();
    if (!std::cout) return fail("standard output cannot be written", kFailed);
    return 0;
  } catch (const Interrupted&) {
    return fail("interrupted; what is done is kept, run the same command again to go on", kInterrupted);
  } catch (const UsageError& error) {
    return fail(error.what(), kWrongUsage);
  } catch (const std::bad_alloc&) {
    return fail("out of memory", kFailed);
  } catch (const std::exception& error) {
    return fail(error.what(), kFailed);
  }
}
