// C interface of ortool: models, sessions, values, runs and commands behind opaque handles.
//
// The interface is stable: a program built with this header runs with every later libortool_c.so.0
// whose ortool_abi_version() is at least ORTOOL_ABI_VERSION. Functions are only added, structs only
// grow at their end and are passed by pointer, and constants keep their values.
//
// - Errors. Every function that can fail returns ORTOOL_OK or another ortool_status, and writes an
//   ortool_error to its last parameter, unless that is NULL: the caller frees it. After a failure
//   nothing else was written, except where noted. No C++ exception leaves the library.
// - Ownership. What a function writes to a parameter that ends in `_out` belongs to the caller, who
//   frees it with the function that ends in `_free` (NULL is allowed). Pointers that are returned
//   belong to the object they come from and live as long as it does.
// - Threads. Functions may be called by any thread. An object may be used by several threads at
//   once as long as none frees it; functions that take a pointer without `const` need the object
//   for themselves, except ortool_stop_request().
// - Texts are UTF-8 and end with a zero byte. Sizes are in bytes, times in seconds, shapes count
//   elements, outermost dimension first; tensors are row-major without gaps.
//
// The library prints nothing, and installs no signal handlers. Model files are mapped: a file that
// is truncated while a model uses it raises SIGBUS.
#ifndef ORTOOL_ORTOOL_H
#define ORTOOL_ORTOOL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of this interface, which grows with every addition.
#define ORTOOL_ABI_VERSION 1
/// That of the library that the program runs with.
int32_t ortool_abi_version(void);
/// The release, such as "0.1.0".
const char* ortool_version(void);

// ---- Errors -------------------------------------------------------------------------------------

/// What became of a call. The values are the exit codes of the ortool program.
typedef int32_t ortool_status;
enum {
  ORTOOL_OK = 0,
  ORTOOL_NEGATIVE_RESULT = 1,       ///< only as the exit code in a command's report
  ORTOOL_INVALID = 2,               ///< a wrong argument, or a missing or invalid model or input
  ORTOOL_NO_CONCLUSION = 3,         ///< only as the exit code in a command's report
  ORTOOL_PROVIDER_UNAVAILABLE = 4,  ///< no provider of that name here, or not for the whole model
  ORTOOL_UNSUPPORTED = 5,           ///< valid, but an operator, type or version is not supported
  ORTOOL_MEMORY_LIMIT = 6,          ///< "max-memory" or the machine's memory is used up
  ORTOOL_WRITE_FAILED = 7,          ///< a result could not be written
  ORTOOL_TIMEOUT = 124,
  ORTOOL_INTERRUPTED = 130,
  ORTOOL_TERMINATED = 143
};

/// What went wrong.
typedef struct ortool_error ortool_error;

ortool_status ortool_error_status(const ortool_error* error);
/// What is wrong and where, and what was found and expected, in one line.
const char* ortool_error_message(const ortool_error* error);
/// What to do about it; empty if there is no advice.
const char* ortool_error_hint(const ortool_error* error);
/// A stable name of the rule that is violated, such as "graph.cycle"; may be empty.
const char* ortool_error_id(const ortool_error* error);
/// The node, as "'name' (Type)"; empty if the error is about no node.
const char* ortool_error_node(const ortool_error* error);
void ortool_error_free(ortool_error* error);

// ---- Stopping and listening ---------------------------------------------------------------------

/// A request to stop, which calls poll. It cannot be taken back: use a new one for the next call.
typedef struct ortool_stop ortool_stop;

ortool_status ortool_stop_new(ortool_stop** stop_out, ortool_error** error);
/// Ends the calls that got this object with ORTOOL_INTERRUPTED, within milliseconds as a rule. May
/// be called by any thread and by signal handlers, any number of times.
void ortool_stop_request(ortool_stop* stop);
/// Not before the calls that got it have returned.
void ortool_stop_free(ortool_stop* stop);

typedef int32_t ortool_message_kind;
enum { ORTOOL_ERROR = 0, ORTOOL_WARNING = 1, ORTOOL_NOTE = 2 };

/// A sample that the caller is asked for.
typedef struct ortool_sample ortool_sample;

