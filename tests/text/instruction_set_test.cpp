#include "text/instruction_set.h"

#include <boost/test/unit_test.hpp>
#include <cstdlib>

#include "io/error.h"
#include "text/gpt2_scanner.h"
#include "text/vector_gpt2_scanner.h"

using namespace tokmill;

namespace {

struct Forced {
  explicit Forced(const std::string& value) { ::setenv(kInstructionsVariable, value.c_str(), 1); }
  ~Forced() { ::unsetenv(kInstructionsVariable); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(instruction_set_test)

BOOST_AUTO_TEST_CASE(the_best_is_used_unless_another_is_forced) {
  ::unsetenv(kInstructionsVariable);
  BOOST_TEST(instruction_set() == instruction_sets().front());
  BOOST_TEST(instruction_sets().back() == "scalar");
  for (const std::string& name : instruction_sets()) {
    const Forced forced(name);
    BOOST_TEST(instruction_set() == name);
  }
  const Forced none("");
  BOOST_TEST(instruction_set() == instruction_sets().front());
}

BOOST_AUTO_TEST_CASE(an_unknown_one_is_refused_with_the_known_ones) {
  const Forced forced("abacus");
  BOOST_CHECK_EXCEPTION(instruction_set(), UsageError, [](const UsageError& error) {
    return std::string(error.what()).find("scalar") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(the_scanner_is_of_the_forced_kind) {
  const Forced forced("scalar");
  const auto scanner = make_scanner(Pattern::kGpt2);
  BOOST_TEST(dynamic_cast<const VectorGpt2Scanner*>(scanner.get()) == nullptr);
  BOOST_TEST(dynamic_cast<const Gpt2Scanner*>(scanner.get()) != nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
