// Optimizer steps (Adagrad, Adam, Momentum) for the values of one tensor.
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

// T: float, double. Elements are independent; outputs may be the inputs of the same name.

/// Parameters and gradients of a tensor, as all optimizers take them.
template <typename T>
struct StepOperands {
  const T* x = nullptr;
  const T* gradient = nullptr;
  T* new_x = nullptr;
  std::int64_t count = 0;
};

/// g = norm x + gradient; h += g^2; x -= rate g / (sqrt(h) + epsilon).
template <typename T>
struct AdagradParams {
  T rate = 0;
  T norm = 0;
  T epsilon = 0;
};
template <typename T>
void adagrad_step(const AdagradParams<T>& numbers, const StepOperands<T>& operands,
                  const T* squares, T* new_squares, Workers& workers);

/// g as above; v = alpha v + (1 - alpha) g; h = beta h + (1 - beta) g^2; x = (1 - norm_post) (x -
/// rate v / (sqrt(h) + epsilon)).
template <typename T>
struct AdamParams {
  T rate = 0;
  T alpha = 0;
  T beta = 0;
  T norm = 0;
  T norm_post = 0;
  T epsilon = 0;
};
template <typename T>
void adam_step(const AdamParams<T>& numbers, const StepOperands<T>& operands, const T* momenta,
               const T* squares, T* new_momenta, T* new_squares, Workers& workers);

/// g as above; v = alpha v + beta g; x -= rate v, or rate (g + alpha v) with Nesterov momentum.
template <typename T>
struct MomentumParams {
  T rate = 0;
  T alpha = 0;
  T beta = 0;
  T norm = 0;
  bool is_nesterov = false;
};
template <typename T>
void momentum_step(const MomentumParams<T>& numbers, const StepOperands<T>& operands,
                   const T* momenta, T* new_momenta, Workers& workers);

}  // namespace ortool::cpu
