#include "pipeline/corpus.h"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "io/error.h"

namespace tokmill {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kGzip("\x1F\x8B", 2);
constexpr std::string_view kZstd("\x28\xB5\x2F\xFD", 4);
constexpr int kDeepestList = 8;

class Finder {
 public:
  void add(const std::string& argument, int depth = 0) {
    std::error_code ignored;
    if (argument == "-") throw Error("-: standard input cannot be read yet; write it to a file first");
    if (argument.starts_with('@')) {
      add_list(argument.substr(1), depth);
    } else if (fs::is_directory(argument, ignored)) {
      add_directory(argument);
    } else if (fs::exists(argument, ignored)) {
      add_file(argument);
    } else if (argument.find_first_of("*?[") != std::string::npos) {
      add_glob(argument);
    } else {
      throw Error::at(argument, "there is no such file or directory");
    }
  }

  Corpus take() { return std::move(corpus_); }

 private:
  void add_list(const std::string& path, int depth) {
    if (depth == kDeepestList) throw Error::at(path, "lists are nested too deeply");
    std::istringstream lines(read_file(path));
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with('\r')) line.pop_back();
      if (!line.empty()) add(line, depth + 1);
    }
  }

  void add_directory(const std::string& path) {
    std::vector<std::string> files;
    try {
      const auto options = fs::directory_options::follow_directory_symlink;
      for (const auto& entry : fs::recursive_directory_iterator(path, options)) {
        if (entry.is_regular_file()) files.push_back(entry.path().string());
      }
    } catch (const fs::filesystem_error& error) {
      throw Error::at(path, "the directory cannot be read: " + error.code().message());
    }
    std::ranges::sort(files);
    for (const std::string& file : files) add_file(file);
  }

  void add_glob(const std::string& pattern) {
    ::glob_t found{};
    const int status = ::glob(pattern.c_str(), 0, nullptr, &found);
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(found.gl_pathv[i]);
    ::globfree(&found);
    if (status != 0) throw Error::at(pattern, "no file matches");
    for (const std::string& path : paths) {
      fs::is_directory(path) ? add_directory(path) : add_file(path);
    }
  }

  void add_file(const std::string& path) {
    std::error_code ignored;
    if (fs::is_other(path, ignored)) {  // opening a pipe would wait for its writer
      throw Error::at(path, "is not a regular file; write what it gives to one first");
    }
    const File file(path);
    const FileIdentity identity = file.identity();
    const std::string start = file.read_at(0, std::min<std::uint64_t>(identity.size, 4));
    if (start.starts_with(kGzip) || start.starts_with(kZstd)) {
      throw Error::at(path, "is compressed, which cannot be read yet; decompress it first");
    }
    corpus_.inputs.push_back({path, identity});
  }

  Corpus corpus_;
};

}  // namespace

std::uint64_t Corpus::bytes() const {
  std::uint64_t total = 0;
  for (const Input& input : inputs) total += input.identity.size;
  return total;
}

boost::json::array Corpus::to_json() const {
  boost::json::array list;
  for (const Input& input : inputs)
    list.push_back({input.path, input.identity.size, input.identity.modified_ns});
  return list;
}

Corpus find_corpus(const std::vector<std::string>& arguments) {
  Finder finder;
  for (const std::string& argument : arguments) finder.add(argument);
  Corpus corpus = finder.take();
  if (corpus.inputs.empty()) throw Error("the corpus holds no files");
  return corpus;
}

}  // namespace tokmill
