#include "ui/editors/difference_dialog.h"

#include <fmt/format.h>

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text.h"
#include "core/cost/workload.h"
#include "core/hardware/library.h"
#include "ui/editors/json_path.h"
#include "ui/editors/range_text.h"
#include "ui/models/background.h"
#include "ui/models/table_model.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

/// A value with the row that knows how to word it.
struct Leaf {
    QString name;
    QString text;
};

const FieldRow* columnOf(const ListSpec& spec, const std::string& path) {
    for (int i = spec.named ? 1 : 0; i < spec.columns.size(); ++i)
        if (spec.columns[i].path == path) return &spec.columns[i];
    return nullptr;
}

/// The tables of a kind and those in entries of them, by paths without positions: "groups.levels".
QVector<ListSpec> tablesOf(const HardwareKind& kind) {
    QVector<ListSpec> tables = kind.lists;
    for (const ListSpec& spec : kind.lists)
        for (const InnerList& inner : spec.inner)
            tables.push_back(inner.at(fmt::format("{}.{}", spec.path, inner.key)));
    return tables;
}

/// The field's row of a path without positions: "memory.capacity_bytes".
const FieldRow* fieldRowOf(const HardwareKind& kind, const QVector<ListSpec>& tables, const std::string& list,
                           const std::string& path) {
    if (list.empty()) {
        for (const QVector<FieldRow>* rows : {&kind.fields, &kind.bound, &kind.moreFields})
            for (const FieldRow& row : *rows)
                if (row.path == path) return &row;
        return nullptr;
    }
    for (const ListSpec& spec : tables)
        if (spec.path == list) return columnOf(spec, path);
    return nullptr;
}

/// Fields by a stable name, in order: what two documents are compared by.
class Leaves {
public:
    Leaves(const Json& document, const HardwareKind& kind) : kind_(kind), tables_(tablesOf(kind)) {
        walk(document, "", "", {});
    }
    const std::vector<std::pair<std::string, Leaf>>& all() const { return leaves_; }
    const Leaf* find(const std::string& id) const {
        const auto found = index_.find(id);
        return found == index_.end() ? nullptr : &leaves_[found->second].second;
    }

private:
    static std::string entryName(const Json& entry, std::size_t position) {
        if (entry.is_object() && entry.contains("name") && entry.at("name").is_string())
            return entry.at("name").get<std::string>();
        if (entry.is_object() && entry.contains("between")) return entry.at("between").dump();
        return std::to_string(position + 1);
    }
    void add(const std::string& id, const QString& name, const QString& text) {
        if (!index_.emplace(id, leaves_.size()).second) return;
        leaves_.push_back({id, {name, text}});
    }
    void walk(const Json& value, const std::string& list, const std::string& path, const QStringList& place) {
        const FieldRow* row = fieldRowOf(kind_, tables_, list, path);
        const std::string id = place.join(QLatin1Char('\n')).toStdString() + '\n' + path;
        const bool range = row != nullptr && row->kind == FieldKind::range;
        if (value.is_object() && !isSourced(value) && !range) {
            const bool entries = list.empty() && isNamedList(path);
            for (const auto& [key, child] : value.items()) {
                if (path.empty() && list.empty() && key == "schema") continue;
                const std::string below = path.empty() ? key : fmt::format("{}.{}", path, key);
                if (entries)
                    walk(child, path, "", place + QStringList{titleOf(path), shownText(key, 80)});
                else
                    walk(child, list, below, place);
            }
        } else if (const std::string table = tableAt(list, path); value.is_array() && !table.empty() && !range) {
            for (std::size_t i = 0; i < value.size(); ++i)
                walk(value[i], table, "", place + QStringList{titleOf(table), shownText(entryName(value[i], i), 80)});
        } else {
            const QString label = row != nullptr ? row->label : shownText(path, 80);
            add(id, (place + QStringList{label}).join(u" · "_s),
                row != nullptr ? shownValue(value, *row) : shownValue(value, {}));
            addProvenance(range ? provenanceOfRange(value) : value, id, place + QStringList{label});
        }
    }
    void addProvenance(const Json& value, const std::string& id, const QStringList& place) {
        if (!isSourced(value)) return;
        for (const auto& [key, label] : {std::pair("class", u"trust"_s), std::pair("source", u"source"_s)})
            if (value.contains(key))
                add(id + '\n' + key, (place + QStringList{label}).join(u" · "_s), shownValue(value.at(key), {}));
    }
    /// The table of a field in an entry of `list`; empty where it is none.
    std::string tableAt(const std::string& list, const std::string& path) const {
        if (list.empty()) return path;
        const std::string inner = fmt::format("{}.{}", list, path);
        const bool known =
            std::any_of(tables_.begin(), tables_.end(), [&](const ListSpec& spec) { return spec.path == inner; });
        return known ? inner : std::string();
    }
    bool isNamedList(const std::string& path) const {
        for (const ListSpec& spec : kind_.lists)
            if (spec.path == path) return spec.named;
        return false;
    }
    QString titleOf(const std::string& path) const {
        for (const ListSpec& spec : tables_)
            if (spec.path == path) return spec.title.section(QLatin1Char(','), 0, 0);
        return shownText(path, 80);
    }
    const HardwareKind& kind_;
    QVector<ListSpec> tables_;
    std::vector<std::pair<std::string, Leaf>> leaves_;
    std::map<std::string, std::size_t> index_;
};

}  // namespace

