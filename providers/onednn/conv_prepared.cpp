// Prepared convolution: computes the pieces of each image and applies the epilogue while they are
// in cache.
#include "providers/onednn/conv_prepared.hpp"

#include <algorithm>

#include "kernels/cpu/elementwise/unfused_epilogue.hpp"
#include "kernels/cpu/epilogue/epilogue_at.hpp"
#include "kernels/cpu/gemm/f32/epilogue.hpp"
#include "kernels/cpu/gemm/f32/packed_product.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"
#include "libcore/provider/workspace_layout.hpp"

namespace ortool::onednn {
namespace {

/// Maximum size of the images that are reordered to blocked layout at once.
constexpr std::int64_t max_blocked_bytes = std::int64_t{4} << 20;

AlignedBuffer pack_bias(const ConvPartition& partition, const std::vector<float>& bias,
                        MemoryCap* cap) {
  AlignedBuffer packed(partition.bias_floats * std::int64_t{sizeof(float)}, cap,
                       "a convolution's bias");
  auto* out = packed.as<float>();
  std::fill(out, out + partition.bias_floats, 0.0F);
  for (const ConvTile& output_tile : partition.output_tiles)
    std::copy_n(bias.begin() + output_tile.out_first, output_tile.out_count,
                out + output_tile.bias_offset);
  return packed;
}

class ConvPrepared : public Prepared {
 public:
  ConvPrepared(const CompiledConv& conv, const ConvShape& shape, const ConvFormat& image_format,
               const PrepareContext& context)
      : conv_(conv),
        shape_(shape),
        image_format_(image_format),
        partition_(partition_conv(shape, image_format, conv.has_bias())) {
    PrimitiveCache& cache = *conv.tools.cache;
    const bool has_packed = conv.image_format == image_format;
    if (has_packed) primitives_ = find_conv_primitives(partition_, conv.layouts, cache);
    is_packed_ = has_packed && are_fast(partition_, primitives_);
    if (!is_packed_) primitives_ = find_conv_primitives(partition_, {}, cache);
    ORTOOL_CHECK(are_fast(partition_, primitives_));
    packer_.emplace(shape, partition_, primitives_, cache);
    if (!is_packed_ && conv.has_constant_weights) {
      Workers alone(context.stop);
      own_weights_ = pack_constant_weights(conv, partition_, *packer_, context.cap, alone);
    }
    if (conv.has_bias()) bias_ = pack_bias(partition_, conv.bias, context.cap);
    find_reorders(cache);
    lay_out(context);
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }
  std::int64_t held_bytes() const override {
    return own_weights_.size_bytes() + bias_.size_bytes() +
           std::ssize(partition_.output_tiles) * std::int64_t{sizeof(ConvTile)};
  }

  void run(const RunContext& context) const override {
    SizedWorkers sized(context.workers(), conv_.max_threads);
    Workers& workers = sized.get();
    const auto* weights = is_packed_ ? conv_.weights.data() : own_weights_.data();
    if (!conv_.has_constant_weights) weights = pack_now(context, workers);
    float* result = unfused_ ? place<float>(context, result_space_) : context.output<float>(0);
    const std::int64_t images = images_at_once();
    for (std::int64_t first = 0; first < shape_.sizes.batch; first += images) {
      const std::int64_t count = std::min(images, shape_.sizes.batch - first);
      if (!conv_.blocked.in) bring_into_blocks(context, first, count, workers);
      cpu::WorkspaceSlots slots(place<std::byte>(context, slot_space_), slot_bytes_, slot_count_);
      workers.parallel_for(count * std::ssize(partition_.output_tiles), [&](std::int64_t task) {
        const cpu::WorkspaceSlots::Lease slot(slots);
        const auto index = static_cast<std::size_t>(task % std::ssize(partition_.output_tiles));
        const std::int64_t image = task / std::ssize(partition_.output_tiles);
        run_tile(context, first + image, image, index, weights, slot.data(), result);
      });
    }
    if (unfused_)
      unfused_->run(result, residual(context), context.output<float>(0), context.workers());
  }

