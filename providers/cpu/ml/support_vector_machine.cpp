// Kernels for SVMClassifier and SVMRegressor.
#include "kernels/cpu/ml/support_vector_machine.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/ml/support_vectors.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/ml/example_product.hpp"
#include "providers/cpu/ml/labeled_kernel.hpp"
#include "providers/cpu/ml/ml_operand.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

/// Similarities of examples and support vectors or, without these, products with the coefficients.
class Similarities {
 public:
  Similarities(const SupportVectorMachine& machine, std::int64_t count, Isa isa,
               const CompileContext& context)
      : kernel_(machine.kernel),
        features_(machine.features),
        vectors_(std::make_shared<const std::vector<float>>(
            machine.vector_count > 0 ? machine.support_vectors : machine.coefficients)),
        offset_(machine.vector_count > 0 ? kernel_.coef0 : machine.rho[0]),
        product_(*vectors_, count, features_, isa, context) {}

  std::int64_t count() const { return product_.count(); }
  std::int64_t packed_bytes() const { return product_.packed_bytes(); }
  std::int64_t workspace_bytes(std::int64_t rows) const { return product_.workspace_bytes(rows); }

  /// out[rows, count].
  void run(const float* x, std::int64_t rows, bool adds_rho, float* out, void* workspace,
           Workers& workers) const {
    using Type = SupportKernel::Type;
    if (kernel_.type == Type::radial) {
      radial_similarities(x, vectors_->data(), rows, count(), features_, kernel_.gamma, out,
                          workers);
      return;
    }
    Epilogue epilogue;
    if (kernel_.type != Type::linear) epilogue.alpha = kernel_.gamma;
    if (kernel_.type != Type::linear || adds_rho) {
      epilogue.addend = Addend::scalar;
      epilogue.added = &offset_;
    }
    product_.run(x, rows, epilogue, out, workspace, workers);
    if (kernel_.type == Type::linear) return;
    workers.parallel_ranges(rows * count(), 4096, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        out[i] =
            kernel_.type == Type::sigmoid ? std::tanh(out[i]) : std::pow(out[i], kernel_.degree);
      }
    });
  }

 private:
  SupportKernel kernel_;
  std::int64_t features_;
  std::shared_ptr<const std::vector<float>> vectors_;
  float offset_;
  ExampleProduct product_;
};

KernelPtr compile_svm_regressor(const NodeView& view, const KernelRow& row,
                                const CompileContext& compile) {
  const auto op = read_op<SVMRegressor>(view.node());
  const bool has_vectors = op.vector_count > 0;
  const Similarities near(op, has_vectors ? op.vector_count : 1, row.isa, compile);
  const auto weights = std::make_shared<const std::vector<float>>(op.coefficients);
  const ScoreTransform transform = score_transform(op.post_transform);
  return make_kernel(
      row.name,
      [=, rho = op.rho[0], is_one_class = op.is_one_class](const PrepareContext& context) {
        WorkspaceLayout layout;
        const ConvertedInput<float> input(context.inputs[0], layout);
        const std::int64_t rows = ExampleSizes(context.inputs[0].shape).rows;
        const std::int64_t count = near.count();
        const std::int64_t values_place =
            layout.add(multiply_sizes(multiply_sizes(rows, count), sizeof(float)));
        const std::int64_t place = layout.add(near.workspace_bytes(rows));
        return make_prepared({.workspace_bytes = layout.bytes()}, [=](const RunContext& run) {
          auto* values = reinterpret_cast<float*>(run.workspace() + values_place);
          near.run(input.read(run, 0), rows, !has_vectors, values, run.workspace() + place,
                   run.workers());
          auto* out = run.output<float>(0);
          const std::int64_t grain = std::max<std::int64_t>(1, 65536 / count);
          run.workers().parallel_ranges(rows, grain, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
              out[i] = values[i * count];
              if (has_vectors) {
                double sum = 0;
                for (std::int64_t k = 0; k < count; ++k)
                  sum += static_cast<double>((*weights)[static_cast<std::size_t>(k)]) *
                         static_cast<double>(values[i * count + k]);
                out[i] = static_cast<float>(sum + static_cast<double>(rho));
              }
              transform_targets(transform, out + i, 1);
              if (is_one_class) out[i] = out[i] > 0 ? 1.0F : -1.0F;
            }
          });
        });
      },
      {.packed_bytes = near.packed_bytes()});
}

/// The label of a row of scores from a linear SVM. Of two classes the second is chosen if the
/// better score is positive (at least 0.5 if no coefficient is negative), as other runtimes do for
/// this operator, unless there are probabilities.
std::int64_t choose_linear_class(const SVMClassifier& op, bool are_positive, const float* scores,
                                 std::int64_t classes) {
  const std::int64_t best = std::max_element(scores, scores + classes) - scores;
  if (classes != 2 || !op.probability_a.empty()) return best;
  const bool is_second = are_positive ? scores[best] >= 0.5F : scores[best] > 0;
  return is_second ? 1 : best;
}

