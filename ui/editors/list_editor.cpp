#include "ui/editors/list_editor.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/hardware/numbers.h"
#include "ui/editors/provenance_button.h"
#include "ui/editors/sizes_text.h"
#include "ui/editors/sourced_number.h"
#include "ui/editors/tab_order.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kClassRole = Qt::UserRole + 1;
constexpr int kProblemRole = Qt::UserRole + 2;
constexpr int kMaxSearched = 2000;  // rows in which the first reason is looked for; the foot of the editor has them all
constexpr const char* kEditedProperty = "editedJson";

/// An accelerator that is written out inside a fleet has a name, but no line of text to edit.
QString shownObject(const Json& value) {
    const auto name = value.find("name");
    if (name == value.end() || !name->is_string()) return u"written here"_s;
    return u"%1 (written here)"_s.arg(shownText(name->get_ref<const std::string&>()));
}

/// Numbers with commas between them; null where there is none, and what is no whole number stays a text.
Json numbersIn(const QString& text) {
    Json numbers = Json::array();
    for (const QString& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        bool isWhole = false;
        const qlonglong number = part.trimmed().toLongLong(&isWhole);
        numbers.push_back(isWhole ? Json(number) : Json(part.trimmed().toStdString()));
    }
    return numbers.empty() ? Json() : numbers;
}

/// Cells are edited with the same fields as forms. Numbers stand right; assumed ones, one's own and wrong ones are
/// marked.
class CellDelegate : public QStyledItemDelegate {
public:
    CellDelegate(const ListModel* model, const QMap<QString, QStringList>* suggestions, QObject* parent)
        : QStyledItemDelegate(parent), model_(model), suggestions_(suggestions) {}

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& /*option*/,
                          const QModelIndex& index) const override {
        FieldRow row = model_->spec().columns[index.column()];
        row.unit.clear();  // the header says it
        Field* field = makeField(row, parent);
        const QStringList offered = suggestions_->value(toQt(row.path));
        if (!offered.isEmpty()) field->setSuggestions(offered);
        field->setAutoFillBackground(true);
        connect(field, &Field::edited, field,
                [field](const Json& value) { field->setProperty(kEditedProperty, toQt(value.dump())); });
        if (row.kind == FieldKind::word)
            connect(field, &Field::finished, this, [this, field] {
                auto* self = const_cast<CellDelegate*>(this);
                emit self->commitData(field);
                emit self->closeEditor(field);
            });
        return field;
    }
    void setEditorData(QWidget* editor, const QModelIndex& index) const override {
        const Json value = model_->cell(index);
        if (!value.is_object() || isSourced(value)) static_cast<Field*>(editor)->setJson(plainValue(value));
    }
    void setModelData(QWidget* editor, QAbstractItemModel* /*model*/, const QModelIndex& index) const override {
        const QVariant edited = editor->property(kEditedProperty);
        if (edited.isValid())
            const_cast<ListModel*>(model_)->setCell(index, Json::parse(edited.toString().toStdString()));
    }
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& /*index*/) const override {
        editor->setGeometry(option.rect);
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyledItemDelegate::paint(painter, option, index);
        const bool wrong = !index.data(kProblemRole).toString().isEmpty();
        painter->save();
        if (wrong) {
            painter->setPen(theme().colour("bad"));
            const QRect line = option.rect.adjusted(theme().spacing(2), 0, -theme().spacing(2), -theme().spacing(1));
            painter->drawLine(line.bottomLeft(), line.bottomRight());
        } else {
            const QString reliability = index.data(kClassRole).toString();
            if (reliability == QLatin1String("assumed")) paintMark(*painter, option, index, u"assumed"_s, u"≈"_s);
            if (reliability == QLatin1String(hardware::kOwnNumber))
                paintMark(*painter, option, index, u"yours"_s, u"✎"_s);
        }
        painter->restore();
    }

