#pragma once

#include <string>
#include <vector>

namespace tessera::report {

/// A file that goes with a document.
struct AttachedFile {
    std::string name;   ///< "study-A.json"
    std::string title;  ///< what it is, for people
    std::string bytes;
    std::string type = "application/json";
};

/// A PDF with files attached and its title and author said, as an update behind its bytes (ISO 32000-1, 7.5.6 and
/// 7.11.4): readers list them and save them. Empty texts are not said. Throws FileError where the bytes are no PDF with
/// a table of cross-references, as `rsvg-convert` and Qt write it.
std::string withAttachments(std::string pdf, const std::string& title, const std::string& author,
                            const std::vector<AttachedFile>& files);

}  // namespace tessera::report
