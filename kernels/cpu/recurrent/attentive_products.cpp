// Bahdanau attention: scores are sums of tanh(key + query) weighted by a vector, and the context is
// the mean of the memory weighted by their softmax.
#include "kernels/cpu/recurrent/attentive_products.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/elementwise/unary.hpp"
#include "kernels/cpu/recurrent/recurrent_product.hpp"

namespace ortool::cpu {
namespace {

std::int64_t rounded_to_lines(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

/// out (columns) += x (rows) by a matrix.
template <typename T>
void add_product(const T* x, const T* matrix, std::int64_t rows, std::int64_t columns, T* out) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < columns; ++k) out[k] += x[i] * matrix[i * columns + k];
  }
}

template <typename T>
void softmax_in_place(T* x, std::int64_t count) {
  const T highest = *std::max_element(x, x + count);
  T sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += x[i] = std::exp(x[i] - highest);
  for (std::int64_t i = 0; i < count; ++i) x[i] /= sum;
}

}  // namespace

/// What a direction keeps between its steps, and the scratch of a product.
template <typename T>
struct AttentiveProducts<T>::Space {
  T* keys = nullptr;       ///< batch x steps x size
  T* query = nullptr;      ///< batch x size
  T* sums = nullptr;       ///< batch x size: keys and queries together
  T* scores = nullptr;     ///< batch x steps
  T* context = nullptr;    ///< batch x depth
  T* states = nullptr;     ///< batch x (hidden + width): the hidden state and the attention
  T* has_begun = nullptr;  ///< one: 0 until the first step
  void* product = nullptr;
  std::int64_t bytes = 0;
};

template <typename T>
typename AttentiveProducts<T>::Space AttentiveProducts<T>::space(void* workspace) const {
  Space made;
  auto* const base = static_cast<std::byte*>(workspace);
  const auto take = [&](std::int64_t elements) {
    T* const at = base != nullptr ? reinterpret_cast<T*>(base + made.bytes) : nullptr;
    made.bytes += rounded_to_lines(elements * static_cast<std::int64_t>(sizeof(T)));
    return at;
  };
  made.keys = take(sizes_.batch * memory_.steps * memory_.size);
  made.query = take(sizes_.batch * memory_.size);
  made.sums = take(sizes_.batch * memory_.size);
  made.scores = take(sizes_.batch * memory_.steps);
  made.context = take(sizes_.batch * memory_.depth);
  made.states = take(sizes_.batch * (sizes_.hidden + memory_.width()));
  made.has_begun = take(1);
  made.product = base != nullptr ? base + made.bytes : nullptr;
  return made;
}

template <typename T>
std::int64_t packed_attentive_elements(const RecurrentLayerParams& params,
                                       const AttentionMemory& memory, std::int64_t input,
                                       std::int64_t hidden, Isa isa) {
  using Product = RecurrentProduct<T>;
  return params.directions * (Product::packed_elements(4 * hidden, input, isa) +
                              Product::packed_elements(4 * hidden, hidden + memory.width(), isa));
}

template <typename T>
void pack_attentive(const RecurrentLayerParams& params, const AttentionMemory& memory,
                    std::int64_t input, std::int64_t hidden, const T* w, const T* r, Isa isa,
                    T* rows, T* out, Workers& workers) {
  using Product = RecurrentProduct<T>;
  const std::int64_t gates = 4 * hidden;
  const std::int64_t width = memory.width();
  const std::int64_t depth = hidden + width;
  for (std::int64_t direction = 0; direction < params.directions; ++direction) {
    const T* const from = w + direction * gates * (input + width);
    Product::pack(gates, input, from, input + width, isa, out, workers);
    out += Product::packed_elements(gates, input, isa);
    for (std::int64_t i = 0; i < gates; ++i) {
      std::copy_n(r + (direction * gates + i) * hidden, hidden, rows + i * depth);
      std::copy_n(from + i * (input + width) + input, width, rows + i * depth + hidden);
    }
    Product::pack(gates, depth, rows, depth, isa, out, workers);
    out += Product::packed_elements(gates, depth, isa);
  }
}

template <typename T>
std::int64_t AttentiveProducts<T>::workspace_bytes(RecurrentFactor factor,
                                                   std::int64_t rows) const {
  const std::int64_t depth =
      factor == RecurrentFactor::input ? sizes_.input : sizes_.hidden + memory_.width();
  return space(nullptr).bytes +
         RecurrentProduct<T>::workspace_bytes(rows, 4 * sizes_.hidden, depth, isa_);
}