 private:
  void find_reorders(PrimitiveCache& cache) {
    const std::int64_t pixels = shape_.in_pixels();
    if (!conv_.blocked.in) {
      for (const ConvInputTile& output_tile : partition_.input_tiles)
        in_reorders_.push_back(cache.reorder({1, image_format_.block, output_tile.count, pixels}));
    }
    if (image_format_.out == ImageFormat::planes || conv_.blocked.out) return;
    for (std::size_t kind = 0; kind < 2; ++kind) {
      if (!partition_.has_kind(kind)) continue;
      out_reorders_[kind] =
          cache.reorder({0, image_format_.block, partition_.out_counts[kind], shape_.out_pixels()});
    }
  }

  void lay_out(const PrepareContext& context) {
    for (std::size_t kind = 0; kind < 2; ++kind) {
      if (!partition_.has_kind(kind)) continue;
      std::int64_t scratch = primitives_[kind]->scratch_bytes();
      if (out_reorders_[kind] != nullptr) {
        scratch = std::max(scratch, out_reorders_[kind]->scratch_bytes());
        blocked_bytes_ = std::max(blocked_bytes_, aligned(out_reorders_[kind]->operand_bytes(0)));
      }
      scratch_bytes_ = std::max(scratch_bytes_, aligned(scratch));
    }
    for (const PrimitivePtr& reorder : in_reorders_)
      scratch_bytes_ = std::max(scratch_bytes_, aligned(reorder->scratch_bytes()));
    slot_bytes_ = scratch_bytes_ + blocked_bytes_;
    if (!conv_.has_constant_weights) {
      slot_bytes_ = std::max(slot_bytes_, aligned(packer_->staging_bytes()));
      weight_space_ = layout_.add(packer_->packed_bytes());
    }
    slot_count_ = std::clamp(conv_.max_threads, 1, cpu::WorkspaceSlots::most);
    slot_space_ = layout_.add(slot_bytes_ * slot_count_);
    if (!conv_.blocked.in)
      in_space_ =
          layout_.add(partition_.in_floats * images_at_once() * std::int64_t{sizeof(float)});
    if (conv_.epilogue.residual < 0) return;
    const Shape& residual = context.inputs[static_cast<std::size_t>(conv_.epilogue.residual)].shape;
    const Shape shape = own_shape();
    if (shape == residual) return;
    if (conv_.blocked.out)
      throw Error(ErrorCode::unsupported,
                  "adding a tensor of another shape is not supported in a blocked layout",
                  "run with --provider cpu");
    unfused_.emplace(shape, residual, conv_.epilogue.activation, conv_.epilogue.low,
                     conv_.epilogue.high, conv_.tools.isa);
    result_space_ = layout_.add(bytes_of(DataType::float32, shape.element_count()));
  }

  Shape own_shape() const {
    std::vector<std::int64_t> dims = {shape_.sizes.batch, shape_.sizes.channels_out};
    for (std::int64_t i = 3 - shape_.axes; i < 3; ++i) dims.push_back(shape_.sizes.out[i]);
    return Shape(std::move(dims));
  }

  std::int64_t images_at_once() const {
    if (conv_.blocked.in) return shape_.sizes.batch;
    const std::int64_t bytes =
        std::max<std::int64_t>(partition_.in_floats * std::int64_t{sizeof(float)}, 1);
    return std::clamp<std::int64_t>(max_blocked_bytes / bytes, 1, shape_.sizes.batch);
  }

  const std::byte* pack_now(const RunContext& context, Workers& workers) const {
    auto* packed = place<std::byte>(context, weight_space_);
    cpu::WorkspaceSlots slots(place<std::byte>(context, slot_space_), slot_bytes_, slot_count_);
    workers.parallel_for(std::ssize(partition_.output_tiles), [&](std::int64_t task) {
      const cpu::WorkspaceSlots::Lease slot(slots);
      const auto index = static_cast<std::size_t>(task);
      packer_->pack(partition_.output_tiles[index], context.input<float>(1), {}, slot.data(),
                    packed + packer_->offset_of(index));
    });
    return packed;
  }