private:
    /// The word before the number, where there is room for it; a sign otherwise.
    static void paintMark(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                          const QString& word, const QString& sign) {
        painter.setFont(theme().font(Theme::Text::caption));
        painter.setPen(theme().colour("warning-text"));
        const QRect room = option.rect.adjusted(theme().spacing(2), 0, -theme().spacing(2), 0);
        const int number = option.fontMetrics.horizontalAdvance(index.data().toString()) + theme().spacing(2);
        const bool fits = painter.fontMetrics().horizontalAdvance(word) <= room.width() - number;
        painter.drawText(room, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), fits ? word : sign);
    }
    const ListModel* model_;
    const QMap<QString, QStringList>* suggestions_;
};

}  // namespace

ListModel::ListModel(EditedJson* document, ListSpec spec, QObject* parent)
    : QAbstractTableModel(parent), document_(document), spec_(std::move(spec)), path_(pathOf(spec_.path)) {
    connect(document, &EditedJson::changed, this, &ListModel::documentChanged);
    documentChanged();
}

const Json* ListModel::list() const {
    const Json* found = valueAt(document_->json(), path_);
    const bool fits = found != nullptr && (spec_.named ? found->is_object() : found->is_array());
    return fits ? found : nullptr;
}

void ListModel::documentChanged() {
    const int now = list() == nullptr ? 0 : static_cast<int>(list()->size());
    if (now > rows_) {
        beginInsertRows({}, rows_, now - 1);
        rows_ = now;
        endInsertRows();
    } else if (now < rows_) {
        beginRemoveRows({}, now, rows_ - 1);
        rows_ = now;
        endRemoveRows();
    }
    if (rows_ > 0) emit dataChanged(index(0, 0), index(rows_ - 1, columnCount() - 1));
}

int ListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : rows_;
}

int ListModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(spec_.columns.size());
}

JsonPath ListModel::pathTo(const QModelIndex& index) const {
    JsonPath path = path_;
    if (spec_.named)
        path.push_back(std::next(list()->begin(), index.row()).key());
    else
        path.push_back(std::to_string(index.row()));
    return joinedPath(path, pathOf(spec_.columns[index.column()].path));
}

std::string ListModel::fieldOf(const QModelIndex& index) const {
    return dottedPath(document_->json(), pathTo(index));
}

Json ListModel::cell(const QModelIndex& index) const {
    if (!index.isValid() || list() == nullptr || index.row() >= static_cast<int>(list()->size())) return {};
    if (spec_.named && index.column() == 0) return std::next(list()->begin(), index.row()).key();
    const Json* found = valueAt(document_->json(), pathTo(index));
    return found == nullptr ? Json() : *found;
}

bool ListModel::rename(const QModelIndex& index, const std::string& name) {
    const std::string before = cell(index).get<std::string>();
    if (before == name) return true;
    if (name.empty() || list()->contains(name)) return false;
    document_->endTyping();
    document_->change(u"name of a %1"_s.arg(spec_.entry), [&](Json& json) {
        Json entries = *valueAt(json, path_);
        renameMember(entries, before, name);
        setValue(json, path_, entries);
    });
    return true;
}

bool ListModel::setCell(const QModelIndex& index, const Json& value) {
    if (index.isValid() && spec_.columns[index.column()].kind == FieldKind::names && value.is_string()) {
        Json names = Json::array();
        for (const QString& name : toQt(value.get<std::string>()).split(QLatin1Char(',')))
            if (!name.trimmed().isEmpty()) names.push_back(name.trimmed().toStdString());
        return setCell(index, names);
    }
    if (index.isValid() && spec_.columns[index.column()].kind == FieldKind::numbers && value.is_string())
        return setCell(index, numbersIn(toQt(value.get<std::string>())));
    if (!index.isValid() || list() == nullptr || index.row() >= rows_) return false;
    if (spec_.named && index.column() == 0) return value.is_string() && rename(index, value.get<std::string>());
    const Json before = cell(index);
    if (before == value) return true;
    const FieldRow& column = spec_.columns[index.column()];
    const JsonPath path = pathTo(index);
    const Json now = column.sourced ? setByHand(before, value) : value;
    document_->endTyping();
    document_->change(u"%1: %2"_s.arg(spec_.entry, column.label.toLower()), [&](Json& json) {
        if (value.is_null() && !column.required)
            eraseValue(json, path);
        else
            setValue(json, path, value.is_null() ? Json("") : now);
        if (spec_.follow && !before.is_null()) spec_.follow(json, column.path, before, value);
    });
    return true;
}