/// What a long call listens to and reports to. Zero-initialize it and set `size`; all other members
/// may stay zero. Callbacks run in the calling thread or in one of the session's, never after the
/// call has returned, and must not throw.
typedef struct ortool_task {
  size_t size;        ///< sizeof(ortool_task)
  ortool_stop* stop;  ///< may be NULL
  double timeout;     ///< seconds, after which the call ends with ORTOOL_TIMEOUT; 0: no limit.
                      ///< A time-out uses up `stop` as well
  void* context;      ///< passed to the callbacks
  /// What is unusual (a warning) or was assumed (a note), in one sentence.
  void (*on_message)(void* context, ortool_message_kind kind, const char* text);
  /// `done` of `total` items of a step such as "calibrating" are done; a total of 0: unknown.
  /// Called often, so it must be cheap.
  void (*on_progress)(void* context, const char* step, int64_t done, int64_t total);
  /// Only for the command "quantize": gives the calibration data, instead of "calibration-data".
  /// Called in the calling thread before the model is loaded, until it returns 0 (there are no more
  /// samples) or there are as many as "samples" needs. Gives a sample's inputs by
  /// ortool_sample_add() and returns 1, or a negative number to end the call with
  /// ORTOOL_INTERRUPTED. Samples are copied: into memory up to 64 MiB, then into an unnamed file in
  /// the folder for temporary files.
  int32_t (*next_sample)(void* context, ortool_sample* sample);
} ortool_task;

// ---- Types --------------------------------------------------------------------------------------

/// Element types, with ONNX's numbers (TensorProto.DataType).
typedef int32_t ortool_type;
enum {
  ORTOOL_UNDEFINED = 0,
  ORTOOL_FLOAT32 = 1,
  ORTOOL_UINT8 = 2,
  ORTOOL_INT8 = 3,
  ORTOOL_UINT16 = 4,
  ORTOOL_INT16 = 5,
  ORTOOL_INT32 = 6,
  ORTOOL_INT64 = 7,
  ORTOOL_STRING = 8,
  ORTOOL_BOOL = 9,  ///< a byte, 0 or 1
  ORTOOL_FLOAT16 = 10,
  ORTOOL_FLOAT64 = 11,
  ORTOOL_UINT32 = 12,
  ORTOOL_UINT64 = 13,
  ORTOOL_COMPLEX64 = 14,
  ORTOOL_COMPLEX128 = 15,
  ORTOOL_BFLOAT16 = 16,
  ORTOOL_FLOAT8E4M3FN = 17,
  ORTOOL_FLOAT8E4M3FNUZ = 18,
  ORTOOL_FLOAT8E5M2 = 19,
  ORTOOL_FLOAT8E5M2FNUZ = 20,
  ORTOOL_UINT4 = 21,  ///< two in a byte, the first in the low bits
  ORTOOL_INT4 = 22,
  ORTOOL_FLOAT4E2M1 = 23,
  ORTOOL_FLOAT8E8M0 = 24,
  ORTOOL_UINT2 = 25,  ///< four in a byte
  ORTOOL_INT2 = 26
};

/// What a value is. An optional that holds something is of the kind of what it holds.
typedef int32_t ortool_kind;
enum { ORTOOL_NONE = 0, ORTOOL_TENSOR = 1, ORTOOL_SEQUENCE = 2, ORTOOL_MAP = 3 };

/// The name and type of an input or output.
typedef struct ortool_value_info {
  const char* name;
  const char* type_text;  ///< "float32[batch x 3]", "sequence(int64[?])"
  ortool_kind kind;       ///< ORTOOL_NONE if the type is not known
  ortool_type type;       ///< of a tensor's elements or a map's keys
  int32_t is_optional;    ///< 1 if it may be left out or be ORTOOL_NONE
  int32_t rank;           ///< of a tensor; -1 if it is not known
  const int64_t* shape;   ///< `rank` dimensions; -1 where the size is not a number
  /// `rank` texts: the name of a free dimension, a formula such as "2*batch", "?" where nothing is
  /// known, and "" where the dimension is a number.
  const char* const* symbols;
} ortool_value_info;

// ---- Values -------------------------------------------------------------------------------------

