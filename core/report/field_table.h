#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "core/draw/table.h"
#include "core/study/field.h"

namespace tessera::report {

/// A title as the heading of a column: "step time" of "Step time", "MACs" as it is.
inline std::string columnHead(std::string title) {
    const bool isWord = title.size() < 2 || std::islower(static_cast<unsigned char>(title[1])) != 0;
    if (isWord && !title.empty())
        title.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(title.front())));
    return title;
}

/// Rows as a table by their fields: for people (`study::kText`, `study::kParts`), or for spreadsheets in full precision
/// (`study::kExactTable`).
template <typename Row>
Table tableOf(const std::vector<study::Field<Row>>& fields, const std::vector<Row>& rows, study::FieldUse use) {
    Table table;
    table.rows.resize(rows.size());
    for (const study::Field<Row>& field : fields) {
        if ((field.uses & use) == 0) continue;
        const bool exact = use == study::kExactTable;
        const auto isEmpty = [&](const Row& row) { return exactOf(field, row).empty(); };
        if (!exact && (field.uses & study::kOptional) != 0 && std::all_of(rows.begin(), rows.end(), isEmpty)) continue;
        table.columns.push_back({exact ? std::string(field.id) : columnHead(std::string(headOf(field))),
                                 (field.uses & study::kWords) == 0});
        for (std::size_t i = 0; i < rows.size(); ++i)
            table.rows[i].push_back(exact ? exactOf(field, rows[i]) : textOf(field, rows[i]));
    }
    return table;
}

}  // namespace tessera::report
