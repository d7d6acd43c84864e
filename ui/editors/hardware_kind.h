#pragma once

#include <QString>
#include <QVector>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/cost/workload.h"
#include "core/hardware/area_census.h"
#include "core/hardware/fleet.h"
#include "core/hardware/platform.h"
#include "core/hardware/template.h"
#include "ui/editors/check.h"
#include "ui/editors/field.h"
#include "ui/editors/list_editor.h"

namespace tessera::ui {

/// A workload with the group that its models give for seed 1.
struct DrawnWorkload {
    cost::Workload workload;
    std::vector<cost::Job> group;
};

/// A template with the sizes of its accelerators.
struct CountedTemplate {
    hardware::Template space;
    hardware::AreaCensus census;
};

/// Content of a valid document, ready to be drawn.
using Preview = std::variant<std::monostate, hardware::Accelerator, hardware::Fleet, hardware::Platform, DrawnWorkload,
                             CountedTemplate>;

/// Entries of a kind that hold or name a document of another kind: the accelerators of a fleet's groups.
struct HardwarePart {
    std::string list;  ///< "groups"; empty = there is none
    std::string key;   ///< "accelerator"
    QString kind;      ///< of the part
    QString title;
};

/// A kind of file that can be edited like hardware, workloads among them: another one is another row.
struct HardwareKind {
    QString id;          ///< "fleet": the beginning of its keys
    std::string folder;  ///< of the library: "fleets"
    std::string schema;  ///< "tessera.fleet/"
    QString icon;
    QString title;                 ///< "Fleet"
    QVector<FieldRow> fields;      ///< the name first
    QVector<ListSpec> lists;       ///< tables between the first fields and the rest
    QVector<FieldRow> moreFields;  ///< below the tables, but for those that are `below`
    bool hasTopology = false;
    QVector<FieldRow> bound = {};  ///< of the largest area, where there is one: after the first fields
    HardwarePart part = {};
    Json blank = {};
    /// Reads as the program does; throws DataError, of several faults all as hardware::Faults.
    Preview (*read)(const JsonNode& root) = nullptr;
};

/// The form of a kind as its table of fields says; what a new file and new entries begin with is not in it.
HardwareKind formOf(const hardware::Kind& kind);

const QVector<HardwareKind>& hardwareKinds();
/// Kind by id, or by the schema that a document names; nullptr where there is none.
const HardwareKind* hardwareKind(const QString& id);
const HardwareKind* hardwareKindOf(const Json& document);

/// The field of a document in words: "Memory, row 2, capacity"; empty where the kind does not know it. `base` is where
/// the document stands in `root`.
QString fieldName(const HardwareKind& kind, const Json& root, const std::string& field, const JsonPath& base = {});

}  // namespace tessera::ui
