// Kernels for TreeEnsemble, TreeEnsembleRegressor and TreeEnsembleClassifier.
#include "libcore/ops/ml/trees/tree_ensemble.hpp"

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "kernels/cpu/ml/ranked_trees.hpp"
#include "kernels/cpu/ml/tree_scores.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/ml/labeled_kernel.hpp"
#include "providers/cpu/ml/make_tree_ensemble.hpp"
#include "providers/cpu/ml/ml_operand.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

/// The forest with its input and score buffers for one shape.
template <typename T>
class ForestRun {
 public:
  ForestRun(std::shared_ptr<const Forest<T>> forest, std::shared_ptr<const RankedTrees> ranked,
            std::int64_t targets, ForestAggregate aggregate, Isa isa, const Operand& x)
      : forest_(std::move(forest)),
        ranked_(std::move(ranked)),
        sizes_(x.shape),
        targets_(targets),
        aggregate_(aggregate),
        isa_(isa),
        input_(x, layout_) {
    const std::int64_t count = multiply_sizes(sizes_.rows, targets_);
    scores_ = layout_.add(multiply_sizes(count, sizeof(T)));
    has_score_ = layout_.add(count);
  }

  std::int64_t workspace_bytes() const { return layout_.bytes(); }
  std::int64_t rows() const { return sizes_.rows; }
  std::int64_t count() const { return sizes_.rows * targets_; }
  T* scores(const RunContext& run) const { return reinterpret_cast<T*>(run.workspace() + scores_); }
  std::uint8_t* has_score(const RunContext& run) const {
    return reinterpret_cast<std::uint8_t*>(run.workspace() + has_score_);
  }
  void aggregate(const RunContext& run) const {
    aggregate_votes(*forest_, ranked_.get(), input_.read(run, 0), sizes_.rows, sizes_.features,
                    targets_, aggregate_, isa_, scores(run), has_score(run), run.workers());
  }

 private:
  std::shared_ptr<const Forest<T>> forest_;
  std::shared_ptr<const RankedTrees> ranked_;  ///< may be null
  ExampleSizes sizes_;
  std::int64_t targets_;
  ForestAggregate aggregate_;
  Isa isa_;
  WorkspaceLayout layout_;
  ConvertedInput<T> input_;
  std::int64_t scores_ = 0;
  std::int64_t has_score_ = 0;
};

/// The trees by ranks, where a kernel for the instruction set walks them; else null.
template <typename T>
std::shared_ptr<const RankedTrees> ranked_trees(const Forest<T>& forest, Isa isa) {
  if constexpr (std::is_same_v<T, float>) {
    if (isa < Isa::avx512) return nullptr;
    if (std::optional<RankedTrees> made = RankedTrees::make(forest))
      return std::make_shared<const RankedTrees>(std::move(*made));
  }
  return nullptr;
}

/// Calls make(T{}): float if that is exact for the input and the thresholds, otherwise double.
template <typename Make>
KernelPtr with_forest_type(DataType input, const ForestOp& op, Make make) {
  if (input == DataType::float64 || !fits_float32(op.trees)) return make(double{});
  return make(float{});
}

ForestAggregate forest_aggregate(TreeAggregate aggregate) {
  if (aggregate == TreeAggregate::smallest) return ForestAggregate::smallest;
  if (aggregate == TreeAggregate::largest) return ForestAggregate::largest;
  return ForestAggregate::sum;
}

template <typename T>
KernelPtr make_forest_targets(const KernelRow& row, const ForestOp& op) {
  const auto forest = std::make_shared<const Forest<T>>(make_forest<T>(op.trees));
  ForestTargets targets = {.count = op.target_count,
                           .base_values = op.base_values,
                           .transform = score_transform(op.post_transform)};
  if (op.aggregate == TreeAggregate::average)
    targets.divisor = static_cast<std::int64_t>(op.trees.roots.size());
  const ForestAggregate aggregate = forest_aggregate(op.aggregate);
  const Isa isa = row.isa;
  const auto ranked = ranked_trees(*forest, isa);
  return make_kernel(row.name, [=](const PrepareContext& context) {
    const ForestRun<T> forest_run(forest, ranked, targets.count, aggregate, isa, context.inputs[0]);
    const DataType type = context.outputs[0].type;
    return make_prepared({.workspace_bytes = forest_run.workspace_bytes()},
                         [=](const RunContext& run) {
                           forest_run.aggregate(run);
                           T* scores = forest_run.scores(run);
                           finish_targets(targets, forest_run.rows(), scores, run.workers());
                           cast(DataTypeOf<T>::value, scores, type, run.output<std::byte>(0),
                                forest_run.count(), run.workers());
                         });
  });
}

