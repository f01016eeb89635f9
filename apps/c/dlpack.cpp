// DLPack tensors in and out of the C interface, without copies.
#include <array>
#include <vector>

#include "apps/c/dlpack_tensor.hpp"
#include "apps/c/guard.hpp"
#include "apps/c/handles.hpp"
#include "libcore/base/format.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::c {
namespace {

struct TypePair {
  DataType type;
  DLDataType dlpack;
};

constexpr std::array<TypePair, 15> type_pairs = {{
    {DataType::float32, {dlpack_float, 32, 1}},
    {DataType::float64, {dlpack_float, 64, 1}},
    {DataType::float16, {dlpack_float, 16, 1}},
    {DataType::bfloat16, {dlpack_bfloat, 16, 1}},
    {DataType::int8, {dlpack_int, 8, 1}},
    {DataType::int16, {dlpack_int, 16, 1}},
    {DataType::int32, {dlpack_int, 32, 1}},
    {DataType::int64, {dlpack_int, 64, 1}},
    {DataType::uint8, {dlpack_unsigned, 8, 1}},
    {DataType::uint16, {dlpack_unsigned, 16, 1}},
    {DataType::uint32, {dlpack_unsigned, 32, 1}},
    {DataType::uint64, {dlpack_unsigned, 64, 1}},
    {DataType::boolean, {dlpack_bool, 8, 1}},
    {DataType::complex64, {dlpack_complex, 64, 1}},
    {DataType::complex128, {dlpack_complex, 128, 1}},
}};

DataType type_from(const DLDataType& dlpack) {
  for (const TypePair& pair : type_pairs) {
    const bool is_it =
        pair.dlpack.code == dlpack.code && pair.dlpack.bits == dlpack.bits && dlpack.lanes == 1;
    if (is_it) return pair.type;
  }
  throw Error(ErrorCode::unsupported,
              format("DLPack's type with code {}, {} bits and {} lanes is not supported",
                     dlpack.code, dlpack.bits, dlpack.lanes),
              "give a tensor of numbers or bool with one lane")
      .with_id("dlpack.type");
}

/// Refuses tensors with gaps or in another order.
void check_is_row_major(const DLTensor& tensor) {
  if (tensor.strides == nullptr) return;
  std::int64_t expected = 1;
  for (std::int32_t axis = tensor.ndim - 1; axis >= 0; --axis) {
    if (tensor.shape[axis] == 0) return;
    if (tensor.shape[axis] > 1 && tensor.strides[axis] != expected) {
      throw Error(ErrorCode::unsupported,
                  format("the DLPack tensor is not row-major: axis {} has the stride {}, not {}",
                         axis, tensor.strides[axis], expected),
                  "make a contiguous copy of it first")
          .with_id("dlpack.strides");
    }
    expected *= tensor.shape[axis];
  }
}

/// What a tensor that is handed out refers to.
struct ExportedTensor {
  std::shared_ptr<const void> keeper;
  Tensor tensor;  ///< goes before its keeper, whose memory limit counts it
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  DLManagedTensor managed = {};
};

void delete_exported(DLManagedTensor* managed) {
  delete static_cast<ExportedTensor*>(managed->manager_ctx);
}

}  // namespace
}  // namespace ortool::c

using namespace ortool;     // NOLINT(google-build-using-namespace): functions of the C interface
using namespace ortool::c;  // NOLINT(google-build-using-namespace)

ortool_status ortool_tensor_from_dlpack(DLManagedTensor* managed, ortool_value** value_out,
                                        ortool_error** error) {
  return guarded(error, [&] {
    require(managed, "managed");
    require(value_out, "value_out");
    const DLTensor& given = managed->dl_tensor;
    if (given.device.device_type != dlpack_cpu && given.device.device_type != dlpack_cuda_host) {
      throw Error(ErrorCode::unsupported,
                  format("the DLPack tensor is on a device of type {}", given.device.device_type),
                  "copy it to host memory first")
          .with_id("dlpack.device");
    }
    const DataType type = type_from(given.dtype);
    check_is_row_major(given);
    Shape shape(std::vector<std::int64_t>(given.shape, given.shape + given.ndim));
    const auto size = static_cast<std::size_t>(bytes_of(type, shape.element_count()));
    std::byte* const data = static_cast<std::byte*>(given.data) + given.byte_offset;
    const std::span<std::byte> bytes(size > 0 ? data : nullptr, size);
    auto value = std::make_unique<ortool_value>();
    value->value = Tensor::view(type, shape, bytes, nullptr);
    std::shared_ptr<const void> owner(managed, [](DLManagedTensor* tensor) {
      if (tensor->deleter != nullptr) tensor->deleter(tensor);
    });
    value->value = Tensor::view(type, std::move(shape), bytes, std::move(owner));
    value->writable = bytes;
    *value_out = value.release();
  });
}

ortool_status ortool_tensor_to_dlpack(const ortool_value* tensor, DLManagedTensor** managed_out,
                                      ortool_error** error) {
  return guarded(error, [&] {
    require(tensor, "tensor");
    require(managed_out, "managed_out");
    const Tensor& held = tensor->value.tensor();
    const TypePair* pair = nullptr;
    for (const TypePair& each : type_pairs) {
      if (each.type == held.type()) pair = &each;
    }
    if (pair == nullptr) {
      throw Error(ErrorCode::unsupported,
                  format("DLPack has no element type {}", name_of(held.type())),
                  "read the memory by ortool_tensor_data(), or strings by ortool_tensor_string()")
          .with_id("dlpack.type");
    }
    auto exported = std::make_unique<ExportedTensor>();
    exported->tensor = held;
    exported->keeper = tensor->keeper;
    exported->shape.assign(held.shape().begin(), held.shape().end());
    exported->strides.assign(exported->shape.size(), 1);
    for (std::size_t axis = exported->shape.size(); axis > 1; --axis)
      exported->strides[axis - 2] = exported->strides[axis - 1] * exported->shape[axis - 1];
    exported->managed = {.dl_tensor = {.data = const_cast<std::byte*>(held.bytes()),
                                       .device = {dlpack_cpu, 0},
                                       .ndim = static_cast<std::int32_t>(exported->shape.size()),
                                       .dtype = pair->dlpack,
                                       .shape = exported->shape.data(),
                                       .strides = exported->strides.data(),
                                       .byte_offset = 0},
                         .manager_ctx = exported.get(),
                         .deleter = &delete_exported};
    *managed_out = &exported.release()->managed;
  });
}
