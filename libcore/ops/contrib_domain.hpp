// The domains of operators beyond ONNX's own.
#pragma once

namespace ortool {

/// ONNX Runtime's contrib operators.
inline constexpr const char* contrib_domain = "com.microsoft";
/// onnxruntime-extensions: texts, tokenizers and sound; images have a domain of their own.
inline constexpr const char* extensions_domain = "ai.onnx.contrib";
inline constexpr const char* vision_extensions_domain = "com.microsoft.extensions";
/// TensorRT's plugins, as exporters of detectors and as ONNX Runtime write them.
inline constexpr const char* tensorrt_domain = "TRT";
inline constexpr const char* tensorrt_plugins_domain = "trt.plugins";
/// MMDeploy, and MMCV before it.
inline constexpr const char* mmdeploy_domain = "mmdeploy";
inline constexpr const char* mmcv_domain = "mmcv";
/// ONNX operators on blocked channels, as ONNX Runtime saves them for its CPU provider.
inline constexpr const char* nchwc_domain = "com.microsoft.nchwc";
/// ONNX operators with channels last, as ONNX Runtime saves them for other providers.
inline constexpr const char* provider_nhwc_domain = "com.ms.internal.nhwc";

}  // namespace ortool