  void bring_into_blocks(const RunContext& context, std::int64_t first, std::int64_t count,
                         Workers& workers) const {
    const auto output_tiles = std::ssize(partition_.input_tiles);
    if (output_tiles == 0) return;
    cpu::WorkspaceSlots slots(place<std::byte>(context, slot_space_), slot_bytes_, slot_count_);
    workers.parallel_for(count * output_tiles, [&](std::int64_t task) {
      const cpu::WorkspaceSlots::Lease slot(slots);
      const auto index = static_cast<std::size_t>(task % output_tiles);
      const ConvInputTile& output_tile = partition_.input_tiles[index];
      const std::int64_t image = task / output_tiles;
      const float* from =
          context.input<float>(0) +
          ((first + image) * shape_.sizes.channels_in + output_tile.first) * shape_.in_pixels();
      float* to =
          place<float>(context, in_space_) + image * partition_.in_floats + output_tile.offset;
      const void* operands[] = {from, to};
      in_reorders_[index]->run(operands, slot.data());
    });
  }

  void run_tile(const RunContext& context, std::int64_t image, std::int64_t place_of_image,
                std::size_t index, const std::byte* weights, std::byte* slot, float* result) const {
    const ConvTile& output_tile = partition_.output_tiles[index];
    const float* in =
        conv_.blocked.in
            ? context.input<float>(0) + image * partition_.in_floats + output_tile.in_offset
        : image_format_.in == ImageFormat::blocks
            ? place<float>(context, in_space_) + place_of_image * partition_.in_floats +
                  output_tile.in_offset
            : context.input<float>(0) +
                  (image * shape_.sizes.channels_in + output_tile.in_first) * shape_.in_pixels();
    const std::int64_t first =
        (image * stored_channels_out() + output_tile.out_first) * shape_.out_pixels();
    float* out = result + first;
    const Primitive* back = out_reorders_[output_tile.kind].get();
    void* target = back != nullptr ? static_cast<void*>(slot + scratch_bytes_) : out;
    std::array<const void*, Primitive::max_operands> operands = {
        in, weights + packer_->offset_of(index)};
    std::size_t count = 2;
    if (conv_.has_bias()) operands[count++] = bias_.as<float>() + output_tile.bias_offset;
    operands[count++] = target;
    primitives_[output_tile.kind]->run(std::span(operands).first(count), slot);
    if (back != nullptr) {
      const void* ends[] = {target, out};
      back->run(ends, slot);
    }
    finish_tile(context, output_tile, first, out);
    if (conv_.blocked.out && output_tile.out_count % image_format_.block != 0)
      clear_filling(output_tile, out);
  }

  /// Zeroes the padding channels of the last block, whatever was computed for them.
  void clear_filling(const ConvTile& output_tile, float* out) const {
    const std::int64_t used = output_tile.out_count % image_format_.block;
    float* pixel = out + (output_tile.out_count - used) * shape_.out_pixels();
    for (std::int64_t i = 0; i < shape_.out_pixels(); ++i, pixel += image_format_.block)
      std::fill(pixel + used, pixel + image_format_.block, 0.0F);
  }

  /// Channels of an image as stored in the output.
  std::int64_t stored_channels_out() const {
    const std::int64_t channels = shape_.sizes.channels_out;
    return conv_.blocked.out
               ? (channels + image_format_.block - 1) / image_format_.block * image_format_.block
               : channels;
  }

  /// The epilogue that is not left to oneDNN, whose own activations do not propagate NaN.
  void finish_tile(const RunContext& context, const ConvTile& output_tile, std::int64_t first,
                   float* out) const {
    cpu::GemmTile tile{};
    tile.c = out;
    // In blocked layout, a row is a channel block of all pixels.
    const std::int64_t block = conv_.blocked.out ? image_format_.block : 1;
    tile.c_stride = shape_.out_pixels() * block;
    tile.rows = static_cast<std::int32_t>((output_tile.out_count + block - 1) / block);
    tile.columns = static_cast<std::int32_t>(tile.c_stride);
    cpu::Epilogue epilogue;
    if (conv_.reads_bias) {
      epilogue.addend = cpu::Addend::per_row;
      epilogue.added = context.input<float>(2) + output_tile.out_first;
    }
    if (!unfused_) {
      epilogue.activation = conv_.epilogue.activation;
      epilogue.low = conv_.epilogue.low;
      epilogue.high = conv_.epilogue.high;
      if (conv_.epilogue.residual >= 0) epilogue.residual = residual(context) + first;
      epilogue.residual_stride = tile.c_stride;
    }
    if (!changes_sums(epilogue)) return;
    set_epilogue(tile, epilogue, 0, 0);
    cpu::apply_epilogue(tile, out, tile.c_stride);
  }

