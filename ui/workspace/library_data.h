#pragma once

#include <QString>
#include <QVector>

namespace tessera::ui {

/// Content of the library, apart from files and runs.
struct LibraryContents {
    struct Entry {
        QString key;  ///< of the document
        QString title;
        QString aside;  ///< short: "zoo", "256 accelerators"
        QString help;   ///< a sentence or two
        QString problem = {};
        bool own = false;    ///< a file of the user's, not one that comes with the program
        QString group = {};  ///< the family of a model, the engine of a study: sections of long lists
        /// By which studies, commands and results know it: "dgx-h100x8".
        QString name() const { return key.section(QLatin1Char('/'), -1); }
        bool operator==(const Entry&) const = default;
    };
    QVector<Entry> models;  ///< of the zoo
    QVector<Entry> accelerators;
    QVector<Entry> fleets;
    QVector<Entry> platforms;
    QVector<Entry> templates;
    QVector<Entry> workloads;
    QVector<Entry> studies;
    bool operator==(const LibraryContents&) const = default;
};

/// A bundled study as a card of the welcome page shows it.
struct StudyCard {
    struct Group {
        QString name;
        QString kind;
        double count = 0;
    };
    QString key;
    QString title;
    QVector<Group> groups;
    QString studyJson;
    QString detail;  ///< "Batch 512 in bf16, 4 strategies"
};

/// Reads the library's files: call it off the UI thread.
LibraryContents readLibrary();
/// At most `max` bundled studies that can be run.
QVector<StudyCard> readStudyCards(int max);

}  // namespace tessera::ui
