// Products of an LSTM with Bahdanau attention: the cell's state is joined by what the last hidden
// state attends to in a memory.
#pragma once

#include <cstdint>

#include "kernels/cpu/recurrent/recurrent.hpp"

namespace ortool::cpu {

struct AttentionMemory {
  std::int64_t steps = 0;
  std::int64_t depth = 0;  ///< elements of a step
  std::int64_t size = 0;   ///< elements in which queries and keys are compared
  std::int64_t layer = 0;  ///< elements of the layer on top; 0: no layer

  /// Elements of the attention that the cell reads.
  std::int64_t width() const { return layer > 0 ? layer : depth; }
};

/// Each with the directions in front, but for the memory and its lengths.
template <typename T>
struct AttentionWeights {
  const T* query;               ///< hidden x size
  const T* keys;                ///< depth x size
  const T* vector;              ///< size
  const T* memory;              ///< batch x steps x depth
  const std::int32_t* lengths;  ///< batch, in 1 to steps; null: all steps
  const T* layer;               ///< hidden + depth x layer; null without one
};

/// Number of elements of the packed weights W and R of all directions.
template <typename T>
std::int64_t packed_attentive_elements(const RecurrentLayerParams& params,
                                       const AttentionMemory& memory, std::int64_t input,
                                       std::int64_t hidden, Isa isa);

/// Packs W [directions, 4 hidden, input + width] and R [directions, 4 hidden, hidden]. `rows` has
/// room for 4 hidden x (hidden + width).
template <typename T>
void pack_attentive(const RecurrentLayerParams& params, const AttentionMemory& memory,
                    std::int64_t input, std::int64_t hidden, const T* w, const T* r, Isa isa,
                    T* rows, T* out, Workers& workers);

/// Keeps the attention of each direction in the workspace of its products, which the product of the
/// inputs prepares.
template <typename T>
class AttentiveProducts : public RecurrentProducts<T> {
 public:
  /// `packed` and the pointers of `weights` are null if only sizes are queried.
  AttentiveProducts(const RecurrentLayerParams& params, const RecurrentSizes& sizes,
                    const AttentionMemory& memory, const AttentionWeights<T>& weights, Isa isa,
                    const T* packed)
      : params_(params),
        sizes_(sizes),
        memory_(memory),
        weights_(weights),
        isa_(isa),
        packed_(packed) {}

  std::int64_t workspace_bytes(RecurrentFactor factor, std::int64_t rows) const override;
  void multiply(RecurrentFactor factor, std::int64_t direction, std::int64_t rows, const T* from,
                const T* bias, T* out, void* workspace, Workers& workers) const override;

 private:
  struct Space;

  Space space(void* workspace) const;
  void prepare(std::int64_t direction, const Space& space, Workers& workers) const;
  void attend(std::int64_t direction, std::int64_t row, const T* state, const Space& space) const;

  const RecurrentLayerParams& params_;
  RecurrentSizes sizes_;
  AttentionMemory memory_;
  AttentionWeights<T> weights_;
  Isa isa_;
  const T* packed_;
};

}  // namespace ortool::cpu
