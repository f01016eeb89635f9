// Kernels for Scaler, Normalizer, Imputer, Binarizer and FeatureVectorizer.
#include "kernels/cpu/ml/feature_rows.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/cpu/types/convert_element.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/ml/binarizer.hpp"
#include "libcore/ops/ml/feature_vectorizer.hpp"
#include "libcore/ops/ml/imputer.hpp"
#include "libcore/ops/ml/normalizer.hpp"
#include "libcore/ops/ml/scaler.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/ml/ml_operand.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

/// Calls function(T{}) for the feature type.
template <typename Function>
auto with_feature_type(DataType type, Function function) {
  switch (type) {
    case DataType::float64:
      return function(double{});
    case DataType::int32:
      return function(std::int32_t{});
    case DataType::int64:
      return function(std::int64_t{});
    default:
      ORTOOL_CHECK(type == DataType::float32);
      return function(float{});
  }
}

/// Views any shape as rows along the last dimension.
FeatureRows feature_rows_of(const Shape& shape, std::size_t value_count) {
  const std::int64_t features = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
  return {shape.product(0, std::max<std::int64_t>(0, shape.rank() - 1)), features,
          static_cast<std::int64_t>(value_count)};
}

KernelPtr compile_scaler(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = std::make_shared<const Scaler>(read_op<Scaler>(view.node()));
  return make_kernel(row.name, [=](const PrepareContext& context) {
    const FeatureRows sizes = feature_rows_of(context.inputs[0].shape, op->scale.size());
    return with_feature_type(context.inputs[0].type, [&](auto number) {
      using T = decltype(number);
      return make_prepared({}, [=](const RunContext& run) {
        scale_features(run.input<T>(0), sizes, op->offset.data(), op->scale.data(),
                       run.output<float>(0), run.workers());
      });
    });
  });
}

KernelPtr compile_normalizer(const NodeView& view, const KernelRow& row, const CompileContext&) {
  using Norm = Normalizer::Norm;
  const Norm norm = read_op<Normalizer>(view.node()).norm;
  const RowNorm kind = norm == Norm::largest ? RowNorm::largest
                       : norm == Norm::l1    ? RowNorm::l1
                                             : RowNorm::l2;
  return make_kernel(row.name, [kind](const PrepareContext& context) {
    const FeatureRows sizes = feature_rows_of(context.inputs[0].shape, 1);
    return with_feature_type(context.inputs[0].type, [&](auto number) {
      using T = decltype(number);
      return make_prepared({}, [=](const RunContext& run) {
        normalize_features(kind, run.input<T>(0), sizes, run.output<float>(0), run.workers());
      });
    });
  });
}

template <typename T>
KernelPtr make_imputer(const KernelRow& row, const Imputer& op) {
  T replaced = convert_number<T>(op.replaced_number);
  if (op.is_integer) replaced = convert_number<T>(op.replaced_integer);
  auto values = std::make_shared<std::vector<T>>();
  for (const float value : op.numbers) values->push_back(convert_number<T>(value));
  for (const std::int64_t value : op.integers) values->push_back(convert_number<T>(value));
  return make_kernel(row.name, [=](const PrepareContext& context) {
    const FeatureRows sizes = feature_rows_of(context.inputs[0].shape, values->size());
    return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
      impute_features(run.input<T>(0), sizes, replaced, values->data(), run.output<T>(0),
                      run.workers());
    });
  });
}

KernelPtr compile_imputer(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<Imputer>(view.node());
  return with_feature_type(view.input_type(0),
                           [&](auto number) { return make_imputer<decltype(number)>(row, op); });
}

KernelPtr compile_binarizer(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const float threshold = read_op<Binarizer>(view.node()).threshold;
  return make_kernel(row.name, [threshold](const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    return with_feature_type(context.inputs[0].type, [&](auto number) {
      using T = decltype(number);
      return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
        binarize(run.input<T>(0), count, threshold, run.output<T>(0), run.workers());
      });
    });
  });
}

/// Where one input of FeatureVectorizer is placed.
struct FeatureGroup {
  DataType type;
  ExampleSizes sizes;
  std::int64_t width;
};

KernelPtr compile_feature_vectorizer(const NodeView& view, const KernelRow& row,
                                     const CompileContext&) {
  const auto op = read_op<FeatureVectorizer>(view.node());
  return make_kernel(row.name, [op](const PrepareContext& context) {
    std::vector<FeatureGroup> groups;
    std::int64_t columns = 0;
    for (std::size_t i = 0; i < context.inputs.size(); ++i) {
      const ExampleSizes sizes(context.inputs[i].shape);
      const std::int64_t width = op.widths.empty() ? sizes.features : op.widths[i];
      groups.push_back({context.inputs[i].type, sizes, width});
      columns += width;
    }
    return make_prepared({}, [groups = std::move(groups), columns](const RunContext& run) {
      auto* out = run.output<float>(0);
      for (std::size_t i = 0; i < groups.size(); ++i) {
        const FeatureGroup& group = groups[i];
        with_feature_type(group.type, [&](auto number) {
          copy_features(run.input<decltype(number)>(i), group.sizes.rows, group.sizes.features,
                        group.width, out, columns, run.workers());
        });
        out += group.width;
      }
    });
  });
}

constexpr auto feature_rows_rows = join_rows(
    portable_row("binarizer", "Binarizer", ml_number_names, accepts_anything, compile_binarizer,
                 ml_domain),
    portable_row("feature_vectorizer", "FeatureVectorizer", ml_number_names, accepts_anything,
                 compile_feature_vectorizer, ml_domain),
    portable_row("imputer", "Imputer", ml_number_names, accepts_anything, compile_imputer,
                 ml_domain),
    portable_row("normalizer", "Normalizer", ml_number_names, accepts_anything, compile_normalizer,
                 ml_domain),
    portable_row("scaler", "Scaler", ml_number_names, accepts_anything, compile_scaler, ml_domain));

}  // namespace

std::span<const KernelRow> feature_rows_kernels() {
  return feature_rows_rows;
}

}  // namespace ortool::cpu
