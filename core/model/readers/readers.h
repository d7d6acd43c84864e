#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/model/model.h"

namespace tessera::model {

using Form = std::variant<Graph, LayerGraph>;

/// A format of model files. `id` never changes; `title` is for people.
struct Reader {
    std::string_view id;
    std::string_view title;
    std::vector<std::string_view> suffixes;  ///< in lower case, with the dot
    /// True where the bytes look like this format; never throws, and reads no more than it needs.
    bool (*sniff)(std::string_view bytes);
    /// Throws DataError.
    Form (*read)(std::string bytes, const std::string& file, const LoadOptions& options);
};

/// All formats, in the order in which they are tried.
const std::vector<Reader>& readers();
/// Adds one to those there are, for programs that bring their own. Before anything is looked up.
void addReader(Reader reader);

/// The suffixes of model files, ".onnx" first, each once, in the order of the formats.
std::vector<std::string_view> modelSuffixes();

/// The format of a file: one of its suffix that recognises the bytes, else one that recognises them, else the only one
/// of its suffix. Throws DataError that says which formats there are.
const Reader& readerFor(std::string_view bytes, const std::string& file);

/// The text of field "schema" at the top of a JSON object, empty where there is none; a quick look without parsing.
std::string_view schemaIn(std::string_view json);

}  // namespace tessera::model
