// oneDNN primitive: one computation for fixed shapes and layouts.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dnnl {
struct primitive;
struct primitive_desc_base;
}  // namespace dnnl

namespace ortool::onednn {

/// A tensor layout of oneDNN: its own descriptor, byte by byte.
using SerializedDesc = std::string;

/// Immutable and thread-safe. What a call needs besides operands is cached, one set per concurrent
/// run() call.
class Primitive {
 public:
  static constexpr std::size_t max_operands = 4;

  /// `names`: oneDNN's argument indices of the operands, in the order of run().
  Primitive(const dnnl::primitive_desc_base& description, const dnnl::primitive& primitive,
            std::span<const int> names);
  ~Primitive();
  Primitive(const Primitive&) = delete;
  Primitive& operator=(const Primitive&) = delete;

  /// oneDNN's name of the implementation: "jit:avx512_core".
  const std::string& implementation() const { return implementation_; }
  /// Whether it is reference code, which is a hundred times slower.
  bool is_reference() const;
  std::int64_t scratch_bytes() const { return scratch_bytes_; }
  std::int64_t operand_bytes(std::size_t index) const { return operands_[index].bytes; }
  const SerializedDesc& operand_layout(std::size_t index) const { return operands_[index].layout; }

  /// Computes on the calling thread only. `scratch`: scratch_bytes(), 64-byte aligned. Throws
  /// ErrorCode::unsupported if oneDNN fails.
  void run(std::span<const void* const> operands, void* scratch) const;

 private:
  struct OperandPlace {
    int name;
    std::int64_t bytes;
    SerializedDesc layout;
  };
  struct Parts;
  struct Call;

  std::unique_ptr<Call> make_call() const;

  std::unique_ptr<const Parts> parts_;
  std::string implementation_;
  std::int64_t scratch_bytes_ = 0;
  std::vector<OperandPlace> operands_;
  mutable std::array<std::atomic<Call*>, 16> idle_ = {};
};

using PrimitivePtr = std::shared_ptr<const Primitive>;

}  // namespace ortool::onednn
