// Whether outputs are as expected: tolerances by type, and what the user set instead.
#pragma once

#include <optional>
#include <string>

#include "apps/ortool/command.hpp"
#include "apps/ortool/report/json.hpp"
#include "libcore/tensor/compare.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

OptionGroup judge_options();

/// What counts as equal. Without options: float32 and float64 rtol 1e-3 with atol 1e-4 of the
/// largest expected magnitude, 16-bit floats rtol 2e-2 with atol 2e-3 of it, narrower floats and
/// everything else exactly. With --min-cosine or --same-top1 and no tolerance, those alone count.
class Judge {
 public:
  /// Throws ErrorCode::invalid for option values that are none.
  explicit Judge(const OptionValues& options);

  /// The model computes with quantised values, of which another runtime may round one the other
  /// way: without options its float outputs need a cosine of 0.999 and the best class in the same
  /// place. False when options say something else.
  bool expect_quantized();

  struct Verdict {
    bool has_passed = false;
    Comparison comparison;
    std::string reason;  ///< in words, why not
  };
  /// Sequences are compared element by element, maps by keys; figures are those of the worst
  /// element, counts those of all together.
  Verdict compare_output(const RunValue& found, const RunValue& expected) const;

 private:
  Verdict compare_tensors(const Tensor& found, const Tensor& expected) const;
  Verdict compare_maps(const RunValue& found, const RunValue& expected) const;
  Verdict compare_sequences(const RunValue& found, const RunValue& expected) const;

  std::optional<double> rtol_;
  std::optional<double> atol_;
  bool atol_of_max_ = false;
  std::optional<double> min_cosine_;
  bool is_same_top1_ = false;
  bool is_quantized_ = false;
};

/// {name, against, passed, max_abs_error, …}.
Json comparison_block(std::string_view name, std::string_view against,
                      const Judge::Verdict& verdict);

}  // namespace ortool