void ListModel::setProvenance(const QModelIndex& index, const QString& source, const QString& reliability) {
    const Json now = cell(index);
    if (now.is_null()) return;
    document_->set(pathTo(index), withProvenance(now, source, reliability), u"source of a number"_s);
}

int ListModel::addRow() {
    const auto [key, entry] = spec_.blank(document_->json());
    document_->endTyping();
    document_->change(u"new %1"_s.arg(spec_.entry), [&, name = key, row = entry](Json& json) {
        const Json* now = valueAt(json, path_);
        Json entries = now == nullptr ? (spec_.named ? Json::object() : Json::array()) : *now;
        if (spec_.named)
            entries[name] = row;
        else
            entries.push_back(row);
        setValue(json, path_, entries);
        if (spec_.follow) spec_.follow(json, "+", Json(), row);
    });
    return rows_ - 1;
}

void ListModel::dropRows(QVector<int> rows) {
    std::sort(rows.begin(), rows.end(), std::greater<>());
    document_->endTyping();
    document_->change(u"remove a %1"_s.arg(spec_.entry), [&](Json& json) {
        for (const int row : rows) {
            Json entries = *valueAt(json, path_);
            if (row < 0 || row >= static_cast<int>(entries.size())) continue;
            const Json gone = *std::next(entries.begin(), row);
            entries.erase(std::next(entries.begin(), row));
            // What is optional goes when it is empty; a list that is needed stays, and says so.
            if (entries.empty() && spec_.named)
                eraseValue(json, path_);
            else
                setValue(json, path_, entries);
            if (spec_.follow) spec_.follow(json, "-", gone, Json());
        }
    });
}

bool ListModel::moveEntry(int from, int to) {
    if (from < 0 || to < 0 || from >= rows_ || to >= rows_ || from == to) return false;
    document_->endTyping();
    document_->change(u"order of the %1s"_s.arg(spec_.entry), [&](Json& json) {
        Json entries = *valueAt(json, path_);
        if (spec_.named) return;
        Json moved = entries[static_cast<std::size_t>(from)];
        entries.erase(static_cast<std::size_t>(from));
        entries.insert(entries.begin() + to, moved);
        setValue(json, path_, entries);
    });
    return true;
}

void ListModel::setProblems(const Problems& problems) {
    problems_ = problems;
    if (rows_ > 0) emit dataChanged(index(0, 0), index(rows_ - 1, columnCount() - 1), {kProblemRole, Qt::ToolTipRole});
}

QString ListModel::problem(const QModelIndex& index) const {
    if (!index.isValid() || list() == nullptr || index.row() >= static_cast<int>(list()->size())) return {};
    if (spec_.named && index.column() == 0) return {};
    const FieldRow& column = spec_.columns[index.column()];
    const Json value = plainValue(cell(index));
    if (column.kind == FieldKind::quantity && value.is_string()) {
        const QString text = toQt(value.get<std::string>());
        const QString own = readQuantity(text, column.measure, column.range).problem;
        if (text.isEmpty()) return u"Type a value such as %1."_s.arg(exampleOf(column.measure));
        if (!own.isEmpty()) return own;
    }
    if (column.kind == FieldKind::sizes && value.is_string())
        return u"Type names with their sizes, such as sequence=128, tensor_parallel=2."_s;
    return problemAt(problems_, fieldOf(index));
}

QModelIndex ListModel::cellOf(const std::string& field) const {
    const JsonPath path = pathFromDotted(document_->json(), field);
    if (list() == nullptr || path.size() <= path_.size() || !std::equal(path_.begin(), path_.end(), path.begin()))
        return {};
    const std::string& entry = path[path_.size()];
    const int row =
        spec_.named ? static_cast<int>(std::distance(list()->begin(), list()->find(entry))) : toQt(entry).toInt();
    const std::string own =
        dottedPath(document_->json(), JsonPath(path.begin(), path.begin() + std::ptrdiff_t(path_.size()) + 1));
    for (int column = spec_.named ? 1 : 0; column < columnCount(); ++column) {
        const std::string cellField = fieldOf(index(row, column));
        if (field == cellField || field.starts_with(cellField + ".")) return index(row, column);
    }
    return field == own ? index(row, 0) : QModelIndex();
}

