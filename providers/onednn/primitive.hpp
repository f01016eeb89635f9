// One computation of oneDNN for fixed shapes and layouts.
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

/// How oneDNN lays a tensor out: its own description of it, byte by byte.
using VendorLayout = std::string;

/// Immutable and safe for many threads. What a call needs besides operands is kept for the next
/// one, a set for each thread that was in run() at the same time.
class Primitive {
 public:
  static constexpr std::size_t most_operands = 4;

  /// `names`: oneDNN's numbers of the operands, in the order in which run() gets them.
  Primitive(const dnnl::primitive_desc_base& description, const dnnl::primitive& primitive,
            std::span<const int> names);
  ~Primitive();
  Primitive(const Primitive&) = delete;
  Primitive& operator=(const Primitive&) = delete;

  /// oneDNN's name of what computes it: "jit:avx512_core".
  const std::string& implementation() const { return implementation_; }
  /// Plain loops, a hundred times slower than what anybody would wait for.
  bool is_reference() const;
  std::int64_t scratch_bytes() const { return scratch_bytes_; }
  std::int64_t operand_bytes(std::size_t index) const { return operands_[index].bytes; }
  const VendorLayout& operand_layout(std::size_t index) const { return operands_[index].layout; }

  /// Computes on the calling thread alone. `scratch`: scratch_bytes(), aligned to 64. Throws
  /// ErrorCode::unsupported when oneDNN fails.
  void run(std::span<const void* const> operands, void* scratch) const;

 private:
  struct OperandPlace {
    int name;
    std::int64_t bytes;
    VendorLayout layout;
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
