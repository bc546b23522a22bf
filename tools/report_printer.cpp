#include "report_printer.h"

#include <cstdio>
#include <iostream>

#include "format/json_text.h"
#include "io/memory.h"
#include "pipeline/train.h"

namespace tokmill::tools {

namespace {

// 1234567 -> "1,234,567"
std::string spell_number(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string spell(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// "train 1.20 s (index 0.30 s, write 0.10 s)"
std::string spell_cost(const StageCost& cost) {
  std::string text = cost.name + spell(" %.2f s", cost.seconds), parts;
  for (const StageCost& part : cost.parts) parts += (parts.empty() ? "" : ", ") + spell_cost(part);
  return parts.empty() ? text : text + " (" + parts + ")";
}

class Sentence {
 public:
  Sentence& add(const std::string& part) {
    text_.append(text_.empty() ? "  " : ", ").append(part);
    return *this;
  }
  Sentence& count(std::uint64_t number, const char* what) {
    return number > 0 ? add(spell_number(number) + " " + what) : *this;
  }
  void print() const {
    if (!text_.empty()) std::cout << text_ << "\n";
  }

 private:
  std::string text_;
};

}  // namespace

void print_report(const RunReport& report, const CommandLine& line) {
  if (line.quiet()) return;
  if (line.json()) {
    std::cout << to_text(report.to_json());
    return;
  }
  std::cout << report.verb << ": ";
  if (report.already_done) {
    std::cout << report.output << " is finished already, nothing was done\n";
    return;
  }
  if (report.verb == "verify") {
    std::cout << report.output << " is sound\n";
  } else if (report.output.empty()) {
    std::cout << "a dry run, nothing was written\n";
  } else {
    std::cout << report.output << "\n";
  }
  if (report.bytes > 0) {
    Sentence()
        .add(spell_size(report.bytes) + " of text")
        .count(report.documents, report.documents == 1 ? "document" : "documents")
        .count(report.pretokens, "pretokens")
        .count(report.distinct, "of them distinct")
        .print();
  }
  if (report.tokens > 0) {
    Sentence tokens;
    tokens.count(report.tokens, "tokens")
        .add(spell("%.3f bytes of text each",
                   static_cast<double>(report.bytes) / static_cast<double>(report.tokens)))
        .count(report.shards, report.shards == 1 ? "shard" : "shards");
    if (report.output_bytes > 0) tokens.add(spell_size(report.output_bytes) + " on disk");
    tokens.print();
  }
  if (const auto* merges = report.extra.if_contains(kResumedFrom)) {
    Sentence().add("went on from " + spell_number(merges->to_number<std::uint64_t>()) + " merges").print();
  }
  Sentence times;
  for (const StageCost& stage : report.stages) times.add(spell_cost(stage));
  if (report.seconds() > 0)
    times.add(spell("%.0f MB/s", static_cast<double>(report.bytes) / 1e6 / report.seconds()));
  if (report.peak_memory() > 0) times.add("peak memory " + spell_size(report.peak_memory()));
  times.print();
}

}  // namespace tokmill::tools
