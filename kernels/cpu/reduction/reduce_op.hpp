// Names of the reduction operators.
#pragma once

namespace ortool::cpu {

enum class ReduceOp {
  sum,
  mean,
  product,
  maximum,
  minimum,
  l1,
  l2,
  sum_square,
  log_sum,
  log_sum_exp,
};

}  // namespace ortool::cpu