/// A tensor, a sequence, a map, or nothing (an empty optional). Immutable, except as the target of
/// ortool_run().
typedef struct ortool_value ortool_value;

/// A tensor over the caller's memory, which stays valid and unchanged until the value, and values
/// made of it, are freed. `size` bytes are what type and shape need, or more. Memory that is
/// aligned to 64 bytes is never copied; as an input it needs no more than the element's alignment.
/// Not for ORTOOL_STRING.
ortool_status ortool_tensor_new(ortool_type type, const int64_t* shape, size_t rank, void* data,
                                size_t size, ortool_value** value_out, ortool_error** error);
/// A tensor of strings, which are copied. `lengths` in bytes may be NULL if all end with a zero
/// byte.
ortool_status ortool_tensor_of_strings(const int64_t* shape, size_t rank,
                                       const char* const* strings, const size_t* lengths,
                                       ortool_value** value_out, ortool_error** error);
/// A tensor over the memory of a DLPack tensor (dlpack.h, host memory, row-major), not copied. On
/// success the value owns `managed` and calls its deleter; after a failure it is still the
/// caller's.
struct DLManagedTensor;
ortool_status ortool_tensor_from_dlpack(struct DLManagedTensor* managed, ortool_value** value_out,
                                        ortool_error** error);
/// The tensor as a DLPack tensor, not copied, and read-only: the consumer must not write to it. It
/// stays valid when the value is freed, except for one over the caller's memory. ORTOOL_UNSUPPORTED
/// for types that DLPack does not know: strings and packed types.
ortool_status ortool_tensor_to_dlpack(const ortool_value* tensor,
                                      struct DLManagedTensor** managed_out, ortool_error** error);
/// A sequence of values; the elements may be freed afterwards.
ortool_status ortool_sequence_new(const ortool_value* const* elements, size_t count,
                                  ortool_value** value_out, ortool_error** error);
/// A map of two tensors of one axis and of equal length; keys are int64 or strings.
ortool_status ortool_map_new(const ortool_value* keys, const ortool_value* values,
                             ortool_value** value_out, ortool_error** error);
void ortool_value_free(ortool_value* value);

ortool_kind ortool_value_kind(const ortool_value* value);
/// The number of elements of a tensor or a sequence, 2 for a map, 0 for nothing.
size_t ortool_value_count(const ortool_value* value);
/// Element `index` of a sequence; of a map the keys (0) or the values (1). Shares the memory.
ortool_status ortool_value_element(const ortool_value* value, size_t index,
                                   ortool_value** element_out, ortool_error** error);

// Of values that are no tensors these return ORTOOL_UNDEFINED, NULL and 0.
ortool_type ortool_tensor_type(const ortool_value* tensor);
/// The dimensions; writes their number to `rank`. Not NULL for a scalar.
const int64_t* ortool_tensor_shape(const ortool_value* tensor, size_t* rank);
/// The elements; NULL for strings.
const void* ortool_tensor_data(const ortool_value* tensor);
/// The size of the elements in bytes; 0 for strings.
size_t ortool_tensor_size(const ortool_value* tensor);
/// One of a tensor's strings, with its length in bytes if `length` is not NULL; NULL beyond the
/// last.
const char* ortool_tensor_string(const ortool_value* tensor, size_t index, size_t* length);

// ---- Models -------------------------------------------------------------------------------------

/// A model file, mapped or in memory. Sessions do not need it once they are made.
typedef struct ortool_model ortool_model;

/// Loads an .onnx file, or the one in a folder.
ortool_status ortool_model_load(const char* path, ortool_model** model_out, ortool_error** error);
/// Loads a model from memory, which stays unchanged until `release(context)` is called: when the
/// model, its sessions and their values are freed, or before this returns a failure. `release` may
/// be NULL for memory that is never freed. `folder` is where external weights are; NULL: there are
/// none.
ortool_status ortool_model_load_memory(const void* bytes, size_t size, const char* folder,
                                       void (*release)(void* context), void* context,
                                       ortool_model** model_out, ortool_error** error);
/// Loads the regular file that `descriptor` is open for; it may be closed afterwards.
ortool_status ortool_model_load_descriptor(int descriptor, const char* folder,
                                           ortool_model** model_out, ortool_error** error);
