// Device: what the cuda provider asks of a GPU - memory, streams, kernels, products, convolutions,
// graphs. Implemented by CUDA (providers/cuda/driver), and by an emulation that tests bring along.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "libcore/provider/device/device_clocks.hpp"
#include "providers/cuda/kernels/kernel_names.hpp"

namespace ortool::cuda {

/// out = activation(alpha * a * b + addend + bias) of row-major matrices, a number of times.
struct ProductDesc {
  /// Of all operands: float32, float16, bfloat16 or float64. Products of int8 are int32, with
  /// nothing added, b transposed, and n and k multiples of four. Those of float8 (e4m3fn or e5m2,
  /// not both e5m2) have b transposed, n and k multiples of 16, operands at multiples of 16 bytes,
  /// and a result of 16 bits or float32, which is the type of what is added, too; a bias is added
  /// to results of 16 bits alone.
  std::int32_t type = 1;
  std::int32_t b_type = 0;    ///< of float8: that of b
  std::int32_t out_type = 0;  ///< of float8: that of the result
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
  bool transpose_a = false;   ///< a is k x m
  bool transpose_b = false;   ///< b is n x k
  std::int64_t a_stride = 0;  ///< elements between products; 0: one matrix for all
  std::int64_t b_stride = 0;
  std::int64_t addend_stride = 0;
  float alpha = 1;
  bool has_bias = false;    ///< n elements
  bool has_addend = false;  ///< m x n, of the stride above
  bool has_relu = false;
  bool uses_tf32 = false;
  std::int64_t bias_stride = 0;  ///< elements between the biases of products

  bool operator==(const ProductDesc&) const = default;
};

struct ProductPointers {
  const void* a;
  const void* b;
  const void* bias;
  const void* addend;
  void* out;
  void* workspace;
  // Of float8: float32 numbers on the device that the operands are multiplied by.
  const void* a_scale = nullptr;
  const void* b_scale = nullptr;
};

/// out = relu?(convolution(input) + addend + bias) over two spatial axes.
struct ConvDesc {
  std::int32_t type = 1;
  std::int64_t batch = 1;
  std::int64_t groups = 1;
  std::int64_t in_channels = 1;   ///< of all groups
  std::int64_t out_channels = 1;  ///< of all groups
  std::int64_t in[2] = {1, 1};
  std::int64_t out[2] = {1, 1};
  std::int64_t kernel[2] = {1, 1};
  std::int64_t stride[2] = {1, 1};
  std::int64_t dilation[2] = {1, 1};
  std::int64_t pad[2] = {0, 0};  ///< at both ends
  bool has_bias = false;
  bool has_addend = false;
  bool has_relu = false;
  bool uses_tf32 = false;
  /// Channels lie behind pixels, in weights too: out x kernel x in.
  bool is_channels_last = false;
  bool is_tuned = false;  ///< the library's algorithms are measured

