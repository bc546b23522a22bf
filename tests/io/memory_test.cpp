#include "io/memory.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "io/large_array.h"
#include "io/scratch.h"

using namespace tokmill;
using namespace tokmill::test;

BOOST_AUTO_TEST_SUITE(memory_test)

BOOST_AUTO_TEST_CASE(sizes_have_binary_multiples) {
  BOOST_TEST(parse_size("0") == 0);
  BOOST_TEST(parse_size("4096") == 4096);
  BOOST_TEST(parse_size("12B") == 12);
  BOOST_TEST(parse_size("64K") == 65536);
  BOOST_TEST(parse_size("64k") == 65536);
  BOOST_TEST(parse_size("1M") == 1 << 20);
  BOOST_TEST(parse_size("1.5G") == 1610612736);
  BOOST_TEST(parse_size("2T") == std::uint64_t{2} << 40);
  BOOST_TEST(parse_size("3P") == std::uint64_t{3} << 50);
  BOOST_TEST(parse_size("0.3K") == 307);  // whole bytes
  BOOST_TEST(parse_size("4096P") == std::uint64_t{1} << 62);
}

BOOST_AUTO_TEST_CASE(what_is_no_size_is_refused_by_name) {
  for (const std::string text : {"",         " ",     "K",     "G1",    "1KB",
                                 "1KiB",     "1 K",   " 1",    "1 ",    "+1",
                                 "-1",       "-0.5G", "1X",    "1E",    "0x10",
                                 "1,5G",     "1..5",  "5%",    "inf",   "nan",
                                 "infinity", "nanG",  "4097P", "1e300", "99999999999999999999"}) {
    const std::string error = error_of<UsageError>([&] { parse_size(text); });
    BOOST_TEST(says(error, "'" + text + "' is not a size"), "'" << text << "': " << error);
  }
}

BOOST_AUTO_TEST_CASE(memory_may_be_a_share_of_what_there_is) {
  const double all = static_cast<double>(available_memory());
  const auto close_to = boost::test_tools::tolerance(1e-9);
  const auto parsed = [](std::string_view text) { return static_cast<double>(parse_memory(text)); };
  BOOST_TEST(parse_memory("8G") == std::uint64_t{8} << 30);
  BOOST_TEST(parsed("100%") == all, close_to);
  BOOST_TEST(parsed("80%") == all * 0.8, close_to);
  BOOST_TEST(parsed("12.5%") == all / 8, close_to);
  BOOST_TEST(parsed("0.5%") == all / 200, close_to);
  for (const char* text : {"", "%", "101%", "-1%", "80%%", "8G%", "x%", "nan%", "inf%", "%80", "80 %"}) {
    const std::string error = error_of<UsageError>([&] { parse_memory(text); });
    BOOST_TEST(says(error, "'" + std::string(text) + "' is "), "'" << text << "': " << error);
  }
}

BOOST_AUTO_TEST_CASE(sizes_are_spelled_shortly) {
  BOOST_TEST(spell_size(0) == "0 B");
  BOOST_TEST(spell_size(312) == "312 B");
  BOOST_TEST(spell_size(1023) == "1023 B");
  BOOST_TEST(spell_size(1024) == "1.0 KiB");
  BOOST_TEST(spell_size(1536) == "1.5 KiB");
  BOOST_TEST(spell_size((1 << 20) - 1) == "1.0 MiB");  // never "1024.0 KiB"
  BOOST_TEST(spell_size(1 << 20) == "1.0 MiB");
  BOOST_TEST(spell_size(1610612736) == "1.5 GiB");
  BOOST_TEST(spell_size(std::uint64_t{825} << 40) == "825.0 TiB");
  BOOST_TEST(spell_size(~std::uint64_t{0}) == "16384.0 PiB");
}

BOOST_AUTO_TEST_CASE(own_memory_grows_with_use_and_not_with_mapped_files) {
  constexpr std::size_t kSize = 64 << 20, kNoise = 4 << 20;
  const std::uint64_t before = own_memory();
  BOOST_TEST(before > 0u);
  {
    LargeArray<char> array(kSize);
    BOOST_TEST(own_memory() < before + kNoise);  // not touched yet
    for (std::size_t i = 0; i < kSize; i += 1024) array[i] = 1;
    BOOST_TEST(own_memory() > before + kSize - kNoise);
    BOOST_TEST(own_memory(::getpid()) > before + kSize - kNoise);
    BOOST_TEST(own_memory() < before + kSize + kNoise);
  }
  BOOST_TEST(own_memory() < before + kNoise);
}

BOOST_AUTO_TEST_CASE(a_process_that_has_ended_has_no_memory) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  BOOST_REQUIRE(child > 0);
  ::waitpid(child, nullptr, 0);
  BOOST_TEST(own_memory(child) == 0);
}

BOOST_AUTO_TEST_CASE(what_there_is_lies_within_the_machine) {
  const auto machine = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  BOOST_TEST(available_memory() > 0);
  BOOST_TEST(available_memory() <= machine);
  BOOST_TEST(available_cores() >= 1);
  BOOST_TEST(available_cores() <= static_cast<unsigned>(::sysconf(_SC_NPROCESSORS_CONF)));
}

BOOST_AUTO_TEST_CASE(cores_are_those_this_process_may_use) {
  cpu_set_t before;
  BOOST_REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &before)) {
      CPU_SET(core, &one);
      break;
    }
  }
  BOOST_REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
  const unsigned cores = available_cores();
  ::sched_setaffinity(0, sizeof before, &before);
  BOOST_TEST(cores == 1);
  BOOST_TEST(available_cores() == static_cast<unsigned>(CPU_COUNT(&before)));
}

BOOST_AUTO_TEST_SUITE_END()
