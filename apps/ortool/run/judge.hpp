// Whether outputs are as expected: tolerances by type, and what the user set instead.
#pragma once

#include <optional>
#include <string>

#include "apps/ortool/command.hpp"
#include "apps/ortool/report/json.hpp"
#include "libcore/tensor/compare.hpp"

namespace ortool {

OptionGroup judge_options();

/// What counts as equal. Without options: float32 and float64 rtol 1e-3 with atol 1e-4 of the
/// largest expected magnitude, 16-bit floats rtol 2e-2 with atol 2e-3 of it, narrower floats and
/// everything else exactly. With --min-cosine or --same-top1 and no tolerance, those alone count.
class Judge {
 public:
  /// Throws ErrorCode::invalid for option values that are none.
  explicit Judge(const OptionValues& options);

  struct Verdict {
    bool has_passed = false;
    Comparison comparison;
    std::string reason;  ///< in words, why not
  };
  Verdict compare_output(const Tensor& found, const Tensor& expected) const;

 private:
  std::optional<double> rtol_;
  std::optional<double> atol_;
  bool atol_of_max_ = false;
  std::optional<double> min_cosine_;
  bool is_same_top1_ = false;
};

/// {name, against, passed, max_abs_error, …}.
Json comparison_block(std::string_view name, std::string_view against,
                      const Judge::Verdict& verdict);

}  // namespace ortool
