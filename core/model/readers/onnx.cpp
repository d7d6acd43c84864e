#include "core/model/readers/onnx.h"

#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>

#include <new>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/model/readers/onnx_import.h"
#include "core/model/readers/onnx_wire.h"

namespace tessera::model {

Graph readOnnx(const std::string& bytes, const std::string& file, const LoadOptions& options) {
    // Protobuf would write about broken messages on standard error.
    static auto* const kOldHandler = google::protobuf::SetLogHandler(nullptr);
    static_cast<void>(kOldHandler);
    if (bytes.size() > kLargestFile)
        throw DataError({.file = file}, fmt::format("{} bytes", bytes.size()),
                        fmt::format("a file of at most {} MiB", kLargestFile >> 20));
    const onnx_wire::Source source{.bytes = bytes, .file = file};
    try {
        onnx_wire::checkWire(source);
        return onnx_wire::Importer(source, options).run();
    } catch (const std::bad_alloc&) {
        throw DataError({.file = file}, "a model that needs more memory than there is", "a smaller model");
    }
}

}  // namespace tessera::model
