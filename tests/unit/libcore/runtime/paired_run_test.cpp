// Paired runs: which values meet, by a recorded order and by the order of nodes.
#include "libcore/runtime/paired_run.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

std::unique_ptr<Session> plain(std::string_view text) {
  SessionOptions options = cpu_options();
  options.optimize = OptimizeLevel::none;
  return make_session(text, std::move(options));
}

constexpr std::string_view whole =
    "<ir_version: 8, opset_import: [\"\" : 17]>\n"
    "g (float[2] x) => (float[2] y)\n"
    "{ a = Neg (x) b = Abs (a) c = Relu (b) d = Add (c, a) y = Neg (d) }";

/// Computes c and d in another way, and values that the other lacks.
constexpr std::string_view different =
    "<ir_version: 8, opset_import: [\"\" : 17]>\n"
    "g (float[2] x) => (float[2] y)\n"
    "{ e = Abs (x) a = Neg (x) b = Identity (e) f = Relu (b) d = Add (f, a) h = Abs (d) y = Neg (d) }";

/// Has b before a.
constexpr std::string_view swapped =
    "<ir_version: 8, opset_import: [\"\" : 17]>\n"
    "g (float[2] x) => (float[2] y)\n"
    "{ b = Abs (x) c = Relu (b) a = Neg (x) d = Add (c, a) y = Neg (d) }";

struct Visit {
  std::string names;
  std::int64_t computed = 0;
};

/// What met in two runs, one after the other.
Visit visited(std::string_view mine, std::string_view others, ValueOrder order) {
  const auto session = plain(mine);
  const auto other = plain(others);
  PairedRuns runs({}, order);
  Visit visit;
  for (int i = 0; i < 2; ++i) {
    const NamedValues inputs = {{"x", vector_of({1, -2})}};
    runs.run({*session, inputs, {}}, {*other, inputs, {}},
             [&](const Node& node, std::int64_t index, const RunValue& value,
                 const RunValue& found) {
               visit.names += node.output(index)->name();
               CHECK(floats(value) == floats(found));
               return true;
             });
    visit.names += " ";
  }
  visit.computed = runs.computed();
  return visit;
}

TEST_CASE("values of the same name meet, whatever each side computes besides") {
  for (const ValueOrder order : {ValueOrder::recorded, ValueOrder::of_nodes}) {
    const Visit visit = visited(whole, different, order);
    CHECK(visit.names == "abdy abdy ");
    CHECK(visit.computed == 5);
    CHECK(visited(different, whole, order).computed == 7);
    CHECK(visited(whole, whole, order).names == "abcdy abcdy ");
  }
}

TEST_CASE("values in another order are left out") {
  for (const ValueOrder order : {ValueOrder::recorded, ValueOrder::of_nodes})
    CHECK(visited(whole, swapped, order).names == "bcdy bcdy ");
}

TEST_CASE("a visitor that has seen enough ends the comparison, not the runs") {
  const auto session = plain(whole);
  const NamedValues inputs = {{"x", vector_of({1, -2})}};
  PairedRuns runs({}, ValueOrder::of_nodes);
  int seen = 0;
  runs.run({*session, inputs, {}}, {*session, inputs, {}},
           [&](const Node&, std::int64_t, const RunValue&, const RunValue&) { return ++seen < 2; });
  CHECK(seen == 2);
  CHECK(runs.computed() == 5);
}

}  // namespace
}  // namespace ortool