  const float* residual(const RunContext& context) const {
    return context.input<float>(static_cast<std::size_t>(conv_.epilogue.residual));
  }
  static std::int64_t aligned(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }
  template <typename T>
  static T* place(const RunContext& context, std::int64_t offset) {
    return reinterpret_cast<T*>(context.workspace() + offset);
  }

  const CompiledConv& conv_;
  ConvShape shape_;
  ConvFormat image_format_;
  ConvPartition partition_;
  std::array<PrimitivePtr, 2> primitives_;
  std::optional<ConvWeightPacker> packer_;
  bool is_packed_ = false;     ///< the kernel's packed weights suit these shapes
  AlignedBuffer own_weights_;  ///< used if they do not
  AlignedBuffer bias_;
  std::vector<PrimitivePtr> in_reorders_;  ///< one per input piece
  std::array<PrimitivePtr, 2> out_reorders_;
  WorkspaceLayout layout_;
  std::int64_t weight_space_ = 0;
  std::int64_t slot_space_ = 0;
  std::int64_t slot_bytes_ = 0;
  std::int64_t scratch_bytes_ = 0;
  std::int64_t blocked_bytes_ = 0;
  int slot_count_ = 1;
  std::int64_t in_space_ = 0;
  std::int64_t result_space_ = 0;
  std::optional<cpu::UnfusedResidual> unfused_;  ///< set if the residual must be broadcast
};
}  // namespace

std::array<PrimitivePtr, 2> find_conv_primitives(const ConvPartition& partition,
                                                 const std::array<SerializedDesc, 2>& layouts,
                                                 PrimitiveCache& cache) {
  std::array<PrimitivePtr, 2> primitives;
  for (std::size_t kind = 0; kind < 2; ++kind) {
    if (partition.has_kind(kind))
      primitives[kind] = cache.conv(partition.requests[kind], layouts[kind]);
  }
  return primitives;
}

bool are_fast(const ConvPartition& partition, const std::array<PrimitivePtr, 2>& primitives) {
  for (std::size_t kind = 0; kind < 2; ++kind) {
    if (!partition.has_kind(kind)) continue;
    if (primitives[kind] == nullptr || primitives[kind]->is_reference()) return false;
  }
  return true;
}

AlignedBuffer pack_constant_weights(const CompiledConv& conv, const ConvPartition& partition,
                                    const ConvWeightPacker& packer, MemoryCap* cap,
                                    Workers& workers) {
  const Tensor given = conv.constant_weights.aligned();
  AlignedBuffer packed(packer.packed_bytes(), cap, "packed weights");
  const std::int64_t tasks = std::ssize(partition.output_tiles);
  const int count = static_cast<int>(std::min<std::int64_t>(workers.count(), tasks));
  AlignedBuffer staging(packer.staging_bytes() * count, cap, "weights to be packed");
  cpu::WorkspaceSlots slots(staging.data(), packer.staging_bytes(), count);
  workers.parallel_for(tasks, [&](std::int64_t task) {
    const cpu::WorkspaceSlots::Lease slot(slots);
    const auto index = static_cast<std::size_t>(task);
    packer.pack(partition.output_tiles[index], given.data<float>().data(), conv.epilogue.scale,
                slot.data(), packed.data() + packer.offset_of(index));
  });
  return packed;
}

PreparedPtr prepare_conv(const CompiledConv& conv, const ConvShape& shape,
                         const ConvFormat& image_format, const PrepareContext& context) {
  return std::make_unique<const ConvPrepared>(conv, shape, image_format, context);
}

}  // namespace ortool::onednn
