// CommandList: collects the commands of a plan, with buffers that get addresses afterwards.
#pragma once

#include <compare>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libcore/provider/kernel.hpp"
#include "providers/cuda/device/device.hpp"

namespace ortool::cuda {

/// One call of the device. Pointers in `params` at `fixups` are encoded buffers until the plan has
/// addresses.
struct Command {
  enum class Kind { kernel, product, conv, copy, clear };
  Kind kind = Kind::kernel;
  KernelId kernel = KernelId::count;
  std::int64_t blocks = 1;
  int threads = 256;
  PrimitivePtr primitive;
  std::vector<std::byte> params;
  std::vector<std::size_t> fixups;
  const Node* node = nullptr;  ///< null: transfers of the plan itself
};

struct CopyPointers {
  void* to;
  const void* from;
  std::int64_t bytes;
};

/// A place in a buffer: its number and an offset, in the form of a pointer; null: none.
class EncodedPointer {
 public:
  EncodedPointer() = default;
  EncodedPointer(std::size_t buffer, std::int64_t offset)
      : bits_(((static_cast<std::uint64_t>(buffer) + 1) << shift) |
              static_cast<std::uint64_t>(offset)) {}
  static EncodedPointer from_bits(std::uint64_t bits) {
    EncodedPointer pointer;
    pointer.bits_ = bits;
    return pointer;
  }

  auto operator<=>(const EncodedPointer&) const = default;

  bool is_null() const { return bits_ == 0; }
  std::size_t buffer() const { return static_cast<std::size_t>(bits_ >> shift) - 1; }
  std::int64_t offset() const {
    return static_cast<std::int64_t>(bits_ & ((std::uint64_t{1} << shift) - 1));
  }
  EncodedPointer plus(std::int64_t bytes) const { return {buffer(), offset() + bytes}; }
  /// As a member of parameters.
  void* as_pointer() const { return reinterpret_cast<void*>(bits_); }

 private:
  static constexpr unsigned shift = 43;
  std::uint64_t bits_ = 0;
};

/// A buffer of a plan: fixed memory, or memory of the plan while commands use it.
struct PlanBuffer {
  std::int64_t bytes = 0;
  void* fixed = nullptr;
  std::int32_t first = -1;  ///< the first command that uses it
  std::int32_t last = -1;
  bool is_kept = false;  ///< from the first command to the last of the plan
};

class CommandList {
 public:
  EncodedPointer add_buffer(std::int64_t bytes, bool is_kept = false);
  EncodedPointer add_fixed(void* memory, std::int64_t bytes);

  /// `pointers` are the addresses of the members of `params` that hold encoded pointers.
  template <typename Params>
  void launch(KernelId kernel, std::int64_t blocks, int threads, const Params& params,
              std::initializer_list<const void*> pointers) {
    Command& command = add(Command::Kind::kernel, params, pointers);
    command.kernel = kernel;
    command.blocks = blocks;
    command.threads = threads;
  }
  void multiply(PrimitivePtr product, const ProductPointers& pointers);
  void convolve(PrimitivePtr conv, const ConvPointers& pointers);
  void copy(EncodedPointer to, EncodedPointer from, std::int64_t bytes);
  void clear(EncodedPointer to, std::int64_t bytes);

  /// Commands from now on compute `node`; null: none of the graph.
  void set_node(const Node* node) { node_ = node; }
  const Node* node() const { return node_; }
  /// Nodes that are computed with `head`, itself first.
  void set_group(const Node& head, std::vector<const Node*> nodes) {
    groups_[&head] = std::move(nodes);
  }
  std::vector<const Node*> group(const Node& head) const;
  std::vector<Command>& commands() { return commands_; }
  std::vector<PlanBuffer>& buffers() { return buffers_; }

 private:
  template <typename Params>
  Command& add(Command::Kind kind, const Params& params,
               std::initializer_list<const void*> pointers) {
    Command& command = commands_.emplace_back();
    command.kind = kind;
    command.node = node_;
    command.params.resize(sizeof(Params));
    std::memcpy(command.params.data(), &params, sizeof(Params));
    const auto* begin = reinterpret_cast<const std::byte*>(&params);
    for (const void* pointer : pointers) {
      const auto place = static_cast<std::size_t>(static_cast<const std::byte*>(pointer) - begin);
      note(command, place);
    }
    return command;
  }
  void note(Command& command, std::size_t place);

  std::vector<Command> commands_;
  std::vector<PlanBuffer> buffers_;
  std::unordered_map<const Node*, std::vector<const Node*>> groups_;
  const Node* node_ = nullptr;
};

}  // namespace ortool::cuda