void ortool_model_free(ortool_model* model);

/// The inputs without a default value, and the outputs, in the order of the file.
const ortool_value_info* const* ortool_model_inputs(const ortool_model* model, size_t* count);
const ortool_value_info* const* ortool_model_outputs(const ortool_model* model, size_t* count);

// ---- Sessions -----------------------------------------------------------------------------------

/// A model optimized and compiled for this machine. Any number of threads may run it at once.
typedef struct ortool_session ortool_session;

/// `options` is a JSON object with options of `ortool run` as keys, without dashes:
/// {"threads": 4, "provider": "cpu", "optimize": "extended", "dim": ["batch=8"]}. Those are
/// "threads" (default: all processors), "execution", "optimize", "skip-pass", "precision",
/// "provider", "provider-option", "node-provider", "strict-provider", "dim", "shape",
/// "nchwc-block", "max-memory", "custom-ops" and "define-op". NULL: all defaults. Options that
/// repeat are lists. Sessions with the same number of threads share them. `task` may be NULL.
ortool_status ortool_session_new(const ortool_model* model, const char* options,
                                 const ortool_task* task, ortool_session** session_out,
                                 ortool_error** error);
/// Values that its runs have returned stay valid.
void ortool_session_free(ortool_session* session);

const ortool_value_info* const* ortool_session_inputs(const ortool_session* session, size_t* count);
const ortool_value_info* const* ortool_session_outputs(const ortool_session* session,
                                                       size_t* count);
/// Frees the memory that the session keeps for later runs.
void ortool_session_release_memory(const ortool_session* session);

// ---- Runs ---------------------------------------------------------------------------------------

/// The times of a run, kernel by kernel.
typedef struct ortool_profile ortool_profile;

typedef struct ortool_profile_event {
  const char* node;
  const char* op_type;
  const char* provider;
  const char* kernel;
  int32_t depth;     ///< 0 in the main graph, 1 in a body of If or Loop, and so on
  int64_t start_ns;  ///< since the run began
  int64_t duration_ns;
} ortool_profile_event;

ortool_status ortool_profile_new(ortool_profile** profile_out, ortool_error** error);
void ortool_profile_free(ortool_profile* profile);
/// What the last run that filled it did, kernel by kernel.
const ortool_profile_event* const* ortool_profile_events(const ortool_profile* profile,
                                                         size_t* count);
/// Of the whole run, in nanoseconds.
int64_t ortool_profile_total_ns(const ortool_profile* profile);

/// The events as the Chrome trace that `ortool run --trace` writes, in JSON. Free it by
/// ortool_text_free().
ortool_status ortool_profile_trace(const ortool_profile* profile, char** text_out,
                                   ortool_error** error);

/// Outputs that are inputs of the next run, such as a decoder's caches. Where one provider computes
/// such an output on a device, and all that reads it or the input, the value stays there between
/// runs; other values are handed on without a copy. For one thread at a time.
typedef struct ortool_feedback ortool_feedback;

/// Output `outputs[i]` becomes input `inputs[i]`, for `count` pairs. ORTOOL_INVALID for outputs
/// that the model has not, and for inputs that are given twice.
ortool_status ortool_feedback_new(const ortool_session* session, const char* const* outputs,
                                  const char* const* inputs, size_t count,
                                  ortool_feedback** feedback_out, ortool_error** error);
/// May outlive the session.
void ortool_feedback_free(ortool_feedback* feedback);
/// A new value of the caller's, on the host: that of a fed output after the last run, or of an output
/// whose value is held.
ortool_status ortool_feedback_fetch(const ortool_feedback* feedback, const char* output,
                                    ortool_value** value_out, ortool_error** error);
/// Holds an input that is the same in each run, such as an encoder's states: the first run is given
/// its value, which is copied, and later runs need not name it. On a device it is copied there once.
/// If `output` is not NULL, the input gets that output's value after the first run where it has
/// elements, and keeps it: so do caches of cross-attention in decoders whose later runs leave them
/// empty. Until then, runs are given a value. Between runs. ORTOOL_INVALID for an input or output
/// that the model has not, and for an input that is fed or held already.
ortool_status ortool_feedback_hold(ortool_feedback* feedback, const char* input, const char* output,
                                   ortool_error** error);