QVariant ListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const FieldRow& column = spec_.columns[index.column()];
    const Json value = cell(index);
    switch (role) {
        case Qt::DisplayRole:
        case Qt::EditRole:
            if (column.kind == FieldKind::flag) return {};
            if (value.is_object() && !isSourced(value) && column.kind != FieldKind::sizes) return shownObject(value);
            return shownValue(value.is_null() ? column.fallback : value, column);
        case Qt::ForegroundRole:
            return value.is_null() ? QVariant(theme().colour("secondary")) : QVariant();
        case Qt::CheckStateRole:
            if (column.kind != FieldKind::flag) return {};
            return value.is_boolean() && value.get<bool>() ? Qt::Checked : Qt::Unchecked;
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::Alignment(
                Qt::AlignVCenter | (column.kind == FieldKind::quantity ? Qt::AlignRight : Qt::AlignLeft)));
        case Qt::FontRole:
            return column.kind == FieldKind::quantity ? theme().font(Theme::Text::base, false, true) : QVariant();
        case Qt::ToolTipRole: {
            const QString reason = problem(index);
            if (!reason.isEmpty()) return reason;
            if (!isSourced(value)) return {};
            const QString provenance = u"%1 %2"_s.arg(memberText(value, "class"), memberText(value, "source"));
            const QString former = formerText(value, column);
            const QString whole = former.isEmpty() ? provenance : u"%1; was %2"_s.arg(provenance, former);
            return u"<span>%1</span>"_s.arg(whole.toHtmlEscaped());
        }
        case Qt::AccessibleTextRole:
            return u"%1: %2"_s.arg(column.label, shownValue(value, column));
        case kClassRole:
            return memberText(value, "class");
        case kProblemRole:
            return problem(index);
        default:
            return {};
    }
}

bool ListModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role == Qt::CheckStateRole) return setCell(index, value.toInt() == Qt::Checked);
    if (role != Qt::EditRole) return false;
    const FieldRow& column = spec_.columns[index.column()];
    const QString text = value.toString();
    if (column.kind == FieldKind::sizes) return setCell(index, readSizes(text));
    if (column.kind != FieldKind::quantity) return setCell(index, Json(text.toStdString()));
    const std::optional<double> number = parseQuantity(text.toStdString(), column.measure);
    return setCell(index, text.isEmpty() ? Json() : number ? numberValue(*number) : Json(text.toStdString()));
}

QVariant ListModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section >= columnCount()) return {};
    const FieldRow& column = spec_.columns[section];
    if (role == Qt::DisplayRole)
        return column.unit.isEmpty() ? column.label : u"%1, %2"_s.arg(column.label, column.unit);
    if (role == Qt::ToolTipRole) return column.help;
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (column.kind == FieldKind::quantity ? Qt::AlignRight : Qt::AlignLeft)));
    return {};
}

Qt::ItemFlags ListModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return {};
    const Qt::ItemFlags base = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    return base |
           (spec_.columns[index.column()].kind == FieldKind::flag ? Qt::ItemIsUserCheckable : Qt::ItemIsEditable);
}

