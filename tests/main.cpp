#define BOOST_TEST_MODULE tokmill
#include <boost/test/unit_test.hpp>
