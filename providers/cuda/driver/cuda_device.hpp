// CUDA device: memory, streams and kernels by the CUDA driver; products by cuBLASLt, convolutions
// by cuDNN.
#pragma once

#include <memory>

#include "providers/cuda/device/device.hpp"

struct CUstream_st;

namespace ortool::cuda {

/// Products of one device, by cuBLASLt. Thread-safe.
class ProductLibrary {
 public:
  virtual ~ProductLibrary() = default;
  virtual RoutinePtr make(const ProductDesc& desc) = 0;
  virtual void run(const DeviceRoutine& product, const ProductPointers& pointers,
                   CUstream_st* stream) = 0;
};
std::unique_ptr<ProductLibrary> open_cublas();

/// Runs `body` on the device and returns the milliseconds it took there.
class DeviceTimer {
 public:
  virtual ~DeviceTimer() = default;
  virtual CUstream_st* stream() = 0;
  virtual void start() = 0;
  virtual float stop() = 0;
};

/// Convolutions of one device, by cuDNN. Thread-safe.
class ConvLibrary {
 public:
  virtual ~ConvLibrary() = default;
  /// Measures the library's algorithms on memory of `device`.
  virtual RoutinePtr make(const ConvDesc& desc, const std::shared_ptr<Device>& device,
                          DeviceTimer& timer) = 0;
  virtual void run(const DeviceRoutine& conv, const ConvPointers& pointers,
                   CUstream_st* stream) = 0;
};
std::unique_ptr<ConvLibrary> open_cudnn();

}  // namespace ortool::cuda
