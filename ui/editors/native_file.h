#pragma once

#include <string_view>

namespace tessera::ui {

/// A kind of Tessera's own JSON files that has an editor.
struct NativeFile {
    std::string_view schema;  ///< how the field "schema" begins
    const char* document;     ///< the kind of document that shows it: "study", "hardware"
    bool isFleet;             ///< a study can run on it
};

/// nullptr where the bytes are something else, such as a model.
const NativeFile* nativeFile(std::string_view bytes);

}  // namespace tessera::ui
