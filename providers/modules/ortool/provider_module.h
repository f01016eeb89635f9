// C interface of provider modules: what a vendor's library implements to compute subgraphs.
//
// A module is a shared library libortool_NAME.so in the folder ortool/providers beside libortool.so,
// or in a folder of ORTOOL_PROVIDER_PATH. It exports ortool_get_provider(), links nothing of
// ortool, and needs only this header. It is loaded when its provider is named, and unloaded with
// the last session that uses it. The interface is stable: structs only grow at their end.
//
// Functions return 0, or what ortool_provider_api.fail() returned. All but open() and close() may be
// called by several threads at once. Nothing may be thrown.
#ifndef ORTOOL_PROVIDER_MODULE_H
#define ORTOOL_PROVIDER_MODULE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORTOOL_PROVIDER_VERSION 1

/// Kinds of failures, for ortool_provider_api.fail().
enum ortool_provider_failure {
  ORTOOL_PROVIDER_INVALID = 2,      ///< a value of a run or of an option is wrong
  ORTOOL_PROVIDER_UNAVAILABLE = 4,  ///< a library, a driver or a device is missing or too old
  /// In compile(), and in run() of a graph that was compiled with unknown dimensions: these shapes
  /// cannot be computed; ortool's own kernels then compute the subgraph.
  ORTOOL_PROVIDER_UNSUPPORTED = 5,
  ORTOOL_PROVIDER_MEMORY = 6  ///< out of memory of the host or the device
};

/// A value of a graph. Constants are row-major, without gaps, and aligned to their element.
typedef struct ortool_provider_value {
  const char* name;
  int32_t type;          ///< ONNX's number (TensorProto.DataType); 0: not known, or not a tensor
  int32_t rank;          ///< -1: not known
  const int64_t* shape;  ///< `rank` dimensions; -1: not known
  int64_t count;         ///< of elements; -1: not known
  int32_t is_constant;   ///< 1: no run changes it
  const void* data;      ///< of a constant; NULL for strings
} ortool_provider_value;

/// An attribute of a node.
typedef struct ortool_provider_attribute {
  const char* name;
  /// ONNX's number (AttributeProto.AttributeType): 1 float, 2 int, 3 string, 4 tensor, 6 floats,
  /// 7 ints. Other kinds have no data here.
  int32_t kind;
  size_t count;      ///< of the elements of a list; the length of a string; else 1
  const void* data;  ///< float, int64_t or char elements; of a tensor an ortool_provider_value
} ortool_provider_attribute;

/// A node, as the file has it or as rules have simplified it: an operator of ONNX or of another
/// domain, in the version of the opset.
typedef struct ortool_provider_node {
  const char* name;
  const char* op_type;
  const char* domain;  ///< "" for ONNX's own
  int64_t opset;       ///< version of the domain that the graph imports
  const ortool_provider_value* const* inputs;  ///< NULL: left out
  size_t input_count;
  const ortool_provider_value* const* outputs;  ///< NULL: left out
  size_t output_count;
  const ortool_provider_attribute* const* attributes;
  size_t attribute_count;
} ortool_provider_node;

/// A graph, with its nodes in an order of execution. Equal values have equal addresses.
typedef struct ortool_provider_graph {
  size_t size;
  const ortool_provider_node* const* nodes;
  size_t node_count;
  const ortool_provider_value* const* inputs;  ///< without constants
  size_t input_count;
  const ortool_provider_value* const* outputs;
  size_t output_count;
} ortool_provider_graph;

/// An input of a run, row-major without gaps, aligned to 64 bytes or to its element.
typedef struct ortool_provider_tensor {
  int32_t type;
  int32_t rank;
  const int64_t* shape;
  int64_t count;  ///< of elements
  const void* data;
} ortool_provider_tensor;

/// A setting, as of `--provider-option NAME.KEY=VALUE`.
typedef struct ortool_provider_setting {
  const char* key;
  const char* value;
} ortool_provider_setting;

/// What a run took on a device, by the device's clock.
typedef struct ortool_provider_figures {
  size_t size;  ///< sizeof(ortool_provider_figures)
  int64_t copy_in_ns;
  int64_t compute_ns;
  int64_t copy_out_ns;
  int64_t memory_bytes;  ///< of the device, in use by this provider at most so far; 0: not known
} ortool_provider_figures;

