// Fragments of test models: cases of rewrite rules and operators as runnable groups of nodes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/tensor/compare.hpp"
#include "tests/ops/case_file.hpp"
#include "tests/rules/case_file.hpp"

namespace ortool::test {

/// A single-graph model without functions whose inputs and outputs are numeric tensors.
struct Fragment {
  std::string name;        ///< "fuse_attention.txt: plain"
  std::size_t number = 0;  ///< index among all cases
  std::unique_ptr<Model> model;
  /// For each input, one or two tensors of the same type and shape. The model runs with all the
  /// first ones and with all the last ones.
  std::vector<std::vector<Tensor>> values;
  Tolerance tolerance;  ///< between optimization levels

  std::int64_t opset() const { return model->graph->opset(""); }
};

/// The first or last value of each input.
NamedValues inputs_of(const Fragment& fragment, bool takes_last);
/// Its outputs, computed node by node.
std::vector<RunValue> compute(const Fragment& fragment, bool takes_last);

/// The cases in the folders `flow`, `rules` and `ops` of the test data, built and tried on demand.
class Fragments {
 public:
  explicit Fragments(const std::string& testdata);

  std::size_t count() const { return cases_.size(); }
  /// The first cases are groups of nodes that a rule matches or one kernel computes; the rest are
  /// single operators.
  std::size_t group_count() const { return group_count_; }
  /// Null if the case does not run, has strings or sequences, is large, or draws random numbers.
  const Fragment* at(std::size_t index);
  /// Indices of the cases for the same opset as `fragment`.
  const std::vector<std::size_t>& like(const Fragment& fragment) const;

 private:
  struct Case {
    std::string name;
    std::variant<RuleCase, OpCase> text;
    std::optional<std::unique_ptr<const Fragment>> fragment = {};  ///< empty: not tried yet
  };

  void add_rules(const std::string& folder);
  void add_operators(const std::filesystem::path& file);
  static std::unique_ptr<Fragment> make(const Case& each);

  std::vector<Case> cases_;
  std::size_t group_count_ = 0;
  std::map<std::int64_t, std::vector<std::size_t>> by_opset_;
};

}  // namespace ortool::test
