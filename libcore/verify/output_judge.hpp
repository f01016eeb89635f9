// Tolerances for comparing outputs: defaults by type, and what the caller sets instead.
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

/// What a caller sets in place of the default tolerances.
struct JudgeOptions {
  std::optional<double> rtol = {};  ///< from 0
  std::optional<double> atol = {};  ///< from 0
  bool atol_of_max = false;         ///< `atol` is a share of the largest expected magnitude
  std::optional<double> min_cosine = {};
  bool is_same_top1 = false;  ///< the largest score has to stand at the same place
};

/// What counts as equal. Without options: float32 and float64 rtol 1e-3 with atol 1e-4 of the
/// largest expected magnitude, 16-bit floats rtol 2e-2 with atol 2e-3 of it, narrower floats and
/// everything else exactly. With --min-cosine or --same-top1 and no tolerance, those alone count.
class Judge {
 public:
  explicit Judge(const JudgeOptions& options = {})
      : rtol_(options.rtol),
        atol_(options.atol),
        atol_of_max_(options.atol_of_max),
        min_cosine_(options.min_cosine),
        is_same_top1_(options.is_same_top1) {}

  /// The model computes with quantised values, of which another runtime may round one the other
  /// way: without options its float outputs need a cosine of 0.999 and the best class in the same
  /// place. False when options say something else.
  bool expect_quantized();

  /// Outputs that hold the numbers of classes: without options they pass where the share of equal
  /// elements is at least 99.9 %, or 99 % where the model is quantised.
  void expect_class_maps(std::set<std::string, std::less<>> names);
  bool is_class_map(std::string_view output) const { return class_maps_.contains(output); }

  /// Outputs that follow from numbers computed in 16-bit floats: whatever their type, they may be
  /// off by what 16-bit floats may; the same bits where these are expected. Gives the tolerance in
  /// words, empty where no name is given or options say something else.
  std::string expect_halves(std::set<std::string, std::less<>> names);

  /// For two forms of one model: `rtol` with an atol that is this share of the largest expected
  /// magnitude, for floats of 32 bits and above; 16-bit ones keep what they have. Zeros: the same
  /// bits. Options count all the same.
  void expect_equal(double rtol, double atol_of_max);
  /// After expect_equal() with zeros, and no options.
  bool expects_bits() const;

  /// What elements of a type may be off by.
  Tolerance tolerance_of(DataType type) const;

  struct Verdict {
    bool has_passed = false;
    TensorComparison comparison;
    std::string reason;  ///< in words, why not
  };
  /// Sequences are compared element by element, maps by keys; figures are those of the worst
  /// element, counts those of all together.
  Verdict compare_output(const RunValue& found, const RunValue& expected) const;
  /// The same for an output that expect_class_maps() or expect_halves() may have named.
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
  std::set<std::string, std::less<>> class_maps_;
  std::set<std::string, std::less<>> halves_;
  bool takes_floats_for_halves_ = false;
  std::optional<Tolerance> equal_;
};

}  // namespace ortool