/// Replaces the value that a fed or held input has from the next run on, by a copy.
ortool_status ortool_feedback_set(ortool_feedback* feedback, const char* input,
                                  const ortool_value* value, ortool_error** error);

/// How to run. Zero-initialize it and set `size`; all other members may stay zero.
typedef struct ortool_run_options {
  size_t size;              ///< sizeof(ortool_run_options)
  ortool_stop* stop;        ///< may be NULL
  double timeout;           ///< seconds; 0: no limit. A time-out uses up `stop` as well
  int32_t threads;          ///< at most the session's; 0: the session's
  ortool_profile* profile;  ///< filled unless NULL
  /// Of the session that runs; may be NULL. Inputs that are fed or held need be given for the first
  /// run only. An output that stays on a device is of kind ORTOOL_NONE; ortool_feedback_fetch() has it.
  ortool_feedback* feedback;
} ortool_run_options;

/// Runs the model. `inputs` are in the order of ortool_session_inputs() if `input_names` is NULL,
/// otherwise they have these names. The same holds for outputs. An entry of `outputs` that is NULL
/// becomes a new value of the caller's, which is in memory of the library: what lies in an input, as
/// the output of Identity, is copied. Any other must be a tensor over the caller's memory: the output
/// is written there, without a copy if the memory is aligned to 64 bytes, and the value gets its
/// shape. That memory must be large enough, and overlap no input. `options` may be NULL.
/// ORTOOL_INVALID for names that the model has not, for missing inputs, and for types, shapes and
/// memory that do not fit; the memory of outputs is then undefined, and no entry is replaced.
ortool_status ortool_run(const ortool_session* session, const char* const* input_names,
                         const ortool_value* const* inputs, size_t input_count,
                         const char* const* output_names, ortool_value** outputs,
                         size_t output_count, const ortool_run_options* options,
                         ortool_error** error);

// ---- Commands -----------------------------------------------------------------------------------

/// Runs a command of the ortool program: "inspect", "optimize", "quantize", "bench", "run",
/// "providers" or "schema". `request` is a JSON object with its options as keys, without dashes,
/// and the list "arguments": {"arguments": ["model.onnx"], "output": "small.onnx", "level":
/// "extended"}. The report is the document that the program prints with --json, or the text of
/// another "format" if the request names one. It is written whenever the command has begun, also
/// after a failure. A result such as "the outputs differ" is no failure: see its "exit_code".
/// Files are read and written as by the program; standard input and output ("-") are not used.
/// Blocks; `task` may be NULL.
ortool_status ortool_command(const char* command, const char* request, const ortool_task* task,
                             char** report_out, ortool_error** error);
/// Adds the value of an input to the sample that `next_sample` was called for. The value is copied.
/// What fails here also ends the command.
ortool_status ortool_sample_add(ortool_sample* sample, const char* name, const ortool_value* value,
                                ortool_error** error);
/// Frees a report or a trace.
void ortool_text_free(char* text);

// ---- Operators of users -------------------------------------------------------------------------

/// Loads a library of custom operators (custom_ops.h), for all models and sessions of the process
/// that are made from then on. Does nothing for one that is loaded.
ortool_status ortool_register_operators(const char* path, ortool_error** error);
struct ortool_operators;
/// Adds operators of the program itself (custom_ops.h), for all models and sessions that are made from then on.
/// What `operators` points to is copied, but for functions and contexts. `origin` names the program
/// in messages. ORTOOL_INVALID, and no operator is added, if one is incomplete, or has the name of
/// another.
ortool_status ortool_add_operators(const struct ortool_operators* operators, const char* origin,
                                   ortool_error** error);
/// Removes all versions of an operator that was added: models that are loaded from then on do not
/// find it. Sessions keep it; its context is released with the last of them.
ortool_status ortool_remove_operator(const char* domain, const char* name, ortool_error** error);
/// Defines operators by ONNX functions in the textual syntax, which models get that call them.
ortool_status ortool_define_operators(const char* text, ortool_error** error);

#ifdef __cplusplus
}
#endif

#endif
