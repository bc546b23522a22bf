#include "pipeline/run_options.h"

#include <boost/test/unit_test.hpp>

using namespace tokmill;

BOOST_AUTO_TEST_SUITE(run_options_test)

BOOST_AUTO_TEST_CASE(a_pool_has_the_options_of_the_run) {
  RunOptions run;
  run.jobs = 7;
  int calls = 0;
  run.progress = [&](const Progress&) { ++calls; };
  const PoolOptions pool = run.pool("count", 12, 345);
  BOOST_TEST(pool.stage == "count");
  BOOST_TEST(pool.jobs == 7);
  BOOST_TEST(pool.tasks == 12);
  BOOST_TEST(pool.total == 345);
  pool.progress({});
  BOOST_TEST(calls == 1);
}

BOOST_AUTO_TEST_CASE(stages_add_up) {
  RunReport report;
  PoolResult stage;
  stage.seconds = 1.5;
  stage.peak_memory = 900;
  report.add_stage("count", stage);
  stage.seconds = 0.25;
  stage.peak_memory = 500;
  report.add_stage("merge", stage);
  BOOST_TEST(report.seconds() == 1.75);
  BOOST_TEST(report.peak_memory() == 900);
  BOOST_TEST(report.stages[1].peak_memory == 500);
  BOOST_TEST(report.stages.size() == 2);
  report.stages.back().set_parts({{"some", 0.125, 400}, {"rest", 0.125, 950}});
  BOOST_TEST(report.stages.back().peak_memory == 950);
  BOOST_TEST(report.seconds() == 1.75);
  BOOST_TEST(report.peak_memory() == 950);
}

BOOST_AUTO_TEST_CASE(the_report_as_json) {
  RunReport report;
  report.verb = "encode";
  report.output = "shards";
  report.bytes = 8'000'000;
  report.documents = 3;
  report.tokens = 2'000'000;
  report.shards = 2;
  report.extra["dry_run"] = true;
  PoolResult stage;
  stage.seconds = 2;
  stage.peak_memory = 77;
  report.add_stage("encode", stage);
  report.stages.back().set_parts({{"learn", 0.5, 33}, {"write", 1.5, 0}});
  const boost::json::object json = report.to_json();
  BOOST_TEST(json.at("verb").as_string() == "encode");
  BOOST_TEST(json.at("output").as_string() == "shards");
  BOOST_TEST(json.at("already_done").as_bool() == false);
  BOOST_TEST(json.at("bytes").to_number<std::uint64_t>() == 8'000'000);
  BOOST_TEST(json.at("documents").to_number<std::uint64_t>() == 3);
  BOOST_TEST(json.at("tokens").to_number<std::uint64_t>() == 2'000'000);
  BOOST_TEST(json.at("shards").to_number<std::uint64_t>() == 2);
  BOOST_TEST(json.at("bytes_per_token").to_number<double>() == 4);
  BOOST_TEST(json.at("mb_per_second").to_number<double>() == 4);
  BOOST_TEST(json.at("seconds").to_number<double>() == 2);
  BOOST_TEST(json.at("stage_seconds").as_object().at("encode").to_number<double>() == 2);
  BOOST_TEST(json.at("stage_peak_memory").as_object().at("encode").to_number<std::uint64_t>() == 77);
  BOOST_TEST(json.at("encode_seconds").as_object().at("learn").to_number<double>() == 0.5);
  BOOST_TEST(json.at("encode_seconds").as_object().at("write").to_number<double>() == 1.5);
  BOOST_TEST(json.at("encode_peak_memory").as_object().at("learn").to_number<std::uint64_t>() == 33);
  BOOST_TEST(!json.at("encode_peak_memory").as_object().contains("write"));
  BOOST_TEST(json.at("peak_memory").to_number<std::uint64_t>() == 77);
  BOOST_TEST(json.at("dry_run").as_bool());
}

BOOST_AUTO_TEST_CASE(what_a_verb_does_not_know_is_left_out) {
  RunReport report;
  report.verb = "verify";
  report.already_done = true;
  const boost::json::object json = report.to_json();
  BOOST_TEST(json.at("already_done").as_bool());
  for (const char* name : {"bytes", "documents", "pretokens", "distinct_pretokens", "tokens", "shards",
                           "output_bytes", "bytes_per_token", "mb_per_second", "peak_memory"}) {
    BOOST_TEST(!json.contains(name), name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