/// A linear SVM, without support vectors.
KernelPtr make_linear_svm(const KernelRow& row, std::shared_ptr<const SVMClassifier> op,
                          const CompileContext& compile) {
  const std::int64_t classes = op->labels.element_count();
  const Similarities near(*op, classes, row.isa, compile);
  const bool are_positive = std::all_of(op->coefficients.begin(), op->coefficients.end(),
                                        [](float value) { return value >= 0; });
  return make_kernel(
      row.name,
      [=](const PrepareContext& context) {
        WorkspaceLayout layout;
        const ConvertedInput<float> input(context.inputs[0], layout);
        const std::int64_t rows = ExampleSizes(context.inputs[0].shape).rows;
        const std::int64_t place = layout.add(near.workspace_bytes(rows));
        const OptionalOutput output(
            context, 1, multiply_sizes(multiply_sizes(rows, classes), sizeof(float)), layout);
        return make_prepared({.workspace_bytes = layout.bytes()}, [=](const RunContext& run) {
          auto* scores = output.write<float>(run);
          near.run(input.read(run, 0), rows, true, scores, run.workspace() + place, run.workers());
          auto* best = run.output<std::int64_t>(0);
          for (std::int64_t i = 0; i < rows; ++i) {
            float* row_scores = scores + i * classes;
            if (best != nullptr)
              best[i] = choose_linear_class(*op, are_positive, row_scores, classes);
            transform_targets(score_transform(op->post_transform), row_scores, classes);
          }
        });
      },
      {.packed_bytes = near.packed_bytes()});
}

/// Class scores from the scores of the class pairs.
void finish_pairs(const SVMClassifier& op, const float* pairs, std::int64_t pair_count, float* out,
                  std::int64_t out_count, float* scratch) {
  const ScoreTransform transform = score_transform(op.post_transform);
  if (!op.probability_a.empty()) {
    couple_probabilities(out_count, pairs, op.probability_a.data(), op.probability_b.data(), out,
                         scratch);
    transform_targets(transform, out, out_count);
  } else if (pair_count == 1) {
    out[1] = pairs[0];
    write_two_scores(transform, transform != ScoreTransform::none, out);
  } else {
    std::copy(pairs, pairs + pair_count, out);
    transform_targets(transform, out, out_count);
  }
}

KernelPtr make_pairs_svm(const KernelRow& row, std::shared_ptr<const SVMClassifier> op,
                         const CompileContext& compile) {
  const Similarities near(*op, op->vector_count, row.isa, compile);
  const SupportPairs pairs = {.classes = op->labels.element_count(),
                              .vector_count = op->vector_count,
                              .vectors_per_class = op->vectors_per_class.data(),
                              .coefficients = op->coefficients.data(),
                              .rho = op->rho.data()};
  return make_kernel(
      row.name,
      [=](const PrepareContext& context) {
        constexpr std::int64_t size = sizeof(float);
        WorkspaceLayout layout;
        const ConvertedInput<float> input(context.inputs[0], layout);
        const std::int64_t rows = ExampleSizes(context.inputs[0].shape).rows;
        const auto add_floats = [&](std::int64_t columns) {
          return layout.add(multiply_sizes(multiply_sizes(rows, columns), size));
        };
        const std::int64_t values_place = add_floats(pairs.vector_count);
        const std::int64_t pairs_place = add_floats(pairs.pair_count());
        const std::int64_t votes_place = add_floats(pairs.classes);
        const bool has_chances = !op->probability_a.empty();
        const std::int64_t scratch_place = layout.add(
            has_chances ? multiply_sizes(multiply_sizes(2 * pairs.classes + 1, pairs.classes), size)
                        : 0);
        const std::int64_t place = layout.add(near.workspace_bytes(rows));
        return make_prepared({.workspace_bytes = layout.bytes()}, [=](const RunContext& run) {
          const auto floats_at = [&](std::int64_t offset) {
            return reinterpret_cast<float*>(run.workspace() + offset);
          };
          near.run(input.read(run, 0), rows, false, floats_at(values_place),
                   run.workspace() + place, run.workers());
          score_pairs(pairs, floats_at(values_place), rows, floats_at(pairs_place),
                      reinterpret_cast<std::int32_t*>(run.workspace() + votes_place),
                      run.output<std::int64_t>(0), run.workers());
          auto* out = run.output<float>(1);
          if (out == nullptr) return;
          const std::int64_t columns = op->score_count();
          for (std::int64_t i = 0; i < rows; ++i) {
            finish_pairs(*op, floats_at(pairs_place) + i * pairs.pair_count(), pairs.pair_count(),
                         out + i * columns, columns, floats_at(scratch_place));
          }
        });
      },
      {.packed_bytes = near.packed_bytes()});
}

KernelPtr compile_svm_classifier(const NodeView& view, const KernelRow& row,
                                 const CompileContext& compile) {
  const auto op = std::make_shared<const SVMClassifier>(read_op<SVMClassifier>(view.node()));
  return make_labeled_kernel(
      op->vector_count > 0 ? make_pairs_svm(row, op, compile) : make_linear_svm(row, op, compile),
      op->labels);
}

constexpr auto support_vectors_rows =
    join_rows(isa_rows<"svm_classifier">("SVMClassifier", ml_number_names, accepts_anything,
                                         compile_svm_classifier, ml_domain),
              isa_rows<"svm_regressor">("SVMRegressor", ml_number_names, accepts_anything,
                                        compile_svm_regressor, ml_domain));

}  // namespace

std::span<const KernelRow> support_vector_machine_kernels() {
  return support_vectors_rows;
}

}  // namespace ortool::cpu
