// Small graphs around Transposes; sizes differ, so that a misplaced axis shows.
#include "tests/rules/transposed_graphs.hpp"

#include <numeric>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool::test {

Graphs transposes() {
  Graphs graphs;
  const Integers sizes = {2, 3, 1, 4};
  for (std::int64_t rank = 1; rank <= 4; ++rank) {
    for (const Integers& first : orders_of(rank)) {
      for (const Integers& second : orders_of(rank)) {
        graphs.push_back(graph_of(Integers(sizes.begin(), sizes.begin() + rank), "int64 none = {0}",
                                  format("b = Transpose <perm = [{}]> (a) "
                                         "z = Transpose <perm = [{}]> (b)",
                                         listed(first), listed(second))));
      }
    }
  }
  return graphs;
}

Graphs transposed_reductions() {
  Graphs graphs;
  const Integers sizes = {2, 3, 1, 4};
  for (std::int64_t rank = 1; rank <= 4; ++rank) {
    for (const Integers& order : orders_of(rank)) {
      for (unsigned chosen = 1; chosen < (1U << rank); ++chosen) {
        Integers axes;
        for (std::int64_t axis = 0; axis < rank; ++axis) {
          if ((chosen >> axis & 1U) != 0) axes.push_back(axis);
        }
        for (const int keeps : {0, 1}) {
          graphs.push_back(graph_of(Integers(sizes.begin(), sizes.begin() + rank),
                                    "int64 none = {0}",
                                    format("b = Transpose <perm = [{}]> (a) "
                                           "z = ReduceMax <axes = [{}], keepdims = {}> (b)",
                                           listed(order), listed(axes), keeps)));
        }
      }
    }
  }
  return graphs;
}

Graphs transposed_nodes() {
  Graphs graphs;
  const Integers sizes = {2, 3, 1, 4};
  for (std::int64_t rank = 1; rank <= 4; ++rank) {
    const Integers shape(sizes.begin(), sizes.begin() + rank);
    Integers axes(static_cast<std::size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
    for (const Integers& order : orders_of(rank)) {
      Integers inverse(order.size());
      for (std::size_t i = 0; i < order.size(); ++i)
        inverse[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
      const auto add = [&](const std::string& constants, const std::string& nodes,
                           const char* element = "") {
        graphs.push_back(
            graph_of(shape, constants,
                     format("b = Transpose <perm = [{}]> (a) {} {} = Transpose <perm = [{}]> (c){}",
                            listed(order), nodes, *element != 0 ? "d" : "z", listed(inverse),
                            *element != 0 ? " z = Cast <to = 6> (d)" : "")));
      };
      Integers pads = axes;
      for (const std::int64_t axis : axes) pads.push_back(2 - axis);
      add(vector_constant("p", pads), "c = Pad (b, p)");
      Integers scales = axes;
      for (std::int64_t& scale : scales) ++scale;
      add(vector_constant("t", scales),
          "c = Resize <mode = \"nearest\", coordinate_transformation_mode = \"asymmetric\"> (b, , "
          ", "
          "t)");
      for (const std::int64_t axis : axes) {
        for (const std::int64_t given : {axis, axis - rank}) {
          add("int64 none = {0}", format("c = ArgMax <axis = {}> (b)", given), "int64");
          add("int64 none = {0}", format("c = ReduceMax <axes = [{}]> (b)", given));
          add("int64[1] s = {0}, int64[1] e = {-1}, " + vector_constant("i", {given}),
              "c = Slice (b, s, e, i)");
        }
        const std::int64_t size =
            shape[static_cast<std::size_t>(order[static_cast<std::size_t>(axis)])];
        if (size < 2) continue;
        add(vector_constant("s", {1, size - 1}),
            format("c, e = Split <axis = {}> (b, s) f = Transpose <perm = [{}]> (e)", axis,
                   listed(inverse)));
      }
      add(vector_constant("s", Integers(axes.size(), 0)) + ", " + vector_constant("e", scales),
          "c = Slice (b, s, e)");
    }
  }
  return graphs;
}

Graphs transposed_extremes() {
  Graphs graphs;
  const Integers sizes = {2, 3, 1, 4};
  for (std::int64_t rank = 1; rank <= 4; ++rank) {
    for (const Integers& order : orders_of(rank)) {
      for (std::int64_t axis = -rank; axis < rank; ++axis) {
        for (const int keeps : {0, 1}) {
          graphs.push_back(
              graph_of(Integers(sizes.begin(), sizes.begin() + rank), "int64 none = {0}",
                       format("b = Transpose <perm = [{}]> (a) c = ArgMax <axis = {}, keepdims = "
                              "{}> (b) z = Cast <to = 6> (c)",
                              listed(order), axis, keeps)));
        }
      }
    }
  }
  return graphs;
}

}  // namespace ortool::test
