// CUDA device: memory, streams and kernels by the CUDA driver; products by cuBLASLt, convolutions
// by cuDNN.
#pragma once

#include <memory>
#include <string>

#include "providers/cuda/device/device.hpp"
#include "providers/cuda/device/timing_cache.hpp"

struct CUstream_st;

namespace ortool::cuda {

/// Products of one device, by cuBLASLt. Thread-safe.
class ProductFactory {
 public:
  virtual ~ProductFactory() = default;
  virtual PrimitivePtr make(const ProductDesc& desc) = 0;
  virtual void run(const DevicePrimitive& product, const ProductPointers& pointers,
                   CUstream_st* stream) = 0;
};
std::unique_ptr<ProductFactory> open_cublas();

/// Runs `body` on the device and returns the milliseconds it took there.
class DeviceStopwatch {
 public:
  virtual ~DeviceStopwatch() = default;
  virtual CUstream_st* stream() = 0;
  virtual void start() = 0;
  virtual float stop() = 0;
};

/// Convolutions of one device, by cuDNN. Thread-safe.
class ConvFactory {
 public:
  virtual ~ConvFactory() = default;
  /// Tries the library's algorithms: the first that it suggests, or the fastest if that is wanted.
  virtual PrimitivePtr make(const ConvDesc& desc, DeviceStopwatch& timer) = 0;
  virtual void run(const DevicePrimitive& conv, const ConvPointers& pointers,
                   CUstream_st* stream) = 0;
  /// Frees what make() kept for its next call.
  virtual void release_scratch() = 0;
  /// "cuDNN 91000"
  virtual std::string version() const = 0;
  /// Where choices of tuned convolutions are looked up and kept from now on.
  virtual void use(std::shared_ptr<TimingCache> timings) = 0;
};
/// The factory's memory is that of `device`, which outlives it.
std::unique_ptr<ConvFactory> open_cudnn(Device& device);

}  // namespace ortool::cuda