ListEditor::ListEditor(EditedJson* document, const ListSpec& spec, QWidget* parent)
    : QWidget(parent),
      model_(new ListModel(document, spec, this)),
      view_(new QTableView(this)),
      empty_(new QLabel(spec.empty, this)),
      reason_(new QLabel(this)),
      sourceOf_(new QLabel(this)),
      provenance_(new ProvenanceButton(u"the number"_s, this)) {
    view_->setModel(model_);
    view_->setItemDelegate(new CellDelegate(model_, &suggestions_, view_));
    view_->setAccessibleName(spec.title);
    view_->setAccessibleDescription(spec.empty);
    view_->setSelectionBehavior(QAbstractItemView::SelectItems);
    view_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::SelectedClicked |
                           QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed);
    view_->setTabKeyNavigation(false);
    view_->setShowGrid(false);
    view_->setCornerButtonEnabled(false);
    view_->verticalHeader()->hide();
    view_->verticalHeader()->setDefaultSectionSize(theme().size("row") + theme().spacing());
    view_->horizontalHeader()->setHighlightSections(false);
    view_->horizontalHeader()->setStretchLastSection(false);
    view_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    constexpr int kRowsMeasured = 20;
    view_->horizontalHeader()->setResizeContentsPrecision(kRowsMeasured);
    view_->viewport()->installEventFilter(this);

    QVector<QToolButton*> buttons;
    QToolButton* add = button(u"add"_s, u"+"_s, u"Add a %1"_s.arg(spec.entry));
    remove_ = button(u"remove"_s, u"−"_s, u"Remove the selected %1"_s.arg(spec.entry));
    buttons << add << remove_;
    if (spec.ordered && !spec.named) {
        up_ = button(u"up"_s, u"↑"_s, u"Move the %1 up"_s.arg(spec.entry));
        down_ = button(u"down"_s, u"↓"_s, u"Move the %1 down"_s.arg(spec.entry));
        buttons << up_ << down_;
        const auto move = [this](int by) {
            const QModelIndex now = view_->currentIndex();
            if (model_->moveEntry(now.row(), now.row() + by)) view_->setCurrentIndex(now.siblingAtRow(now.row() + by));
        };
        connect(up_, &QToolButton::clicked, this, [move] { move(-1); });
        connect(down_, &QToolButton::clicked, this, [move] { move(1); });
    }
    connect(add, &QToolButton::clicked, this, [this] {
        const QModelIndex first = model_->index(model_->addRow(), 0);
        view_->setFocus();
        view_->setCurrentIndex(first);
        view_->edit(first);
    });
    connect(remove_, &QToolButton::clicked, this, [this] {
        QVector<int> rows;
        for (const QModelIndex& each : view_->selectionModel()->selectedIndexes())
            if (!rows.contains(each.row())) rows.push_back(each.row());
        if (!rows.isEmpty()) model_->dropRows(rows);
    });
    layOut(buttons);
    QVector<QWidget*> order{view_};
    for (QToolButton* each : buttons) order << each;
    orderTabs(order << provenance_);
    connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this, &ListEditor::showCurrent);
    connect(model_, &QAbstractItemModel::dataChanged, this, &ListEditor::refresh);
    connect(model_, &QAbstractItemModel::rowsInserted, this, &ListEditor::refresh);
    connect(model_, &QAbstractItemModel::rowsRemoved, this, &ListEditor::refresh);
    connect(provenance_, &ProvenanceButton::edited, this, [this](const QString& source, const QString& reliability) {
        model_->setProvenance(view_->currentIndex(), source, reliability);
    });
    refresh();
}

QToolButton* ListEditor::button(const QString& icon, const QString& sign, const QString& title) {
    auto* made = new QToolButton(this);
    made->setIcon(theme().icon(icon, "secondary"));
    if (made->icon().isNull()) made->setText(sign);
    made->setToolTip(title);
    made->setAccessibleName(title);
    return made;
}

void ListEditor::layOut(const QVector<QToolButton*>& buttons) {
    auto* layout = bareLayout<QVBoxLayout>(this, theme().spacing(1));
    auto* head = bareLayout<QHBoxLayout>(0);
    auto* title = new QLabel(model_->spec().title, this);
    title->setFont(theme().font(Theme::Text::base, true));
    title->setBuddy(view_);
    head->addWidget(title);
    head->addStretch(1);
    for (QToolButton* each : buttons) head->addWidget(each);
    layout->addLayout(head);
    layout->addWidget(view_);
    empty_->setTextFormat(Qt::PlainText);
    empty_->setWordWrap(true);
    setLook(*empty_, "tone", u"secondary"_s);
    layout->addWidget(empty_);
    for (QLabel* label : {reason_, sourceOf_}) {
        label->setTextFormat(Qt::PlainText);
        setLook(*label, "letters", u"caption"_s);
    }
    reason_->setWordWrap(true);
    setLook(*reason_, "tone", u"bad"_s);
    setLook(*sourceOf_, "tone", u"secondary"_s);
    layout->addWidget(reason_);
    auto* source = bareLayout<QHBoxLayout>(theme().spacing(1));
    source->addWidget(sourceOf_);
    source->addWidget(provenance_);
    source->addStretch(1);
    layout->addLayout(source);
}