QVector<Difference> differences(const Json& here, const Json& there, const HardwareKind& kind) {
    const Leaves one(here, kind);
    const Leaves other(there, kind);
    QVector<Difference> result;
    for (const auto& [id, leaf] : one.all()) {
        const Leaf* match = other.find(id);
        if (match == nullptr || match->text != leaf.text)
            result.push_back({leaf.name, leaf.text, match == nullptr ? QString() : match->text});
    }
    for (const auto& [id, leaf] : other.all())
        if (one.find(id) == nullptr) result.push_back({leaf.name, {}, leaf.text});
    return result;
}

DifferenceDialog::DifferenceDialog(const HardwareKind& kind, Json here, const EditedFile& file, QWidget* parent)
    : QDialog(parent), kind_(kind), here_(std::move(here)), other_(new QComboBox(this)), summary_(new QLabel(this)) {
    setWindowTitle(u"Compare with another %1"_s.arg(kind.title.toLower()));
    resize(theme().spacing(225), theme().spacing(130));
    const auto cell = [this](QString Difference::*part) {
        return [this, part](int row) {
            const QString& text = rows_[row].*part;
            return text.isEmpty() ? u"not given"_s : text;
        };
    };
    const auto grey = [this](QString Difference::*part) {
        return [this, part](int row, int role) {
            return role == Qt::ForegroundRole && (rows_[row].*part).isEmpty() ? QVariant(theme().colour("secondary"))
                                                                              : QVariant();
        };
    };
    model_ = new TableModel(
        {{.title = u"Field"_s, .text = cell(&Difference::field)},
         {.title = u"This"_s, .text = cell(&Difference::here), .decoration = grey(&Difference::here)},
         {.title = u"The other"_s, .text = cell(&Difference::there), .decoration = grey(&Difference::there)}},
        this);
    table_ = new TableView(model_, u"Differences"_s, this);
    table_->setEmptyText(u"Choose what to compare with."_s);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(theme().spacing(2));
    auto* head = new QHBoxLayout;
    auto* label = new QLabel(u"&Compare with"_s, this);
    label->setBuddy(other_);
    other_->setAccessibleName(u"Compare with"_s);
    other_->setPlaceholderText(u"Choose one of the library"_s);
    auto* browseButton = new QPushButton(u"A file…"_s, this);
    browseButton->setAutoDefault(false);
    head->addWidget(label);
    head->addWidget(other_, 1);
    head->addWidget(browseButton);
    layout->addLayout(head);
    summary_->setTextFormat(Qt::PlainText);
    setLook(*summary_, "tone", u"secondary"_s);
    layout->addWidget(summary_);
    layout->addWidget(table_, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(browseButton, &QPushButton::clicked, this, &DifferenceDialog::browse);
    connect(other_, &QComboBox::activated, this, [this](int at) { compareWith(other_->itemData(at).toString()); });
    inBackground(
        this,
        [id = kind.id.toStdString(), self = file.path] {
            QStringList found;
            const auto offer = [&](const auto& entry) {
                if (entry.problem.empty()) found << toQt(entry.path == self ? entry.id + "\nas saved" : entry.id);
            };
            for (const hardware::LibraryEntry& entry : hardware::libraryEntries())
                if (entry.kind == id) offer(entry);
            if (id == "workload")
                for (const hardware::LibraryEntry& entry : cost::workloadEntries()) offer(entry);
            return found;
        },
        [this](const QStringList& names) {
            for (const QString& name : names) {
                const QString id = name.section(QLatin1Char('\n'), 0, 0);
                other_->addItem(id == name ? id : u"%1 (as it is saved)"_s.arg(id), id);
            }
            if (rows_.isEmpty()) other_->setCurrentIndex(-1);
        });
}

void DifferenceDialog::browse() {
    const QString path = QFileDialog::getOpenFileName(this, u"Compare with a file"_s, {}, u"Hardware files (*.json)"_s);
    if (path.isEmpty()) return;
    other_->addItem(path, path);
    other_->setCurrentIndex(other_->count() - 1);
    compareWith(path);
}

void DifferenceDialog::compareWith(const QString& nameOrPath) {
    struct Read {
        Json json;
        QString problem;
    };
    inBackground(
        this,
        [folder = kind_.folder, name = nameOrPath.toStdString()] {
            Read read;
            try {
                std::filesystem::path path = findInLibrary(folder, name);
                if (path.empty()) path = name;
                read.json = readDocument(path);
            } catch (const std::exception& error) {
                read.problem = shownText(error.what(), 1000);
            }
            return read;
        },
        [this](const Read& read) {
            const bool same = read.problem.isEmpty() && hardwareKindOf(read.json) == &kind_;
            rows_ = same ? differences(here_, read.json, kind_) : QVector<Difference>();
            model_->setRowCount(static_cast<int>(rows_.size()));
            QString text = counted(rows_.size(), "field differs.", "fields differ.");
            if (rows_.isEmpty()) text = u"They are the same."_s;
            if (!same)
                text = !read.problem.isEmpty() ? read.problem : u"That file is no %1."_s.arg(kind_.title.toLower());
            summary_->setText(text);
            table_->setEmptyText(text);
        });
}

}  // namespace tessera::ui
