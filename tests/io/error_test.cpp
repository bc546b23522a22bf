#include "io/error.h"

#include <boost/test/unit_test.hpp>
#include <cerrno>

using namespace tokmill;

BOOST_AUTO_TEST_SUITE(error_test)

BOOST_AUTO_TEST_CASE(names_the_place_and_what_is_wrong) {
  BOOST_TEST(Error::at("dir/a file", "is odd; do that").what() == "dir/a file: is odd; do that");
  BOOST_TEST(Error::at("x", 18446744073709551615u, "bad").what() == "x: byte 18446744073709551615: bad");
  BOOST_TEST(Error::at("x", 0, "bad").what() == "x: byte 0: bad");
  BOOST_TEST(Error::system("x", "cannot be opened", ENOENT).what() ==
             "x: cannot be opened: No such file or directory");
}

BOOST_AUTO_TEST_CASE(the_kinds_are_told_apart_and_all_are_errors) {
  BOOST_CHECK_THROW(throw UsageError("no"), Error);
  BOOST_CHECK_THROW(throw Interrupted("no"), Error);
  BOOST_CHECK_THROW(throw Error("no"), std::runtime_error);
}

BOOST_AUTO_TEST_SUITE_END()