void ListEditor::setProblems(const Problems& problems) {
    model_->setProblems(problems);
    refresh();
}

void ListEditor::refresh() {
    const bool any = model_->rowCount() > 0;
    view_->setVisible(any);
    empty_->setVisible(!any);
    QString reason;
    for (int row = 0; row < std::min(model_->rowCount(), kMaxSearched) && reason.isEmpty(); ++row)
        for (int column = 0; column < model_->columnCount() && reason.isEmpty(); ++column) {
            const QString problem = model_->problem(model_->index(row, column));
            if (!problem.isEmpty())
                reason = u"Row %1, %2: %3"_s.arg(row + 1).arg(model_->spec().columns[column].label.toLower(), problem);
        }
    reason_->setText(reason);
    reason_->setVisible(!reason.isEmpty());
    fit();
    showCurrent();
}

void ListEditor::showCurrent() {
    const QModelIndex now = view_->currentIndex();
    const bool any = now.isValid() && model_->rowCount() > 0;
    remove_->setEnabled(any);
    if (up_ != nullptr) {
        up_->setEnabled(any && now.row() > 0);
        down_->setEnabled(any && now.row() + 1 < model_->rowCount());
    }
    const bool sourced = any && model_->spec().columns[now.column()].sourced && !model_->cell(now).is_null();
    sourceOf_->setVisible(sourced);
    provenance_->setVisible(sourced);
    if (!sourced) return;
    const QString what = u"%1 in row %2"_s.arg(model_->spec().columns[now.column()].label).arg(now.row() + 1);
    sourceOf_->setText(what + QLatin1Char(':'));
    provenance_->setWhat(what);
    provenance_->setJson(model_->cell(now), model_->spec().columns[now.column()]);
}

void ListEditor::fit() {
    const int rows = std::min(model_->rowCount(), kMaxVisibleRows);
    const int header = std::max(view_->horizontalHeader()->sizeHint().height(), theme().size("row"));
    shareWidth();
    const QScrollBar* bar = view_->horizontalScrollBar();
    const int below = bar->maximum() > 0 ? bar->sizeHint().height() : 0;
    view_->setFixedHeight(header + rows * view_->verticalHeader()->defaultSectionSize() + below + theme().spacing(1));
}

/// Every column has what its content needs, and texts share what is left. Where that is too much, the table scrolls.
void ListEditor::shareWidth() {
    constexpr int kWidest = 260;
    QVector<int> texts;
    int used = 0;
    for (int column = 0; column < model_->columnCount(); ++column) {
        view_->resizeColumnToContents(column);
        const int mark = model_->spec().columns[column].sourced ? theme().spacing(3) : 0;  // "assumed"
        view_->setColumnWidth(column, std::min(view_->columnWidth(column) + mark, kWidest));
        used += view_->columnWidth(column);
        const FieldKind kind = model_->spec().columns[column].kind;
        if (kind != FieldKind::quantity && kind != FieldKind::flag) texts << column;
    }
    const int spare = view_->viewport()->width() - used;
    if (spare <= 0) return;
    if (texts.isEmpty()) texts << 0;
    const auto count = static_cast<int>(texts.size());
    for (int i = 0; i < count; ++i)
        view_->setColumnWidth(texts.at(i),
                              view_->columnWidth(texts.at(i)) + spare * (i + 1) / count - spare * i / count);
}

bool ListEditor::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && watched == view_->viewport()) fit();
    return QWidget::eventFilter(watched, event);
}

bool ListEditor::goTo(const std::string& field) {
    const QModelIndex cell = model_->cellOf(field);
    if (!cell.isValid()) return false;
    view_->setFocus(Qt::OtherFocusReason);
    view_->setCurrentIndex(cell);
    view_->scrollTo(cell);
    return true;
}

void ListEditor::setSuggestions(const std::string& column, const QStringList& offered) {
    suggestions_[toQt(column)] = offered;
}

}  // namespace tessera::ui