template <typename T>
void AttentiveProducts<T>::multiply(RecurrentFactor factor, std::int64_t direction,
                                    std::int64_t rows, const T* from, const T* bias, T* out,
                                    void* workspace, Workers& workers) const {
  using Product = RecurrentProduct<T>;
  const Space own = space(workspace);
  const std::int64_t gates = 4 * sizes_.hidden;
  const std::int64_t depth = sizes_.hidden + memory_.width();
  const std::int64_t input_elements = Product::packed_elements(gates, sizes_.input, isa_);
  const T* const packed =
      packed_ + direction * (input_elements + Product::packed_elements(gates, depth, isa_));
  if (factor == RecurrentFactor::input) {
    Product::run({rows, gates, sizes_.input}, from, packed, bias, out, gates, isa_, own.product,
                 workers);
    prepare(direction, own, workers);
    return;
  }
  const bool has_attention = *own.has_begun != T{0};
  *own.has_begun = T{1};
  workers.parallel_ranges(rows, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const T* const state = from + row * sizes_.hidden;
      if (has_attention) attend(direction, row, state, own);
      std::copy_n(state, sizes_.hidden, own.states + row * depth);
    }
  });
  Product::run({rows, gates, depth}, own.states, packed + input_elements, bias, out, gates, isa_,
               own.product, workers);
}

template <typename T>
void AttentiveProducts<T>::prepare(std::int64_t direction, const Space& own,
                                   Workers& workers) const {
  *own.has_begun = T{0};
  std::fill_n(own.states, sizes_.batch * (sizes_.hidden + memory_.width()), T{0});
  const T* const weights = weights_.keys + direction * memory_.depth * memory_.size;
  workers.parallel_ranges(sizes_.batch * memory_.steps, 1,
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t row = begin; row < end; ++row) {
                              T* const key = own.keys + row * memory_.size;
                              std::fill_n(key, memory_.size, T{0});
                              add_product(weights_.memory + row * memory_.depth, weights,
                                          memory_.depth, memory_.size, key);
                            }
                          });
}

/// Writes the attention behind the state of the row.
template <typename T>
void AttentiveProducts<T>::attend(std::int64_t direction, std::int64_t row, const T* state,
                                  const Space& own) const {
  const std::int64_t hidden = sizes_.hidden;
  const std::int64_t size = memory_.size;
  const std::int64_t steps = weights_.lengths != nullptr ? weights_.lengths[row] : memory_.steps;
  T* const query = own.query + row * size;
  std::fill_n(query, size, T{0});
  add_product(state, weights_.query + direction * hidden * size, hidden, size, query);
  T* const scores = own.scores + row * memory_.steps;
  T* const sums = own.sums + row * size;
  const T* const vector = weights_.vector + direction * size;
  Workers alone;
  for (std::int64_t step = 0; step < steps; ++step) {
    const T* const key = own.keys + (row * memory_.steps + step) * size;
    for (std::int64_t i = 0; i < size; ++i) sums[i] = key[i] + query[i];
    unary(UnaryOp::tanh, {}, sums, sums, size, alone, isa_);
    T score = 0;
    for (std::int64_t i = 0; i < size; ++i) score += vector[i] * sums[i];
    scores[step] = score;
  }
  softmax_in_place(scores, steps);
  T* const context = own.context + row * memory_.depth;
  std::fill_n(context, memory_.depth, T{0});
  add_product(scores, weights_.memory + row * memory_.steps * memory_.depth, steps, memory_.depth,
              context);
  const std::int64_t width = memory_.width();
  T* const out = own.states + row * (hidden + width) + hidden;
  if (memory_.layer == 0) {
    std::copy_n(context, width, out);
    return;
  }
  const T* const layer = weights_.layer + direction * (hidden + memory_.depth) * width;
  std::fill_n(out, width, T{0});
  add_product(state, layer, hidden, width, out);
  add_product(context, layer + hidden * width, memory_.depth, width, out);
}

template std::int64_t packed_attentive_elements<float>(const RecurrentLayerParams&,
                                                       const AttentionMemory&, std::int64_t,
                                                       std::int64_t, Isa);
template std::int64_t packed_attentive_elements<double>(const RecurrentLayerParams&,
                                                        const AttentionMemory&, std::int64_t,
                                                        std::int64_t, Isa);
template void pack_attentive(const RecurrentLayerParams&, const AttentionMemory&, std::int64_t,
                             std::int64_t, const float*, const float*, Isa, float*, float*,
                             Workers&);
template void pack_attentive(const RecurrentLayerParams&, const AttentionMemory&, std::int64_t,
                             std::int64_t, const double*, const double*, Isa, double*, double*,
                             Workers&);
template class AttentiveProducts<float>;
template class AttentiveProducts<double>;

}  // namespace ortool::cpu
