// Error objects and texts of the C interface.
#include <cstdlib>
#include <cstring>
#include <new>

#include "apps/c/guard.hpp"
#include "libcore/base/format.hpp"

struct ortool_error {
  ortool_status status;
  const char* message;
  const char* hint;
  const char* id;
  const char* node;
  const ortool::Error* source;  ///< that holds the texts; null: they are constants
};

namespace ortool::c {
namespace {

/// For failures that leave no memory for an object.
constinit ortool_error out_of_memory = {ORTOOL_MEMORY_LIMIT,
                                        "the system is out of memory",
                                        "close other programs, or give smaller inputs",
                                        "memory.system",
                                        "",
                                        nullptr};

ortool_error* make_error(const Error& error) {
  auto* source = new (std::nothrow) Error(error);
  if (source == nullptr) return &out_of_memory;
  auto* made = new (std::nothrow) ortool_error{static_cast<ortool_status>(source->code()),
                                               source->what(),
                                               source->hint().c_str(),
                                               source->id().c_str(),
                                               source->node().c_str(),
                                               source};
  if (made != nullptr) return made;
  delete source;
  return &out_of_memory;
}

}  // namespace

Error current_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::memory_limit, out_of_memory.message, out_of_memory.hint)
        .with_id(out_of_memory.id);
  } catch (const std::exception& error) {
    return Error(ErrorCode::invalid, format("internal error: {}", error.what()),
                 "this is a bug in ortool; please report it")
        .with_id("internal.exception");
  } catch (...) {
    return Error(ErrorCode::invalid, "an exception that is not from ortool",
                 "functions that ortool calls must not throw")
        .with_id("internal.exception");
  }
}

ortool_status hand_over_error(ortool_error** error) noexcept {
  ortool_error* made = &out_of_memory;
  try {
    made = make_error(current_error());
  } catch (...) {
    made = &out_of_memory;
  }
  const ortool_status status = made->status;
  if (error != nullptr) {
    *error = made;
  } else {
    ortool_error_free(made);
  }
  return status;
}

char* copy_text(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

void refuse_null(std::string_view parameter) {
  throw Error(ErrorCode::invalid, format("the parameter {} is NULL", parameter),
              "only parameters of which the header says so may be NULL")
      .with_id("usage.null");
}

void refuse_size(std::string_view parameter, std::size_t size) {
  throw Error(ErrorCode::invalid, format("the struct {} has the size {}", parameter, size),
              "zero-initialize the struct, and set its member size to sizeof of it")
      .with_id("usage.struct");
}

}  // namespace ortool::c

ortool_status ortool_error_status(const ortool_error* error) {
  return error->status;
}

const char* ortool_error_message(const ortool_error* error) {
  return error->message;
}

const char* ortool_error_hint(const ortool_error* error) {
  return error->hint;
}

const char* ortool_error_id(const ortool_error* error) {
  return error->id;
}

const char* ortool_error_node(const ortool_error* error) {
  return error->node;
}

void ortool_error_free(ortool_error* error) {
  if (error == nullptr || error->source == nullptr) return;
  delete error->source;
  delete error;
}

void ortool_text_free(char* text) {
  std::free(text);
}