template <typename Op>
KernelPtr compile_forest_targets(const NodeView& view, const KernelRow& row,
                                 const CompileContext&) {
  const auto op = read_op<Op>(view.node());
  const DataType input = view.input_type(0);
  KernelPtr kernel = with_forest_type(
      input, op, [&](auto number) { return make_forest_targets<decltype(number)>(row, op); });
  return input == DataType::float16 ? make_fp16_kernel(std::move(kernel), row.isa)
                                    : std::move(kernel);
}

/// See ForestClasses for models with votes for only one of two classes.
ForestClasses classes_of(const TreeEnsembleClassifier& op) {
  ForestClasses classes = {.count = op.target_count,
                           .base_values = op.base_values,
                           .transform = score_transform(op.post_transform),
                           .is_share = true};
  bool has_votes[2] = {};
  for (const TreeVote& vote : op.trees.votes) {
    has_votes[vote.target == 0 ? 0 : 1] = true;
    if (vote.weight < 0) classes.is_share = false;
  }
  classes.is_single =
      op.target_count == 2 && has_votes[0] != has_votes[1] && op.base_values.size() < 2;
  return classes;
}

template <typename T>
KernelPtr make_forest_classes(const KernelRow& row, const TreeEnsembleClassifier& op) {
  const auto forest = std::make_shared<const Forest<T>>(make_forest<T>(op.trees));
  const ForestClasses classes = classes_of(op);
  const Isa isa = row.isa;
  const auto ranked = ranked_trees(*forest, isa);
  return make_kernel(row.name, [=](const PrepareContext& context) {
    const ForestRun<T> forest_run(forest, ranked, classes.count, ForestAggregate::sum, isa,
                                  context.inputs[0]);
    return make_prepared({.workspace_bytes = forest_run.workspace_bytes()},
                         [=](const RunContext& run) {
                           forest_run.aggregate(run);
                           finish_classes(classes, forest_run.rows(), forest_run.scores(run),
                                          forest_run.has_score(run), run.output<std::int64_t>(0),
                                          run.output<float>(1), run.workers());
                         });
  });
}

KernelPtr compile_forest_classes(const NodeView& view, const KernelRow& row,
                                 const CompileContext&) {
  const auto op = read_op<TreeEnsembleClassifier>(view.node());
  return make_labeled_kernel(
      with_forest_type(view.input_type(0), op,
                       [&](auto number) { return make_forest_classes<decltype(number)>(row, op); }),
      op.labels);
}

/// Rows `stem`_avx512 and `stem`_baseline.
template <LiteralText stem>
constexpr std::array<KernelRow, 2> forest_rows(std::string_view op_type, std::string_view types,
                                               decltype(KernelRow::accepts) accepts,
                                               decltype(KernelRow::compile) compile) {
  return {{{JoinedText<stem, "_avx512">::value, ml_domain, op_type, Isa::avx512, types, accepts,
            compile},
           {JoinedText<stem, "_baseline">::value, ml_domain, op_type, Isa::baseline, types, accepts,
            compile}}};
}

constexpr auto tree_ensemble_rows =
    join_rows(forest_rows<"tree_ensemble">("TreeEnsemble", "float32, float64, float16",
                                           accepts_floats, compile_forest_targets<TreeEnsemble>),
              forest_rows<"tree_ensemble_regressor">("TreeEnsembleRegressor", ml_number_names,
                                                     accepts_anything,
                                                     compile_forest_targets<TreeEnsembleRegressor>),
              forest_rows<"tree_ensemble_classifier">("TreeEnsembleClassifier", ml_number_names,
                                                      accepts_anything, compile_forest_classes));

}  // namespace

std::span<const KernelRow> tree_ensemble_kernels() {
  return tree_ensemble_rows;
}

}  // namespace ortool::cpu
