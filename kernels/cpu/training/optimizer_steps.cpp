// Optimizer steps (Adagrad, Adam, Momentum): loops for auto-vectorization.
#include "kernels/cpu/training/optimizer_steps.hpp"

#include <cmath>

namespace ortool::cpu {
namespace {

template <typename Body>
void for_each_number(std::int64_t count, Workers& workers, Body body) {
  workers.parallel_ranges(count, 8192, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace

template <typename T>
void adagrad_step(const AdagradParams<T>& numbers, const StepOperands<T>& operands,
                  const T* squares, T* new_squares, Workers& workers) {
  for_each_number(operands.count, workers, [=](std::int64_t i) {
    const T x = operands.x[i];
    const T gradient = numbers.norm * x + operands.gradient[i];
    const T square = squares[i] + gradient * gradient;
    operands.new_x[i] = x - numbers.rate * gradient / (std::sqrt(square) + numbers.epsilon);
    new_squares[i] = square;
  });
}

template <typename T>
void adam_step(const AdamParams<T>& numbers, const StepOperands<T>& operands, const T* momenta,
               const T* squares, T* new_momenta, T* new_squares, Workers& workers) {
  for_each_number(operands.count, workers, [=](std::int64_t i) {
    const T x = operands.x[i];
    const T gradient = numbers.norm * x + operands.gradient[i];
    const T momentum = numbers.alpha * momenta[i] + (1 - numbers.alpha) * gradient;
    const T square = numbers.beta * squares[i] + (1 - numbers.beta) * (gradient * gradient);
    const T moved = x - numbers.rate * momentum / (std::sqrt(square) + numbers.epsilon);
    operands.new_x[i] = (1 - numbers.norm_post) * moved;
    new_momenta[i] = momentum;
    new_squares[i] = square;
  });
}

template <typename T>
void momentum_step(const MomentumParams<T>& numbers, const StepOperands<T>& operands,
                   const T* momenta, T* new_momenta, Workers& workers) {
  for_each_number(operands.count, workers, [=](std::int64_t i) {
    const T x = operands.x[i];
    const T gradient = numbers.norm * x + operands.gradient[i];
    const T momentum = numbers.alpha * momenta[i] + numbers.beta * gradient;
    const T step = numbers.is_nesterov ? gradient + numbers.alpha * momentum : momentum;
    operands.new_x[i] = x - numbers.rate * step;
    new_momenta[i] = momentum;
  });
}

#define ORTOOL_INSTANTIATE(T)                                                                   \
  template void adagrad_step(const AdagradParams<T>&, const StepOperands<T>&, const T*, T*,     \
                             Workers&);                                                         \
  template void adam_step(const AdamParams<T>&, const StepOperands<T>&, const T*, const T*, T*, \
                          T*, Workers&);                                                        \
  template void momentum_step(const MomentumParams<T>&, const StepOperands<T>&, const T*, T*,   \
                              Workers&);
ORTOOL_INSTANTIATE(float)
ORTOOL_INSTANTIATE(double)
#undef ORTOOL_INSTANTIATE

}  // namespace ortool::cpu
