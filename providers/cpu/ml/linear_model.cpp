// Kernels for LinearClassifier and LinearRegressor: one matrix product, then post-processing.
#include "libcore/ops/ml/linear_model.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/ml/example_product.hpp"
#include "providers/cpu/ml/labeled_kernel.hpp"
#include "providers/cpu/ml/ml_operand.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

/// The scores of a batch before the transform.
class LinearScores {
 public:
  LinearScores(const LinearModel& model, Isa isa, const CompileContext& context)
      : product_(model.coefficients, model.rows, model.features, isa, context),
        intercepts_(std::make_shared<const std::vector<float>>(model.intercepts)) {}

  const ExampleProduct& product() const { return product_; }

  void run(const float* x, std::int64_t rows, float* out, void* workspace, Workers& workers) const {
    Epilogue epilogue;
    if (!intercepts_->empty()) {
      epilogue.addend = Addend::per_column;
      epilogue.added = intercepts_->data();
    }
    product_.run(x, rows, epilogue, out, workspace, workers);
  }

 private:
  ExampleProduct product_;
  std::shared_ptr<const std::vector<float>> intercepts_;
};

constexpr std::int64_t linear_grain = 256;

KernelPtr compile_linear_regressor(const NodeView& view, const KernelRow& row,
                                   const CompileContext& compile) {
  const auto op = read_op<LinearRegressor>(view.node());
  const LinearScores scores(op, row.isa, compile);
  const ScoreTransform transform = score_transform(op.post_transform);
  return make_kernel(
      row.name,
      [=](const PrepareContext& context) {
        WorkspaceLayout layout;
        const ConvertedInput<float> input(context.inputs[0], layout);
        const std::int64_t rows = ExampleSizes(context.inputs[0].shape).rows;
        const std::int64_t columns = scores.product().count();
        const std::int64_t place = layout.add(scores.product().workspace_bytes(rows));
        return make_prepared({.workspace_bytes = layout.bytes()}, [=](const RunContext& run) {
          auto* out = run.output<float>(0);
          scores.run(input.read(run, 0), rows, out, run.workspace() + place, run.workers());
          if (transform == ScoreTransform::none) return;
          run.workers().parallel_ranges(rows, linear_grain, [&](auto begin, auto end) {
            for (auto i = begin; i < end; ++i)
              transform_targets(transform, out + i * columns, columns);
          });
        });
      },
      {.packed_bytes = scores.product().packed_bytes()});
}

/// Label and scores[classes] of a row from its products: one for two classes, or one per class.
std::int64_t finish_linear_row(ScoreTransform transform, const float* products,
                               std::int64_t product_count, float* scores, std::int64_t classes) {
  if (product_count < classes) {
    scores[1] = products[0];
    const bool is_second = scores[1] > 0;
    write_two_scores(transform, true, scores);
    return is_second ? 1 : 0;
  }
  const std::int64_t best = std::max_element(products, products + classes) - products;
  if (scores != products) std::copy(products, products + classes, scores);
  transform_targets(transform, scores, classes);
  return best;
}

KernelPtr make_linear_classes(const KernelRow& row, const LinearClassifier& op,
                              const CompileContext& compile) {
  const LinearScores scores(op, row.isa, compile);
  const ScoreTransform transform = score_transform(op.post_transform);
  const std::int64_t classes = op.labels.element_count();
  return make_kernel(
      row.name,
      [=](const PrepareContext& context) {
        WorkspaceLayout layout;
        const ConvertedInput<float> input(context.inputs[0], layout);
        const std::int64_t rows = ExampleSizes(context.inputs[0].shape).rows;
        const std::int64_t columns = scores.product().count();
        constexpr std::int64_t size = sizeof(float);
        const std::int64_t bytes = multiply_sizes(rows, multiply_sizes(classes, size));
        const OptionalOutput output(context, 1, bytes, layout);
        // Two scores from a single product must not overwrite products that are not read yet.
        const bool is_apart = columns < classes;
        const std::int64_t products_place = layout.add(is_apart ? bytes : 0);
        const std::int64_t place = layout.add(scores.product().workspace_bytes(rows));
        return make_prepared({.workspace_bytes = layout.bytes()}, [=](const RunContext& run) {
          auto* out = output.write<float>(run);
          auto* products =
              is_apart ? reinterpret_cast<float*>(run.workspace() + products_place) : out;
          scores.run(input.read(run, 0), rows, products, run.workspace() + place, run.workers());
          auto* best = run.output<std::int64_t>(0);
          run.workers().parallel_ranges(rows, linear_grain, [&](auto begin, auto end) {
            for (auto i = begin; i < end; ++i) {
              const std::int64_t chosen = finish_linear_row(transform, products + i * columns,
                                                            columns, out + i * classes, classes);
              if (best != nullptr) best[i] = chosen;
            }
          });
        });
      },
      {.packed_bytes = scores.product().packed_bytes()});
}

KernelPtr compile_linear_classifier(const NodeView& view, const KernelRow& row,
                                    const CompileContext& compile) {
  const auto op = read_op<LinearClassifier>(view.node());
  return make_labeled_kernel(make_linear_classes(row, op, compile), op.labels);
}

constexpr auto linear_model_rows =
    join_rows(isa_rows<"linear_classifier">("LinearClassifier", ml_number_names, accepts_anything,
                                            compile_linear_classifier, ml_domain),
              isa_rows<"linear_regressor">("LinearRegressor", ml_number_names, accepts_anything,
                                           compile_linear_regressor, ml_domain));

}  // namespace

std::span<const KernelRow> linear_model_kernels() {
  return linear_model_rows;
}

}  // namespace ortool::cpu