  bool operator==(const ConvDesc&) const = default;
};

struct ConvPointers {
  const void* input;
  const void* weights;
  const void* bias;
  const void* addend;
  void* out;
  void* workspace;
};

/// A product or convolution that the device is ready to run.
class DevicePrimitive {
 public:
  virtual ~DevicePrimitive() = default;
  virtual std::int64_t workspace_bytes() const = 0;
};
using PrimitivePtr = std::shared_ptr<const DevicePrimitive>;

/// What a stream ran between begin_capture() and end_capture().
class DeviceGraph {
 public:
  virtual ~DeviceGraph() = default;
};

/// Work in order. Used by one thread at a time.
class DeviceStream {
 public:
  virtual ~DeviceStream() = default;
  virtual void launch(KernelId kernel, std::int64_t blocks, int threads, const void* params,
                      std::size_t bytes) = 0;
  virtual void multiply(const DevicePrimitive& product, const ProductPointers& pointers) = 0;
  virtual void convolve(const DevicePrimitive& conv, const ConvPointers& pointers) = 0;
  /// From and to staging memory, which must stay until the stream is done.
  virtual void upload(void* to, const void* from, std::int64_t bytes) = 0;
  virtual void download(void* to, const void* from, std::int64_t bytes) = 0;
  virtual void copy(void* to, const void* from, std::int64_t bytes) = 0;
  virtual void clear(void* to, std::int64_t bytes) = 0;
  /// Waits until all is done. Throws the first error of what ran.
  virtual void synchronize() = 0;
  virtual void begin_capture() = 0;
  virtual std::unique_ptr<DeviceGraph> end_capture() = 0;
  virtual void replay(const DeviceGraph& graph) = 0;
  /// Notes the time when the work so far is done, as moment `number`. Not while capturing.
  virtual void mark(std::size_t number) = 0;
  /// Nanoseconds between two noted moments, once the stream is synchronized.
  virtual std::int64_t between(std::size_t from, std::size_t to) = 0;
};

struct DeviceMemory {
  std::int64_t used_bytes = 0;
  std::int64_t peak_bytes = 0;
  std::int64_t limit_bytes = 0;  ///< 0: none
  std::int64_t total_bytes = 0;  ///< of the device; 0: not known
};

/// Thread-safe.
class Device {
 public:
  virtual ~Device() = default;
  /// "NVIDIA H100 80GB HBM3, compute capability 9.0, driver 13.0"
  virtual std::string description() const = 0;
  /// 90 of compute capability 9.0.
  virtual int compute_capability() const = 0;
  /// Throws ErrorCode::memory_limit with the figures.
  virtual void* allocate(std::int64_t bytes, std::string_view purpose) = 0;
  virtual void release(void* memory) noexcept = 0;
  /// Host memory that the device copies from and to.
  virtual void* allocate_staging(std::int64_t bytes) = 0;
  virtual void release_staging(void* memory) noexcept = 0;
  virtual DeviceMemory memory() const = 0;
  /// As they are now; nothing where the system does not tell.
  virtual std::optional<DeviceClocks> clocks() { return std::nullopt; }
  /// Copies at once, from and to any host memory.
  virtual void write(void* to, const void* from, std::int64_t bytes) = 0;
  virtual void read(void* to, const void* from, std::int64_t bytes) = 0;
  /// Whether an allocation of this device begins at the address.
  virtual bool owns(const void* address) const = 0;
  virtual std::unique_ptr<DeviceStream> make_stream() = 0;
  /// Throws ErrorCode::unsupported where the library has no such product.
  virtual PrimitivePtr make_product(const ProductDesc& desc) = 0;
  /// Null where the library has no such convolution.
  virtual PrimitivePtr make_conv(const ConvDesc& desc) = 0;
  /// Frees memory that making primitives needed.
  virtual void release_scratch() {}
  /// Keeps what trials of algorithms find in a file of this folder, and reads what earlier ones
  /// have found.
  virtual void keep_timings(const std::string& folder) { static_cast<void>(folder); }
  /// Whether values are to be allocated one by one, so that accesses beyond them show.
  virtual bool checks_bounds() const { return false; }
};

/// Memory of a device for the lifetime of this object.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(std::shared_ptr<Device> device, std::int64_t bytes, std::string_view purpose);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  void* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<Device> device_;
  void* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

/// Host memory that a device copies from and to, for the lifetime of this object.
class StagingBuffer {
 public:
  StagingBuffer() = default;
  StagingBuffer(std::shared_ptr<Device> device, std::int64_t bytes);
  ~StagingBuffer();
  StagingBuffer(StagingBuffer&& other) noexcept;
  StagingBuffer& operator=(StagingBuffer&& other) noexcept;
  StagingBuffer(const StagingBuffer&) = delete;
  StagingBuffer& operator=(const StagingBuffer&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  std::shared_ptr<Device> device_;
  void* data_ = nullptr;
};

}  // namespace ortool::cuda
