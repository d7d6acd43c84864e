#include "ui/editors/part_editor.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/text.h"
#include "ui/editors/edited_file.h"
#include "ui/editors/hardware_kind.h"
#include "ui/editors/kind_form.h"
#include "ui/editors/list_editor.h"
#include "ui/editors/tab_order.h"
#include "ui/models/background.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace {

/// The document that a name of the library, or a path beside `file`, stands for; nothing where there is none.
std::optional<Json> namedDocument(const std::string& folder, const std::string& name, const fs::path& file) {
    try {
        fs::path path = findInLibrary(folder, name);
        if (path.empty()) path = fs::path(keptReference(name, file));
        Json document = readDocument(path);
        if (!document.is_object()) return std::nullopt;
        if (const auto kernels = document.find("kernels"); kernels != document.end() && kernels->is_string())
            *kernels = keptReference(kernels->get<std::string>(), path);
        return document;
    } catch (const std::exception&) {
        return std::nullopt;  // the field's own problem says why
    }
}

}  // namespace

PartEditor::PartEditor(const HardwarePart& part, EditedJson* document, ListEditor* list, QWidget* parent)
    : QWidget(parent),
      part_(part),
      document_(document),
      list_(list),
      title_(new QLabel(this)),
      what_(new QLabel(this)),
      open_(new QToolButton(this)),
      write_(new QToolButton(this)),
      place_(new QVBoxLayout) {
    auto* column = bareLayout<QVBoxLayout>(this, theme().spacing(3));
    auto* head = bareLayout<QHBoxLayout>(theme().spacing(2));
    for (QLabel* label : {title_, what_}) label->setTextFormat(Qt::PlainText);
    title_->setFont(theme().font(Theme::Text::base, true));
    what_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    setLook(*what_, "tone", u"secondary"_s);
    open_->setText(u"Open"_s);
    open_->setToolTip(u"Open it in an editor of its own"_s);
    write_->setText(u"Embed a copy"_s);
    write_->setToolTip(u"Put a copy into this file, to be changed for this file alone"_s);
    head->addWidget(title_);
    head->addWidget(what_, 1);
    head->addWidget(open_);
    head->addWidget(write_);
    column->addLayout(head);
    column->addLayout(place_);
    connect(open_, &QToolButton::clicked, this, [this] {
        const QString name = reference();
        if (!name.isEmpty()) emit openRequested(u"hardware"_s, part_.kind + QLatin1Char('/') + name);
    });
    connect(write_, &QToolButton::clicked, this, &PartEditor::writeOut);
    connect(list_->view()->selectionModel(), &QItemSelectionModel::currentChanged, this, &PartEditor::refresh);
    connect(document_, &EditedJson::changed, this, &PartEditor::refresh);
    refresh();
}

int PartEditor::row() const {
    const int rows = list_->model()->rowCount();
    return rows == 0 ? -1 : std::clamp(list_->view()->currentIndex().row(), 0, rows - 1);
}

JsonPath PartEditor::pathTo(int row) const {
    return {part_.list, std::to_string(row), part_.key};
}

const Json* PartEditor::partOf(int row) const {
    return row < 0 ? nullptr : valueAt(document_->json(), pathTo(row));
}

bool PartEditor::isWritten(int row) const {
    const Json* part = partOf(row);
    return part != nullptr && part->is_object();
}

QString PartEditor::entryName(int row) const {
    const Json* name = valueAt(document_->json(), {part_.list, std::to_string(row), "name"});
    return name != nullptr && name->is_string() ? shownText(name->get_ref<const std::string&>(), 80)
                                                : u"row %1"_s.arg(row + 1);
}

QString PartEditor::reference() const {
    const Json* part = partOf(row());
    return part != nullptr && part->is_string() ? toQt(part->get_ref<const std::string&>()) : QString();
}

void PartEditor::refresh() {
    const int now = row();
    const bool written = isWritten(now);
    const QString name = reference();
    setVisible(written || !name.isEmpty());
    open_->setVisible(!name.isEmpty() && !name.contains(QLatin1Char('/')));
    write_->setVisible(!name.isEmpty());
    if (now >= 0) {
        title_->setText(u"%1 of %2"_s.arg(part_.title, entryName(now)));
        open_->setAccessibleName(u"Open the %1 of %2"_s.arg(part_.title.toLower(), entryName(now)));
        write_->setAccessibleName(u"Embed a copy of the %1 of %2"_s.arg(part_.title.toLower(), entryName(now)));
        what_->setText(written ? u"written in this file"_s : shownText(name.toStdString(), 80));
    }
    if ((written ? now : -1) != shown_) showPart();
}

void PartEditor::showPart() {
    if (form_ != nullptr) {
        form_->disconnect(this);
        form_->hide();
        form_->deleteLater();
        form_ = nullptr;
    }
    shown_ = isWritten(row()) ? row() : -1;
    if (shown_ >= 0) {
        form_ = new KindForm(*hardwareKind(part_.kind), document_, pathTo(shown_), this);
        form_->setContentsMargins(theme().spacing(3), 0, 0, 0);
        connect(form_, &KindForm::ownProblemsChanged, this, &PartEditor::ownProblemsChanged);
        place_->addWidget(form_);
        form_->show();  // now, not with the next event: what goes to one of its fields needs it
        form_->setProblems(problems_);
        orderTabs({write_, form_});
    }
    emit ownProblemsChanged();
}

void PartEditor::setProblems(const Problems& problems) {
    problems_ = problems;
    if (form_ != nullptr) form_->setProblems(problems);
}

Problems PartEditor::ownProblems() const {
    return form_ == nullptr ? Problems() : form_->ownProblems();
}

int PartEditor::rowOf(const std::string& field) const {
    const JsonPath path = pathFromDotted(document_->json(), field);
    if (path.size() < 3 || path[0] != part_.list || path[2] != part_.key) return -1;
    const int row = toQt(path[1]).toInt();
    // The part as a whole is the table's cell.
    return isWritten(row) && field.size() > dottedPath(document_->json(), pathTo(row)).size() ? row : -1;
}

QWidget* PartEditor::goTo(const std::string& field) {
    const int row = rowOf(field);
    if (row < 0) return nullptr;
    const QModelIndex now = list_->view()->currentIndex();
    if (now.row() != row) list_->view()->setCurrentIndex(list_->model()->index(row, std::max(now.column(), 0)));
    return form_ == nullptr ? nullptr : form_->goTo(field);
}

void PartEditor::writeOut() {
    const QString name = reference();
    const HardwareKind* kind = hardwareKind(part_.kind);
    if (name.isEmpty() || kind == nullptr) return;
    inBackground(
        this,
        [folder = kind->folder, wanted = name.toStdString(), file = document_->file()] {
            return namedDocument(folder, wanted, file);
        },
        [this, path = pathTo(row()), name](const std::optional<Json>& part) {
            if (part) put(path, name, *part);
        });
}

void PartEditor::put(const JsonPath& path, const QString& reference, const Json& part) {
    // Something else may stand there by now.
    const Json* now = valueAt(document_->json(), path);
    if (now == nullptr || *now != Json(reference.toStdString())) return;
    document_->endTyping();
    document_->set(path, part, u"writing out an %1"_s.arg(part_.title.toLower()));
    document_->endTyping();
}

}  // namespace tessera::ui
