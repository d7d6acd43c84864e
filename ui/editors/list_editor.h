#pragma once

#include <QAbstractTableModel>
#include <QVector>
#include <QWidget>
#include <functional>
#include <string>
#include <utility>

#include "ui/editors/edited_json.h"
#include "ui/editors/field.h"
#include "ui/editors/problem.h"

class QLabel;
class QTableView;
class QToolButton;

namespace tessera::ui {

class ProvenanceButton;

struct ListSpec;

/// A list in each entry of a list: the levels of a group.
struct InnerList {
    std::string key;  ///< "levels"
    QString title;
    /// Its table where it stands at a path, such as "groups.0.levels".
    std::function<ListSpec(const std::string& path)> at;
};

/// A list of equal entries of a document, edited as a table: a list of objects, or an object whose keys are the first
/// column.
struct ListSpec {
    std::string path;  ///< "memory"; an object's members where `named`
    bool named = false;
    QString title;
    QString entry;              ///< what one is called: "memory level"
    QString empty;              ///< what to do so that rows appear
    QVector<FieldRow> columns;  ///< paths inside an entry; "" is the key of a named entry (first) or its value
    std::function<std::pair<std::string, Json>(const Json& document)> blank;  ///< key (where named) and entry
    bool below = false;                                                       ///< stands below the last fields
    bool ordered = true;  ///< the order means something, so rows can be moved
    /// Follows a change of a cell or a removal of a row with what must change elsewhere (`to` is empty then): a
    /// renamed group is renamed in links.
    std::function<void(Json& document, const std::string& column, const Json& from, const Json& to)> follow = {};
    QVector<InnerList> inner = {};
};

/// The model behind the table. Reads the document, writes steps.
class ListModel : public QAbstractTableModel {
    Q_OBJECT

public:
    ListModel(EditedJson* document, ListSpec spec, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

    const ListSpec& spec() const { return spec_; }
    Json cell(const QModelIndex& index) const;  ///< as it stands in the document; null = nothing
    /// Sets a cell; false where another entry has that key.
    bool setCell(const QModelIndex& index, const Json& value);
    void setProvenance(const QModelIndex& index, const QString& source, const QString& reliability);
    int addRow();
    void dropRows(QVector<int> rows);
    bool moveEntry(int from, int to);
    void setProblems(const Problems& problems);
    QString problem(const QModelIndex& index) const;
    /// The cell that a problem is about; invalid where it is not in this list.
    QModelIndex cellOf(const std::string& field) const;

private:
    const Json* list() const;
    JsonPath pathTo(const QModelIndex& index) const;
    std::string fieldOf(const QModelIndex& index) const;
    void documentChanged();
    bool rename(const QModelIndex& index, const std::string& name);

    EditedJson* document_;
    ListSpec spec_;
    JsonPath path_;
    int rows_ = 0;
    Problems problems_;
};

/// The table with its buttons, the source of the current number, and the reason of the first problem.
class ListEditor : public QWidget {
    Q_OBJECT

public:
    ListEditor(EditedJson* document, const ListSpec& spec, QWidget* parent = nullptr);

    ListModel* model() const { return model_; }
    QTableView* view() const { return view_; }
    void setProblems(const Problems& problems);
    bool goTo(const std::string& field);
    /// Words that a column's cells offer, such as the names of accelerators.
    void setSuggestions(const std::string& column, const QStringList& offered);
    QStringList suggestions(const std::string& column) const {
        return suggestions_.value(QString::fromStdString(column));
    }
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QToolButton* button(const QString& icon, const QString& sign, const QString& title);
    void layOut(const QVector<QToolButton*>& buttons);
    void refresh();
    void showCurrent();
    void fit();
    void shareWidth();

    ListModel* model_;
    QTableView* view_;
    QLabel* empty_;
    QLabel* reason_;
    QLabel* sourceOf_;
    ProvenanceButton* provenance_;
    QToolButton *remove_ = nullptr, *up_ = nullptr, *down_ = nullptr;
    QMap<QString, QStringList> suggestions_;
};

inline constexpr int kMaxVisibleRows = 8;

}  // namespace tessera::ui