struct ortool_provider_api;

/// One call of a function of the module. It ends with the call, and all that it gives too.
typedef struct ortool_provider_call {
  const struct ortool_provider_api* api;
  int32_t threads;        ///< of the session; 0 in open() and claim()
  const char* precision;  ///< of --precision: "float32" or "bfloat16"
} ortool_provider_call;

/// What a module may call.
typedef struct ortool_provider_api {
  size_t size;
  const char* ortool_version;
  /// Ends the call with an error for the user: what was found, and what is expected or wanted.
  int (*fail)(ortool_provider_call* call, int32_t failure, const char* message);
  /// In claim(): the node `index` of the graph is not taken, for a reason in words for the user.
  void (*refuse)(ortool_provider_call* call, size_t index, const char* reason);
  /// In claim() and compile(): the given graph as the bytes of an ONNX file (ModelProto), with its
  /// constants; in claim(), node `index` alone, whose constants are left out if they have more than
  /// 1024 elements. NULL where that fails, after which the call fails too.
  const void* (*model_bytes)(ortool_provider_call* call, size_t index, size_t* length);
  /// In run(): the memory for output `index`, aligned to 64 bytes, for a type and shape. To be
  /// called once for each output. NULL where that fails, after which the call fails too.
  void* (*output)(ortool_provider_call* call, size_t index, int32_t type, int32_t rank,
                  const int64_t* shape);
  /// In run(): 1 once the user has asked to stop; the call may then end with fail().
  int (*is_stopped)(ortool_provider_call* call);
  /// In run(): calls body(context, task) for each task in [0, tasks) on the threads of the session.
  /// For libraries without threads of their own.
  int (*parallel)(ortool_provider_call* call, int64_t tasks,
                  void (*body)(void* context, int64_t task), void* context);
  /// In run(), where `size` tells that there are these two: 1 if figures() is wanted, as by
  /// `ortool bench`; to take times may slow a run down.
  int (*wants_figures)(ortool_provider_call* call);
  /// In run(), once: what the device needed for this run.
  void (*figures)(ortool_provider_call* call, const ortool_provider_figures* figures);
} ortool_provider_api;

/// What a module provides.
typedef struct ortool_provider {
  size_t size;       ///< sizeof(ortool_provider)
  uint32_t version;  ///< ORTOOL_PROVIDER_VERSION
  const char* name;  ///< "openvino", as in the name of the file
  /// 1: compile() also takes graphs in which dimensions are not known; ortool asks for that after
  /// a few sets of shapes. 0: it is only given graphs with known shapes of the inputs.
  int32_t takes_unknown_shapes;
  /// 1: the vendor's library fuses operators itself, and finds more in those of the file: graphs
  /// are then simplified only (folded constants, nodes without effect). 0: they are also fused, as
  /// far as ONNX has operators for that (BatchNormalization in weights, activations).
  int32_t fuses_operators;
  /// Opens what the provider needs. Fails with ORTOOL_PROVIDER_UNAVAILABLE and the reason if this
  /// machine lacks it, and with ORTOOL_PROVIDER_INVALID for wrong settings. `state` is given to the
  /// functions below, `description` (the version of the vendor's library, and the device) lives as
  /// long as it does.
  int (*open)(ortool_provider_call* call, const ortool_provider_setting* settings, size_t count,
              void** state, const char** description);
  void (*close)(void* state);
  /// Says which nodes of a graph the provider refuses; it takes all others, in any combination.
  int (*claim)(ortool_provider_call* call, void* state, const ortool_provider_graph* graph);
  /// Compiles a graph of nodes that were taken.
  int (*compile)(ortool_provider_call* call, void* state, const ortool_provider_graph* graph,
                 void** kernel);
  void (*release)(void* kernel);
  /// Computes all outputs of the graph; inputs and outputs are in its order.
  int (*run)(ortool_provider_call* call, void* kernel, const ortool_provider_tensor* const* inputs,
             size_t input_count, size_t output_count);
} ortool_provider;

/// What a module exports. The struct lives as long as the library.
__attribute__((visibility("default"))) const ortool_provider* ortool_get_provider(void);

#ifdef __cplusplus
}
#endif

#endif
