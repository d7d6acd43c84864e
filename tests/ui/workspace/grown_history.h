#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "core/store/store.h"
#include "core/study/study.h"

namespace tessera::test {

/// A history of so many runs, made from one by SQL: recording each would take minutes.
inline void growHistory(const std::filesystem::path& path, int runs) {
    {
        store::Store store = store::Store::open(path);
        study::Study study = study::newStudy("partition");
        study.models = {"zoo:resnet50"};
        study.hardware = {"accpar-heterogeneous"};
        study.name = "Run 0 of many";
        store.addRun(study, store::RunStatus::cancelled);
    }
    const std::string sql =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + std::to_string(runs - 1) +
        ") INSERT INTO run(uid, study, name, engine, models, hardware, status, since, started, finished, headline, "
        "version, host) SELECT hex(randomblob(16)), study, 'Run ' || i || ' of many', engine, models, hardware, "
        "CASE i % 5 WHEN 0 THEN 'failed' ELSE 'done' END, since - i * 1000, since - i * 1000, since - i * 1000 + 700, "
        "'6.31× over data parallelism', version, host FROM run, n";
    sqlite3* database = nullptr;
    char* problem = nullptr;
    sqlite3_open(path.c_str(), &database);
    sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &problem);
    const std::string text = problem == nullptr ? "" : problem;
    sqlite3_free(problem);
    sqlite3_close(database);
    if (!text.empty()) throw std::runtime_error(text);
}

}  // namespace tessera::test
