#include "text/vector_target.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <string>

using namespace tokmill;

namespace {

int plain() {
  return 0;
}
int better() {
  return 1;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(vector_target_test)

BOOST_AUTO_TEST_CASE(common_machines_have_one_and_the_best_comes_first) {
  const std::vector<VectorTarget> targets = vector_targets();
#if defined(__x86_64__) || defined(__aarch64__)
  BOOST_TEST(!targets.empty());
#endif
  BOOST_TEST(std::ranges::is_sorted(targets, {}, &VectorTarget::highway));
}

#if defined(__x86_64__)
// What the kernel says of the processor, as far as the two say the same thing.
BOOST_AUTO_TEST_CASE(the_kernel_knows_of_the_same_instructions) {
  std::ifstream file("/proc/cpuinfo");
  std::string line, flags;
  while (flags.empty() && std::getline(file, line)) {
    if (line.starts_with("flags")) flags = line + " ";
  }
  BOOST_TEST_REQUIRE(!flags.empty());
  const auto has = [&](const char* name) {
    return std::ranges::any_of(vector_targets(), [&](const VectorTarget& t) { return t.name == name; });
  };
  BOOST_TEST(has("avx2") == (flags.find(" avx2 ") != std::string::npos));
  BOOST_TEST(has("avx512-skylake") == (flags.find(" avx512bw ") != std::string::npos));
  BOOST_TEST(has("avx512") == (flags.find(" avx512_vbmi2 ") != std::string::npos));
}
#endif

BOOST_AUTO_TEST_CASE(a_function_is_the_best_that_the_target_can_run) {
  const VectorTarget first{"first", 1}, second{"second", 2}, third{"third", 4};
  BOOST_TEST(compiled_for<int()>(first, {{1, better}, {2, plain}}) == &better);
  BOOST_TEST(compiled_for<int()>(first, {{1, nullptr}, {2, plain}}) == &plain);
  BOOST_TEST(compiled_for<int()>(second, {{1, better}, {2, plain}}) == &plain);
  BOOST_TEST((compiled_for<int()>(third, {{1, better}, {2, plain}}) == nullptr));
}

BOOST_AUTO_TEST_CASE(a_target_is_found_by_its_name) {
  for (const VectorTarget& target : vector_targets()) {
    BOOST_TEST(vector_target(target.name).value().highway == target.highway);
  }
  BOOST_TEST(!vector_target("scalar"));
  BOOST_TEST(!vector_target(""));
}

BOOST_AUTO_TEST_SUITE_END()
