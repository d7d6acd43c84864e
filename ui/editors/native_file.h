#pragma once

#include <cstddef>
#include <string_view>

namespace tessera::ui {

/// A kind of Tessera's own JSON files that has an editor.
struct NativeFile {
    std::string_view schema;  ///< how the field "schema" begins
    const char* document;     ///< the kind of document that shows it: "study", "hardware"
};

/// Name of the file's kind in engines: "fleet".
constexpr std::string_view kindOf(const NativeFile& file) {
    const std::size_t begin = file.schema.find('.') + 1;
    return file.schema.substr(begin, file.schema.find('/') - begin);
}

/// nullptr where the bytes are something else, such as a model.
const NativeFile* nativeFile(std::string_view bytes);

}  // namespace tessera::ui
