// Recurrent products of packed weights, one matrix for each factor of each direction.
#include "kernels/cpu/recurrent/recurrent_products.hpp"

#include <algorithm>

#include "kernels/cpu/recurrent/recurrent_product.hpp"

namespace ortool::cpu {
namespace {

/// Offsets of one direction's weights within the packed ones.
template <typename T>
struct PackedParts {
  std::int64_t input;
  std::int64_t early;
  std::int64_t late;

  PackedParts(const RecurrentLayerParams& params, std::int64_t in, std::int64_t hidden, Isa isa) {
    const std::int64_t rows = params.gates() * hidden;
    const std::int64_t last = params.late_rows(hidden);
    input = RecurrentProduct<T>::packed_elements(rows, in, isa);
    early = RecurrentProduct<T>::packed_elements(rows - last, hidden, isa);
    late = last == 0 ? 0 : RecurrentProduct<T>::packed_elements(last, hidden, isa);
  }
  std::int64_t all() const { return input + early + late; }
  std::int64_t begin(RecurrentFactor factor) const {
    switch (factor) {
      case RecurrentFactor::input:
        return 0;
      case RecurrentFactor::state:
        return input;
      default:
        return input + early;
    }
  }
};

}  // namespace

template <typename T>
std::int64_t packed_recurrent_elements(const RecurrentLayerParams& params, std::int64_t input,
                                       std::int64_t hidden, Isa isa) {
  return params.directions * PackedParts<T>(params, input, hidden, isa).all();
}

template <typename T>
void pack_recurrent(const RecurrentLayerParams& params, std::int64_t input, std::int64_t hidden,
                    const T* w, const T* r, Isa isa, T* out, Workers& workers) {
  using Product = RecurrentProduct<T>;
  const PackedParts<T> parts(params, input, hidden, isa);
  const std::int64_t rows = params.gates() * hidden;
  const std::int64_t late = params.late_rows(hidden);
  for (std::int64_t direction = 0; direction < params.directions; ++direction) {
    Product::pack(rows, input, w + direction * rows * input, input, isa, out, workers);
    out += parts.input;
    const T* from = r + direction * rows * hidden;
    Product::pack(rows - late, hidden, from, hidden, isa, out, workers);
    out += parts.early;
    if (late != 0)
      Product::pack(late, hidden, from + (rows - late) * hidden, hidden, isa, out, workers);
    out += parts.late;
  }
}

template <typename T>
std::int64_t PackedRecurrentProducts<T>::workspace_bytes(RecurrentFactor factor,
                                                         std::int64_t rows) const {
  const std::int64_t depth = factor == RecurrentFactor::input ? input_ : hidden_;
  return RecurrentProduct<T>::workspace_bytes(rows, params_.columns_of(factor, hidden_), depth,
                                              isa_);
}

template <typename T>
void PackedRecurrentProducts<T>::multiply(RecurrentFactor factor, std::int64_t direction,
                                          std::int64_t rows, const T* from, const T* bias, T* out,
                                          void* workspace, Workers& workers) const {
  const PackedParts<T> parts(params_, input_, hidden_, isa_);
  const std::int64_t depth = factor == RecurrentFactor::input ? input_ : hidden_;
  RecurrentProduct<T>::run({rows, params_.columns_of(factor, hidden_), depth}, from,
                           packed_ + direction * parts.all() + parts.begin(factor), bias, out,
                           params_.gates() * hidden_, isa_, workspace, workers);
}

template std::int64_t packed_recurrent_elements<float>(const RecurrentLayerParams&, std::int64_t,
                                                       std::int64_t, Isa);
template std::int64_t packed_recurrent_elements<double>(const RecurrentLayerParams&, std::int64_t,
                                                        std::int64_t, Isa);
template void pack_recurrent(const RecurrentLayerParams&, std::int64_t, std::int64_t, const float*,
                             const float*, Isa, float*, Workers&);
template void pack_recurrent(const RecurrentLayerParams&, std::int64_t, std::int64_t, const double*,
                             const double*, Isa, double*, Workers&);
template class PackedRecurrentProducts<float>;
template class PackedRecurrentProducts<double>;

}  // namespace ortool::cpu
