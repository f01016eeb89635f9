// Model formats of other frameworks: what a file is, and how it becomes an ONNX model.
#pragma once

#include <cstddef>
#include <span>

#include "libcore/onnx/read/detect_format.hpp"

namespace ortool::onnx {

inline constexpr OtherFormat pytorch_format = {
    "a PyTorch file (.pt, .pth)",
    "load it in Python and export the model with torch.onnx.export(model, inputs, 'model.onnx')"};
inline constexpr OtherFormat torchscript_format = {
    "a TorchScript model",
    "load it with torch.jit.load and export it with torch.onnx.export(model, inputs, "
    "'model.onnx')"};
inline constexpr OtherFormat exported_program_format = {
    "a PyTorch exported program (.pt2)",
    "load it with torch.export.load and export it with torch.onnx.export(program, (), f="
    "'model.onnx')"};
inline constexpr OtherFormat safetensors_format = {
    "a safetensors file, which holds weights but no graph",
    "export the model that they belong to: 'optimum-cli export onnx --model FOLDER OUT', or "
    "torch.onnx.export"};
inline constexpr OtherFormat saved_model_format = {
    "a TensorFlow SavedModel",
    "convert its folder with 'python -m tf2onnx.convert --saved-model FOLDER --output model.onnx'"};
inline constexpr OtherFormat graph_def_format = {
    "a frozen TensorFlow graph (.pb)",
    "convert it with 'python -m tf2onnx.convert --graphdef FILE --inputs NAME:0 --outputs NAME:0 "
    "--output model.onnx'"};
inline constexpr OtherFormat tensorflow_lite_format = {
    "a TensorFlow Lite model",
    "convert it with 'python -m tf2onnx.convert --tflite FILE --output model.onnx'"};
inline constexpr OtherFormat keras_format = {
    "a Keras model (HDF5)",
    "load it with keras.models.load_model and export it with model.export('model.onnx', format="
    "'onnx')"};
inline constexpr OtherFormat keras_archive_format = {"a Keras model (.keras)", keras_format.hint};
inline constexpr OtherFormat gguf_format = {
    "a GGUF model",
    "export the model it was made from: 'optimum-cli export onnx --model NAME OUT'"};
inline constexpr OtherFormat openvino_format = {
    "an OpenVINO model (.xml)",
    "OpenVINO does not write ONNX: export the model it was converted from"};
inline constexpr OtherFormat core_ml_format = {
    "a Core ML model",
    "export the model it was converted from; onnxmltools.convert_coreml converts older ones"};
inline constexpr OtherFormat tensorrt_format = {
    "a TensorRT engine", "an engine cannot be converted: use the .onnx file it was built from"};
inline constexpr OtherFormat paddle_format = {
    "a PaddlePaddle model",
    "convert it with 'paddle2onnx --model_dir FOLDER --model_filename NAME.pdmodel "
    "--params_filename NAME.pdiparams --save_file model.onnx'"};
inline constexpr OtherFormat caffe_format = {
    "a Caffe model", "convert it with caffe2onnx, or export a newer version of the model"};

/// Whether the file begins with the header of a safetensors file.
bool is_safetensors(std::span<const std::byte> bytes);

/// What a zip archive is, by the names in it.
OtherFormat detect_archive(std::span<const std::byte> bytes);

}  // namespace ortool::onnx
