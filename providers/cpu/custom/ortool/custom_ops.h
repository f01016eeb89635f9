// C interface of custom operators: what a library of them defines, and what it may call.
//
// A library exports ortool_get_operators(), and needs nothing of ortool but this header. It is
// loaded by --custom-ops LIB.so, or by ortool_register_operators(), and stays loaded. A program
// that uses libortool_c.so passes operators of its own to ortool_add_operators(). The interface is
// stable: structs only grow at their end. Functions return 0, or what ortool_operator_api.fail()
// returned. They may be called by several threads at once, and must not throw.
#ifndef ORTOOL_CUSTOM_OPS_H
#define ORTOOL_CUSTOM_OPS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORTOOL_OPERATORS_VERSION 1

/// An input or output of a node. Tensors are row-major, without gaps.
typedef struct ortool_operand {
  int32_t type;          ///< ONNX's number (TensorProto.DataType); 0: left out
  int32_t rank;          ///< -1: not known, in infer() only
  const int64_t* shape;  ///< `rank` dimensions; -1: not known, in infer() only
  /// In infer(): `rank` texts, the name of a free dimension or a formula such as "2*n", "?" where
  /// nothing is known, "" for numbers. NULL otherwise.
  const char* const* symbols;
  int64_t count;  ///< of elements; -1: not known
  /// In run(): the elements, aligned to ortool_operator.alignment; not to be written for inputs.
  /// NULL for strings, for outputs of `has_dynamic_shapes` before set_output(), and in infer().
  void* data;
} ortool_operand;

struct ortool_operator_api;

/// One call of infer(), prepare() or run(). Operands live as long as the call.
typedef struct ortool_call {
  const struct ortool_operator_api* api;
  const ortool_operand* const* inputs;
  size_t input_count;
  const ortool_operand* const* outputs;  ///< in infer() only which are left out is known
  size_t output_count;
  void* state;    ///< set by prepare(), read by run(); shared by threads
  void* context;  ///< that of the ortool_operator
} ortool_call;

/// An attribute of a node.
typedef struct ortool_attribute {
  const char* name;
  /// ONNX's number (AttributeProto.AttributeType): 1 float, 2 int, 3 string, 4 tensor, 6 floats,
  /// 7 ints, 8 strings. Other kinds have no data here.
  int32_t kind;
  int32_t type;          ///< of a tensor's elements
  int32_t rank;          ///< of a tensor
  const int64_t* shape;  ///< of a tensor
  size_t count;          ///< of the elements of a list or tensor; the length of a string
  /// float, int64_t or char elements, those of a tensor, or a const char* for each of strings, also
  /// of a tensor of strings.
  const void* data;
} ortool_attribute;

/// What an operator may call, with the call that it got.
typedef struct ortool_operator_api {
  /// An attribute of the node: returns 0 if it has none of that name and kind. Lists and texts
  /// belong to the node; a text ends with a zero byte.
  int (*attribute_int)(const ortool_call* call, const char* name, int64_t* value);
  int (*attribute_float)(const ortool_call* call, const char* name, float* value);
  int (*attribute_string)(const ortool_call* call, const char* name, const char** value);
  int (*attribute_ints)(const ortool_call* call, const char* name, const int64_t** values,
                        size_t* count);
  int (*attribute_floats)(const ortool_call* call, const char* name, const float** values,
                          size_t* count);
  /// In infer(): the elements of an input if they are known, else NULL. Ask only where shapes
  /// depend on them, and set no rank of such outputs while they are not known.
  const void* (*input_value)(const ortool_call* call, size_t input);
  /// In infer(): type and shape of an output; a rank of -1: not known. `symbols` may be NULL; a
  /// text in it, of names, numbers, + - * / and parentheses, counts where the dimension is -1.
  /// In run() of `has_dynamic_shapes` and of strings: makes the output's memory, and returns it
  /// (for strings NULL) in `data`, which is NULL in infer().
  int (*set_output)(const ortool_call* call, size_t output, int32_t type, int32_t rank,
                    const int64_t* shape, const char* const* symbols, void** data);
  /// In run(): one of the strings of an input, with its length.
  const char* (*input_string)(const ortool_call* call, size_t input, int64_t index, size_t* length);
  /// In run(): sets one of the strings of an output.
  int (*set_string)(const ortool_call* call, size_t output, int64_t index, const char* text,
                    size_t length);
  /// In run(): calls body(context, task) for each task in [0, tasks) on the threads of the session.
  /// Each task must write its own part of the result, and the number of tasks must not depend on
  /// the number of threads: so results do not either.
  int (*parallel)(const ortool_call* call, int64_t tasks, void (*body)(void* context, int64_t task),
                  void* context);
  /// Ends the call with an error, for the user: what is wrong with the node or its operands.
  int (*fail)(const ortool_call* call, const char* message);
  /// Attribute `index` of the node, whichever there are; returns 0 beyond the last. What `found`
  /// points to lives as long as the call.
  int (*attribute)(const ortool_call* call, size_t index, ortool_attribute* found);
} ortool_operator_api;

/// An operator, from one version of its domain on.
typedef struct ortool_operator {
  size_t size;            ///< sizeof(ortool_operator)
  const char* name;       ///< "Scale"
  const char* domain;     ///< "my.domain"; not one of ONNX's
  int32_t since_version;  ///< several versions of an operator: one struct each
  int32_t min_inputs;
  int32_t max_inputs;  ///< -1: any number
  int32_t min_outputs;
  int32_t max_outputs;   ///< -1: any number
  const int32_t* types;  ///< of the inputs, ended by 0; NULL: all tensors
  /// The input that output 0 may overwrite where it is not read afterwards, plus 1; 0: none. Both
  /// must have the same size.
  int32_t in_place;
  int32_t has_dynamic_shapes;  ///< 1: shapes of outputs are only known in run()
  size_t alignment;            ///< of operands in bytes, up to 64; 0: the element's
  int (*infer)(ortool_call* call);
  int (*prepare)(ortool_call* call);  ///< for a set of shapes; may be NULL
  int (*run)(ortool_call* call);
  void (*release)(void* state);  ///< frees a state; may be NULL
  void* context;                 ///< that calls get
  /// Frees the context, by any thread: once the operator has been removed and no session has it, or
  /// before a function returns that refuses the operator. NULL: nothing to free.
  void (*release_context)(void* context);
} ortool_operator;

/// All operators of a library.
typedef struct ortool_operators {
  uint32_t version;  ///< ORTOOL_OPERATORS_VERSION
  uint32_t count;
  const ortool_operator* const* operators;
} ortool_operators;

/// What a library exports.
__attribute__((visibility("default"))) const ortool_operators* ortool_get_operators(void);

#ifdef __cplusplus
}
#endif

#endif
