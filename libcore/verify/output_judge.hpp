// Output comparison: default tolerances by type, and those that the caller sets.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tensor/compare.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// The caller's overrides of the default tolerances.
struct JudgeOptions {
  std::optional<double> rtol = {};  ///< from 0
  std::optional<double> atol = {};  ///< from 0
  bool atol_of_max = false;         ///< `atol` is relative to the largest expected magnitude
  std::optional<double> min_cosine = {};
  bool is_same_top1 = false;  ///< the argmax has to agree
};

/// What counts as equal. By default: float32 and float64 with rtol 1e-3 and atol 1e-4 of the
/// largest expected magnitude, 16-bit floats with rtol 2e-2 and atol 2e-3 of it, narrower floats
/// and all other types exactly. With --min-cosine or --same-top1 and no tolerance, only those
/// apply.
class Judge {
 public:
  explicit Judge(const JudgeOptions& options = {})
      : rtol_(options.rtol),
        atol_(options.atol),
        atol_of_max_(options.atol_of_max),
        min_cosine_(options.min_cosine),
        is_same_top1_(options.is_same_top1) {}

  /// The model is quantized, and another runtime may break rounding ties differently: by default
  /// its float outputs need a cosine similarity of 0.999 and, but for `caches`, the same argmax.
  /// False when options override this.
  bool expect_quantized(std::set<std::string, std::less<>> caches = {});

  /// Outputs that hold class indices: by default they pass if at least 99.9 % of the elements are
  /// equal, or 99 % for a quantized model.
  void expect_class_maps(std::set<std::string, std::less<>> names);
  bool is_class_map(std::string_view output) const { return class_maps_.contains(output); }

  /// Outputs that depend on 16-bit computation: whatever their type, they get the tolerance of
  /// 16-bit floats; still bit-identical where that is expected. Returns the tolerance in words,
  /// empty when no name is given or options override it.
  std::string expect_fp16(std::set<std::string, std::less<>> names);

  /// For two forms of one model: `rtol`, and an atol of this share of the largest expected
  /// magnitude, for floats of 32 bits and more; 16-bit floats keep their tolerance. Zeros:
  /// bit-identical. Options still apply.
  void expect_equal(double rtol, double atol_of_max);
  /// After expect_equal() with zeros, and no options.
  bool expects_bits() const;

  /// The tolerance of elements of a type.
  Tolerance tolerance_of(DataType type) const;

  struct Verdict {
    bool has_passed = false;
    TensorComparison comparison;
    std::string reason;  ///< why not, in words
  };
  /// Sequences are compared element by element, maps by keys; figures are those of the worst
  /// element, counts those of all together.
  Verdict compare_output(const RunValue& found, const RunValue& expected) const;
  /// The same for an output that expect_class_maps(), expect_fp16() or expect_quantized() may have
  /// named.
  Verdict compare_output(std::string_view name, const RunValue& found,
                         const RunValue& expected) const;

 private:
  bool has_options() const { return rtol_ || atol_ || min_cosine_ || is_same_top1_; }
  Tolerance usual_tolerance(DataType type) const;
  Verdict compare_tensors(const Tensor& found, const Tensor& expected) const;
  Verdict compare_maps(const RunValue& found, const RunValue& expected) const;
  Verdict compare_sequences(const RunValue& found, const RunValue& expected) const;

  std::optional<double> rtol_;
  std::optional<double> atol_;
  bool atol_of_max_ = false;
  std::optional<double> min_cosine_;
  bool is_same_top1_ = false;
  bool is_quantized_ = false;
  std::set<std::string, std::less<>> caches_;
  bool ranks_elements_ = true;
  std::set<std::string, std::less<>> class_maps_;
  std::set<std::string, std::less<>> fp16_;
  bool takes_floats_for_fp16_ = false;
  std::optional<Tolerance> equal_;
};

}  // namespace ortool
