// Exhaustive graphs as text, one per choice of small numbers.
// Integer elements reveal every misplaced one.
#include "tests/rules/exhaustive.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "tests/rules/run_case.hpp"
#include "tests/rules/small_graphs.hpp"
#include "tests/rules/transposed_graphs.hpp"

namespace ortool::test {
namespace {

Graphs reshapes() {
  Graphs graphs;
  const std::vector<Integers> shapes = shapes_of(6, 3);
  for (const Integers& from : shapes) {
    for (const Integers& between : shapes) {
      for (const Integers& to : shapes) {
        std::vector<Integers> candidates = {to};
        for (std::size_t i = 0; i < to.size(); ++i) {
          candidates.push_back(to);
          candidates.back()[i] = -1;
          if (i >= between.size() || between[i] != to[i]) continue;
          candidates.push_back(to);
          candidates.back()[i] = 0;
        }
        for (const Integers& candidate : candidates) {
          graphs.push_back(
              graph_of(from, vector_constant("s", between) + ", " + vector_constant("t", candidate),
                       "b = Reshape (a, s) z = Reshape (b, t)"));
        }
      }
    }
  }
  return graphs;
}

/// Every permutation of axes, also of size 1, before and after every Reshape to another shape.
Graphs transposed_reshapes() {
  Graphs graphs = reshapes();
  for (const Integers& shape : std::vector<Integers>{{1, 2}, {2, 1, 3}, {1, 2, 1}, {2, 1, 1, 3}}) {
    for (const Integers& order : orders_of(static_cast<std::int64_t>(shape.size()))) {
      const std::int64_t count =
          std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
      for (const Integers& to : shapes_of(count, 3)) {
        graphs.push_back(
            graph_of(shape, vector_constant("s", to),
                     format("b = Transpose <perm = [{}]> (a) z = Reshape (b, s)", listed(order))));
        graphs.push_back(
            graph_of(to, vector_constant("s", shape),
                     format("b = Reshape (a, s) z = Transpose <perm = [{}]> (b)", listed(order))));
      }
    }
  }
  return graphs;
}

Graphs unsqueezes() {
  Graphs graphs;
  for (std::size_t rank = 0; rank <= 2; ++rank) {
    const Integers shape = Integers({2, 3});
    const auto most = static_cast<std::int64_t>(rank);
    for (std::size_t count : {1U, 2U}) {
      const auto wide = most + static_cast<std::int64_t>(count);
      for (const Integers& first : lists(count, 0, wide - 1)) {
        if (count == 2 && first[0] == first[1]) continue;
        for (const Integers& second : lists(1, -wide - 1, wide)) {
          graphs.push_back(
              graph_of(Integers(shape.begin(), shape.begin() + most),
                       vector_constant("s", first) + ", " + vector_constant("t", second),
                       "b = Unsqueeze (a, s) z = Unsqueeze (b, t)"));
        }
      }
    }
  }
  return graphs;
}

Graphs squeezes() {
  Graphs graphs;
  const Integers shape = {1, 2, 1, 1};
  const Integers ones = {0, 2, 3};
  for (const std::int64_t first : ones) {
    Integers left = shape;
    left.erase(left.begin() + first);
    for (std::int64_t second = -3; second < 3; ++second) {
      const auto place = static_cast<std::size_t>(second < 0 ? second + 3 : second);
      if (left[place] != 1) continue;
      graphs.push_back(
          graph_of(shape, vector_constant("s", {first}) + ", " + vector_constant("t", {second}),
                   "b = Squeeze (a, s) z = Squeeze (b, t)"));
    }
  }
  return graphs;
}

/// Every slice of one axis; pairs of slices are below.
Graphs slices() {
  Graphs graphs;
  for (std::int64_t size = 0; size <= 3; ++size) {
    for (const Integers& each : lists(2, -4, 4)) {
      for (const std::int64_t step : {-2, -1, 1, 2}) {
        graphs.push_back(
            graph_of({size},
                     vector_constant("s", {each[0]}) + ", " + vector_constant("e", {each[1]}) +
                         ", " + vector_constant("i", {0}) + ", " + vector_constant("t", {step}),
                     "z = Slice (a, s, e, i, t)"));
      }
    }
  }
  return graphs;
}

Graphs slice_pairs() {
  Graphs graphs;
  std::vector<Integers> cuts;
  for (const Integers& each : lists(2, -2, 4)) {
    for (const std::int64_t step : {1, 2}) cuts.push_back({each[0], each[1], step});
  }
  const auto add = [&](const Integers& shape, const Integers& a, const Integers& b,
                       std::int64_t axis) {
    graphs.push_back(
        graph_of(shape,
                 vector_constant("s", {a[0]}) + ", " + vector_constant("e", {a[1]}) + ", " +
                     vector_constant("t", {a[2]}) + ", " + vector_constant("p", {b[0]}) + ", " +
                     vector_constant("q", {b[1]}) + ", " + vector_constant("r", {b[2]}) + ", " +
                     vector_constant("i", {0}) + ", " + vector_constant("k", {axis}),
                 "b = Slice (a, s, e, i, t) z = Slice (b, p, q, k, r)"));
  };
  for (const Integers& a : cuts) {
    for (const Integers& b : cuts) {
      add({4}, a, b, 0);
    }
    add({4, 3}, a, {1, 3, 1}, 1);
    add({4, 3}, a, {2, -4, -1}, -1);
  }
  return graphs;
}

Graphs concats() {
  Graphs graphs;
  for (std::int64_t axis = -3; axis < 3; ++axis) {
    for (int before = 0; before < 3; ++before) {
      for (int inside = 1; inside <= 3; ++inside) {
        for (int behind = 0; behind < 2; ++behind) {
          std::string parts;
          const auto add = [&](int count) {
            for (int i = 0; i < count; ++i) parts += std::string(parts.empty() ? "" : ", ") + "a";
          };
          std::string inner = "x";
          for (int i = 1; i < inside; ++i) inner += ", a";
          add(before);
          parts += std::string(parts.empty() ? "" : ", ") + "b";
          add(behind);
          graphs.push_back(
              graph_of({2, 1, 3}, "int64 none = {0}",
                       format("b = Concat <axis = {}> ({}) z = Concat <axis = {}> ({})", axis,
                              inner, axis < 0 ? axis + 3 : axis - 3, parts)));
        }
      }
    }
  }
  return graphs;
}

/// Every slice of a concatenation of three parts with two rows each.
Graphs joined_parts() {
  Graphs graphs;
  for (const Integers& each : lists(2, -7, 7)) {
    for (const std::int64_t axis : {0, -2, 1}) {
      graphs.push_back(graph_of({2, 2},
                                vector_constant("s", {each[0]}) + ", " +
                                    vector_constant("e", {each[1]}) + ", " +
                                    vector_constant("i", {axis}),
                                "b = Concat <axis = 0> (a, x, a) z = Slice (b, s, e, i)"));
    }
  }
  return graphs;
}

Graphs expansions() {
  Graphs graphs;
  for (std::size_t rank = 0; rank <= 2; ++rank) {
    for (const Integers& shape : lists(rank, 1, 3)) {
      for (std::size_t wide = 0; wide <= 3; ++wide) {
        for (const Integers& to : lists(wide, 1, 3)) {
          bool fits = true;
          for (std::size_t i = 1; i <= std::min(rank, wide); ++i) {
            const std::int64_t mine = shape[rank - i];
            const std::int64_t other = to[wide - i];
            fits = fits && (mine == other || mine == 1 || other == 1);
          }
          if (fits)
            graphs.push_back(graph_of(shape, vector_constant("s", to), "z = Expand (a, s)"));
        }
      }
      for (const Integers& times : lists(rank, 0, 2))
        graphs.push_back(graph_of(shape, vector_constant("s", times), "z = Tile (a, s)"));
    }
  }
  return graphs;
}

/// x times ones, for every shape that broadcasts with x.
Graphs broadcasts() {
  Graphs graphs;
  for (std::size_t rank = 0; rank <= 2; ++rank) {
    for (const Integers& shape : lists(rank, 1, 3)) {
      for (std::size_t wide = 0; wide <= 3; ++wide) {
        for (const Integers& other : lists(wide, 1, 3)) {
          bool fits = true;
          for (std::size_t i = 1; i <= std::min(rank, wide); ++i)
            fits = fits && (shape[rank - i] == other[wide - i] || shape[rank - i] == 1 ||
                            other[wide - i] == 1);
          if (!fits) continue;
          const auto count = static_cast<std::size_t>(
              std::accumulate(other.begin(), other.end(), std::int64_t{1}, std::multiplies<>()));
          graphs.push_back(
              graph_of(shape, type_of("int32", other) + " c = {" + listed(Integers(count, 1)) + "}",
                       "z = Mul (a, c)"));
        }
      }
    }
  }
  return graphs;
}

const std::map<std::string_view, Graphs (*)()>& graphs_by_rule() {
  static const std::map<std::string_view, Graphs (*)()> rows = {
      {"cancel-transposes", transposed_nodes},
      {"merge-concats", concats},
      {"merge-reshapes", transposed_reshapes},
      {"merge-slices", slice_pairs},
      {"merge-squeezes", squeezes},
      {"merge-transposes", transposes},
      {"merge-unsqueezes", unsqueezes},
      {"remove-neutral-operand", broadcasts},
      {"remove-same-expand", expansions},
      {"remove-same-reshape", reshapes},
      {"remove-same-slice", slices},
      {"remove-same-transpose", transposes},
      {"merge-slice-concat", joined_parts},
      {"sink-transpose-argmax", transposed_extremes},
      {"sink-transpose-reduce", transposed_reductions},
  };
  return rows;
}

int run_rule(std::string_view name) {
  const auto found = graphs_by_rule().find(name);
  if (found == graphs_by_rule().end()) {
    std::printf("%s has no exhaustive cases\n", std::string(name).c_str());
    return 1;
  }
  const Graphs graphs = found->second();
  RewriteTrial trial(name);
  int failed = 0;
  for (const std::string& graph : graphs) {
    for (const std::string& finding : trial.check(graph, 13)) {
      if (++failed <= 3) std::printf("%s: %s\n", std::string(name).c_str(), finding.c_str());
    }
  }
  std::printf("%s: acted on %lld of %zu graphs, %d failed\n", std::string(name).c_str(),
              static_cast<long long>(trial.acted()), graphs.size(), failed);
  return failed + (trial.acted() == 0);
}

}  // namespace

int run_exhaustive_cases() {
  int failed = 0;
  for (const RuleGroup& group : pipeline()) {
    for (const Rule& rule : group.rules) {
      if (rule.evidence == Evidence::exhaustive) failed += run_rule(rule.name);
    }
  }
  return failed;
}

}  // namespace ortool::test
