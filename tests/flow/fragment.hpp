// Pieces of test models: cases of rewrite rules and operators as runnable groups of nodes.
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

/// A model of one graph without functions whose inputs and outputs are tensors of numbers.
struct Fragment {
  std::string name;        ///< "fuse_attention.txt: plain"
  std::size_t number = 0;  ///< its place among all
  std::unique_ptr<Model> model;
  /// By input: one or two tensors of one type and shape; the model runs with the first of all
  /// inputs and with the last of all.
  std::vector<std::vector<Tensor>> values;
  Tolerance tolerance;  ///< between levels

  std::int64_t opset() const { return model->graph->opset(""); }
};

/// The first or the last of the values of each input.
NamedValues inputs_of(const Fragment& fragment, bool takes_last);
/// Its outputs, node by node.
std::vector<RunValue> compute(const Fragment& fragment, bool takes_last);

/// The cases of the folders `flow`, `rules` and `ops` of the test data; each is read and tried when
/// it is asked for.
class Fragments {
 public:
  explicit Fragments(const std::string& testdata);

  std::size_t count() const { return cases_.size(); }
  /// The first of them hold groups of nodes: what rules look for, what one kernel computes. The
  /// others are operators alone.
  std::size_t group_count() const { return group_count_; }
  /// Null where the case does not run, has strings or sequences, is large, or draws random
  /// numbers.
  const Fragment* at(std::size_t index);
  /// The places of those for the same opset as `piece`.
  const std::vector<std::size_t>& like(const Fragment& fragment) const;

 private:
  struct Case {
    std::string name;
    std::variant<RuleCase, OpCase> text;
    std::optional<std::unique_ptr<const Fragment>> fragment = {};  ///< nothing: not tried yet
  };

  void add_rules(const std::string& folder);
  void add_operators(const std::filesystem::path& file);
  static std::unique_ptr<Fragment> make(const Case& each);

  std::vector<Case> cases_;
  std::size_t group_count_ = 0;
  std::map<std::int64_t, std::vector<std::size_t>> by_opset_;
};

}  // namespace ortool::test
